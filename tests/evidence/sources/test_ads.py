"""NASA ADS, asked through its loopback API."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given

from citeproof.evidence.sources import ads
from citeproof.evidence.sources.ads import Ads
from citeproof.laboratory.testing.apis import ads as api
from citeproof.laboratory.testing.base import Call, Reply
from citeproof.plumbing.net.message import Answer, Failure, Secret
from citeproof.text import ids as identifiers
from citeproof.vocabulary import (
    Absent,
    Cause,
    Found,
    Ids,
    Kind,
    Name,
    Question,
    Reach,
    Record,
    Unchecked,
    Version,
)
from tests.evidence.sources.anyjson import objects
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

ASTROPY = Record(
    "x",
    "1",
    ("Astropy: A community Python package for astronomy",),
    (Name("Astropy Collaboration", collective=True), Name("Robitaille", "Thomas P.")),
    versions=(Version(2013, "Astronomy and Astrophysics", Kind.ARTICLE, volume="558", pages="A33"),),
    kind=Kind.ARTICLE,
    ids=Ids((("ads", "2013A&A...558A..33A"), ("doi", "10.1051/0004-6361/201322068"), ("arxiv", "1307.6212"))),
)
SUPERNOVAE = Record(
    "x",
    "2",
    ("Measurements of Ω and Λ from 42 High-Redshift Supernovae",),
    (Name("Perlmutter", "S."), Name("Aldering", "G.")),
    versions=(Version(1999, "The Astrophysical Journal", Kind.ARTICLE, "517", "2", "565-586"),),
    kind=Kind.ARTICLE,
    ids=Ids((("ads", "1999ApJ...517..565P"), ("doi", "10.1086/307221"))),
)
ELSEWHERE = Record(
    "x", "3", ("Deep learning",), versions=(Version(2015, "Nature"),), ids=Ids((("doi", "10.1/n"),))
)


def with_token(call, holdings):
    """The API, with the header that `net` would add."""
    return api.answer(replace(call, headers={**call.headers, "authorization": "Bearer t"}), holdings)


def source(api_=with_token, key="t-o-k-e-n"):
    net = InMemory({"ads": api_}, Shelf(ASTROPY, SUPERNOVAE, ELSEWHERE))
    return wired(Ads, net, key=Secret(key) if key else None), net


@pytest.mark.parametrize(
    ("by", "value", "expected"),
    [
        ("ads", "2013A&A...558A..33A", ASTROPY),
        ("doi", "10.1051/0004-6361/201322068", ASTROPY),
        ("arxiv", "1307.6212", ASTROPY),
        ("title", "Astropy: a community {Python} package for astronomy", ASTROPY),
        ("title", "Measurements of Omega and Lambda from 42 high-redshift supernovae", SUPERNOVAE),
        ("ads", "1999ApJ...517..565P", SUPERNOVAE),
        ("ads", "1999ApJ...517..999X", None),
        ("doi", "10.1/n", None),
        ("title", "A work that nobody ever wrote", None),
        ("title", "“”", None),
    ],
)
def test_found_and_absent(by, value, expected):
    found = ask(source()[0], by, value)
    if expected is None:
        assert found == Absent("ads", by, Reach.COMPLETE if by == "ads" else Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.id == expected.ids.first("ads")
    assert record.authors == expected.authors
    assert record.authors_complete
    assert record.versions == expected.versions
    assert set(record.ids.pairs) == set(expected.ids.pairs)


def test_the_token_is_a_header_and_needed():
    asked, net = source()
    ask(asked, "ads", "1999ApJ...517..565P")
    assert net.requests[0].secret_headers == (("Authorization", "Bearer ", Secret("t-o-k-e-n")),)
    assert "t-o-k-e-n" not in repr(net.requests)
    found = ask(source(key="")[0], "ads", "1999ApJ...517..565P")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.NEEDS_KEY
    call = Call("GET", "/search/query", ("search", "query"), {"q": "title:x"}, {})
    assert api.answer(call, Shelf()).status == 401


@pytest.mark.parametrize("more", [0, 30])
def test_few_bibcodes_are_a_query_and_many_a_list(more):
    asked, net = source()
    codes = ["1999ApJ...517..565P", "2013A&A...558A..33A", *(f"2000ApJ...{n:03}..565P" for n in range(more))]
    request = asked.batch("ads", codes)
    assert ("bigquery" in request.url) is bool(more)
    assert request.secret_headers
    answer = asyncio.run(net.fetch(request))
    assert isinstance(answer, Answer)
    assert [r.ids.first("ads") for r in asked.batch_records("ads", answer)] == codes[:2]


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(200, b'{"responseHeader":{"status":400},"error":{"msg":"x"}}'), Cause.MALFORMED),
        (Reply(200, b'{"response":{"numFound":3,"docs":[]}}'), Cause.MALFORMED),
        (Reply(200, b'{"response":{"numFound":0}}'), Cause.MALFORMED),
        (Reply(200, b'{"response":{"numFound":1,"docs":[{"bibcode":"x"}]}}'), Cause.MALFORMED),
        (Reply(200, b"[]"), Cause.MALFORMED),
        (Reply(200, b""), Cause.MALFORMED),
        (Reply(404, b"{}"), Cause.TIMEOUT),
        (Failure(Cause.NEEDS_KEY, "401"), Cause.NEEDS_KEY),
    ],
)
def test_what_is_no_answer_is_unchecked(reply, cause):
    found = ask(source(reply)[0], "ads", "1999ApJ...517..565P")
    assert isinstance(found, Unchecked)
    assert found.cause is cause
    assert found.reach is Reach.COMPLETE


@pytest.mark.parametrize(
    ("item", "authors", "complete", "versions", "ids"),
    [
        (
            {"author": ["Perlmutter, S."], "author_count": 33, "year": "1999", "page": ["565"],
             "doctype": "article",
             "identifier": ["1998astro.ph.12133P", "arXiv:astro-ph/9812133", "10.1086/307221", "x", 7]},
            (Name("Perlmutter", "S."),), False, (Version(1999, kind=Kind.ARTICLE, pages="565"),),
            {("ads", "1999ApJ...517..565P"), ("doi", "10.1086/307221"), ("arxiv", "astro-ph/9812133"),
             ("ads", "1998astro.ph.12133P")},
        ),
        (
            {"author": "Perlmutter", "year": 1999, "identifier": ["2012arXiv1204.4485R"],
             "doctype": "inproceedings"},
            (), True, (Version(kind=Kind.ARTICLE), Version(2012, "arXiv", Kind.PREPRINT)),
            {("ads", "1999ApJ...517..565P"), ("ads", "2012arXiv1204.4485R")},
        ),
    ],
)  # fmt: skip
def test_documents(item, authors, complete, versions, ids):
    record = ads.make_record(
        {**item, "bibcode": "1999ApJ...517..565P", "title": ["RETRACTED: A H<SUB>2</SUB>O title"]}
    )
    assert record is not None
    assert (record.title, record.marks) == ("A H2O title", ("retracted",))
    assert (record.authors, record.authors_complete, record.versions) == (authors, complete, versions)
    assert set(record.ids.pairs) == ids


@given(objects([*api.build_ads_document(ASTROPY)], "x"))
def test_fields_of_any_type_are_skipped(item):
    record = ads.make_record({**item, "bibcode": "1999ApJ...517..565P", "title": ["A title"]})
    assert record is not None
    assert record.title == "A title"


@pytest.mark.parametrize("year", [None, 1862, 2020])
@pytest.mark.parametrize("venue", [None, "JHEP", "Astronomy & Astrophysics"])
@pytest.mark.parametrize("pages", [None, "A33", "565-586"])
@pytest.mark.parametrize("family", ["Ørsted", "王", "de la Cruz"])
def test_the_loopback_api_makes_well_formed_bibcodes(year, venue, pages, family):
    made = Record("x", "1", ("A",), (Name(family),), versions=(Version(year, venue, pages=pages),))
    code = str(api.build_ads_document(made)["bibcode"])
    assert identifiers.normalise_id("ads", code) == code


@pytest.mark.parametrize(
    ("by", "kind", "claimed", "ids", "suits", "reach"),
    [
        ("ads", Kind.ARTICLE, {}, (), True, Reach.COMPLETE),
        ("doi", Kind.ARTICLE, {}, (("ads", "1999ApJ...517..565P"),), True, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "MNRAS"}, (), True, Reach.COVERS),
        ("title", Kind.BOOK, {"venue": "MNRAS"}, (), True, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "Physical Review Letters"}, (), True, Reach.PARTIAL),
        ("arxiv", Kind.PREPRINT, {}, (("arxiv", "astro-ph/9812133"),), True, Reach.PARTIAL),
        ("arxiv", Kind.PREPRINT, {}, (("arxiv", "1706.03762"),), False, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "NeurIPS"}, (), False, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "Physiology"}, (), False, Reach.PARTIAL),
    ],
)
def test_whom_it_suits_and_what_its_silence_means(by, kind, claimed, ids, suits, reach):
    question = Question(by, "x", reference(kind, ids, **claimed))
    assert source()[0].suits(question) is suits
    assert source()[0].reach(question) is reach
    assert source()[0].is_required(question) is (by == "ads")
