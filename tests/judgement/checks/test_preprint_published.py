"""A cited preprint and the records of its work => where it was published."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.preprint_published import find_publication
from citeproof.vocabulary import (
    Claimed,
    Compared,
    FindingLevel,
    Ids,
    Judgement,
    Kind,
    Label,
    Place,
    Record,
    Reference,
    Verdict,
    Version,
)

PREPRINT = Version(2015, "arXiv", Kind.PREPRINT)
PRINTED = Version(2016, "CVPR", Kind.ARTICLE)
CITED = {"venue": "arXiv preprint arXiv:1512.03385", "ids": Ids((("arxiv", "1512.03385"),))}


def make_record(*versions, source="arxiv", kind=Kind.PREPRINT, doi="", marks=()):
    ids = Ids((("arxiv", "1512.03385"), *([("doi", doi)] if doi else [])))
    return Record(source, "r", ("T",), versions=versions, kind=kind, ids=ids, work="w", marks=marks)


def find(*records, verdict=Verdict.MATCHED, kind=Kind.PREPRINT, raw="", **cited):
    compared = [Compared(record, (), ("arxiv",), (record.source,)) for record in records]
    judgement = Judgement(verdict, Label.EXACT, 10.0, 1.0, None, (), "", compared[0])
    claimed = Claimed(title="T", **{**CITED, **cited})
    return find_publication(WorkEvidence(Reference("k", raw, kind, claimed, Place()), judgement, compared))


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([make_record(PREPRINT)], None),
        ([make_record(PREPRINT, PRINTED)], "it was published in CVPR, 2016"),
        ([make_record(PREPRINT, PRINTED, doi="10.1109/x")], "it was published in CVPR, 2016 (doi:10.1109/x)"),
        ([make_record(PREPRINT, doi="10.1109/x")], "it was published elsewhere (doi:10.1109/x)"),
        ([make_record(PREPRINT, doi="10.48550/arxiv.1512.03385")], None),
        ([make_record(PREPRINT, doi="10.5281/zenodo.1")], None),
        ([make_record(PREPRINT), make_record(PRINTED, source="crossref", kind=Kind.ARTICLE, doi="10.1109/x")],
         "it was published in CVPR, 2016 (doi:10.1109/x)"),
        ([make_record(PREPRINT), make_record(PRINTED, source="page", marks=("web",))], None),
        ([make_record(PREPRINT, Version(2016, "Submitted to ICLR (under review)", Kind.ARTICLE))], None),
    ],
)  # fmt: skip
def test_where_it_was_published(records, expected):
    found = find(*records)
    assert (found.detail if found else None) == expected
    assert found is None or found.level is FindingLevel.NOTE


@pytest.mark.parametrize(
    "cited",
    [
        {"venue": "CVPR"},
        {"venue": "Proceedings of CVPR", "kind": Kind.ARTICLE},
        {"ids": Ids((("arxiv", "1512.03385"), ("doi", "10.1109/x")))},
        {"venue": None, "raw": "He. T. arXiv:1512.03385, to appear in CVPR 2016."},
        {"verdict": Verdict.MISMATCH},
        {"venue": None, "kind": Kind.BOOK, "ids": Ids()},
    ],
)
def test_not_where_the_publication_is_cited_or_the_work_is_another(cited):
    assert find(make_record(PREPRINT, PRINTED), **cited) is None


def test_another_work_says_nothing():
    other = Record("crossref", "o", ("O",), versions=(PRINTED,), work="other")
    assert find(make_record(PREPRINT), other) is None


def test_who_says_so():
    crossref = make_record(Version(2016, "CVPR 2016", Kind.ARTICLE), source="crossref", kind=Kind.ARTICLE)
    found = find(make_record(PREPRINT, PRINTED), crossref)
    assert (found.source, found.evidence) == ("arxiv, crossref", ("crossref: in CVPR 2016",))
