"""Two reports on a library => which references are the same, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.service.library_changes import (
    NewsKind,
    WatchedFinding,
    WatchedReference,
    _pair_references,
    compare_libraries,
)
from citeproof.vocabulary import (
    DEFAULT_FAIL_ON,
    Finding,
    FindingLevel,
    FindingState,
    Place,
    SetFinding,
)

RETRACTED = Finding(
    "retracted", FindingState.FINDING, "it was", "crossref", "retracted", FindingLevel.BLOCKING
)


def make(key, doi="", title="T"):
    return WatchedReference(key, title, (("doi", doi),) if doi else (), "matched", "EXACT")


@pytest.mark.parametrize(
    ("former", "today", "expected"),
    [
        ([make("a", "1"), make("b", "2")], [make("a", "1"), make("b", "2")], ["a", "b"]),
        ([make("a", "1"), make("b", "2")], [make("b", "2"), make("a", "1")], ["b", "a"]),
        ([make("a", "1"), make("b", "2")], [make("x", "2"), make("a", "1")], ["b", "a"]),
        ([make("a", "1"), make("b", "2")], [make("a", "2"), make("b", "1")], ["b", "a"]),  # keys swapped
        ([make("a", "1")], [make("a", "3", "Other")], ["a"]),  # corrected under its key
        ([make("a", "1")], [make("x", "3", "Other")], [None]),
        ([make("a", "1"), make("a", "1")], [make("a", "1")], ["a"]),
        ([make("a", "1")], [make("a", "1"), make("a", "1")], ["a", None]),
        ([make("a", "", "Some Title")], [make("x", "", "Some title.")], ["a"]),
        ([], [make("a", "1")], [None]),
    ],
)
def test_which_reference_is_which(former, today, expected):
    assert [one and one.key for one in _pair_references(former, today)] == expected


def compare(former, checked, together=()):
    return compare_libraries(
        former, checked, together, DEFAULT_FAIL_ON, started="2026-11-16T00:00:00Z", lost=0
    )


def test_an_outage_keeps_findings_and_labels(made_checked):
    bad = replace(made_checked["exact"], findings=(RETRACTED,))
    first = compare(None, [bad]).kept
    down = replace(made_checked["unchecked"], reference=bad.reference, findings=())
    between = compare(first, [down])
    assert (between.news, between.not_today) == ((), 1)
    assert between.kept.references == first.references
    assert compare(between.kept, [bad]).news == ()
    cleared = compare(between.kept, [replace(bad, findings=())])
    assert [(one.kind, one.before, one.fails) for one in cleared.news] == [
        (NewsKind.CLEARED, "retracted", False)
    ]


def test_another_kind_of_notice_is_news(made_checked):
    concern = Finding("retracted", FindingState.FINDING, "a part", "crossref", "partial")
    first = compare(None, [replace(made_checked["exact"], findings=(concern,))]).kept
    (news,) = compare(first, [replace(made_checked["exact"], findings=(RETRACTED,))]).news
    assert (news.kind, news.before, news.after, news.fails) == (
        NewsKind.FINDING, "partial", "retracted", True
    )  # fmt: skip


def test_what_is_found_about_references_together(made_checked):
    one = made_checked["exact"]
    first = compare(None, [one]).kept
    pair = SetFinding(
        Finding("duplicate_reference", FindingState.FINDING, "twice"), Place("r.bib"), ("b", "a")
    )
    appeared = compare(first, [one], [pair])
    assert [(n.check, n.key, n.fails) for n in appeared.news] == [("duplicate_reference", "b, a", False)]
    assert appeared.kept.findings == (WatchedFinding("duplicate_reference", "", ("a", "b")),)
    assert compare(appeared.kept, [one], [pair]).news == ()
    assert [n.kind for n in compare(appeared.kept, [one]).news] == [NewsKind.CLEARED]


def test_a_finding_about_references_whose_keys_changed_is_no_news(made_checked):
    one = made_checked["exact"]
    twice = Finding("duplicate_reference", FindingState.FINDING, "twice")
    first = compare(None, [one], [SetFinding(twice, Place("r.bib"), (one.key, "other"))]).kept
    moved = replace(one, reference=replace(one.reference, key="renamed"))
    assert compare(first, [moved], [SetFinding(twice, Place("r.bib"), ("renamed", "other"))]).news == ()
