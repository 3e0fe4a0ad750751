"""Europe PMC, asked through its loopback API."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given

from citeproof.evidence.sources import europe_pmc
from citeproof.evidence.sources.europe_pmc import EuropePmc
from citeproof.laboratory.testing.apis import europe_pmc as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Answer, Failure
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

GENBANK = Record(
    "x",
    "1",
    ("GenBank",),
    (Name("Benson", "Dennis A"), Name("Cavanaugh", "Mark"), Name("The NCBI Team", collective=True)),
    versions=(
        Version(2013, "Nucleic acids research", Kind.ARTICLE, volume="41", issue="D1", pages="D36-D42"),
    ),
    kind=Kind.ARTICLE,
    ids=Ids((("pmid", "23193287"), ("pmcid", "PMC3531190"), ("doi", "10.1093/nar/gks1195"))),
    marks=("expression_of_concern", "corrected"),
)
PREPRINT = Record(
    "x",
    "2",
    ("Ünïcode in protein folding & <β-sheets>",),
    (Name("Muñoz", "Søren"),),
    versions=(Version(2021, "bioRxiv", Kind.PREPRINT),),
    kind=Kind.PREPRINT,
    ids=Ids((("doi", "10.1101/2021.01.01.425001"),)),
)
ELSEWHERE = Record("x", "3", ("Attention is all you need",), ids=Ids((("doi", "10.1/x"),)), kind=Kind.ARTICLE)


def source(api_=api.answer, **wiring):
    net = InMemory({"europe_pmc": api_}, Shelf(GENBANK, PREPRINT, ELSEWHERE))
    return wired(EuropePmc, net, **wiring), net


@pytest.mark.parametrize(
    ("by", "value", "expected"),
    [
        ("doi", "10.1093/nar/gks1195", GENBANK),
        ("pmid", "23193287", GENBANK),
        ("pmcid", "PMC3531190", GENBANK),
        ("title", "GENBANK.", GENBANK),
        ("doi", "10.1101/2021.01.01.425001", PREPRINT),
        ("title", "Unicode in protein folding and beta-sheets", PREPRINT),
        ("doi", "10.1/x", None),
        ("pmid", "1", None),
        ("title", "A work that nobody ever wrote", None),
        ("title", "‡ — ‡", None),
    ],
)
def test_found_and_absent(by, value, expected):
    found = ask(source()[0], by, value)
    if expected is None:
        assert found == Absent("europe_pmc", by, Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.authors == expected.authors
    assert record.versions == expected.versions
    assert record.kind is expected.kind
    assert set(record.ids.pairs) == set(expected.ids.pairs)
    assert record.marks == expected.marks
    assert record.publisher == ("bioRxiv" if expected is PREPRINT else None)


def test_a_wrong_word_is_forgiven_when_the_author_agrees():
    asked, net = source()
    found = ask(asked, "title", "Unicode in protein folding or β-sheets twice", authors=(Name("Muñoz"),))
    assert isinstance(found, (Found, Absent))
    assert len(net.requests) == 2
    assert "AUTH" in net.requests[1].url


def test_many_dois_in_one_request():
    asked, net = source(contact="someone@example.org")
    dois = ["10.1101/2021.01.01.425001", '10.1/"a\\', "10.1093/nar/gks1195"]
    request = asked.batch("doi", dois)
    assert "email=someone%40example.org" in request.url
    answer = asyncio.run(net.fetch(request))
    assert isinstance(answer, Answer)
    assert [r.ids.first("doi") for r in asked.batch_records("doi", answer)] == [dois[0], dois[2]]


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(200, b'{"version":"6.9","errCode":400,"errMsg":"x"}'), Cause.MALFORMED),
        (Reply(200, b'{"hitCount":3,"resultList":{"result":[]}}'), Cause.MALFORMED),
        (Reply(200, b'{"resultList":{"result":[]}}'), Cause.MALFORMED),
        (Reply(200, b'{"hitCount":0,"resultList":[]}'), Cause.MALFORMED),
        (Reply(200, b'{"hitCount":1,"resultList":{"result":[{"id":"1"}, 3]}}'), Cause.MALFORMED),
        (Reply(200, b"[]"), Cause.MALFORMED),
        (Reply(200, b"\xff"), Cause.MALFORMED),
        (Reply(200, b"<html>", "text/html"), Cause.BOT_WALL),
        (Reply(404, b"{}"), Cause.TIMEOUT),
        (Failure(Cause.RATE_LIMITED, "429"), Cause.RATE_LIMITED),
    ],
)
def test_what_is_no_answer_is_unchecked(reply, cause):
    found = ask(source(reply)[0], "doi", "10.1/x")
    assert isinstance(found, Unchecked)
    assert found.cause is cause


KEYS = [
    "author",
    "lastName",
    "fullName",
    "journal",
    "title",
    "pubType",
    "commentCorrection",
    "type",
    "publisher",
]


@given(objects([*api.build_europe_pmc_result(GENBANK), *api.build_europe_pmc_result(PREPRINT)], *KEYS))
def test_fields_of_any_type_are_skipped(item):
    record = europe_pmc.make_record({**item, "id": "7", "title": "A title"})
    assert record is not None
    assert record.title == "A title"


@pytest.mark.parametrize(
    ("by", "kind", "claimed", "ids", "suits", "reach"),
    [
        ("pmid", Kind.ARTICLE, {}, (), True, Reach.PARTIAL),
        ("doi", Kind.ARTICLE, {}, (("doi", "10.1101/2021.01.01.425001"),), True, Reach.PARTIAL),
        ("doi", Kind.ARTICLE, {}, (("doi", "10.1145/1"),), False, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "The Lancet Oncology"}, (), True, Reach.COVERS),
        ("title", Kind.ARTICLE, {"venue": "The Lancet", "year": 1931}, (), True, Reach.PARTIAL),
        ("title", Kind.BOOK, {"venue": "The Lancet Oncology"}, (), True, Reach.PARTIAL),
        ("title", Kind.PREPRINT, {"venue": "medRxiv"}, (), True, Reach.COVERS),
        ("title", Kind.ARTICLE, {"venue": "Journal of Theoretical Biology"}, (), True, Reach.PARTIAL),
        ("title", Kind.ARTICLE, {"venue": "NeurIPS"}, (), False, Reach.PARTIAL),
    ],
)
def test_whom_it_suits_and_what_its_silence_means(by, kind, claimed, ids, suits, reach):
    question = Question(by, "x", reference(kind, ids, **claimed))
    assert source()[0].suits(question) is suits
    assert source()[0].reach(question) is reach
    assert not source()[0].is_required(question)
