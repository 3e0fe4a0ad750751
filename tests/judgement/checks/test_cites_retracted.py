"""What a list says about the works that a cited work cites => a note."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.cites_retracted import find_retracted_citations
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, make_cited_question
from citeproof.vocabulary import (
    FindingLevel,
    ListAnswer,
    Notice,
    NoticeKind,
    Record,
    Verdict,
)
from tests.judgement.checks.test_checks import make_judgement, make_reference

R, P, B = NoticeKind.RETRACTED, NoticeKind.PARTIAL, NoticeKind.REINSTATED


def find(*notices, subject="cited"):
    listed = (
        ListAnswer("retraction_watch", "2026-08-17", "d"),
        ListAnswer("retraction_watch", "2026-08-17", "d", notices, subject=subject),
    )
    return find_retracted_citations(WorkEvidence(make_reference(), make_judgement(), (), listed))


@pytest.mark.parametrize(
    ("notices", "detail"),
    [
        ([Notice(R, "2020-01-02", "10.1/n", "10.1/a")],
         "the work cites a retracted work: 10.1/a (retracted on 2020-01-02)"),
        ([Notice(R, "", "", "10.1/a"), Notice(NoticeKind.WITHDRAWN, "2021-01-01", "", "PMID 7")],
         "the work cites 2 retracted works: 10.1/a (retracted), PMID 7 (withdrawn on 2021-01-01)"),
        ([Notice(R, "", "", f"1{n}") for n in range(5)],
         "the work cites 5 retracted works: 10 (retracted), 11 (retracted), 12 (retracted) and 2 more"),
    ],
)  # fmt: skip
def test_retracted_works_are_named(notices, detail):
    found = find(*notices)
    assert (found.detail, found.level, found.blocks) == (detail, FindingLevel.NOTE, False)
    assert len(found.evidence) == len({one.about for one in notices})


@pytest.mark.parametrize(
    "notices",
    [
        [],
        [Notice(P, "2020-01-02", "", "10.1/a")],
        [Notice(NoticeKind.REPLACED, "2020-01-02", "", "10.1/a")],
        [Notice(NoticeKind.CORRECTED, "2020-01-02", "", "10.1/a")],
        [Notice(R, "2020-01-02", "", "10.1/a"), Notice(B, "2021-01-02", "", "10.1/a")],
    ],
)
def test_what_is_no_retraction_is_not_counted(notices):
    assert find(*notices) is None


def test_a_notice_about_the_work_itself_is_another_check():
    assert find(Notice(R, "2020-01-02", "", "10.1000/x"), subject="works") is None


def test_the_question_names_cited_works_once_and_not_those_of_another_work():
    judgement = make_judgement()
    assert make_cited_question(judgement, ()) is None
    cites = ("10.1/a", "pmid:7", "10.1/a")
    record = Record("crossref", "10.1000/x", ("A cited title",), work="w", cites=cites)
    other = Record("crossref", "10.1000/y", ("Another",), work="v", cites=("10.1/z",))
    compared = [type(judgement.matched)(one, (), ("doi",), ("crossref",)) for one in (record, other)]
    question = make_cited_question(judgement, compared)
    assert (question.dois, question.pmids) == (("10.1/a",), ("7",))
    assert make_cited_question(make_judgement(verdict=Verdict.MISMATCH), compared) is None
