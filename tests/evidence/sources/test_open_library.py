"""Open Library, asked through its loopback API."""

from __future__ import annotations

import asyncio

import pytest

from citeproof.evidence.sources.base import SourceSession
from citeproof.evidence.sources.open_library import OpenLibrary
from citeproof.laboratory.testing.apis import open_library as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
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
from tests.evidence.sources.bending import HOSTILE, WordShelf, bent_replies, called
from tests.evidence.sources.inmemory import AT, InMemory, ask, reference, wired

DEEP = Record(
    "x",
    "1",
    ("Deep Learning",),
    (Name("Goodfellow", "Ian"), Name("Bengio", "Yoshua"), Name("Courville", "Aaron")),
    versions=(Version(2016, kind=Kind.BOOK),),
    kind=Kind.BOOK,
    publisher="MIT Press",
    ids=Ids((("isbn", "9780262035613"),)),
)
MEMORY = Record(
    "x",
    "2",
    ("Das kulturelle Gedächtnis: Schrift, Erinnerung und politische Identität in frühen Hochkulturen",),
    (Name("Assmann", "Jan"),),
    versions=(Version(2013, kind=Kind.BOOK), Version(1992, kind=Kind.BOOK)),
    kind=Kind.BOOK,
    ids=Ids((("isbn", "9783406568442"),)),
)
ARTICLE = Record(
    "x", "3", ("Attention is all you need",), kind=Kind.ARTICLE, ids=Ids((("isbn", "9781510860964"),))
)


def source(api_=api.answer, *more):
    net = InMemory({"open_library": api_}, WordShelf(DEEP, MEMORY, ARTICLE, *more))
    return wired(OpenLibrary, net), net


@pytest.mark.parametrize(
    ("by", "value", "kind", "expected"),
    [
        ("isbn", "9780262035613", Kind.BOOK, DEEP),
        ("isbn", "9783406568442", Kind.BOOK, MEMORY),
        ("title", "Deep learning", Kind.BOOK, DEEP),
        ("title", "DAS KULTURELLE GEDACHTNIS", Kind.BOOK, MEMORY),
        ("isbn", "9780000000002", Kind.BOOK, None),
        ("isbn", "9781510860964", Kind.CHAPTER, None),
        ("title", "A book that nobody ever wrote", Kind.BOOK, None),
        ("title", "‡ — ‡", Kind.BOOK, None),
    ],
)
def test_found_and_absent(by, value, kind, expected):
    found = ask(source()[0], by, value, kind)
    if expected is None:
        covers = by == "title" and kind is Kind.BOOK
        assert found == Absent("open_library", by, Reach.COVERS if covers else Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.title == expected.title
    assert record.authors == expected.authors
    assert not record.authors_complete
    assert expected.versions[0].year in [v.year for v in record.versions]
    assert record.ids.all("isbn") == expected.ids.all("isbn")
    assert record.source == "open_library"
    assert record.read_at == AT


def test_a_subtitle_that_the_catalogue_lacks():
    def strict(call, holdings):
        reply = api.answer(call, holdings)
        words = call.query.get("title", "").split()
        return reply if len(words) <= 2 else make_json_reply({"numFound": 0, "docs": []})

    asked, net = source(strict)
    found = ask(asked, "title", "Deep Learning: Foundations and Concepts", Kind.BOOK)
    assert isinstance(found, Found)
    assert len(net.requests) == 2


def test_twenty_isbns_in_one_request():
    asked, net = source()
    request = asked.batch("isbn", ["9780262035613", "9783406568442", "9780000000002"])
    answer = asyncio.run(net.fetch(request))
    assert isinstance(answer, Answer)
    records = asked.batch_records("isbn", answer)
    assert [r.ids.first("isbn") for r in records] == ["9780262035613", "9783406568442"]
    assert "bibkeys=ISBN%3A9780262035613%2CISBN%3A9783406568442" in request.url


@pytest.mark.parametrize(
    ("kind", "ids", "suited"),
    [
        (Kind.BOOK, (), True),
        (Kind.CHAPTER, (), True),
        (Kind.ARTICLE, (), False),
        (Kind.ARTICLE, (("isbn", "9780262035613"),), True),
    ],
)
def test_suits_titles_of_books(kind, ids, suited):
    question = Question("title", "Deep learning", reference(kind, ids, title="Deep learning"))
    assert source()[0].suits(question) is suited


@pytest.mark.parametrize(
    ("by", "body"),
    [
        ("isbn", b"[]"),
        ("isbn", b'{"error": "down"}'),
        ("isbn", b"nonsense"),
        ("title", b"{}"),
        ("title", b'{"docs": {}}'),
        ("title", b'{"error": "Solr is down"}'),
        ("title", b"null"),
        ("title", b'{"numFound": 2, "docs": []}'),
        ("isbn", b'{"ISBN:9780262035613": {"title": ""}}'),
        ("title", b""),
    ],
)
def test_an_odd_envelope_is_no_absence(by, body):
    found = ask(source(Reply(200, body))[0], by, "9780262035613", Kind.BOOK)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


def test_failures_pass_through():
    found = ask(source(Failure(Cause.RATE_LIMITED, "429"))[0], "title", "Deep learning", Kind.BOOK)
    assert found == Unchecked("open_library", "title", Cause.RATE_LIMITED, "429", Reach.COVERS)


@pytest.mark.parametrize(
    ("by", "path"),
    [
        ("isbn", "/api/books.json?jscmd=data&bibkeys=ISBN:9780262035613"),
        ("title", "/search.json?title=deep+learning"),
    ],
)
def test_wrong_types_do_no_harm(by, path):
    reply = api.answer(called(f"http://open_library{path}"), WordShelf(DEEP))
    question = Question(by, "9780262035613", reference(Kind.BOOK))

    async def ask_all():
        for odd in bent_replies(reply):
            asked = source(odd)[0]
            found = await asked.ask_alone(question, SourceSession(asked.net))
            assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED

    asyncio.run(ask_all())


def test_hostile_text_is_bounded():
    body = {
        "numFound": 1,
        "docs": [{"key": "/works/OL1W", "title": HOSTILE, "author_name": [HOSTILE[:300]] * 4000}],
    }
    found = ask(source(make_json_reply(body))[0], "title", "A title", Kind.BOOK)
    assert isinstance(found, Found)
    record = found.records[0]
    assert len(record.title) <= 2000
    assert "\x1b" not in record.title
    assert len(record.authors) <= 3000


@pytest.mark.parametrize(
    ("url", "status", "part"),
    [
        ("/api/books.json?bibkeys=ISBN:9780262035613", 200, b"info_url"),
        ("/api/books.json?bibkeys=ISBN:1,OCLC:2&jscmd=data", 200, b"{}"),
        ("/isbn/9780262035613.json", 302, b""),
        ("/isbn/9780000000002.json", 404, b"notfound"),
        ("/books/OL9780262035613M.json", 200, b"/type/edition"),
        ("/books/OL1M.json", 404, b"notfound"),
        ("/nowhere", 404, b"<!DOCTYPE html>"),
    ],
)
def test_the_api_beside_what_the_source_asks(url, status, part):
    reply = api.answer(called("http://open_library" + url), WordShelf(DEEP))
    assert reply.status == status
    assert part in reply.body
