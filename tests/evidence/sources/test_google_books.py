"""Google Books, asked through its loopback API."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.google_books import GoogleBooks
from citeproof.laboratory.testing.apis import google_books as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.plumbing.net.message import Secret
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
from tests.evidence.sources.bending import HOSTILE, bent_replies, called, keyed
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

CAUSALITY = Record(
    "x",
    "1",
    ("Causality: Models, Reasoning, and Inference",),
    (Name("Pearl", "Judea"),),
    versions=(Version(2009, kind=Kind.BOOK),),
    kind=Kind.BOOK,
    publisher="Cambridge University Press",
    ids=Ids((("isbn", "9780521895606"),)),
)
ARTICLE = Record("x", "2", ("Causality in articles",), kind=Kind.ARTICLE)
KEY = Secret("sesame")


def source(api_=None, key=KEY):
    net = InMemory(
        {"google_books": api_ or keyed(api.answer, x_goog_api_key="sesame")}, Shelf(CAUSALITY, ARTICLE)
    )
    return wired(GoogleBooks, net, key=key), net


@pytest.mark.parametrize(
    ("by", "value", "expected"),
    [
        ("isbn", "9780521895606", CAUSALITY),
        ("title", "Causality: models, reasoning and inference", CAUSALITY),
        ("isbn", "9780262035613", None),
        ("title", "Nothing of that kind", None),
        ("title", "?!", None),
    ],
)
def test_found_and_absent(by, value, expected):
    found = ask(source()[0], by, value, Kind.BOOK)
    if expected is None:
        assert found == Absent("google_books", by, Reach.COVERS if by == "title" else Reach.PARTIAL)
        return
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.titles == ("Causality: Models, Reasoning, and Inference", "Causality")
    assert record.authors == expected.authors
    assert record.versions == (Version(2009, kind=Kind.BOOK),)
    assert record.publisher == expected.publisher
    assert record.ids == expected.ids


def test_once_more_without_the_subtitle():
    asked, net = source(make_json_reply({"kind": "books#volumes", "totalItems": 0}))
    assert isinstance(ask(asked, "title", "Causality: A Wrong Subtitle", Kind.BOOK), Absent)
    assert [parse_qs(urlsplit(request.url).query)["q"][0] for request in net.requests] == [
        'intitle:"causality a wrong subtitle"',
        'intitle:"causality"',
    ]


def test_the_key_is_in_a_header_and_nowhere_else():
    asked, net = source()
    ask(asked, "isbn", "9780521895606", Kind.BOOK)
    request = net.requests[0]
    assert request.secret_headers == (("X-Goog-Api-Key", "", KEY),)
    assert "sesame" not in request.url
    assert "sesame" not in repr(request)


def test_without_a_key_it_is_not_asked():
    asked, net = source(key=None)
    found = ask(asked, "isbn", "9780521895606", Kind.BOOK)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.NEEDS_KEY
    assert "CITEPROOF_GOOGLE_BOOKS_KEY" in found.detail
    assert net.requests == []


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (
            {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}},
            Cause.RATE_LIMITED,
        ),
        ({"error": {"code": 400, "message": "API key not valid"}}, Cause.MALFORMED),
        ({"error": "down"}, Cause.MALFORMED),
        ({}, Cause.MALFORMED),
        ([], Cause.MALFORMED),
        ({"totalItems": 1, "items": {}}, Cause.MALFORMED),
        ({"totalItems": "1"}, Cause.MALFORMED),
        ({"totalItems": 1}, Cause.MALFORMED),
        ({"totalItems": 1, "items": [{"volumeInfo": {}}]}, Cause.MALFORMED),
    ],
)
def test_an_odd_envelope_is_no_absence(body, cause):
    found = ask(source(make_json_reply(body))[0], "title", "Causality", Kind.BOOK)
    assert isinstance(found, Unchecked)
    assert found.cause is cause


def test_volumes_that_only_mention_the_isbn_are_dropped():
    other = {"id": "x", "volumeInfo": {"title": "A list of books", "industryIdentifiers": []}}
    found = ask(
        source(make_json_reply({"totalItems": 1, "items": [other]}))[0], "isbn", "9780521895606", Kind.BOOK
    )
    assert isinstance(found, Absent)


def test_wrong_types_and_hostile_text():
    reply = api.answer(called("http://x/volumes?q=isbn:9780521895606", x_goog_api_key="k"), Shelf(CAUSALITY))
    for odd in bent_replies(reply):
        found = ask(source(odd)[0], "title", "Causality", Kind.BOOK)
        assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    hostile = {"id": HOSTILE, "volumeInfo": {"title": HOSTILE, "subtitle": HOSTILE, "authors": [HOSTILE]}}
    found = ask(source(make_json_reply({"totalItems": 1, "items": [hostile]}))[0], "title", "x", Kind.BOOK)
    assert isinstance(found, Found)
    assert len(found.records[0].title) <= 2000


def test_suits_books_and_chapters():
    asked = source()[0]
    assert asked.suits(Question("title", "x", reference(Kind.CHAPTER)))
    assert not asked.suits(Question("title", "x", reference(Kind.ARTICLE)))


@pytest.mark.parametrize(
    ("url", "headers", "status"),
    [
        ("/volumes?q=isbn:1", {}, 429),
        ("/volumes?q=deep", {"x_goog_api_key": "k"}, 200),
        ("/volumes", {"x_goog_api_key": "k"}, 400),
        ("/volumes/zyTCAlFPjgYC", {"x_goog_api_key": "k"}, 404),
        ("/nowhere?key=k", {}, 404),
    ],
)
def test_the_api_by_itself(url, headers, status):
    reply = api.answer(called(f"http://google_books{url}", **headers), Shelf(CAUSALITY))
    assert reply.status == status
    assert isinstance(reply, Reply)
