"""What lists, records and titles say about a work => the findings of the checks."""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from citeproof.judgement import checks
from citeproof.judgement.checks import (
    NOTICE_CHECKS,
    SET_CHECKS,
    WORK_CHECKS,
    base,
    examine_work,
    list_check_modules,
)
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, make_list_question
from citeproof.reading.parse import parse
from citeproof.vocabulary import (
    CHECK_NAMES,
    Claimed,
    Compared,
    FindingState,
    Ids,
    Judgement,
    Kind,
    Label,
    ListAnswer,
    Name,
    Notice,
    NoticeKind,
    Outcome,
    Place,
    RawReference,
    Record,
    Verdict,
    Version,
)

DOI = "10.1000/x"
R, P, W = NoticeKind.RETRACTED, NoticeKind.PARTIAL, NoticeKind.WITHDRAWN
E, C, B = NoticeKind.EXPRESSION_OF_CONCERN, NoticeKind.CORRECTED, NoticeKind.REINSTATED


def make_reference(title="A cited title", **claimed):
    ids = Ids((("doi", DOI),))
    fields = Claimed(title=title, **{"ids": ids, **claimed})
    return parse(RawReference("k", "raw", Place(), Kind.ARTICLE, fields))


def make_judgement(*marks, verdict=Verdict.MATCHED, ids=()):
    record = Record("crossref", DOI, ("A cited title",), ids=Ids(ids), marks=marks, work="w")
    return Judgement(
        verdict, Label.EXACT, 10.0, 1.0, None, (), "", Compared(record, (), ("doi",), ("crossref",))
    )


def examine(*notices, marks=(), title="A cited title", trouble="", verdict=Verdict.MATCHED):
    """Return (name, kind, whether it fails the run) of each finding, in order."""
    listed = (ListAnswer("retraction_watch", "2026-08-17", "d", notices, trouble),)
    judgement = make_judgement(*marks, verdict=verdict)
    found = examine_work(WorkEvidence(make_reference(title), judgement, (), listed))
    return [(f.name, f.kind, f.blocks) for f in found if f.state is FindingState.FINDING]


@pytest.mark.parametrize(
    ("notices", "marks", "expected"),
    [
        ([], (), []),
        ([Notice(R, "2020-01-01")], (), [("retracted", "retracted", True)]),
        ([Notice(W, "2020-01-01")], (), [("retracted", "withdrawn", True)]),
        ([Notice(NoticeKind.REMOVED)], (), [("retracted", "removed", True)]),
        ([Notice(P, "2020-01-01")], (), [("retracted", "partial", False)]),
        ([Notice(NoticeKind.REPLACED)], ("retracted",), [("retracted", "replaced", False)]),
        ([Notice(P)], ("retracted",), [("retracted", "retracted", True)]),
        ([Notice(E)], (), [("expression_of_concern", "expression_of_concern", False)]),
        ([Notice(C)], (), [("corrected", "corrected", False)]),
        ([], ("corrected",), [("corrected", "corrected", False)]),
        ([], ("withdrawn",), [("retracted", "withdrawn", True)]),
        ([], ("removed",), [("retracted", "removed", True)]),
        ([], ("partial_retraction",), [("retracted", "partial", False)]),
        ([], ("retraction_hint",), []),  # OpenAlex calls notices and healthy works retracted
        ([Notice(R, "2020-01-01"), Notice(R, "2020-01-01", "10.1000/n")], ("retracted",),
         [("retracted", "retracted", True)]),
        ([Notice(R, "2020-01-01"), Notice(B, "2021-01-01")], ("retracted",),
         [("reinstated", "reinstated", False)]),
        ([Notice(B, "2019-01-01"), Notice(R, "2020-01-01")], (), [("retracted", "retracted", True)]),
        ([Notice(E, "2019-01-01"), Notice(B, "2020-01-01"), Notice(C, "2018-01-01")], (),
         [("corrected", "corrected", False), ("reinstated", "reinstated", False)]),
        ([Notice(E, "2019-01-01"), Notice(R, "2020-01-01")], (),
         [("retracted", "retracted", True), ("expression_of_concern", "expression_of_concern", False)]),
    ],
)  # fmt: skip
def test_notices_have_their_word(notices, marks, expected):
    assert examine(*notices, marks=marks) == expected


@pytest.mark.parametrize(
    ("title", "kind"),
    [("RETRACTED: A cited title", "retracted"), ("Withdrawn Article: A cited title", "withdrawn")],
)
def test_a_title_that_says_so_is_a_signal(title, kind):
    assert examine(title=title) == [("retracted", kind, True)]


@pytest.mark.parametrize("title", ["Removed: a memoir", "Withdrawn. Essays", "Retracted papers in physics"])
def test_a_title_that_only_begins_so_is_none(title):
    assert examine(title=title) == []


def test_the_notice_names_date_work_and_reason():
    notice = Notice(R, "2020-01-02", "10.1000/n", DOI, ("Fake Data",))
    listed = (ListAnswer("retraction_watch", "2026-08-17", "d", (notice,)),)
    found = examine_work(WorkEvidence(make_reference(), make_judgement("retracted"), (), listed))[0]
    assert found.detail == "the work was retracted on 2020-01-02 (10.1000/x; notice 10.1000/n; Fake Data)"
    assert found.source == "retraction_watch, crossref"


@pytest.mark.parametrize(
    ("trouble", "state"),
    [
        ("", FindingState.CLEAR),
        ("is 8 days old", FindingState.UNCHECKED),
        ("not installed", FindingState.UNCHECKED),
    ],
)
def test_only_a_good_list_clears(trouble, state):
    listed = (ListAnswer("retraction_watch", "2026-08-17", "d", (), trouble),)
    found = examine_work(WorkEvidence(make_reference(), make_judgement(), (), listed))
    assert [(one.name, one.state) for one in found] == [("retracted", state)]
    assert trouble in found[0].detail


