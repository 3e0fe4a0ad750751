"""Every rule of the catalogue has a document that breaks it and one that does not."""

import os
from pathlib import Path

import pytest

from citeproof import check_corpus
from citeproof.corpus.corpus_types import Freshness, Level, Pattern, Severity, Status, load_rules
from citeproof.corpus.document_check import CUT
from tests.corpus.conftest import PROJECT

RULES = sorted(set(load_rules()) - {CUT})  # what breaks that one is too large for a file: see test_evading.py


@pytest.fixture(autouse=True)
def _sources(monkeypatch, doi_snapshot):
    """A snapshot that claims to hold all of one registrant's works answers about DOIs."""
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(doi_snapshot))


TWO = [
    ("forty", "quote-without-page"),
    ("ninety", "misquote"),  # the number was changed
]


QUOTING = [
    "“{} {}” (REF-003).",
    "REF-003 says: “{} {}”",
    "“{} {}” So says REF-003.",
    "This is from REF-003. “{} {}”",
    "„{} {}“[^1]\n\n[^1]: REF-003.",
    "> {}\n>\n> {}\n\nREF-003",
    "“{} […] {}” (REF-003).",
]


@pytest.mark.parametrize(("number", "rule"), TWO)
@pytest.mark.parametrize("form", QUOTING)
def test_a_quotation_of_two_sentences_is_compared_too(project, form, number, rule):
    first = f"The cache cut the median time of a login from {number} to twelve milliseconds on one machine."
    path = project / "two.md"
    path.write_text(form.format(first, "Nothing was measured under load.") + "\n", encoding="utf-8")
    assert told(check_corpus(path)) & QUOTED == {rule}


CHANGED = [
    ("Something was measured under load.", "misquote"),  # the negation is gone
    ("All was measured under load.", "misquote"),
    ("Nothing was measured under heavy load.", "misquote"),
    ("Nothing was rneasured under load.", "quote-without-page"),  # read so by a scanner
    ("NOTHING was mea-\nsured under load.", "quote-without-page"),
]


@pytest.mark.parametrize(("second", "rule"), CHANGED)
def test_the_second_sentence_of_a_quotation_is_compared_too(project, second, rule):
    path = project / "two.md"
    path.write_text(f"“It ran on one machine. {second}” (REF-003).\n", encoding="utf-8")
    assert told(check_corpus(path)) & QUOTED == {"misquote"}  # it did not say that it ran
    path.write_text(f"“milliseconds on one machine. {second}” (REF-003).\n", encoding="utf-8")
    assert told(check_corpus(path)) & QUOTED == {rule}


QUOTED = {"misquote", "quote-without-page", "quote-unchecked", "quote-page"}


def told(report):
    return {issue.rule for result in report.results for issue in result.issues}


def test_every_rule_has_both_cases():
    for kind in ("pass", "fail"):
        assert sorted(path.stem for path in (PROJECT / kind).glob("*.md")) == RULES


@pytest.mark.parametrize("rule", RULES)
def test_the_fail_case_breaks_it(project, rule):
    report = check_corpus(project / "fail" / f"{rule}.md")
    assert rule in told(report)
    issue = next(issue for result in report.results for issue in result.issues if issue.rule == rule)
    known = load_rules()[rule]
    assert (issue.kind, issue.severity) == (known.kind, known.severity)
    assert issue.claim
    assert issue.message
    assert issue.fix
    assert report.passed == (report.counts.errors == 0)


@pytest.mark.parametrize("rule", RULES)
def test_the_pass_case_does_not(project, rule):
    report = check_corpus(project / "pass" / f"{rule}.md")
    assert rule not in told(report)
    assert report.passed
    assert report.counts.citations > 0


def document(folder: Path, text: str) -> Path:
    path = folder / "document.md"
    path.write_text(text, encoding="utf-8")
    return path


