"""Web search: engines, pages, and what is left when some of them fail."""

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from citeproof.evidence.sources.base import SourceWiring
from citeproof.evidence.sources.web import Web
from citeproof.laboratory.testing import Reply, Shelf
from citeproof.laboratory.testing.apis import brave, searxng, url
from citeproof.plumbing.net.message import Failure, Secret
from citeproof.vocabulary import Absent, Cause, Found, Kind, Name, Question, Reach, Unchecked
from tests.evidence.sources.inmemory import InMemory, ask, reference
from tests.laboratory.testing.conftest import PLANCK, RESNET

TITLE = RESNET.title
SHELF = Shelf(RESNET, PLANCK)


class Keyed(InMemory):
    """Adds the secret headers, as the real client does."""

    async def fetch(self, request):
        secret = tuple((name, prefix + key.reveal()) for name, prefix, key in request.secret_headers)
        return await super().fetch(replace(request, headers=(*request.headers, *secret)))


def net(**apis):
    return Keyed({"url": url.answer, "searxng": searxng.answer, "brave": brave.answer, **apis}, SHELF)


def wiring(engine):
    urls = {"brave": "http://brave"} | ({"searxng": "http://searxng"} if engine == "searxng" else {})
    return SourceWiring(url="http://brave", key=Secret("token") if engine == "brave" else None, urls=urls)


def asked(network, title=TITLE, engine="searxng", **claimed):
    return ask(Web(network, wiring(engine)), "title", title, **claimed)


@pytest.mark.parametrize("engine", ["searxng", "brave"])
def test_a_page_is_found_and_read(engine):
    network = net()
    found = asked(network, engine=engine, authors=(Name("He", "Kaiming"),))
    assert isinstance(found, Found)
    assert found.reach is Reach.PARTIAL
    (record,) = found.records
    assert (record.source, record.title, record.kind, record.marks) == ("web", TITLE, Kind.ARTICLE, ("web",))
    assert [name.family for name in record.authors] == ["He", "Zhang", "Ren", "Sun"]
    search, page = network.requests
    assert (search.lane, search.free, page.free) == ("search", False, True)
    assert parse_qs(urlsplit(search.url).query)["q"] == ["deep residual learning for image recognition he"]
    assert "token" not in search.url


@pytest.mark.parametrize("engine", ["searxng", "brave"])
def test_nothing_found_proves_nothing(engine):
    assert asked(net(), "No such work in this world", engine) == Absent("web", "title", Reach.PARTIAL)


def test_without_an_engine_it_says_what_to_set():
    lookup = asked(net(), engine="none")
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.NEEDS_KEY
    assert "CITEPROOF_SEARXNG_URL" in lookup.detail


def test_searxng_is_preferred():
    network = net()
    source = Web(network, replace(wiring("searxng"), key=Secret("token")))
    ask(source, "title", TITLE)
    assert urlsplit(network.requests[0].url).netloc == "searxng"


def results(*urls, **more):
    return Reply(200, json.dumps({"results": [{"url": one} for one in urls], **more}).encode())


PAGE = "http://url" + url.build_page_path(RESNET)
OTHER = "http://url" + url.build_page_path(PLANCK)


def test_the_most_alike_page_comes_first_and_five_at_most_are_read():
    pages = [OTHER, PAGE, *(f"{OTHER}?n={n}" for n in range(10))]
    network = net(searxng=results(*pages))
    found = asked(network)
    assert [record.title for record in found.records[:2]] == [TITLE, PLANCK.title]
    assert len(found.records) == 5
    assert len(network.requests) == 6


def test_results_that_may_not_or_cannot_be_fetched_are_passed_over():
    skipped = [
        "https://scholar.google.com/scholar?q=x", "https://pubpeer.com/1", "javascript:alert(1)",
        "file:///etc/passwd", "", "http://user:pw@host.example/", PAGE, PAGE + "#part",
    ]  # fmt: skip
    network = net(searxng=results(*skipped))
    assert len(asked(network).records) == 1
    assert [request.url for request in network.requests[1:]] == [PAGE]


def test_a_page_that_cannot_be_read_costs_only_itself():
    down = {
        "down.example": Failure(Cause.TIMEOUT, "no answer"),
        "empty.example": Reply(200, b"", "text/html"),
    }
    addresses = ("http://down.example/", "http://empty.example/", "http://url/nowhere", PAGE)
    found = asked(net(searxng=results(*addresses), **down))
    assert [record.title for record in found.records] == [TITLE]


