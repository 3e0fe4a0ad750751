"""Pairs of references => whether they are one work, and in which way."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.duplicate_reference import find_duplicates
from citeproof.vocabulary import FindingLevel, Kind
from tests.judgement.checks.set_members import make_evidence, make_member

TITLE = "Deep residual learning for image recognition"
CVPR = {"venue": "CVPR", "year": 2016}
BOOK = {"kind": Kind.BOOK, "year": 2016}
ARXIV = {"venue": "arXiv preprint arXiv:1512.03385", "year": 2015, "arxiv": "1512.03385"}


def compare(first, second):
    """Return the kinds found for two references, given as keywords of a citation."""
    both = [
        make_member(key, **{"title": TITLE, "authors": ["Kaiming He", "Jian Sun"], **each})
        for key, each in (("he2016", first), ("resnet", second))
    ]
    return [one.finding.kind for one in find_duplicates(make_evidence(*both))]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (CVPR, CVPR, ["same_work"]),
        (CVPR, {**CVPR, "title": "Deep Residual Learning for Image Recognition."}, ["same_work"]),
        (CVPR, {**CVPR, "authors": ["He, K.", "others"]}, ["same_work"]),
        (CVPR, {**CVPR, "venue": "IEEE Conference on Computer Vision and Pattern Recognition"},
         ["same_work"]),
        ({"doi": "10.1109/x", "year": 2016}, {"doi": "10.1109/x", "year": 2015}, ["same_work"]),
        (ARXIV, {"doi": "10.48550/arxiv.1512.03385", "year": 2015}, ["same_work"]),
        (ARXIV, {**CVPR, "doi": "10.1109/cvpr.2016.90"}, ["preprint_and_published"]),
        (CVPR, ARXIV, ["preprint_and_published"]),
        ({"work": "s:1", "venue": "CVPR", "year": 2016}, {"work": "s:1", "venue": "TPAMI", "year": 2018},
         ["two_versions"]),
        # two works
        (CVPR, {**CVPR, "authors": ["Ann Other"]}, []),
        (CVPR, {"venue": "TPAMI", "year": 2018}, []),
        (CVPR, {**CVPR, "title": f"{TITLE}: Part II"}, []),
        ({**CVPR, "title": "A course of theoretical physics, volume 1", "doi": "10.1/x"},
         {**CVPR, "title": "A course of theoretical physics, volume 2", "doi": "10.1/x"}, []),
        (CVPR, {**CVPR, "title": f"Erratum: {TITLE}"}, []),
        ({**BOOK, "edition": "2"}, {**BOOK, "edition": "3"}, []),
        ({**BOOK, "volume": "1"}, {**BOOK, "volume": "2"}, []),
        (BOOK, {"kind": Kind.CHAPTER, "year": 2016}, []),  # a part of it
        ({**CVPR, "issue": "1"}, {**CVPR, "issue": "3"}, []),  # a column
        ({**CVPR, "pages": "12-14"}, {**CVPR, "pages": "112"}, []),
        ({**CVPR, "pages": "770-778"}, {**CVPR, "pages": "770--777"}, ["same_work"]),
        ({"title": "Editorial", **CVPR}, {"title": "Editorial", **CVPR}, []),
        ({"title": "Recognition of handwritten digits", "kind": Kind.CHAPTER, "doi": "10.1/book"},
         {"title": "A history of image search", "kind": Kind.CHAPTER, "doi": "10.1/book"}, []),
        ({**CVPR, "doi": "10.1109/a"}, {**CVPR, "doi": "10.1109/b"}, []),
    ],
)  # fmt: skip
def test_pairs(first, second, expected):
    assert compare(first, second) == expected
    assert compare(second, first) == expected


def test_a_finding_is_at_the_second_and_shows_both():
    one, again = (make_member(key, TITLE, ["Kaiming He"], **CVPR) for key in ("a1", "b2"))
    (found,) = find_duplicates(make_evidence(one, again))
    assert (found.keys, found.place.line) == (("a1", "b2"), 2)
    assert found.finding.level is FindingLevel.WARNING
    assert found.finding.detail == "b2 is the same work as a1"
    assert found.finding.evidence == (f"a1: “{TITLE}”, 2016, CVPR", f"b2: “{TITLE}”, 2016, CVPR")


def test_each_repeat_is_reported_once():
    many = [make_member(f"k{n}", TITLE, ["Kaiming He"], doi="10.1/x", **CVPR) for n in range(4)]
    assert [one.keys for one in find_duplicates(make_evidence(*many))] == [("k0", f"k{n}") for n in (1, 2, 3)]


def test_one_key_twice_is_reported_where_the_file_is_read():
    both = [make_member("same", TITLE, ["Kaiming He"], **CVPR) for _ in range(2)]
    assert list(find_duplicates(make_evidence(*both))) == []
