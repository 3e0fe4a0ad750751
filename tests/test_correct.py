"""Corrections: only from a full match, only what differs or is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.correct import correct
from citeproof.vocabulary import (
    Band,
    Claimed,
    Compared,
    Comparison,
    Ids,
    Judgement,
    Kind,
    Label,
    Mismatch,
    Name,
    Outcome,
    Record,
    Reference,
    Verdict,
    Version,
)

RECORD = Record(
    "crossref",
    "10.1038/nature14539",
    ("Deep learning",),
    (Name("LeCun", "Yann"), Name("Bengio", "Yoshua"), Name("Hinton", "Geoffrey")),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444"),),
    ids=Ids((("doi", "10.1038/nature14539"),)),
)
RIGHT = Claimed(
    "Deep learning", RECORD.authors, year=2015, venue="Nature", volume="521", issue="7553", pages="436-444",
    ids=RECORD.ids,
)  # fmt: skip


def _judged(claimed: Claimed, wrong: dict[str, tuple[str, str]], verdict=Verdict.MATCHED, weak=False):
    venue = Comparison(
        "venue", Outcome.DIFFERS if "venue" in wrong else Outcome.SAME, "", claimed.venue or "", "Nature"
    )
    matched = Compared(RECORD, (venue,), ("doi",), ("crossref",), weak=weak)
    rows = tuple(Mismatch(field, a, b, 0.5, "differs") for field, (a, b) in wrong.items())
    judgement = Judgement(verdict, Label.MINOR, 6.0, 0.9, Band.HIGH, (), "", matched, rows)
    return correct(Reference("k", "raw", Kind.ARTICLE, claimed), judgement)


CASES = (
    ("pages", replace(RIGHT, pages="1-2"), {"pages": ("1-2", "436-444")},
     [("pages", "1-2", "436-444", True)]),
    ("title", replace(RIGHT, title="Deep earning"), {"title": ("Deep earning", "Deep learning")},
     [("title", "Deep earning", "Deep learning", False)]),
    ("year", replace(RIGHT, year=2016), {"year": ("2016", "2015")}, [("year", "2016", "2015", False)]),
    ("no doi", replace(RIGHT, ids=Ids()), {}, [("doi", "", "10.1038/nature14539", True)]),
    ("wrong doi", replace(RIGHT, ids=Ids((("doi", "10.1000/other"),))), {"doi": ("10.1000/other", "x")},
     [("doi", "10.1000/other", "10.1038/nature14539", False)]),
    ("dead arxiv id", replace(RIGHT, ids=Ids((*RECORD.ids.pairs, ("arxiv", "9999.99999")))),
     {"arxiv": ("9999.99999", "")}, [("arxiv", "9999.99999", "", False)]),
    ("missing volume", replace(RIGHT, volume=None), {}, [("volume", "", "521", True)]),
    ("invented author", replace(RIGHT, authors=(Name("LeCun", "Y."), Name("Nobody", "N."))),
     {"authors": ("a", "b")},
     [("authors", "Y. LeCun; N. Nobody", "Yann LeCun; Yoshua Bengio; Geoffrey Hinton", False)]),
)  # fmt: skip


@pytest.mark.parametrize(("claimed", "wrong", "changes"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_changes(claimed, wrong, changes):
    correction = _judged(claimed, wrong)
    assert [(c.field, c.claimed, c.resolved, c.safe) for c in correction.changes] == changes
    fixed = correction.claimed
    assert (fixed.title, fixed.year, fixed.pages, fixed.volume, fixed.ids.first("doi")) == (
        "Deep learning", 2015, "436-444", "521", "10.1038/nature14539",
    )  # fmt: skip


def test_nothing_to_change_is_no_correction():
    assert _judged(RIGHT, {}) is None


@pytest.mark.parametrize("verdict", [Verdict.MISMATCH, Verdict.NOT_FOUND, Verdict.UNCHECKED])
def test_no_correction_without_a_match(verdict):
    assert _judged(replace(RIGHT, year=1999), {"year": ("1999", "2015")}, verdict) is None


def test_no_correction_from_a_weak_candidate():
    assert _judged(replace(RIGHT, year=1999), {"year": ("1999", "2015")}, weak=True) is None


def test_another_venue_brings_its_own_locators():
    claimed = replace(RIGHT, venue="Nature Methods", volume="7", issue=None, pages="1-9")
    correction = _judged(claimed, {"venue": ("Nature Methods", "Nature")})
    fixed = correction.claimed
    assert (fixed.venue, fixed.volume, fixed.issue, fixed.pages) == ("Nature", "521", "7553", "436-444")
    assert not any(change.safe for change in correction.changes)


def test_a_cited_preprint_gets_no_doi_of_the_published_work():
    claimed = replace(RIGHT, venue="arXiv", ids=Ids((("arxiv", "1502.00001"),)), volume=None, issue=None)
    assert "doi" not in [c.field for c in _judged(claimed, {"venue": ("arXiv", "Nature")}).changes]


def test_only_the_named_identifier_goes():
    both = Ids((("doi", "10.1038/nature14539"), ("pmid", "1"), ("pmid", "26017442")))
    correction = _judged(replace(RIGHT, ids=both), {"pmid": ("1", "")})
    assert correction.claimed.ids.all("pmid") == ("26017442",)
