"""What was found about the references of a document together: in every format, and accepted where it is."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.serializers.judgements import identify_set_finding, make_fingerprint
from citeproof.service.accepted_problems import AcceptedProblems, BaselineWriter, IgnoreEntry, read_baseline
from citeproof.service.exit_codes import Exit, RunOutcome
from citeproof.vocabulary import FailOn, Finding, FindingState, Place, SetFinding

TODAY = date(2026, 11, 16)
FOUND = SetFinding(
    Finding(
        "cohort_concentrated",
        FindingState.FINDING,
        "5 of 9 references share <b>one</b> group of authors",
        "document",
        evidence=("a, b, c: Ada Lovelace", "d, e: `Ada` | Byron"),
    ),
    Place("refs.bib", 3),
    ("a", "b"),
)
CLEAR = replace(FOUND, finding=replace(FOUND.finding, state=FindingState.CLEAR))


def _report(form, run, checked, found):
    fail_on = frozenset({FailOn.FINDINGS})  # JUnit tells nothing else
    report = ReferenceReport(run, checked, fail_on=fail_on, set_findings=lambda: found)
    return "".join(get_reporter(form).report(report))


@pytest.mark.parametrize("form", ["text", "md", "html", "json", "sarif", "junit", "github", "summary"])
def test_every_format_tells_it_once(form, made_run, made_checked):
    report = _report(form, made_run, [made_checked["exact"]], [FOUND])
    assert report.count("5 of 9 references") == 1
    assert "5 of 9" not in _report(form, made_run, [made_checked["exact"]], [CLEAR]) or form == "json"
    if form in ("html", "md"):
        assert "<b>one" not in report


def test_it_is_asked_for_once_the_references_have_passed(made_run, made_checked):
    passed = []

    def pass_by():
        passed.append(1)
        yield made_checked["exact"]

    def ask():
        assert passed
        return [FOUND]

    told = json.loads(
        "".join(get_reporter("json").report(ReferenceReport(made_run, pass_by(), set_findings=ask)))
    )
    (finding,) = told["findings"]
    assert (finding["keys"], finding["level"], finding["location"]["line"]) == (["a", "b"], "warning", 3)


@pytest.mark.parametrize("id_", ["cohort_concentrated", make_fingerprint(identify_set_finding(FOUND))])
def test_an_ignore_list_accepts_it(id_):
    known = AcceptedProblems([IgnoreEntry(id_, "our survey", "i.toml:1", "refs.bib")], today=TODAY)
    passed = known.accept_set_finding(FOUND)
    assert passed.accepted.reason == "our survey"
    assert not list(known.list_notices())
    strict = RunOutcome(fail_on=frozenset({FailOn.FINDINGS}))
    strict.note_set_finding(passed)
    assert strict.failing == 0
    strict.note_set_finding(FOUND)
    assert strict.failing == 1


def test_a_baseline_knows_it(tmp_path, made_checked):
    writer = BaselineWriter()
    writer.note_set_finding(FOUND)
    writer.note_set_finding(CLEAR)
    (tmp_path / "known.json").write_bytes(writer.encode_baseline(0))
    known = AcceptedProblems(baseline=read_baseline(tmp_path / "known.json"), today=TODAY)
    assert known.accept_set_finding(FOUND).accepted.by == "baseline"
    assert known.accept_set_finding(FOUND).accepted is None  # it was there once
    assert RunOutcome.of([made_checked["exact"]], 0, [FOUND]).code() is Exit.CLEAN  # advisory: a warning
