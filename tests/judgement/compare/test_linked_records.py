"""Records of one work in several sources, and sources that contradict each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from citeproof.judgement.compare.linked_records import find_index_errors, link_records
from citeproof.vocabulary import Found, Ids, Name, Reach, Record, Version

PEOPLE = (Name("He", "Kaiming"), Name("Zhang", "Xiangyu"))
BASE = Record("crossref", "a", ("Deep Residual Learning for Image Recognition",), PEOPLE,
              versions=(Version(2016, "CVPR"),), ids=Ids((("doi", "10.1/a"),)))  # fmt: skip
OTHER = replace(BASE, titles=("Ueber das Gesetz der Energieverteilung",), authors=(Name("Planck", "Max"),))


def of(source, base=BASE, **other):
    return replace(base, source=source, **other)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (BASE, of("openalex"), True),
        (BASE, of("openalex", ids=Ids((("arxiv", "1512.03385"),))), True),  # a long title and people
        (BASE, of("openalex", ids=Ids(), authors=(Name("Planck", "Max"),)), False),
        (BASE, of("openalex", OTHER), False),  # one DOI, another title
        (BASE, of("openalex", titles=("Deep residual learning",)), True),  # a short form, the same DOI
        (BASE, of("openalex", ids=Ids(), titles=("Introduction",)), False),
        (of("x", titles=("Preface",), ids=Ids()), of("y", titles=("Preface",), ids=Ids()), False),
    ],
)
def test_links(a, b, same):
    x, y = link_records([a, b])
    assert (bool(x.work) and x.work == y.work) is same


def test_a_source_s_own_links_keep_their_name_while_alone():
    records = [of("snapshot:s", id="1", work="w7"), of("snapshot:s", id="2", work="w7")]
    assert [r.work for r in link_records(records)] == ["w7", "w7"]


def test_the_order_of_arrival_changes_nothing():
    records = [BASE, of("openalex", id="b"), of("dblp", id="c", ids=Ids()), of("x", OTHER, id="d")]
    named = {r.source: r.work for r in link_records(records)}
    for order in permutations(records):
        assert {r.source: r.work for r in link_records(order)} == named


def _told(*records):
    lookups = [Found(r.source, "doi", (r,), Reach.PARTIAL) for r in records]
    return {name[0] for name in find_index_errors(lookups, link_records(records))}


@pytest.mark.parametrize(
    ("records", "wrong"),
    [
        ((BASE, of("openalex"), of("semantic_scholar", OTHER)), {"semantic_scholar"}),
        ((of("europe_pmc"), of("openalex", OTHER), of("semantic_scholar")), {"openalex"}),
        ((BASE, of("openalex", OTHER)), {"openalex"}),  # the registry of the DOI knows best
        ((of("europe_pmc"), of("openalex", OTHER)), set()),  # one word against another
        ((of("crossref", OTHER), of("openalex"), of("semantic_scholar")), {"crossref"}),  # two against one
        ((BASE,), set()),
    ],
)
def test_quorum(records, wrong):
    assert _told(*records) == wrong


def test_allies_are_found_whoever_comes_first():
    short = {"titles": ("Learning to walk",)}
    a, b = of("openalex", **short), of("semantic_scholar", **short)
    assert _told(of("crossref", OTHER), a, b) == {"crossref"}


def test_parts_are_not_one_work_though_an_index_says_so():
    one, two = ("On the theory of kitchens, Part I",), ("On the theory of kitchens, Part II",)
    first, second = (
        of("crossref", id="1", titles=one),
        of("crossref", id="2", titles=two, ids=Ids((("doi", "10.1/b"),))),
    )
    merged = of("openalex", titles=two, ids=Ids((("doi", "10.1/a"), ("doi", "10.1/b"))))
    works = {r.id: r.work for r in link_records([first, second, merged]) if r.source == "crossref"}
    assert works["1"] != works["2"] or not works["1"]


def test_pages_of_the_web_are_linked_to_nothing():
    page = of("url", marks=("web",))
    assert [r.work for r in link_records([BASE, page])] == ["", ""]
