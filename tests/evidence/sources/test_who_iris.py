"""WHO IRIS, asked through its loopback API."""

from __future__ import annotations

import pytest

from citeproof.evidence.sources.who_iris import WhoIris
from citeproof.laboratory.testing.apis import who_iris as api
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

HANDLE = "https://iris.who.int/handle/10665/81170"
TITLE = (
    "Pocket book of hospital care for children: guidelines for the management of common childhood illnesses"
)
CARE = Record(
    "x",
    "1",
    (TITLE,),
    (Name("World Health Organization", collective=True),),
    versions=(Version(2013, kind=Kind.REPORT),),
    kind=Kind.REPORT,
    publisher="World Health Organization",
    ids=Ids((("who_iris", HANDLE), ("isbn", "9789241548373"))),
)
ELSEWHERE = Record("x", "2", ("Pocket book of something else",), kind=Kind.REPORT)
WHO = {"publisher": "World Health Organization"}


def source(api_=None, *more):
    net = InMemory({"who_iris": api_ or followed(api.answer)}, Shelf(CARE, ELSEWHERE, *more))
    return wired(WhoIris, net), net


@pytest.mark.parametrize(
    ("by", "value"), [("who_iris", HANDLE), ("title", CARE.title), ("title", CARE.title.upper())]
)
def test_found(by, value):
    found = ask(source()[0], by, value, Kind.REPORT, **WHO)
    assert isinstance(found, Found)
    assert len(found.records) == 1
    record = found.records[0]
    assert record.id == "10665/81170"
    assert record.title == CARE.title
    assert record.authors == CARE.authors
    assert record.versions[0].year == 2013
    assert record.ids == CARE.ids
    assert record.kind is Kind.REPORT


@pytest.mark.parametrize(
    ("by", "value", "claimed", "reach"),
    [
        ("who_iris", "https://iris.who.int/handle/10665/1", {}, Reach.COMPLETE),
        ("title", "A guideline that was never written", WHO, Reach.COVERS),
        ("title", "A guideline that was never written", {}, Reach.PARTIAL),
        ("title", "?", WHO, Reach.COVERS),
    ],
)
def test_absent(by, value, claimed, reach):
    assert ask(source()[0], by, value, Kind.REPORT, **claimed) == Absent("who_iris", by, reach)


@pytest.mark.parametrize(
    ("claimed", "suited"),
    [
        ({}, False),
        ({"publisher": "Elsevier"}, False),
        ({"venue": "Who is who"}, False),
        ({"publisher": "World Health Organisation"}, True),
        ({"venue": "WHO technical report series"}, True),
        ({"authors": (Name("World Health Organization", collective=True),)}, True),
        ({"series": "WHO guidelines"}, True),
    ],
)
def test_titles_only_with_a_hint(claimed, suited):
    question = Question("title", "x", reference(Kind.REPORT, **claimed))
    assert source()[0].suits(question) is suited
    assert source()[0].suits(Question("title", "x", reference(ids=[("who_iris", HANDLE)])))


def item(**changed):
    metadata = {
        "dc.title": [{"value": "A title"}],
        "dc.contributor.author": [
            {"value": "World Health Organization, Department of X"},
            {"value": "Doe, Jane"},
        ],
        "dc.type": [{"value": "Journal articles"}],
        "dc.date.issued": [{"value": "2001-05"}],
    }
    return {"type": "item", "handle": "10665/5", "metadata": metadata, "withdrawn": True} | changed


def test_metadata_of_an_article():
    found = ask(source(make_json_reply(item()))[0], "who_iris", HANDLE)
    assert isinstance(found, Found)
    record = found.records[0]
    assert record.authors == (
        Name("World Health Organization, Department of X", collective=True),
        Name("Doe", "Jane"),
    )
    assert (record.kind, record.versions[0].year, record.marks) == (Kind.ARTICLE, 2001, ("withdrawn",))


@pytest.mark.parametrize(
    ("by", "reply"),
    [
        ("who_iris", make_json_reply(item(type="collection"))),
        ("who_iris", make_json_reply(item(metadata={}))),
        ("who_iris", make_json_reply([])),
        ("title", make_json_reply({})),
        ("title", make_json_reply({"_embedded": {"searchResult": {"page": {}}}})),
        ("title", make_json_reply({"_embedded": {"searchResult": {"page": {"totalElements": 1}}}})),
        ("title", Reply(200, b"oops")),
    ],
)  # fmt: skip
def test_an_odd_answer_is_no_absence(by, reply):
    found = ask(source(reply)[0], by, HANDLE, Kind.REPORT, **WHO)
    assert isinstance(found, Unchecked)
    assert found.cause is Cause.MALFORMED


def test_wrong_types_and_hostile_text():
    for path in (
        "/core/items/00000000-0000-0000-0000-000000013d12",
        "/discover/search/objects?query=pocket+book+of",
    ):
        reply = api.answer(called(f"http://who_iris{path}"), Shelf(CARE))
        assert reply.status == 200
        for odd in bent_replies(reply):
            for by in ("who_iris", "title"):
                found = ask(source(odd)[0], by, HANDLE, Kind.REPORT, **WHO)
                assert not isinstance(found, Unchecked) or found.cause is Cause.MALFORMED
    hostile = item(metadata={"dc.title": [{"value": HOSTILE}], "dc.contributor.author": [{"value": HOSTILE}]})
    found = ask(source(make_json_reply(hostile))[0], "who_iris", HANDLE)
    assert isinstance(found, Found)
    assert len(found.records[0].title) <= 2000


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/pid/find?id=hdl:10665/81170", 302),
        ("/pid/find?id=hdl:10665/1", 404),
        ("/pid/find?id=doi:10.1/x", 404),
        ("/pid/find", 400),
        ("/core/items/00000000-0000-0000-0000-000000000001", 404),
        ("/core/items/nonsense", 404),
        ("/nowhere", 404),
    ],
)
def test_the_api_by_itself(url, status):
    assert api.answer(called(f"http://who_iris{url}"), Shelf(CARE)).status == status
