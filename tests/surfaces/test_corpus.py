"""`citeproof corpus` as its users meet it: exit codes, modes, formats, --fix, --report, cite, layouts."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from citeproof import settings
from citeproof.surfaces.cli import main

PROJECT = Path(__file__).parents[1] / "corpus" / "project"
FRESH = "c537814c18034549"  # of src/auth/login.ts, as sha256sum says


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    return folder


def corpus(*arguments):
    """Return exit code, output and errors of one run."""
    runner = CliRunner()
    with runner.isolation() as (out, err, _):
        code = main._run_command(["corpus", *map(str, arguments)], debug=True)
        sys.stdout.flush()
        sys.stderr.flush()
        return code, out.getvalue().decode(), err.getvalue().decode()


def write(folder, text, name="doc.md"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


CLEAN = f"A login without a token is refused [src/auth/login.ts@{FRESH}, L2-4], says [REF-001].\n"
WARNING = "The old login [src/legacy/auth.py, L5].\n"
ERROR = "The new login [src/gone.py, L5].\n"
UNCHECKED = "So says doi:10.5555/abc.\n"

ENDS = [
    ("clean", CLEAN, [], 0, "PASS"),
    ("warnings alone pass", WARNING, [], 0, "PASS"),
    ("strict", WARNING, ["--strict"], 1, "FAIL"),
    ("errors fail", ERROR, [], 1, "FAIL"),
    ("not checked", UNCHECKED, [], 4, "PASS"),
    ("an error wins over not checked", ERROR + UNCHECKED, [], 1, "FAIL"),
    ("not asked", ERROR, ["--corpus-only"], 0, "PASS"),
    ("only code", ERROR + "[REF-999]", ["--rlm"], 1, "FAIL"),
    ("only code, none there", "[REF-999]", ["--rlm"], 0, "PASS"),
]


@pytest.mark.parametrize(
    ("text", "flags", "code", "status"), [row[1:] for row in ENDS], ids=[r[0] for r in ENDS]
)
def test_exit_codes(project, text, flags, code, status):
    path = write(project, text)
    found, out, _ = corpus(path, "--format", "json", *flags)
    assert (found, json.loads(out)["status"]) == (code, status)
    found, out, _ = corpus(path, *flags)
    assert found == code
    assert re.search(rf"^Status: {status}", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--rlm", "--corpus-only"], "cannot be used together"),
        (["no.md"], "no.md"),
        (["--root", "nowhere"], "is not a folder"),
        (["--diff"], "needs --fix"),
        (["--format", "docx"], "docx"),
    ],
)
def test_wrong_usage(project, flags, said):
    code, out, err = corpus(*flags)
    assert (code, out) == (2, "")
    assert said in err
    assert "hint" in err


def test_no_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = corpus()
    assert (code, out) == (3, "")
    assert "no Markdown document" in err


def test_the_current_folder_is_the_default_and_r_descends(project):
    write(project, CLEAN, "a.md")
    write(project, CLEAN, "below/b.md")
    write(project, ERROR, "CHANGELOG.md")
    write(project, ERROR, ".aiwg/working/draft.md")
    shutil.rmtree(project / "pass")
    shutil.rmtree(project / "fail")
    files = [file["file"] for file in json.loads(corpus("--format", "json")[1])["files"]]
    assert files == ["a.md"]
    files = [
        file["file"]
        for file in json.loads(corpus("-r", "--exclude", ".aiwg/**", "--format", "json")[1])["files"]
    ]
    assert files == ["a.md", "below/b.md"]
    files = [file["file"] for file in json.loads(corpus("below", "--format", "json")[1])["files"]]
    assert files == ["below/b.md"]


SEED = """\
The token is compared [src/auth/login.ts@a8f9c2d4e5f60718, L42-58], as before [src/legacy/auth.py, L88].
"""


def test_the_seeds_words(project):
    _, out, _ = corpus(write(project, SEED))
    lines = [line.strip() for line in out.splitlines()]
    start = lines.index("RLM Citations: 2 total")
    assert lines[start + 1 : start + 5] == ["✓ Fresh: 0", "⚠ Stale: 1", "⚠ Un-versioned: 1", "✗ Missing: 0"]
    stale = lines.index("STALE citations:")
    assert lines[stale + 1 : stale + 4] == [
        "- [src/auth/login.ts@a8f9c2d4e5f60718, L42-58]",
        f"Current hash: {FRESH}",
        "File modified since citation emitted",
    ]
    bare = lines.index("UN-VERSIONED citations:")
    assert lines[bare + 1 : bare + 3] == [
        "- [src/legacy/auth.py, L88]",
        "File exists but no content hash; consider running through aiwg index",
    ]


def test_the_report_is_saved(project):
    path = write(project, ERROR)
    code, _, err = corpus(path, "--report")
    saved = project / ".aiwg" / "reports" / "citation-verification.md"
    assert code == 1
    assert str(saved) in err
    text = saved.read_text(encoding="utf-8")
    for words in (
        "## Citation Verification Report", "**File:** doc.md", "**Date:** ", "**Status:** FAIL (1 issue)",
        "### Summary", "| Citations found | 1 |", "| Valid | 0 |", "| Hallucinated | 1 |",
        "| GRADE violations | 0 |",
        "### Issues", "1. **CRITICAL - Hallucinated Citation (line 1)**", "### Recommendations",
    ):  # fmt: skip
        assert words in text


@pytest.mark.parametrize(
    "form", ["text", "json", "jsonl", "md", "html", "sarif", "junit", "csv", "bibtex", "csl", "ris"]
)
def test_every_format_on_the_whole_project(project, form):
    code, out, err = corpus("pass", "fail", "--format", form, "-o", project / "out")
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    assert (project / "out").stat().st_size > 100


def test_sarif_stands_on_lines(project):
    path = write(project, f"\n\n{ERROR}")
    _, out, _ = corpus(path, "--format", "sarif")
    result = json.loads(out)["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "doc.md"
    assert place["region"] == {"startLine": 3, "startColumn": 15, "endLine": 3, "endColumn": 32}


@pytest.mark.parametrize(
    ("here", "given"), [("", "sub/doc.md"), ("sub", "doc.md"), ("sub", "../sub/doc.md"), ("..", "project")]
)
def test_sarif_names_documents_from_the_root(project, monkeypatch, here, given):
    shutil.rmtree(project / "fail")
    write(project, ERROR, "sub/doc.md")
    monkeypatch.chdir(project / here)
    _, out, _ = corpus(given, "--format", "sarif")
    places = [one["locations"][0]["physicalLocation"] for one in json.loads(out)["runs"][0]["results"]]
    assert "sub/doc.md" in {place["artifactLocation"]["uri"] for place in places}
    assert not [place for place in places if not (project / place["artifactLocation"]["uri"]).is_file()]


def test_fix_twice_changes_nothing_the_second_time_and_undo_gives_it_back(project):
    before = {path: path.read_bytes() for path in (project / "fail").glob("*.md")}
    code, out, _ = corpus("fail", "--fix")
    assert code in {0, 1}
    assert "+++ fail/grade-language.md" in out
    after = {path: path.read_bytes() for path in before}
    assert sum(after[path] != before[path] for path in before) > 10
    corpus("fail", "--fix")
    assert {path: path.read_bytes() for path in before} == after
    changed = [path for path in before if after[path] != before[path]]
    assert corpus(*changed, "--undo")[0] == 0
    assert {path: path.read_bytes() for path in before} == before


def test_what_fix_does(project):
    path = write(
        project,
        "The report demonstrates that the cache pays [REF-003].\n\n"
        "It is known (@.aiwg/research/sources/no.md), and [REF-999].\n\n"
        "It is compared [src/auth/login.ts@a8f9c2d4e5f60718, L1] and [src/gone.py, L1].\n\n"
        "Logins are 40% quicker.\n",
    )
    corpus(path, "--fix")
    text = path.read_text(encoding="utf-8")
    assert "demonstrates" not in text
    prose = re.sub(r"<!--.*?-->", "", text)
    assert "no.md" not in prose
    assert "REF-999" not in prose
    assert "removed citation to missing source @.aiwg/research/sources/no.md" in text
    assert "[src/auth/login.ts@a8f9c2d4e5f60718, L1] [STALE: hash mismatch]" in text
    assert "[src/gone.py, L1]" in prose
    assert text.count("TODO") == 2
    code, out, _ = corpus(path, "--format", "json")
    assert [i["rule"] for f in json.loads(out)["files"] for i in f["issues"] if i["level"] == "error"] == [
        "missing-code"
    ]
    assert code == 1


def test_diff_writes_nothing(project):
    before = {path: path.read_bytes() for path in project.rglob("*.md")}
    _, out, err = corpus("fail", "--fix", "--diff")
    assert "+++ fail/" in out
    assert "nothing was written" in err
    assert {path: path.read_bytes() for path in project.rglob("*.md")} == before


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("src/auth/login.ts", f"[src/auth/login.ts@{FRESH}]"),
        ("src/auth/login.ts:L2-4", f"[src/auth/login.ts@{FRESH}, L2-4]"),
        ("src/auth/login.ts:2", f"[src/auth/login.ts@{FRESH}, L2]"),
        ("./src/../src/auth/login.ts:L1", f"[src/auth/login.ts@{FRESH}, L1]"),
    ],
)
def test_cite(project, given, made):
    code, out, _ = corpus("cite", given)
    assert (code, out) == (0, f"{made}\n")
    assert corpus(write(project, f"So it is {made}.\n"))[0] == 0


@pytest.mark.parametrize("given", ["src/no.ts", "/etc/passwd", "src/auth/login.ts:L2-99", "src"])
def test_cite_refuses(project, given):
    code, out, err = corpus("cite", given)
    assert (code, out) == (2, "")
    assert "hint" in err


def test_another_layout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = write(
        tmp_path,
        '[corpus]\nsources = ["library"]\nassessments = ["grades"]\nref = "SRC"\nreport = "out/r.md"\n',
        "citeproof.toml",
    )
    settings.open_trust_store().add(file, file.read_bytes())
    write(tmp_path, "---\nref: SRC-001\ntitle: A\n---\nText.\n", "library/a.md")
    write(tmp_path, "ref: SRC-001\ngrade: LOW\n", "grades/SRC-001.yaml")
    path = write(tmp_path, "[SRC-001] demonstrates it, as does @library/a.md. See SRC-002 and REF-001.\n")
    code, out, _ = corpus(path, "--format", "json", "--report")
    issues = [issue for file in json.loads(out)["files"] for issue in file["issues"]]
    assert code == 1
    assert sorted({issue["rule"] for issue in issues}) == ["grade-language", "unknown-ref"]
    assert (tmp_path / "out" / "r.md").is_file()


@pytest.mark.parametrize(
    ("folders", "missing"),
    [(["library"], []), (["libary", "library", "papers"], ["libary", "papers"])],
)
def test_a_configured_folder_that_is_not_there_is_told(tmp_path, monkeypatch, folders, missing):
    monkeypatch.chdir(tmp_path)
    named = json.dumps([*settings.Settings().corpus_sources, *folders])
    write(tmp_path, f"[corpus]\nsources = {named}\n", "citeproof.toml")
    write(tmp_path, "---\ntitle: A\n---\nText.\n", "library/a.md")
    path = write(tmp_path, "Plain words.\n")
    _, out, _ = corpus(path)
    assert re.findall("corpus_sources: no folder ([a-z]+) below", out) == missing


def test_a_project_cannot_set_its_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, '[corpus]\nroot = "/"\n', "citeproof.toml")
    write(tmp_path, "[etc/passwd, L1]\n")
    code, _, err = corpus()
    assert code == 2
    assert "corpus_root" in err


def test_results_are_those_of_now(project):
    """Whatever a result rests on is changed in turn; the next run says so."""
    path = write(
        project, f"It is [src/auth/login.ts@{FRESH}, L2-4]. [REF-003] may indicate it. See [REF-777].\n"
    )

    def found():
        _, out, _ = corpus(path, "--format", "json")
        return sorted(
            i["rule"] for f in json.loads(out)["files"] for i in f["issues"] if i["level"] != "info"
        )

    assert found() == ["unknown-ref"]
    assert found() == ["unknown-ref"]
    (project / "src/auth/login.ts").write_text("other\n")
    assert found() == ["code-range", "stale-code", "unknown-ref"]
    write(project, "ref: REF-003\ngrade: VERY LOW\n", ".aiwg/research/quality-assessments/REF-003.yaml")
    assert "grade-language" in found()
    write(project, "---\nref: REF-777\ngrade: LOW\n---\nText.\n", ".aiwg/research/findings/REF-777.md")
    assert "unknown-ref" not in found()


ANSWERS = [
    ("10.1038/nature14539", "verified", {"answer": "found", "source": "snapshot:known"}),
    ("10.1038/nature99999999", "hallucinated", {"answer": "absent", "source": "snapshot:known"}),
    ("10.5555/abc", "unchecked", {"answer": "unchecked", "cause": "not_covered"}),
]


@pytest.mark.parametrize("run", ["first", "second"])
def test_what_is_told_about_dois_is_in_the_audit_log(project, tmp_path, monkeypatch, doi_snapshot, run):
    """In the second run the answers are kept ones, and nobody is asked."""
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(doi_snapshot))
    path = write(project, " ".join(f"See doi:{doi} there." for doi, _, _ in ANSWERS))
    if run == "second":
        corpus(path)
    monkeypatch.setenv("CITEPROOF_AUDIT_DIR", str(tmp_path / "log"))
    monkeypatch.setenv("CITEPROOF_AUDIT_RUN", run)
    _, out, _ = corpus(path, "--format", "json")
    shown = [one for file in json.loads(out)["files"] for one in file["citations"]]
    assert [(one["target"], one["status"]) for one in shown] == [row[:2] for row in ANSWERS]
    assert logged(tmp_path / "log" / f"{run}.jsonl") == {doi: answer for doi, _, answer in ANSWERS}


def test_dois_that_nobody_could_be_asked_about_are_in_the_audit_log(project, tmp_path, monkeypatch):
    monkeypatch.setenv("CITEPROOF_AUDIT_DIR", str(tmp_path / "log"))
    monkeypatch.setenv("CITEPROOF_AUDIT_RUN", "run")
    corpus(write(project, UNCHECKED))
    assert logged(tmp_path / "log" / "run.jsonl") == {
        "10.5555/abc": {"answer": "unchecked", "cause": "offline"}
    }


def logged(path):
    """Return the answers about DOIs in a run's log."""
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        event["doi"]: {name: event[name] for name in ("answer", "source", "cause") if name in event}
        for event in events
        if event["ev"] == "doi_answer"
    }
