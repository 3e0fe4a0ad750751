"""`citeproof check` with --fail-on, a baseline, an ignore list and several outputs."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

BIB = """@inproceedings{he2016deep,
  title     = {Deep Residual Learning for Image Recognition},
  author    = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian},
  booktitle = {CVPR},
  year      = {2016},
  doi       = {10.1109/CVPR.2016.91},
}
"""
MAJOR = """@inproceedings{huang2017sparsely,
  title     = {Sparsely Gated Residual Lattices for Weather Prediction},
  author    = {Huang, Gao and Liu, Zhuang},
  booktitle = {CVPR},
  year      = {2017},
  doi       = {10.1109/CVPR.2017.243},
}
"""


@pytest.fixture
def check(cli, snapshot, tmp_path):
    (tmp_path / "refs.bib").write_text(BIB)

    def run(*flags):
        return cli("check", "refs.bib", "--snapshot", snapshot, *flags)

    return run


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ([], 1), (["--fail-on", "minor"], 1), (["--fail-on", "major"], 0), (["--fail-on", "none"], 0),
        (["--fail-on", "major,unchecked,findings"], 0), (["--fail-on", "all"], 2), (["--fail-on", ""], 2),
    ],
)  # fmt: skip
def test_fail_on(flags, code, check):
    assert check(*flags).code == code


RETRACTED = """@article{bad, title = {RETRACTED: Deep Residual Learning for Image Recognition},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian},
  booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}
