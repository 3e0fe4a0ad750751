"""ORCID, asked through its loopback API."""

from __future__ import annotations

import asyncio

import pytest

from citeproof.evidence.sources.base import SourceSession
from citeproof.evidence.sources.orcid import Orcid
from citeproof.laboratory.testing.apis import orcid as api
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Reach, Record, Unchecked, Version
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, wired

PERSON = "0000-0002-1825-0097"  # Josiah Carberry, ORCID's own example of nobody
PAPER = Record(
    "x",
    "1",
    ("Toward a Unified Theory of High-Energy Metaphysics: Silly String Theory",),
    versions=(Version(2008, "Journal of Psychoceramics", Kind.ARTICLE),),
    kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.5555/12345678"), ("orcid", PERSON))),
)
PREPRINT = Record(
    "x",
    "2",
    ("Ünïcode",),
    kind=Kind.PREPRINT,
    ids=Ids((("doi", "10.48550/arxiv.1706.03762"), ("orcid", PERSON))),
)


def source(api_=api.answer):
    net = InMemory({"orcid": api_}, Shelf(PAPER, PREPRINT))
    return wired(Orcid, net), net


def test_the_works_of_a_person():
    asked, net = source()
    records = asyncio.run(asked.works(PERSON, SourceSession(net)))
    assert [r.ids.first("doi") for r in records] == ["10.5555/12345678", "10.48550/arxiv.1706.03762"]
    assert records[0].titles == (PAPER.title, "Toward a Unified Theory of High-Energy Metaphysics")
    assert records[0].versions == PAPER.versions
    assert records[1].ids.first("arxiv") == "1706.03762"
    assert not any(r.authors or r.authors_complete for r in records)
    assert net.requests[0].url == f"http://orcid/{PERSON}/works"


def test_found_absent_and_known_without_works():
    found = ask(source()[0], "orcid", PERSON)
    assert isinstance(found, Found)
    assert len(found.records) == 2
    assert ask(source()[0], "orcid", "0000-0001-5109-3700") == Absent("orcid", "orcid", Reach.COMPLETE)
    empty = ask(source(make_json_reply({"group": []}))[0], "orcid", PERSON)
    assert isinstance(empty, Found)
    assert empty.records == ()
    assert empty.note


def test_one_record_of_a_group():
    def external(kind, value, relation="self"):
        return {"external-id-type": kind, "external-id-value": value, "external-id-relationship": relation}

    numbers = {"external-id": [external("doi", "DOI: 10.1000/A"), external("doi", "10.1000/book", "part-of")]}
    first = {"put-code": 7, "title": {"title": {"value": "RETRACTED: One"}}, "type": "journal-article"}
    second = {"title": {"title": {"value": "Uno"}}, "publication-date": {"year": {"value": "2001"}}}
    more = {"external-ids": {"external-id": [external("pmid", "123"), external("issn", "0028-0836")]}}
    group = {"external-ids": numbers, "work-summary": [first, second | more, {"title": None}]}
    found = ask(source(make_json_reply({"group": [group, {}, {"work-summary": 5}]}))[0], "orcid", PERSON)
    (record,) = found.records
    assert record.titles == ("One", "Uno")
    assert record.marks == ("retracted",)
    assert record.ids.pairs == (("doi", "10.1000/a"), ("pmid", "123"))
    assert [v.year for v in record.versions] == [None, 2001]


@pytest.mark.parametrize("body", [{}, [], {"group": {}}, {"error-code": 9001}, None])
def test_an_odd_envelope_is_no_absence(body):
    found = ask(source(make_json_reply(body))[0], "orcid", PERSON)
    assert isinstance(found, Unchecked)
    assert (found.cause, found.reach) == (Cause.MALFORMED, Reach.COMPLETE)


def test_wrong_types_and_hostile_text():
    reply = api.answer(called(f"http://orcid/v3.0/{PERSON}/works"), Shelf(PAPER))
    for odd in bent_replies(reply):
        found = ask(source(odd)[0], "orcid", PERSON)
        assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    group = {"work-summary": [{"put-code": HOSTILE, "title": {"title": {"value": HOSTILE}}}] * 3}
    found = ask(source(make_json_reply({"group": [group]}))[0], "orcid", PERSON)
    assert len(found.records[0].title) <= 2000
    assert len(found.records[0].id) <= 40


@pytest.mark.parametrize(
    ("url", "status", "media"),
    [
        (f"/v3.0/{PERSON}/works", 200, "application/json"),
        ("/v3.0/0000-0001-5109-3700/works", 404, "application/json"),
        ("/v3.0/nonsense/works", 404, "application/json"),
        ("/", 404, "text/html"),
    ],
)
def test_the_api_by_itself(url, status, media):
    reply = api.answer(called(f"http://orcid{url}"), Shelf(PAPER))
    assert isinstance(reply, Reply)
    assert (reply.status, reply.media) == (status, media)


def test_a_long_list_of_works_is_not_cut():
    works = [
        Record(
            "x", str(n), (f"Work number {n} of many",), ids=Ids((("doi", f"10.5555/{n}"), ("orcid", PERSON)))
        )
        for n in range(120)
    ]
    net = InMemory({"orcid": api.answer}, Shelf(*works))
    assert len(ask(wired(Orcid, net), "orcid", PERSON).records) == 120