def test_a_stale_list_still_finds():
    assert examine(Notice(R), trouble="is 30 days old") == [("retracted", "retracted", True)]


def test_marks_of_another_work_say_nothing():
    assert examine(marks=("retracted",), verdict=Verdict.MISMATCH) == []


def test_without_a_list_nothing_is_claimed():
    assert examine_work(WorkEvidence(make_reference(), make_judgement(), ())) == ()


def test_an_unknown_work_is_not_cleared():
    judgement = Judgement(Verdict.NOT_FOUND, Label.MAJOR, 0.0, 1.0, None, (), "")
    listed = (ListAnswer("retraction_watch", "2026-08-17", "d"),)
    found = examine_work(WorkEvidence(make_reference(ids=Ids()), judgement, (), listed))
    assert [one.state for one in found] == [FindingState.UNCHECKED]


def test_a_list_is_asked_for_what_is_cited_and_what_its_record_adds():
    cited = make_reference(
        ids=Ids((("doi", DOI), ("arxiv", "2001.00001"))), authors=(Name("Doe"),), year=2020
    )
    matched = make_judgement(ids=(("pmid", "12"), ("doi", "10.1000/y")))
    asked = make_list_question(cited, matched)
    assert asked.dois == (DOI, "10.1000/y", "10.48550/arxiv.2001.00001")
    assert (asked.pmids, asked.families, asked.year) == (("12",), ("Doe",), 2020)
    other = make_judgement(verdict=Verdict.MISMATCH, ids=(("pmid", "12"),))
    assert make_list_question(cited, other).pmids == ()


@pytest.mark.parametrize("check", [*NOTICE_CHECKS, *WORK_CHECKS, *SET_CHECKS])
def test_every_check_is_its_own_page(check):
    told = inspect.getdoc(import_module(check.__module__))
    assert told.startswith(f"`{check.__module__.rpartition('.')[2]}`: ")
    assert "**What it does:**" in told
    assert "**Why it matters:**" in told


def test_a_list_is_asked_for_the_venue_as_cited_and_as_recorded():
    ids = Ids(
        (("issn", "0031-9007"), ("url", "https://www.example.org/a"), ("url", "https://doi.org/10.1/x"))
    )
    cited = make_reference(ids=ids, venue="Phys. Rev. Lett.", publisher="APS")
    record = Record(
        "crossref",
        DOI,
        ("A cited title",),
        versions=(Version(2020, "Physical Review Letters"), Version(2020, "Phys. Rev. Lett.")),
        publisher="American Physical Society",
        ids=Ids((("issn", "1079-7114"),)),
    )
    matched = Compared(record, (), ("doi",), ("crossref",))
    same = Judgement(Verdict.MATCHED, Label.EXACT, 10.0, 1.0, None, (), "", matched)
    asked = make_list_question(cited, same)
    assert asked.venues == ("Phys. Rev. Lett.", "Physical Review Letters")
    assert asked.issns == ("0031-9007", "1079-7114")
    assert asked.publishers == ("APS", "American Physical Society")
    assert asked.hosts == ("example.org",)
    other = Judgement(Verdict.MISMATCH, Label.MAJOR, 0.0, 1.0, None, (), "", matched)
    assert make_list_question(cited, other).venues == ("Phys. Rev. Lett.",)


def test_the_folder_is_the_registry_of_checks():
    files = {file.stem for file in Path(checks.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert sorted(name.rpartition(".")[2] for name in list_check_modules()) == sorted(files)
    assert set(CHECK_NAMES) == files | {"suspicious_characters"}


def test_findings_come_in_the_stated_order():
    for table, listed in (
        (base.NOTICE_CHECKS, NOTICE_CHECKS),
        (base.WORK_CHECKS, WORK_CHECKS),
        (base.SET_CHECKS, SET_CHECKS),
    ):
        assert [table[check] for check in listed] == list(range(1, len(table) + 1))


@pytest.mark.parametrize("outcome", Outcome)
def test_same_and_variant_alone_agree(outcome):
    assert outcome.agrees is (outcome in (Outcome.SAME, Outcome.VARIANT))


@pytest.mark.parametrize(
    ("day", "dated", "accessed", "told"),
    [
        ("2020-01-02", "2021-05-03", "", "before this document of 2021-05-03"),
        ("2020-01-02", "2019", "", "after this document of 2019"),
        ("2020-01-02", "2020", "", ""),
        ("2020-01-02", "2020-01", "", ""),
        ("2020-01-02", "2020-02", "", "before this document of 2020-02"),
        ("2020-01-02", "2020-01-02", "", ""),
        ("2020-01-02", "", "2021-05-03", "before it was accessed on 2021-05-03"),
        ("2020-01-02", "", "2019", "after it was accessed in 2019"),
        ("2020-01-02", "2019-01-01", "2021-05-03", "after this document of 2019-01-01"),
        ("", "2019-01-01", "", ""),
        ("2020-01-02", "", "", ""),
    ],
)
def test_the_notice_is_dated_against_the_citation(day, dated, accessed, told):
    reference = replace(make_reference(), dated=dated, accessed=accessed)
    listed = (ListAnswer("retraction_watch", "2026-08-17", "d", (Notice(R, day),)),)
    found = examine_work(WorkEvidence(reference, make_judgement(), (), listed))[0]
    said = "the work was retracted" + (f" on {day}" if day else "")
    assert found.detail == said + (f", {told}" if told else "")
