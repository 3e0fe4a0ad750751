"""Unpaywall, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.unpaywall import Unpaywall
from citeproof.laboratory.testing.apis import unpaywall as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Name, Reach, Record, Unchecked, Version
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

CONTACT = "someone@example.org"
FREE = Record(
    "x",
    "1",
    ("The state of OA: a large-scale analysis of the prevalence and impact of Open Access articles",),
    (Name("Piwowar", "Heather"), Name("Priem", "Jason")),
    versions=(Version(2018, "PeerJ", Kind.ARTICLE),),
    kind=Kind.ARTICLE,
    publisher="PeerJ",
    ids=Ids(
        (("doi", "10.7717/peerj.4375"), ("issn", "2167-8359"), ("url", "https://peerj.com/articles/4375.pdf"))
    ),
    marks=("open_access",),
)
CLOSED = Record(
    "x", "2", ("Origins of Homophily in an Evolving Social Network",), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1086/599247"),)),
)  # fmt: skip
ARXIV = Record("x", "3", ("Attention is all you need",), ids=Ids((("doi", "10.48550/arxiv.1706.03762"),)))


def source(api_=api.answer, contact=CONTACT):
    net = InMemory({"unpaywall": api_}, Shelf(FREE, CLOSED, ARXIV))
    return wired(Unpaywall, net, contact=contact), net


def test_a_free_copy():
    found = ask(source()[0], "doi", "10.7717/peerj.4375")
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.title == FREE.title
    assert record.authors == FREE.authors
    assert not record.authors_complete
    assert record.versions == FREE.versions
    assert record.marks == ("open_access",)
    assert record.ids == FREE.ids


def test_no_free_copy():
    found = ask(source()[0], "doi", "10.1086/599247")
    assert isinstance(found, Found)
    assert found.records[0].marks == ()
    assert found.records[0].ids.pairs == (("doi", "10.1086/599247"),)


@pytest.mark.parametrize(
    "doi", ["10.1000/nothing", "10.48550/arxiv.1706.03762", "10.1016/s0140-6736(97)11096-0"]
)
def test_absence_means_nothing(doi):
    assert ask(source()[0], "doi", doi) == Absent("unpaywall", "doi", Reach.PARTIAL)


def test_the_address_is_needed_and_the_doi_is_a_path():
    asked, net = source(contact="")
    found = ask(asked, "doi", "10.7717/peerj.4375")
    assert isinstance(found, Unchecked)
    assert (found.cause, net.requests) == (Cause.NEEDS_KEY, [])
    assert "CITEPROOF_CONTACT" in found.detail
    asked, net = source()
    ask(asked, "doi", "10.1000/a?b#c")
    assert net.requests[0].url == "http://unpaywall/10.1000/a%3Fb%23c?email=someone%40example.org"


@pytest.mark.parametrize("body", [{}, [], {"is_oa": "yes"}, {"error": True, "message": "x"}, None])
def test_an_odd_envelope_is_no_absence(body):
    found = ask(source(make_json_reply(body))[0], "doi", "10.7717/peerj.4375")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"is_oa": False, "title": None}, None),
        ({"is_oa": False, "title": "deprecated"}, None),
        ({"is_oa": True, "title": "RETRACTED: A"}, ("A", ("retracted", "open_access"))),
        ({"is_oa": False, "title": "A", "journal_name": "deprecated", "year": 99}, ("A", ())),
    ],
)
def test_fields_that_say_nothing(item, expected):
    found = ask(source(make_json_reply(item))[0], "doi", "10.7717/peerj.4375")
    if expected is None:
        assert isinstance(found, Absent)
        return
    assert isinstance(found, Found)
    record = found.records[0]
    assert (record.title, record.marks) == expected
    assert (record.versions[0].venue, record.versions[0].year) == (None, None)


def test_wrong_types_and_hostile_text():
    reply = api.answer(called(f"http://u/v2/10.7717%2Fpeerj.4375?email={CONTACT}"), Shelf(FREE))
    for odd in bent_replies(reply):
        found = ask(source(odd)[0], "doi", "10.7717/peerj.4375")
        assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    hostile = {
        "is_oa": True,
        "title": HOSTILE,
        "z_authors": [{"family": HOSTILE}, {"raw_author_name": HOSTILE}],
    }
    found = ask(
        source(make_json_reply(hostile | {"best_oa_location": {"url": "javascript:alert(1)"}}))[0],
        "doi",
        "10.1/x",
    )
    assert isinstance(found, Found)
    assert len(found.records[0].title) <= 2000
    assert found.records[0].ids.all("url") == ()


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/v2/10.7717/peerj.4375?email=a@b.org", 200),
        ("/v2/10.7717/peerj.4375", 422),
        ("/v2/10.7717/peerj.4375?email=you@example.com", 422),
        ("/v2/nonsense?email=a@b.org", 404),
    ],
)
def test_the_api_by_itself(url, status):
    reply = api.answer(called(f"http://unpaywall{url}"), Shelf(FREE))
    assert isinstance(reply, Reply)
    assert reply.status == status
