"""Crossref, asked through its loopback API."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.crossref import SELECT, Crossref
from citeproof.laboratory.testing.apis import crossref as api
from citeproof.laboratory.testing.base import Reply
from citeproof.plumbing.net.message import Failure
from citeproof.vocabulary import Absent, Cause, Found, Ids, Kind, Name, Question, Reach, Record, Unchecked
from tests.evidence.sources.bending import HOSTILE, bent_replies, called
from tests.evidence.sources.inmemory import InMemory, Shelf, ask, reference, wired
from tests.evidence.sources.shelved import ALL, ATTENTION, ELEMENTS, HIGGS, PLANCK, RESNET, WAKEFIELD

SHELF = Shelf(*ALL)


def source(reply=api.answer, **wiring):
    net = InMemory({"crossref": reply}, SHELF)
    return wired(Crossref, net, **wiring), net


@pytest.mark.parametrize(
    ("by", "value", "kind", "record"),
    [
        ("doi", "10.1109/cvpr.2016.90", Kind.ARTICLE, RESNET),
        ("doi", "10.1016/s0140-6736(97)11096-0", Kind.ARTICLE, WAKEFIELD),
        ("doi", "10.1002/andp.19013090310", Kind.ARTICLE, PLANCK),
        ("isbn", "9780387848570", Kind.BOOK, ELEMENTS),
        ("title", "Deep residual learning for image recognition", Kind.ARTICLE, RESNET),
        ("raw", HIGGS.title, Kind.UNKNOWN, HIGGS),
    ],
)
def test_found(by: str, value: str, kind: Kind, record: Record) -> None:
    lookup = ask(source()[0], by, value, kind)
    assert isinstance(lookup, Found)
    got = lookup.records[0]
    assert got.titles == record.titles
    assert got.authors == record.authors
    assert got.kind is record.kind
    assert got.publisher == record.publisher
    assert got.versions[0].year == record.versions[0].year
    assert got.versions[0].pages == record.versions[0].pages
    assert set(got.marks) == set(record.marks)
    assert got.ids.first("doi") == record.ids.first("doi")
    assert (got.source, got.read_at is None, len(got.content_hash)) == ("crossref", False, 64)


def test_every_date_is_a_version() -> None:
    lookup = ask(source()[0], "doi", "10.1002/andp.19013090310")
    assert isinstance(lookup, Found)
    assert [(v.year, v.volume) for v in lookup.records[0].versions] == [(1901, "309"), (2006, "309")]


@pytest.mark.parametrize("value", ["10.9999/nothing", "10.5061/dryad.8515", "10.1016/a,b"])
def test_absent_means_nothing_for_a_doi(value: str) -> None:
    assert ask(source()[0], "doi", value) == Absent("crossref", "doi", Reach.PARTIAL)


@pytest.mark.parametrize(
    ("kind", "venue", "reach"),
    [
        (Kind.ARTICLE, "Nature", Reach.COVERS),
        (Kind.ARTICLE, None, Reach.COVERS),
        (Kind.CHAPTER, None, Reach.COVERS),
        (Kind.UNKNOWN, None, Reach.PARTIAL),
        (Kind.ARTICLE, "Advances in Neural Information Processing Systems 30", Reach.PARTIAL),
        (Kind.ARTICLE, "Proc. 34th International Conference on Machine Learning", Reach.PARTIAL),
        (Kind.ARTICLE, "Proceedings of Machine Learning Research", Reach.PARTIAL),
        (Kind.ARTICLE, "ICLR 2019", Reach.PARTIAL),
        (Kind.ARTICLE, "Journal of Machine Learning Research", Reach.PARTIAL),
        (Kind.ARTICLE, "TMLR", Reach.PARTIAL),
        (Kind.ARTICLE, "CoRR abs/1706.03762", Reach.PARTIAL),
        (Kind.PREPRINT, None, Reach.PARTIAL),
        (Kind.BOOK, None, Reach.PARTIAL),
        (Kind.DATASET, None, Reach.PARTIAL),
    ],
)
def test_silence_counts_where_works_have_dois(kind: Kind, venue: str | None, reach: Reach) -> None:
    crossref = source()[0]
    question = Question("title", "x", reference(kind, venue=venue))
    assert crossref.reach(question) is reach
    assert crossref.is_required(question) is (reach is Reach.COVERS)
    lookup = ask(crossref, "title", "Zyxwvutsrq ponmlkji hgfedcba", kind, venue=venue)
    assert lookup == Absent("crossref", "title", reach)


def test_an_author_who_is_wrong_does_not_hide_the_title() -> None:
    crossref, net = source()
    lookup = ask(crossref, "title", "Deep residual learning", authors=(Name("Nobody", "Anton"),))
    assert isinstance(lookup, Found)
    assert lookup.records[0].title == RESNET.title
    queries = [parse_qs(urlsplit(request.url).query) for request in net.requests]
    assert [query.get("query.author") for query in queries] == [["nobody"], None]


def test_a_right_author_needs_one_request() -> None:
    crossref, net = source()
    ask(crossref, "title", RESNET.title, authors=(Name("He", "Kaiming"),))
    assert len(net.requests) == 1


def test_requests_are_polite_and_plain() -> None:
    crossref, net = source(contact="someone@example.org")
    ask(crossref, "title", '{\\"U}ber "quotes" AND: (brackets)* <i>tags</i>')
    ask(crossref, "doi", "10.1/a")
    listed, single = net.requests[0], net.requests[-1]
    query = parse_qs(urlsplit(listed.url).query)
    assert query["query.title"] == ["über quotes and brackets tags"]
    assert query["mailto"] == ["someone@example.org"]
    assert (listed.lane, single.lane) == ("list", "")
    assert single.url == "http://crossref/works/10.1%2Fa?mailto=someone%40example.org"
    crossref, net = source()
    ask(crossref, "title", "Attention")
    assert "mailto" not in net.requests[0].url


def test_only_fields_that_exist_are_selected() -> None:
    assert set(SELECT.split(",")) <= set(api.SELECTS)


def test_a_batch_is_one_request() -> None:
    crossref, net = source()
    wanted = [RESNET, WAKEFIELD, PLANCK]

    async def all_at_once() -> list[object]:
        questions = [Question("doi", str(r.ids.first("doi")), reference()) for r in wanted]
        questions.append(Question("doi", "10.9999/nothing", reference()))
        return list(await asyncio.gather(*map(crossref.lookup, questions)))

    *found, missing = asyncio.run(all_at_once())
    assert [lookup.records[0].title for lookup in found] == [r.title for r in wanted]
    assert missing == Absent("crossref", "doi", Reach.PARTIAL)
    assert len(net.requests) == 1
    assert net.requests[0].lane == "list"


def test_reposts_come_last() -> None:
    copied = Record("x", "copy", (RESNET.title,), RESNET.authors, ids=Ids((("doi", "10.65215/2q58a426"),)))
    net = InMemory({"crossref": api.answer}, Shelf(copied, RESNET))
    lookup = ask(wired(Crossref, net), "title", RESNET.title)
    assert isinstance(lookup, Found)
    assert [r.id for r in lookup.records] == ["10.1109/cvpr.2016.90", "10.65215/2q58a426"]


@pytest.mark.parametrize(
    ("kind", "by", "value", "suits"),
    [
        (Kind.ARTICLE, "doi", "10.48550/arxiv.1706.03762", False),
        (Kind.ARTICLE, "doi", "10.1038/nature14539", True),
        (Kind.PERSONAL_COMMUNICATION, "title", "x", False),
        (Kind.WEB_PAGE, "title", "x", True),
    ],
)
def test_suits(kind: Kind, by: str, value: str, suits: bool) -> None:
    assert source()[0].suits(Question(by, value, reference(kind))) is suits


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"{}", Cause.MALFORMED),
        (
            b'{"status": "ok", "message-type": "work-list", "message": {"items": [{"renamed": 1}]}}',
            Cause.MALFORMED,
        ),
        (b"[]", Cause.MALFORMED),
        (b"null", Cause.MALFORMED),
        (b'{"message": {"items": []}}', Cause.MALFORMED),
        (b'{"status": "ok", "message-type": "work-list", "message": {"items": {}}}', Cause.MALFORMED),
        (b'{"status": "failed", "message-type": "work", "message": [{"type": "x"}]}', Cause.MALFORMED),
        (b'{"status": "ok", "message-type": "work", "message": {"DOI": "10.1/a"}}', Cause.NOT_COVERED),
        (b'{"status": "ok", "message-type"', Cause.MALFORMED),
        (b"<html>wait</html>", Cause.MALFORMED),
        (b"[" * 100_000, Cause.MALFORMED),
    ],
)
def test_an_odd_answer_is_no_silence(body: bytes, cause: Cause) -> None:
    lookup = ask(source(Reply(200, body))[0], "doi", "10.1/a")
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is cause
    title = ask(source(Reply(200, body))[0], "title", "Attention")
    assert isinstance(title, Unchecked)
    assert title.cause is Cause.MALFORMED
    assert title.reach is Reach.COVERS


@pytest.mark.parametrize("status", [400, 403, 429, 500, 503])
def test_a_server_in_trouble_is_no_silence(status: int) -> None:
    assert isinstance(ask(source(Reply(status, b"{}"))[0], "title", "Attention"), Unchecked)
    assert isinstance(ask(source(Failure(Cause.TIMEOUT, "slow"))[0], "doi", "10.1/a"), Unchecked)


def test_a_missing_list_is_no_silence() -> None:
    assert isinstance(ask(source(Reply(404, b"no", "text/plain"))[0], "title", "Attention"), Unchecked)


def test_a_title_without_words_is_not_searched() -> None:
    lookup = ask(source()[0], "title", "…?!")
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.NOT_COVERED


@pytest.mark.slow
def test_fields_of_wrong_types_do_no_harm() -> None:
    single = api.answer(called("http://crossref/works/10.1016%2Fs0140-6736(97)11096-0"), SHELF)
    for reply in bent_replies(single):
        assert isinstance(ask(source(reply)[0], "doi", "10.1016/a,b"), Found | Unchecked)
    listed = api.answer(called("http://crossref/works?query.title=deep+residual+learning&rows=1"), SHELF)
    for reply in bent_replies(listed):
        assert isinstance(ask(source(reply)[0], "raw", "deep"), Found | Absent | Unchecked)


def test_hostile_text_is_bounded_and_plain() -> None:
    people = [{"family": HOSTILE}] + [{"family": "Nobody"}] * 9000
    item = {"DOI": "10.1234/a", "title": [HOSTILE], "author": people, "publisher": HOSTILE}
    body = {"status": "ok", "message-type": "work", "message": item}
    lookup = ask(source(Reply(200, json.dumps(body).encode()))[0], "doi", "10.1234/a,b")
    assert isinstance(lookup, Found)
    record = lookup.records[0]
    assert len(record.title) <= 2000
    assert len(record.authors) <= 3000
    assert len(record.authors[0].family) <= 200
    assert "\x1b" not in record.title + record.authors[0].family + str(record.publisher)
    assert "<script>" not in record.title


@pytest.mark.parametrize(
    ("path", "status", "media", "part"),
    [
        ("/works/10.9999/nothing", 404, "text/plain", b"Resource not found."),
        ("/nowhere", 404, "text/plain", b"Resource not found."),
        ("/works?select=DOI,language", 400, "application/json", b"select-not-available"),
        ("/works?rows=1001", 400, "application/json", b"integer-not-valid"),
        ("/works?filter=has-luck:1", 400, "application/json", b"filter-not-available"),
        ("/works?colour=red", 400, "application/json", b"parameter-not-allowed"),
        ("/works/10.1109/cvpr.2016.90?query.author=x", 400, "application/json", b"parameter-not-allowed"),
        ("/works/10.1109/cvpr.2016.90/agency", 200, "application/json", b'"crossref"'),
        ("/v1/works/10.1109/cvpr.2016.90", 200, "application/json", b'"message-type":"work"'),
        ("/works?rows=0&query=attention", 200, "application/json", b'"items":[]'),
        ("/works?filter=doi:10.1109/cvpr.2016.90,type:book", 200, "application/json", b'"items":[]'),
    ],
)
def test_api(path: str, status: int, media: str, part: bytes) -> None:
    reply = api.answer(called(f"http://crossref{path}"), SHELF)
    assert (reply.status, reply.media) == (status, media)
    assert part in reply.body
    assert reply.headers["x-api-pool"].startswith("public-")


def test_api_tells_nothing_of_preprints_elsewhere() -> None:
    merged = replace(RESNET, kind=Kind.PREPRINT, versions=RESNET.versions[::-1])
    assert api.build_crossref_item(merged) == api.build_crossref_item(RESNET)
    assert api.build_crossref_item(RESNET)["type"] == "proceedings-article"
    assert "published-online" not in api.build_crossref_item(RESNET)


def test_api_holds_no_works_of_other_registries() -> None:
    reply = api.answer(called("http://crossref/works?query.title=attention+is+all+you+need"), SHELF)
    assert ATTENTION.title not in reply.body.decode()
    polite = api.answer(called("http://crossref/works?mailto=a@b.c"), SHELF)
    assert (polite.headers["x-api-pool"], polite.headers["x-rate-limit-limit"]) == ("polite-array", "3")
