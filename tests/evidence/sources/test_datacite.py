"""DataCite, asked through its loopback API."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.datacite import DataCite
from citeproof.laboratory.testing.apis import datacite as api
from citeproof.laboratory.testing.base import Reply
from citeproof.vocabulary import Absent, Cause, Found, Kind, Question, Reach, Record, Unchecked
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired
from tests.evidence.sources.shelved import ALL, ATTENTION, HIGGS, MALARIA, RESNET

SHELF = Shelf(*ALL)


def source(reply=api.answer, **wiring):
    net = InMemory({"datacite": reply}, SHELF)
    return wired(DataCite, net, **wiring), net


@pytest.mark.parametrize(
    ("by", "value", "kind", "record", "version"),
    [
        ("doi", "10.5061/dryad.8515", Kind.DATASET, MALARIA, (2011, "Dryad", Kind.DATASET)),
        ("doi", "10.48550/arxiv.1706.03762", Kind.PREPRINT, ATTENTION, (2017, "arXiv", Kind.PREPRINT)),
        ("doi", "10.48550/arxiv.1512.03385", Kind.PREPRINT, RESNET, (2015, "arXiv", Kind.PREPRINT)),
        ("title", "A new malaria agent in African hominids", Kind.DATASET, MALARIA, None),
        ("title", "Attention is all you want", Kind.PREPRINT, ATTENTION, None),
    ],
)
def test_found(by: str, value: str, kind: Kind, record: Record, version: tuple[object, ...] | None) -> None:
    lookup = ask(source()[0], by, value, kind)
    assert isinstance(lookup, Found)
    got = lookup.records[0]
    assert (got.titles, got.authors) == (record.titles, record.authors)
    assert got.source == "datacite"
    if version:
        assert (got.versions[0].year, got.versions[0].venue, got.kind) == version
    if by == "doi":
        assert got.id == value
        assert ("doi", value) in got.ids.pairs


def test_a_group_stays_one() -> None:
    lookup = ask(source()[0], "doi", "10.48550/arxiv.1207.7214", Kind.PREPRINT)
    assert isinstance(lookup, Found)
    assert lookup.records[0].authors == HIGGS.authors
    assert ("arxiv", "1207.7214") in lookup.records[0].ids.pairs


@pytest.mark.parametrize("value", ["10.5061/nothing", "10.1109/cvpr.2016.90", "10.5061/a,b"])
def test_absent_means_nothing_for_a_doi(value: str) -> None:
    assert ask(source()[0], "doi", value, Kind.DATASET) == Absent("datacite", "doi", Reach.PARTIAL)


@pytest.mark.parametrize(
    ("kind", "reach", "required"),
    [
        (Kind.DATASET, Reach.PARTIAL, False),
        (Kind.SOFTWARE, Reach.PARTIAL, False),
        (Kind.PREPRINT, Reach.PARTIAL, False),
        (Kind.ARTICLE, Reach.PARTIAL, False),
    ],
)
def test_silence_proves_nothing(kind: Kind, reach: Reach, required: bool) -> None:
    datacite = source()[0]
    assert ask(datacite, "title", "Zyxwvutsrq ponmlkji", kind) == Absent("datacite", "title", reach)
    assert datacite.is_required(Question("title", "x", reference(kind))) is required


def test_requests_hold_no_query_syntax() -> None:
    datacite, net = source(contact="someone@example.org")
    ask(datacite, "title", 'Data AND "more": (x OR y) NOT *:* \\ [1 TO 2]', Kind.DATASET)
    query = parse_qs(urlsplit(net.requests[0].url).query)
    wanted = "data OR and OR more OR x OR or OR y OR not OR 1 OR to OR 2"
    assert query["query"] == [f"titles.title:({wanted})"]
    assert (query["sort"], query["page[size]"], query["page[number]"]) == (["relevance"], ["5"], ["1"])
    assert query["mailto"] == ["someone@example.org"]
    datacite, net = source()
    ask(datacite, "doi", "10.1234/a,b", Kind.DATASET)
    assert net.requests[0].url == "http://datacite/dois/10.1234/a%2Cb"


def test_a_batch_is_one_request() -> None:
    datacite, net = source()
    wanted = ["10.5061/dryad.8515", "10.48550/arxiv.1706.03762", "10.5281/zenodo.1"]

    async def all_at_once() -> list[object]:
        questions = [Question("doi", value, reference()) for value in wanted]
        return list(await asyncio.gather(*map(datacite.lookup, questions)))

    first, second, missing = asyncio.run(all_at_once())
    assert (first.records[0].title, second.records[0].title) == (MALARIA.title, ATTENTION.title)
    assert missing == Absent("datacite", "doi", Reach.PARTIAL)
    assert len(net.requests) == 1


@pytest.mark.parametrize(
    ("by", "value", "kind", "venue", "suits"),
    [
        ("doi", "10.1038/nature14539", Kind.ARTICLE, None, False),
        ("doi", "10.5281/zenodo.1", Kind.ARTICLE, None, True),
        ("title", "x", Kind.ARTICLE, "Nature", False),
        ("title", "x", Kind.ARTICLE, "arXiv preprint arXiv:1706.03762", True),
        ("title", "x", Kind.BOOK, None, False),
        ("title", "x", Kind.DATASET, None, True),
        ("title", "x", Kind.THESIS, None, True),
    ],
)
def test_suits(by: str, value: str, kind: Kind, venue: str | None, suits: bool) -> None:
    assert source()[0].suits(Question(by, value, reference(kind, venue=venue))) is suits


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"{}", Cause.MALFORMED),
        (b'{"data": [{"renamed": 1}]}', Cause.MALFORMED),
        (b'"data"', Cause.MALFORMED),
        (b'{"errors": [{"status": "404", "title": "no"}]}', Cause.MALFORMED),
        (b'{"data": {"id": "10.5061/x", "type": "dois"}}', Cause.MALFORMED),
        (b'{"data": null}', Cause.MALFORMED),
        (b'{"data": {"attributes": {"doi": "10.5061/x", "titles": []}}}', Cause.NOT_COVERED),
        (b"too many requests", Cause.MALFORMED),
    ],
)
def test_an_odd_answer_is_no_silence(body: bytes, cause: Cause) -> None:
    for by, value in (("doi", "10.5061/dryad.8515"), ("title", "Attention")):
        lookup = ask(source(Reply(200, body))[0], by, value, Kind.DATASET)
        assert isinstance(lookup, Unchecked)
        assert lookup.cause is cause


@pytest.mark.parametrize("status", [404, 429, 500])
def test_a_missing_list_is_no_silence(status: int) -> None:
    assert isinstance(ask(source(Reply(status, b"{}"))[0], "title", "x y", Kind.DATASET), Unchecked)
    assert isinstance(ask(source()[0], "title", "?!", Kind.DATASET), Unchecked)


def test_fields_of_wrong_types_do_no_harm() -> None:
    single = api.answer(called("http://datacite/dois/10.5061/dryad.8515"), SHELF)
    for reply in bent_replies(single):
        assert isinstance(ask(source(reply)[0], "doi", "10.5061/a,b"), Found | Unchecked)
    listed = api.answer(called("http://datacite/dois?ids=10.48550/arxiv.1207.7214"), SHELF)
    for reply in bent_replies(listed):
        assert isinstance(ask(source(reply)[0], "title", "x y"), Found | Absent | Unchecked)


def test_hostile_text_is_bounded_and_plain() -> None:
    attributes = {
        "doi": "10.5061/x",
        "titles": [{"title": HOSTILE}],
        "creators": [{"name": HOSTILE, "givenName": HOSTILE}] + [{"name": "Nobody"}] * 9000,
    }
    body = json.dumps({"data": {"id": "x", "attributes": attributes}}).encode()
    lookup = ask(source(Reply(200, body))[0], "doi", "10.5061/x,")
    assert isinstance(lookup, Found)
    record = lookup.records[0]
    assert (len(record.title) <= 2000, len(record.authors) <= 3000) == (True, True)
    assert "\x1b" not in record.title + record.authors[0].family


@pytest.mark.parametrize(
    ("path", "status", "part"),
    [
        ("/dois/10.5061/nothing", 404, b"The resource you are looking for doesn't exist."),
        ("/nowhere", 404, b'"errors"'),
        ("/dois?page[size]=x", 400, b'"errors"'),
        ("/dois?query=titles.title:(malaria+AND+lions)", 200, b'"total":0'),
        ("/dois?query=titles.title:(new+AND+malaria+AND+agent+AND+african+AND+hominids)", 200, b'"total":1'),
        ('/dois?query=doi:"10.5061/dryad.8515"', 200, b'"total":1'),
        ("/dois?query=malaria+agent+in+african+hominids", 200, b'"total":1'),
        ("/dois?ids=10.5061/dryad.8515,10.48550/arxiv.1706.03762&page[size]=1", 200, b'"totalPages":2'),
        ("/dois/10.48550/arXiv.1706.03762", 200, b'"doi":"10.48550/ARXIV.1706.03762"'),
    ],
)
def test_api(path: str, status: int, part: bytes) -> None:
    reply = api.answer(called(f"http://datacite{path}"), SHELF)
    assert (reply.status, reply.media) == (status, "application/json; charset=utf-8")
    assert part in reply.body
