"""PyPI, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.pypi import PyPI
from citeproof.laboratory.testing.apis import pypi as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
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
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

URL = "https://pypi.org/project/networkx"
NETWORKX = Record(
    "x",
    "1",
    ("networkx: Python package for creating and manipulating graphs and networks",),
    (Name("Hagberg", "Aric"),),
    versions=(Version(2005, kind=Kind.SOFTWARE), Version(2024, kind=Kind.SOFTWARE)),
    kind=Kind.SOFTWARE,
    ids=Ids((("url", URL),)),
)


def source(api_=api.answer):
    net = InMemory({"pypi": api_}, Shelf(NETWORKX))
    return wired(PyPI, net), net


@pytest.mark.parametrize(
    ("by", "value"),
    [
        ("url", URL),
        ("url", f"{URL}/3.3/#files"),
        ("url", "https://pypi.python.org/pypi/NetworkX"),
        ("title", "NetworkX"),
        ("title", "networkx: Network Analysis in Python"),
    ],
)
def test_found(by, value):
    found = ask(source()[0], by, value, Kind.SOFTWARE)
    assert isinstance(found, Found)
    assert found.reach is (Reach.COMPLETE if by == "url" else Reach.PARTIAL)
    (record,) = found.records
    assert record.titles == (NETWORKX.title, "networkx")
    assert record.authors == NETWORKX.authors
    assert [v.year for v in record.versions] == [2024, 2005]
    assert record.ids.first("url") == "https://pypi.org/project/networkx/"


def test_absent():
    found = ask(source()[0], "url", "https://pypi.org/project/nothing-of-that-name/", Kind.SOFTWARE)
    assert found == Absent("pypi", "url", Reach.COMPLETE)
    assert ask(source()[0], "title", "quux", Kind.SOFTWARE) == Absent("pypi", "title", Reach.PARTIAL)


@pytest.mark.parametrize(
    ("by", "value", "kind", "suited"),
    [
        ("url", URL, Kind.WEB_PAGE, True),
        ("url", "https://pypi.org/help/", Kind.SOFTWARE, False),
        ("url", "https://example.org/pypi.org/project/x", Kind.SOFTWARE, False),
        ("title", "NetworkX", Kind.SOFTWARE, True),
        ("title", "NetworkX", Kind.ARTICLE, False),
        ("title", "Two words", Kind.SOFTWARE, False),
        ("title", "../../etc/passwd", Kind.SOFTWARE, False),
    ],
)
def test_suits(by, value, kind, suited):
    question = Question(by, value, reference(kind))
    assert source()[0].suits(question) is suited
    assert source()[0].is_required(question) is (by == "url" and suited)


@pytest.mark.parametrize(
    ("info", "authors"),
    [
        ({"author": "Jane Doe and John Roe"}, ["Jane Doe", "John Roe"]),
        ({"author": "", "author_email": 'Jane Doe <j@example.org>, "Roe, John" <r@example.org>'},
         ["Jane Doe", "John Roe"]),
        ({"author": None, "maintainer": "The Core Team"}, ["The Core Team"]),
        ({"author_email": "j@example.org"}, []),
    ],
)  # fmt: skip
def test_people_in_free_text(info, authors):
    body = {"info": {"name": "x"} | info, "releases": {}, "urls": []}
    (record,) = ask(source(make_json_reply(body))[0], "title", "x", Kind.SOFTWARE).records
    assert [name.display for name in record.authors] == authors
    assert not record.authors_complete
    assert "@" not in repr(record)


@pytest.mark.parametrize("body", [{}, [], {"info": None}, {"message": "x"}, {"info": {"name": ""}}])
def test_an_odd_envelope_is_no_absence(body):
    found = ask(source(make_json_reply(body))[0], "url", URL)
    assert isinstance(found, Unchecked)
    assert (found.cause, found.reach) == (Cause.MALFORMED, Reach.COMPLETE)


def test_what_is_no_package_is_not_covered():
    found = ask(source()[0], "title", "Two words", Kind.SOFTWARE)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.NOT_COVERED


def test_wrong_types_and_hostile_text():
    for odd in bent_replies(api.answer(called("http://pypi/pypi/networkx/json"), Shelf(NETWORKX))):
        found = ask(source(odd)[0], "url", URL)
        assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    hostile = {"info": {"name": HOSTILE, "summary": HOSTILE, "author": HOSTILE, "author_email": "<" * 5000}}
    (record,) = ask(source(make_json_reply(hostile))[0], "url", URL).records
    assert max(map(len, record.titles)) <= 2000


@pytest.mark.parametrize(
    ("url", "status", "media"),
    [
        ("/pypi/networkx/json", 200, "application/json"),
        ("/pypi/networkx/3.3/json", 200, "application/json"),
        ("/pypi/nothing/json", 404, "application/json"),
        ("/nowhere", 404, "text/html"),
    ],
)
def test_the_api_by_itself(url, status, media):
    reply = api.answer(called(f"http://pypi{url}"), Shelf(NETWORKX))
    assert isinstance(reply, Reply)
    assert (reply.status, reply.media) == (status, media)
