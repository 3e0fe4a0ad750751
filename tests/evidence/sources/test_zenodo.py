"""Zenodo, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.zenodo import Zenodo
from citeproof.laboratory.testing.apis import zenodo as api
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
from tests.evidence.sources.bending import HOSTILE, bent_replies, called, followed
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired

TURING = Record(
    "x",
    "1",
    ("The Turing Way: A Handbook for Reproducible Data Science",),
    (Name("The Turing Way Community", collective=True), Name("Arnold", "Becky")),
    versions=(Version(2019, "Zenodo", Kind.SOFTWARE),),
    kind=Kind.SOFTWARE,
    ids=Ids((("doi", "10.5281/zenodo.3233986"), ("doi", "10.5281/zenodo.3233853"))),
)
ELSEWHERE = Record("x", "2", ("The Turing Way elsewhere",), kind=Kind.SOFTWARE, ids=Ids((("doi", "10.1/x"),)))


def source(api_=None):
    net = InMemory({"zenodo": api_ or followed(api.answer)}, Shelf(TURING, ELSEWHERE))
    return wired(Zenodo, net), net


@pytest.mark.parametrize(
    ("by", "value"),
    [
        ("doi", "10.5281/zenodo.3233986"),
        ("doi", "10.5281/zenodo.3233853"),
        ("url", "https://zenodo.org/records/3233986"),
        ("url", "https://zenodo.org/record/3233986/files/x.zip?download=1"),
        ("title", "The Turing Way: a handbook for reproducible data science"),
    ],
)
def test_found(by, value):
    found = ask(source()[0], by, value, Kind.SOFTWARE)
    assert isinstance(found, Found)
    (record,) = found.records
    assert record.source == "zenodo"
    assert record.id == "3233986"
    assert record.title == TURING.title
    assert record.authors == TURING.authors
    assert record.versions == TURING.versions
    assert record.ids.all("doi") == TURING.ids.all("doi")


@pytest.mark.parametrize(
    ("by", "value", "kind", "reach"),
    [
        ("doi", "10.5281/zenodo.1", Kind.SOFTWARE, Reach.PARTIAL),
        ("url", "https://zenodo.org/records/1", Kind.SOFTWARE, Reach.PARTIAL),
        ("title", "Nothing of that kind was deposited", Kind.DATASET, Reach.PARTIAL),
        ("title", "?!", Kind.SOFTWARE, Reach.PARTIAL),
    ],
)
def test_absent(by, value, kind, reach):
    assert ask(source()[0], by, value, kind) == Absent("zenodo", by, reach)


@pytest.mark.parametrize(
    ("by", "value", "kind", "suited"),
    [
        ("doi", "10.5281/zenodo.3233986", Kind.ARTICLE, True),
        ("doi", "10.5281/zenodo", Kind.ARTICLE, False),
        ("doi", "10.1038/nature14539", Kind.DATASET, False),
        ("url", "https://zenodo.org/communities/x", Kind.DATASET, False),
        ("url", "https://zenodo.org.evil.example/records/1", Kind.DATASET, False),
        ("title", "x", Kind.DATASET, True),
        ("title", "x", Kind.ARTICLE, False),
    ],
)
def test_suits(by, value, kind, suited):
    assert source()[0].suits(Question(by, value, reference(kind))) is suited


@pytest.mark.parametrize(
    ("by", "body"),
    [
        ("doi", {}),
        ("doi", []),
        ("doi", {"metadata": {}}),
        ("doi", {"status": 200, "message": "x"}),
        ("title", {}),
        ("title", {"hits": []}),
        ("title", {"hits": {"total": 0}}),
        ("title", {"hits": {"total": 2, "hits": []}}),
        ("title", {"hits": {"total": 1, "hits": [{}]}}),
    ],
)
def test_an_odd_envelope_is_no_absence(by, body):
    found = ask(source(make_json_reply(body))[0], by, "10.5281/zenodo.3233986", Kind.SOFTWARE)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


def test_a_doi_of_others_is_not_covered():
    found = ask(source()[0], "doi", "10.1038/nature14539")
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.NOT_COVERED


def test_wrong_types_and_hostile_text():
    for by, path in (("doi", "/records/3233986"), ("title", "/records?q=title:(the turing way)")):
        for odd in bent_replies(api.answer(called(f"http://zenodo{path}"), Shelf(TURING))):
            found = ask(source(odd)[0], by, "10.5281/zenodo.3233986", Kind.SOFTWARE)
            assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    hostile = {"id": HOSTILE, "metadata": {"title": HOSTILE, "creators": [{"name": HOSTILE}]}}
    (record,) = ask(source(make_json_reply(hostile))[0], "doi", "10.5281/zenodo.1").records
    assert len(record.title) <= 2000
    assert record.ids.all("url") == ()


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/records/3233986", 200),
        ("/records/3233853", 301),
        ("/records/1", 404),
        ("/records/nonsense", 404),
        ("/records?q=turing&size=1", 200),
        ("/nowhere", 404),
    ],
)
def test_the_api_by_itself(url, status):
    reply = api.answer(called(f"http://zenodo{url}"), Shelf(TURING))
    assert isinstance(reply, Reply)
    assert reply.status == status