"""


@pytest.mark.parametrize(
    ("words", "code", "level"),
    [
        ("major", 1, "blocking"), ("retracted", 1, "blocking"), ("findings", 1, "blocking"),
        ("findings,no-retracted", 0, "warning"), ("major,no-retracted", 0, "warning"), ("none", 0, "warning"),
        ("unchecked,predatory_source", 0, "warning"), ("major,no-corrected", 1, "blocking"),
    ],
)  # fmt: skip
def test_fail_on_names_checks_and_exceptions(words, code, level, check, tmp_path):
    (tmp_path / "refs.bib").write_text(RETRACTED)
    ended = check("--fail-on", words, "--format", "json")
    findings = json.loads(ended.out)["references"][0]["findings"]
    assert [one["level"] for one in findings if one["name"] == "retracted"] == [level]
    assert ended.code == code


def test_an_entry_with_a_check_accepts_only_that(check, tmp_path):
    (tmp_path / "refs.bib").write_text(RETRACTED)
    entry = '[[ignore]]\nid = "bad"\nreason = "cited as an example"\ncheck = "{}"\n'
    (tmp_path / "i.toml").write_text(entry.format("retracted"))
    accepted = check("--ignore", "i.toml", "--fail-on", "major")
    assert accepted.code == 0
    (tmp_path / "i.toml").write_text(entry.format("citation-not-found"))
    other = check("--ignore", "i.toml", "--fail-on", "major")
    assert other.code == 1
    assert "the entry for 'bad' (citation-not-found) matches no problem" in other.err
    (tmp_path / "i.toml").write_text(entry.format("retratced"))
    wrong = check("--ignore", "i.toml")
    assert (wrong.code, "did you mean 'retracted'?" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("predatory_sorce", "did you mean 'predatory_source'?"),
        ("no-retratced", "did you mean 'no-retracted'?"),
        ("retracted,no-retracted", "has both retracted and no-retracted"),
        ("xyzzy", "names of checks such as retracted"),
    ],
)
def test_fail_on_with_a_wrong_word(words, said, check):
    ended = check("--fail-on", words)
    assert ended.code == 2
    assert said in ended.err


def test_exceptions_alone_are_about_the_default(check, tmp_path):
    assert check("--fail-on", "no-corrected").code == 1
    (tmp_path / "refs.bib").write_text(RETRACTED)
    assert check("--fail-on", "no-retracted").code == 0


def test_fail_on_from_the_environment(check, monkeypatch):
    monkeypatch.setenv("CITEPROOF_FAIL_ON", "major")
    assert check().code == 0


def test_with_a_baseline_only_new_problems_fail(check, tmp_path):
    written = check("--write-baseline", "known.json")
    assert written.code == 0
    assert "baseline: 1 problem written to known.json" in written.err
    known = check("--baseline", "known.json")
    assert known.code == 0
    assert "1 problem accepted" in known.out
    assert "he2016deep" not in known.out
    (tmp_path / "refs.bib").write_text(f"% the lines move\n\n{BIB}\n{MAJOR}")
    new = check("--baseline", "known.json")
    assert new.code == 1
    assert "huang2017sparsely" in new.out
    assert "he2016deep" not in new.out


def test_a_baseline_that_is_not_there(check):
    ended = check("--baseline", "none.json")
    assert ended.code == 2
    assert "none.json: no such baseline" in ended.err
    assert "hint: write it first with --write-baseline" in ended.err


IGNORE = '[[ignore]]\nid = "he2016deep"\nreason = "<b>seen</b> in print"\n'


@pytest.fixture
def ignoring(check, tmp_path):
    (tmp_path / "ignore.toml").write_text(IGNORE)
    (tmp_path / "refs.bib").write_text(BIB + MAJOR)
    return lambda *flags: check("--ignore", "ignore.toml", *flags)


def test_every_format_tells_what_is_accepted(ignoring, tmp_path):
    forms = ("json", "sarif", "junit", "github", "md", "html", "jsonl", "csv")
    ended = ignoring(*(word for form in forms for word in ("--output", f"{form}=out.{form}")))
    assert ended.code == 1
    assert (
        "2 references: 0 exact, 0 with a note, 1 minor, 1 major, 0 could not be checked; 1 with signs of\n"
        "invention (1 wrong identifier), 1 with slips only; 1 problem accepted" in ended.out
    )
    assert "he2016deep" not in ended.out
    text = {form: (tmp_path / f"out.{form}").read_text() for form in forms}
    report = json.loads(text["json"])
    first, second = report["references"]
    assert (first["label"], first["accepted"][0]["by"]) == ("MINOR", "ignore")
    assert first["accepted"][0]["fingerprint"] == first["fingerprint"]
    assert "accepted" not in second
    assert report["summary"]["accepted"] == 1
    assert [json.loads(line)["key"] for line in text["jsonl"].splitlines()] == [first["key"], second["key"]]
    results = json.loads(text["sarif"])["runs"][0]["results"]
    assert [one["suppressions"] for one in results] == [
        [{"kind": "external", "status": "accepted", "justification": "<b>seen</b> in print"}],
        [],
    ]
    assert results[0]["partialFingerprints"]["citeproof/v1"] == first["fingerprint"]
    cases = list(ET.fromstring(text["junit"]).iter("testcase"))
    assert [child.tag for case in cases for child in case] == ["skipped", "failure"]
    assert cases[0][0].get("message").startswith("accepted: <b>seen</b> in print; MINOR")
    assert "he2016deep" not in text["github"]
    assert "1 problem, 1 accepted one" in text["github"]
    assert "&lt;b&gt;seen&lt;/b&gt; in print" in text["html"]
    assert "MINOR ambiguous (accepted)" in text["md"]
    assert "he2016deep" in text["csv"]


def test_verbose_text_shows_accepted_problems_with_their_fingerprint(ignoring):
    ended = ignoring("-v")
    assert "MINOR ambiguous (accepted)  he2016deep" in ended.out
    assert "accepted: <b>seen</b> in print" in ended.out
    assert "fingerprint: " in ended.out


def test_unused_and_expired_entries_are_told(ignoring, tmp_path):
    (tmp_path / "ignore.toml").write_text(
        f'{IGNORE}expires = 2020-01-01\n[[ignore]]\nid = "no\\u001b[31mbody"\nreason = "x"\n'
    )
    ended = ignoring()
    assert ended.code == 1
    assert "ignore.toml:1: the entry for 'he2016deep' expired on 2020-01-01" in ended.err
    assert "ignore.toml:5: the entry for" in ended.err
    assert "\x1b[31m" not in ended.err
    assert "he2016deep" in ended.out


def test_a_project_file_may_not_accept_its_own_problems(check, tmp_path):
    (tmp_path / "ignore.toml").write_text(IGNORE)
    (tmp_path / "citeproof.toml").write_text('ignore_file = "ignore.toml"\n')
    ended = check()
    assert ended.code == 2
    assert "may not set ignore_file" in ended.err


def test_the_audit_log_keeps_the_verdict(ignoring, cli):
    assert ignoring("--audit", "log", "--audit-run", "accepting").code == 1
    ended = cli("audit", "replay", "log", "accepting", "--format", "jsonl")
    assert ended.code == 0  # every judgement is identical to the recorded one
    assert [json.loads(line)["label"] for line in ended.out.splitlines()] == ["MINOR", "MAJOR"]


def test_outputs_are_written_in_one_run(check, tmp_path):
    ended = check(
        "--format", "md", "-o", "report.md", "--output", "sarif=out.sarif", "--output", "text=a=b.txt"
    )
    assert ended.code == 1
    assert ended.out == ""
    assert (tmp_path / "report.md").read_text().startswith("# Citation report")
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"
    assert "he2016deep" in (tmp_path / "a=b.txt").read_text()


def test_the_names_of_files_say_their_formats(check, tmp_path):
    check("-o", "out.sarif", "-o", "out.xml", "-o", "report.md")
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"
    assert "<testsuites" in (tmp_path / "out.xml").read_text()
    assert (tmp_path / "report.md").read_text().startswith("# Citation report")


@pytest.mark.parametrize("flag", ["-q", "-v", "--summary"])
def test_what_chooses_the_text_is_refused_for_other_files(flag, check):
    ended = check(flag, "-o", "out.sarif")
    assert ended.code == 2
    assert "needs --format text" in ended.err


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["a.txt", "b.txt"], "only one file without a format"),
        (["sarf=out.sarif"], "no such format or no file: 'sarf=out.sarif'"),
        (["md="], "no such format or no file"),
        (["md=a.txt", "html=a.txt"], "two reports for one file"),
        (["md=none/a.md"], "cannot write"),
    ],
)
def test_wrong_outputs(outputs, message, check, tmp_path):
    ended = check(*(word for output in outputs for word in ("-o", output)))
    assert ended.code == 2
    assert message in ended.err
    assert "hint: " in ended.err
    assert ended.out == ""
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["refs.bib"]


def test_a_folder_is_checked_again_without_the_files_of_the_run_itself(cli, snapshot, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "refs.bib").write_text(BIB)
    names = ("out.html", "out.md", "out.sarif", "out.xml", "out.csv")
    outputs = [word for name in names for word in ("-o", f"{name.partition('.')[2]}={repository / name}")]
    outputs = [word.replace("xml=", "junit=") for word in outputs]
    flags = ("check", repository, "--snapshot", snapshot, "--format", "json", *outputs)
    first = cli(*flags, "--write-baseline", repository / "known.json")
    again = cli(*flags, "--baseline", repository / "known.json")
    assert (first.code, again.code) == (0, 0)
    for ended in (first, again):
        report = json.loads(ended.out)
        assert (len(report["references"]), report["run"]["problems"]) == (1, [])
    assert "6 files passed over, not read as documents" in again.err