NONE_READ = [
    (("http://down.example/", f"{PAGE}?style=wall"), Cause.TIMEOUT),
    ((f"{PAGE}?style=wall", "http://down.example/"), Cause.BOT_WALL),
    (("http://url/nowhere", "http://down.example/"), Cause.TIMEOUT),
]


@pytest.mark.parametrize(("addresses", "cause"), NONE_READ)
def test_if_no_page_can_be_read_the_first_cause_is_told(addresses, cause):
    down = {"down.example": Failure(Cause.TIMEOUT, "no answer")}
    lookup = asked(net(searxng=results(*addresses), **down))
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is cause


def test_only_dead_pages_are_nothing():
    assert isinstance(asked(net(searxng=results("http://url/nowhere", f"{PAGE}?style=missing"))), Absent)


def test_engines_that_do_not_answer_are_not_silence():
    lookup = asked(net(), "silence of the engines")
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.TIMEOUT
    assert "CAPTCHA" in lookup.detail


ODD = [
    ("searxng", Reply(200, b"{}"), Cause.MALFORMED),
    ("searxng", Reply(200, b"[]"), Cause.MALFORMED),
    ("searxng", Reply(200, b'{"results": {}}'), Cause.MALFORMED),
    ("searxng", Reply(200, b"<html>", "text/html"), Cause.BOT_WALL),
    ("searxng", Reply(404, b"<html>", "text/html"), Cause.MALFORMED),
    ("searxng", Reply(403, b"Forbidden"), Cause.TIMEOUT),  # what the real client makes of it is its affair
    ("brave", Reply(200, b"{}"), Cause.MALFORMED),
    ("brave", Reply(200, b'{"type": "ErrorResponse"}'), Cause.MALFORMED),
    ("brave", Reply(200, b'{"type": "search", "query": null}'), Cause.MALFORMED),
    ("brave", Reply(200, b'{"type": "search"'), Cause.MALFORMED),
    ("brave", Reply(404, b""), Cause.TIMEOUT),
    ("brave", Failure(Cause.RATE_LIMITED, "answered 429"), Cause.RATE_LIMITED),
]


@pytest.mark.parametrize(("engine", "reply", "cause"), ODD)
def test_odd_answers_of_an_engine_are_unchecked(engine, reply, cause):
    lookup = asked(net(**{engine: reply}), engine=engine)
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is cause


WRONG = [
    results(more=1).body.replace(b"[]", b'[5, null, {"url": 5}, {"url": null}, {}, "x"]'),
    b'{"results": [{"url": "' + b"http://x.example/" * 500 + b'"}]}',
]


@pytest.mark.parametrize("body", WRONG)
def test_results_without_any_address_are_unreadable(body):
    lookup = asked(net(searxng=Reply(200, body)))
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.MALFORMED


def test_wrong_types_among_the_results_are_passed_over():
    body = WRONG[0].replace(b"{}", b'{"url": "%b"}' % PAGE.encode())
    assert len(asked(net(searxng=Reply(200, body))).records) == 1


def test_results_that_are_all_denied_are_none():
    assert isinstance(asked(net(searxng=results("https://scholar.google.com/scholar?q=x"))), Absent)


SYNTAX = [
    ('"Exact" AND site:evil.example -foo', "exact and site evil example foo"),
    ("!g :en Attention {I}s All $\\alpha$", "g en attention is all α"),
    ("Über Größe – 日本語の題名", "über größe 日本語の題名"),
    ("word " * 200, " ".join(["word"] * 40)),
]


@pytest.mark.parametrize(("title", "words"), SYNTAX)
def test_a_title_is_no_query_syntax(title, words):
    network = net()
    asked(network, title)
    assert parse_qs(urlsplit(network.requests[0].url).query)["q"] == [words]


def test_brave_takes_the_longest_query():
    network = net()
    assert isinstance(asked(network, "extraordinarily " * 300, "brave"), Absent)


def test_it_is_asked_last_and_only_when_named():
    profile = Web.profile
    assert (profile.search_order, profile.by_default) == (9, False)
    assert (profile.covers, profile.required, profile.authority) == (frozenset(),) * 3
    source = Web(net(), wiring("searxng"))
    assert not source.suits(Question("title", "Introduction", reference()))
    assert source.suits(Question("title", TITLE, reference()))