ERRORS = [
    ("@.aiwg/research/sources/no.md", "missing-source", Severity.CRITICAL, Level.ERROR),
    ("[REF-999]", "unknown-ref", Severity.CRITICAL, Level.ERROR),
    ("[REF-003] demonstrates it.", "grade-language", Severity.MEDIUM, Level.ERROR),
    ("[REF-002] demonstrates it.", "grade-language", Severity.MEDIUM, Level.WARNING),
    ("[REF-003] suggests it.", "grade-language", Severity.MEDIUM, Level.WARNING),
    ("[REF-004] indicates it.", "grade-language", Severity.MEDIUM, Level.ERROR),
    ("(Schmidhuber et al., 2015)", "unknown-author", Severity.CRITICAL, Level.ERROR),
    ("(Schmidhuber, 2015)", "unknown-author", Severity.CRITICAL, Level.WARNING),
    ("It grew by 12.5 percent.", "unsourced-statistic", Severity.MEDIUM, Level.WARNING),
    ("[src/no.py, L1]", "missing-code", Severity.CRITICAL, Level.ERROR),
    ("[src/legacy/auth.py]", "un-versioned-code", Severity.LOW, Level.WARNING),
]


@pytest.mark.parametrize(("text", "rule", "severity", "level"), ERRORS)
def test_severity_and_level(project, text, rule, severity, level):
    report = check_corpus(document(project, f"It is so: {text}\n"))
    found = [i for r in report.results for i in r.issues if i.rule == rule]
    assert [(issue.severity, issue.level) for issue in found] == [(severity, level)]


def test_strict_makes_every_warning_an_error(project):
    path = document(project, "The old login [src/legacy/auth.py, L5].\n\nIt is 40% quicker.\n")
    lax, hard = check_corpus(path), check_corpus(path, strict=True)
    assert (lax.passed, lax.counts.warnings, lax.exit_code) == (True, 2, 0)
    assert (hard.passed, hard.counts.errors, hard.counts.warnings, hard.exit_code) == (False, 2, 0, 1)


MIXED = """\
@.aiwg/research/sources/no.md and [REF-999] and (Schmidhuber et al., 2015) and doi:10.103/x.

It is 40% quicker.

As Miller (2015) says on pp. 9-3.

The login [src/no.py, L1].
"""


@pytest.mark.parametrize(
    ("flags", "patterns"),
    [
        ({}, {Pattern.MENTION, Pattern.REF, Pattern.AUTHOR_YEAR, Pattern.DOI, Pattern.CODE}),
        ({"corpus_only": True}, {Pattern.MENTION}),
        ({"rlm": True}, {Pattern.CODE}),
    ],
)
def test_modes(project, flags, patterns):
    report = check_corpus(document(project, MIXED), **flags)
    assert {one.pattern for result in report.results for one in result.citations} == patterns
    cited = {issue.rule for result in report.results for issue in result.issues}
    assert ("unsourced-statistic" in cited) == (not flags)
    assert ("page-range" in cited) == (not flags)


def test_without_a_corpus_nothing_is_called_false(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    report = check_corpus(document(tmp_path, "So says [REF-001], and (Vaswani et al., 2017).\n"))
    assert [c.status for r in report.results for c in r.citations] == [Status.UNCHECKED] * 2
    assert (report.passed, report.exit_code) == (True, 4)


def test_a_citation_counts_once_in_a_document(project):
    inline = "So [src/legacy/auth.py, L5] and so [src/legacy/auth.py, L5].\n"
    text = f"{inline}\n## Sources\n\n- src/legacy/auth.py (L5) [un-versioned]\n"
    report = check_corpus(document(project, text))
    assert (report.counts.code, report.counts.un_versioned) == (1, 1)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../../etc/passwd", "src/../../x.py", "C:\\x.py", "~/x.py", "src/link/passwd",
        "src/fifo.py", "src/sparse.py", "src/a\x00b.py",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["[{}, L1]", "[{}@a8f9c2d4e5f60718]", "@.aiwg/research/sources/../../../{}"])
def test_path_tricks_are_missing_outside_root(project, path, form):
    (project / "src" / "link").symlink_to("/etc")
    os.mkfifo(project / "src" / "fifo.py")
    with (project / "src" / "sparse.py").open("wb") as file:
        file.truncate(10 * 2**30)
    report = check_corpus(document(project, f"It is so {form.format(path)}.\n"))
    found = [c for result in report.results for c in result.citations]
    assert [(c.verdict, c.reason, c.status) for c in found] == [
        (Freshness.MISSING, "outside_root", Status.HALLUCINATED)
    ]
    assert "MISSING (outside_root)" in report.results[0].issues[0].message
