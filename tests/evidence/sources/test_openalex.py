"""OpenAlex, asked through its loopback API."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.openalex import OpenAlex
from citeproof.laboratory.testing.apis import openalex as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Secret
from citeproof.vocabulary import (
    Absent,
    Cause,
    Found,
    Ids,
    Kind,
    Lookup,
    Name,
    Question,
    Reach,
    Record,
    Unchecked,
)
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired
from tests.evidence.sources.shelved import ALL, ATTENTION, ELEMENTS, HIGGS, PLANCK, RESNET, WAKEFIELD

SHELF = Shelf(*ALL)


def source(reply=api.answer, shelf=SHELF, **wiring):
    net = InMemory({"openalex": reply}, shelf)
    return wired(OpenAlex, net, **wiring), net


@pytest.mark.parametrize(
    ("by", "value", "record"),
    [
        ("doi", "10.1109/cvpr.2016.90", RESNET),
        ("doi", "10.48550/arxiv.1706.03762", ATTENTION),
        ("pmid", "9500320", WAKEFIELD),
        ("title", "Deep Residual Learning for Image Recognition", RESNET),
        ("title", ELEMENTS.title, ELEMENTS),
        ("title", "Attention is really all you need", ATTENTION),  # one word too many for "all words"
        ("raw", f"Planck M. {PLANCK.title}. Annalen der Physik 1901", PLANCK),
    ],
)
def test_found(by: str, value: str, record: Record) -> None:
    lookup = ask(source()[0], by, value)
    assert isinstance(lookup, Found)
    got = lookup.records[0]
    assert got.title == record.title
    assert got.authors == record.authors
    assert got.versions[0].year == record.versions[0].year
    assert got.kind is record.kind
    assert got.ids.first("doi") == record.ids.first("doi")
    assert got.id.startswith("W")


def test_locations_are_versions() -> None:
    lookup = ask(source()[0], "doi", "10.1109/cvpr.2016.90")
    assert isinstance(lookup, Found)
    record = lookup.records[0]
    versions = [(v.year, v.venue, v.kind) for v in record.versions]
    assert versions[1:] == [(2015, "arXiv", Kind.PREPRINT)]
    assert record.ids.first("arxiv") == "1512.03385"


def test_a_retraction_is_only_a_hint() -> None:
    lookup = ask(source()[0], "pmid", "9500320")
    assert isinstance(lookup, Found)
    assert lookup.records[0].marks == ("retraction_hint",)


def test_many_authors_count_as_cut() -> None:
    crowd = replace(HIGGS, authors=tuple(Name(f"Family{n}", "A.") for n in range(150)))
    openalex = source(shelf=Shelf(crowd))[0]
    listed = ask(openalex, "title", HIGGS.title)
    assert isinstance(listed, Found)
    assert (len(listed.records[0].authors), listed.records[0].authors_complete) == (100, False)


@pytest.mark.parametrize(
    ("by", "value"),
    [("doi", "10.9999/nothing"), ("doi", "10.9999/a|b,c"), ("pmid", "1"), ("pmcid", "PMC1")],
)
def test_absent_means_nothing_for_an_identifier(by: str, value: str) -> None:
    assert ask(source()[0], by, value) == Absent("openalex", by, Reach.PARTIAL)


@pytest.mark.parametrize(
    ("kind", "reach", "required"),
    [
        (Kind.ARTICLE, Reach.COVERS, False),
        (Kind.PREPRINT, Reach.COVERS, False),
        (Kind.CHAPTER, Reach.PARTIAL, False),
        (Kind.UNKNOWN, Reach.PARTIAL, False),
        (Kind.BOOK, Reach.PARTIAL, False),
        (Kind.DATASET, Reach.PARTIAL, False),
    ],
)
def test_silence_on_a_title(kind: Kind, reach: Reach, required: bool) -> None:
    openalex, net = source()
    assert ask(openalex, "title", "Zyxwvutsrq ponmlkji", kind) == Absent("openalex", "title", reach)
    assert openalex.is_required(Question("title", "x", reference(kind))) is required
    assert len(net.requests) == 2  # all the words, then any of them


def test_requests_hold_no_query_syntax_and_say_what_they_cost() -> None:
    openalex, net = source(key=Secret("hush"))
    ask(openalex, "title", 'To be, OR not|to be: "the" (two’s) question')
    ask(openalex, "raw", "Anything else")
    ask(openalex, "pmcid", "PMC3531190")
    title, loose, raw, single = net.requests
    query = parse_qs(urlsplit(title.url).query)
    assert query["filter"] == ["title.search:not two question"]
    assert parse_qs(urlsplit(loose.url).query)["search"] == ["not OR two OR question"]
    assert [r.cost for r in (title, loose, raw, single)] == [0.001, 0.001, 0.001, 0.0]
    assert urlsplit(single.url).path == "/works/pmcid:PMC3531190"
    for request in net.requests:
        assert [(n, p, k.reveal()) for n, p, k in request.secret_headers] == [
            ("Authorization", "Bearer ", "hush")
        ]
        assert "hush" not in request.url


def test_a_batch_is_one_request() -> None:
    openalex, net = source()
    wanted = [RESNET, WAKEFIELD, ELEMENTS]

    async def all_at_once() -> list[object]:
        questions = [Question("doi", str(r.ids.first("doi")), reference()) for r in wanted]
        questions.append(Question("doi", "10.9999/nothing", reference()))
        return list(await asyncio.gather(*map(openalex.lookup, questions)))

    *found, missing = asyncio.run(all_at_once())
    assert [lookup.records[0].title for lookup in found] == [r.title for r in wanted]
    assert missing == Absent("openalex", "doi", Reach.PARTIAL)
    assert [r.cost for r in net.requests] == [0.0001]
    assert parse_qs(urlsplit(net.requests[0].url).query)["per-page"] == ["100"]


def test_titles_that_come_together_are_one_search() -> None:
    openalex, net = source()
    wanted = [RESNET, WAKEFIELD, ELEMENTS, PLANCK]

    async def all_at_once(titles: list[tuple[str, Kind]]) -> list[Lookup]:
        questions = [Question("title", title, reference(kind)) for title, kind in titles]
        return list(await asyncio.gather(*map(openalex.lookup, questions)))

    alone = [ask(source()[0], "title", record.title) for record in wanted]
    together = asyncio.run(all_at_once([(record.title, Kind.ARTICLE) for record in wanted]))
    assert [_list_ids(lookup) for lookup in together] == [_list_ids(lookup) for lookup in alone]
    assert [request.cost for request in net.requests] == [0.001]
    (asked,) = parse_qs(urlsplit(net.requests[0].url).query)["filter"]
    assert asked.startswith("title.search:deep residual learning image recognition|")
    assert asked.count("|") == 3


def test_a_title_that_is_spelled_in_other_words_is_found_in_a_common_search() -> None:
    spellings = tuple(f"Impact of {virus} on models of language" for virus in ("COVID-19", "COVID19"))
    openalex, net = source(shelf=Shelf(RESNET, replace(ATTENTION, titles=spellings)))

    async def all_at_once() -> list[Lookup]:
        questions = [Question("title", title, reference()) for title in (RESNET.title, spellings[1])]
        return list(await asyncio.gather(*map(openalex.lookup, questions)))

    found = asyncio.run(all_at_once())[1]
    assert isinstance(found, Found)
    assert found.records[0].title == spellings[0]
    assert len(net.requests) == 1


def _list_ids(lookup: Lookup) -> list[str]:
    assert isinstance(lookup, Found)
    return [record.id for record in lookup.records]


def test_a_title_that_a_common_search_lacks_is_searched_alone() -> None:
    openalex, net = source()
    titles = [(RESNET.title, Kind.ARTICLE), ("Attention is really all you need", Kind.ARTICLE)]
    titles += [("Zyxwvutsrq ponmlkji", Kind.ARTICLE), ("Zyxwvutsrq ponmlkji", Kind.BOOK)]

    async def all_at_once() -> list[Lookup]:
        questions = [Question("title", title, reference(kind)) for title, kind in titles]
        return list(await asyncio.gather(*map(openalex.lookup, questions)))

    known, damaged, *missing = asyncio.run(all_at_once())
    assert isinstance(known, Found)
    assert isinstance(damaged, Found)
    assert damaged.records[0].title == ATTENTION.title
    assert missing == [Absent("openalex", "title", Reach.COVERS), Absent("openalex", "title", Reach.PARTIAL)]
    assert len(net.requests) == 1 + 3 * 2  # all the words, then any of them


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"{}", Cause.MALFORMED),
        (b'{"meta": {}, "results": [{"renamed": 1}]}', Cause.MALFORMED),
        (b"[1]", Cause.MALFORMED),
        (b'{"results": []}', Cause.MALFORMED),
        (b'{"meta": {}, "results": null}', Cause.MALFORMED),
        (b'{"error": "Rate limit exceeded", "message": "budget"}', Cause.MALFORMED),
        (b'{"id": "https://openalex.org/W1", "title": null}', Cause.NOT_COVERED),
        (b"<html>", Cause.MALFORMED),
    ],
)
def test_an_odd_answer_is_no_silence(body: bytes, cause: Cause) -> None:
    for by, value in (("doi", "10.1234/x"), ("title", "Attention")):
        lookup = ask(source(Reply(200, body))[0], by, value, Kind.UNKNOWN)
        assert isinstance(lookup, Unchecked)
        assert lookup.cause is cause


def test_html_where_json_was_asked_for_is_a_wall() -> None:
    lookup = ask(source(Reply(200, b"<html>", "text/html"))[0], "title", "Attention")
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.BOT_WALL
    missing = ask(source(Reply(404, b"<html>", "text/html"))[0], "pmcid", "PMC1")
    assert isinstance(missing, Absent)


@pytest.mark.parametrize("status", [403, 404, 429, 500])
def test_a_missing_list_is_no_silence(status: int) -> None:
    assert isinstance(ask(source(Reply(status, b"{}"))[0], "title", "x y"), Unchecked)
    assert isinstance(ask(source()[0], "title", "?!"), Unchecked)


@pytest.mark.slow
def test_fields_of_wrong_types_do_no_harm() -> None:
    single = api.answer(called("http://openalex/works/doi:10.1109/cvpr.2016.90"), Shelf(RESNET))
    for reply in bent_replies(single):
        assert isinstance(ask(source(reply)[0], "pmcid", "PMC1"), Found | Unchecked)
    listed = api.answer(called("http://openalex/works?search=attention+is+all+you+need"), Shelf(ATTENTION))
    for reply in bent_replies(listed):
        assert isinstance(ask(source(reply)[0], "raw", "x y"), Found | Absent | Unchecked)


def test_hostile_text_is_bounded_and_plain() -> None:
    people: list[object] = [{"raw_author_name": HOSTILE, "author": {"display_name": HOSTILE}}]
    people += [{"raw_author_name": "Nobody"}] * 9000
    work = {"id": "https://openalex.org/W1", "title": HOSTILE, "authorships": people}
    lookup = ask(source(Reply(200, json.dumps(work).encode()))[0], "pmcid", "PMC1")
    assert isinstance(lookup, Found)
    record = lookup.records[0]
    assert (len(record.title) <= 2000, len(record.authors) <= 3000) == (True, True)
    assert "\x1b" not in record.title + record.authors[0].family


@pytest.mark.parametrize(
    ("path", "status", "part"),
    [
        ("/works/doi:10.9999/nothing", 404, b"<h1>Not Found</h1>"),
        ("/works/doi:10.48550/arxiv.1512.03385", 404, b"<h1>"),  # merged: the publisher's is known
        ("/nowhere", 404, b"<h1>Not Found</h1>"),
        ("/works?colour=red", 400, b"is not a valid parameter"),
        ("/works?filter=luck:1", 400, b"is not a valid field"),
        ("/works?filter=title.search:hello, john", 400, b"Invalid query parameter"),
        ("/works?per-page=201", 400, b"per-page"),
        ("/works?filter=title.search:attention+is+all+you+want", 200, b'"count":0'),
        ("/works?filter=pmid:9500320|1", 200, b'"count":1'),
        ("/works?filter=doi:https://doi.org/10.1109/CVPR.2016.90,publication_year:2016", 200, b'"count":1'),
        ("/works?filter=doi:10.1109/cvpr.2016.90,publication_year:2001", 200, b'"count":0'),
        ("/works/https://doi.org/10.1109/cvpr.2016.90?select=id,doi", 200, b'"doi":"https://doi.org/10.1109'),
    ],
)
def test_api(path: str, status: int, part: bytes) -> None:
    both = replace(RESNET, ids=Ids((*RESNET.ids.pairs, ("doi", "10.48550/arxiv.1512.03385"))))
    reply = api.answer(called(f"http://openalex{path}"), Shelf(both, *ALL[1:]))
    assert reply.status == status
    assert part in reply.body


def test_api_merges_a_preprint_with_what_was_published() -> None:
    merged = replace(RESNET, kind=Kind.PREPRINT, versions=RESNET.versions[::-1])
    assert api.build_openalex_work(merged) == api.build_openalex_work(RESNET)


def test_api_tells_cost_and_budget() -> None:
    call = called("http://openalex/works?search=attention", authorization="Bearer x")
    reply = api.answer(call, SHELF)
    assert reply.headers["X-RateLimit-Cost-USD"] == "0.001"
    assert reply.headers["X-RateLimit-Limit-USD"] == "1"
    assert json.loads(reply.body)["meta"]["cost_usd"] == 0.001
