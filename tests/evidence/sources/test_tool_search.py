"""The search tool of a model's provider as a search engine: addresses only, paid for before it is asked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal

import pytest

from citeproof.errors import UsageError
from citeproof.evidence.sources.base import SourceWiring
from citeproof.evidence.sources.web import Web
from citeproof.judgement.models.search_tool import CONTEXT, FEE, MOST_OUTPUT, SearchTool
from citeproof.judgement.models.spending import ADDED_TOKENS, Spending, TokenPrice
from citeproof.laboratory.testing import Reply, Shelf
from citeproof.laboratory.testing.apis import url
from citeproof.plumbing.net.message import Answer, Failure, Secret
from citeproof.service.assemble.model_choice import choose_search_tool, make_spending
from citeproof.settings import load
from citeproof.vocabulary import Absent, Cause, Found, Name, Question, Unchecked
from tests.evidence.sources.inmemory import ask, reference
from tests.evidence.sources.test_web import PAGE, Keyed
from tests.laboratory.testing.conftest import PLANCK, RESNET
from tests.model_servers import ObedientModel, make_model_apis
from tests.model_servers.model_calls import FAULTS, FOUND_TOKENS, make_tool_reply

TITLE = RESNET.title
PRICE = TokenPrice(Decimal(1), Decimal(5))
ROOMY = 10_000_000


class Posting(Keyed):
    """Says what kind of body is sent, as the real client does."""

    def __init__(self, *given):
        super().__init__(*given)
        self.asked = []

    async def fetch(self, request):
        kind = (("content-type", request.content_type),) if request.content_type else ()
        self.asked.append(request)
        return await super().fetch(replace(request, headers=(*request.headers, *kind)))


class Search:
    """The source `web` with the tool, and what the run has spent."""

    def __init__(self, anthropic=None, ceiling=ROOMY, price=PRICE):
        api = anthropic or make_model_apis(ObedientModel())["anthropic"]
        down = {"down.example": Failure(Cause.TIMEOUT, "no answer")}
        self.net = Posting({"url": url.answer, "anthropic": api, **down}, Shelf(RESNET, PLANCK))
        self.spending = Spending(price, ceiling=ceiling, max_requests=9)
        tool = SearchTool("http://anthropic", "m-1", Secret("sk-CANARY"), 5.0, self.spending)
        self.source = Web(self.net, SourceWiring("http://brave", search_tool=tool))

    def ask(self, title=TITLE):
        return ask(self.source, "title", title, authors=(Name("He", "Kaiming"),))


def reply(results, **more):
    return Reply(200, json.dumps(make_tool_reply("words", results, **more)).encode())


def result(address):
    return {"type": "web_search_result", "url": address, "title": "x", "encrypted_content": "y"}


def test_the_addresses_are_read_and_the_words_of_the_model_are_not():
    one = Search()
    found = one.ask()
    assert isinstance(found, Found)
    assert [record.title for record in found.records] == [TITLE]
    assert found.records[0].marks == ("web",)
    search, page = one.net.asked
    asked = json.loads(search.body)
    assert asked["tools"] == [{"type": "web_search_20250305", "name": "web_search", "max_uses": 1}]
    assert (search.lane, search.source, search.retries) == ("search", "web", 0)
    assert page.free
    assert b"CANARY" not in search.body
    assert page.url == PAGE


def test_its_tokens_and_its_fee_are_counted():
    one = Search()
    one.ask()
    assert one.spending.spent == 600 + FOUND_TOKENS + 5 * 60 + FEE
    assert one.spending.requests == 1


def test_the_worst_case_is_reserved_before_the_search_leaves():
    size = len(Search().source.wiring.search_tool.build_request("web", "search", "x").body) - 1
    words = "deep residual learning for image recognition he"
    worst = size + len(words) + ADDED_TOKENS + CONTEXT + 5 * MOST_OUTPUT + FEE
    assert isinstance(Search(ceiling=worst).ask(), Found)
    short = Search(ceiling=worst - 1)
    lookup = short.ask()
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is Cause.OVER_BUDGET
    assert not short.net.requests
    assert short.spending.spent == 0


def test_nothing_found_proves_nothing():
    assert isinstance(Search().ask("No such work in this world"), Absent)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_of_the_tool_is_not_silence(fault):
    lookup = Search().ask(f"{fault.replace('_', ' ')} in every search")
    assert isinstance(lookup, Unchecked)
    known = {"too_many_requests": Cause.RATE_LIMITED, "unavailable": Cause.TIMEOUT}
    assert lookup.cause is known.get(fault, Cause.MALFORMED)
    assert fault in lookup.detail


SILENT = {"content": [{"type": "text", "text": "I know it: http://evil.example/"}], "stop_reason": "end_turn"}
ODD = [
    (Reply(200, b"{}"), Cause.MALFORMED),
    (Reply(200, b"[]"), Cause.MALFORMED),
    (Reply(200, b'{"content": ['), Cause.MALFORMED),
    (Reply(200, b'{"content": [{"type": "web_search_tool_result", "content": 3}]}'), Cause.MALFORMED),
    (Reply(200, json.dumps(SILENT).encode()), Cause.MALFORMED),  # it did not search
    (Reply(200, json.dumps(SILENT | {"stop_reason": "refusal"}).encode()), Cause.MALFORMED),
    (Failure(Cause.RATE_LIMITED, "answered 429", status=429), Cause.RATE_LIMITED),
    (Failure(Cause.TIMEOUT, "no answer"), Cause.TIMEOUT),
    (Failure(Cause.TIMEOUT, "no connection", sent=False), Cause.TIMEOUT),
]


@pytest.mark.parametrize(("answer", "cause"), ODD, ids=range(len(ODD)))
def test_an_answer_without_results_is_could_not_check(answer, cause):
    one = Search(answer)
    lookup = one.ask()
    assert isinstance(lookup, Unchecked)
    assert lookup.cause is cause
    assert len(one.net.requests) == 1  # no address out of a text is fetched
    free = isinstance(answer, Failure) and (not answer.sent or answer.status)
    assert bool(one.spending.spent) is not bool(free)  # where nobody says what it cost, the worst is taken


def test_what_is_no_public_page_is_passed_over():
    addresses = ["javascript:alert(1)", "file:///etc/passwd", "https://scholar.google.com/x", PAGE]
    one = Search(
        reply([result(each) for each in addresses] + [{"type": "other", "url": "http://down.example/"}])
    )
    assert len(one.ask().records) == 1
    assert [request.url for request in one.net.requests[1:]] == [PAGE]


def test_more_searches_than_allowed_are_counted_too():
    one = Search(reply([result(PAGE)], uses=3))
    one.ask()
    assert one.spending.spent == 600 + FOUND_TOKENS + 5 * 60 + 3 * FEE


def test_a_kept_answer_costs_nothing(monkeypatch):
    one = Search()
    request = one.source.wiring.search_tool.build_request("web", "search", "x")
    body = json.dumps(make_tool_reply("x", [result(PAGE)])).encode()
    kept = Answer(
        200, body, "application/json", "0" * 64, request.url, "2026-11-15T00:00:00.000Z", cached=True
    )
    monkeypatch.setattr(one.net, "get_cached", lambda wanted: kept if "anthropic" in wanted.url else None)
    one.ask()
    assert one.spending.spent == 0


def test_looking_for_a_kept_answer_spends_nothing():
    one = Search()
    question = Question("title", TITLE, reference(title=TITLE))
    assert asyncio.run(one.source.recall(question)) is None
    assert (one.spending.spent, one.spending.requests) == (0, 0)


def choose(**more):
    options = {"llm": "anthropic:m-1", "llm_search": True, "sources": "default,web"} | more
    environment = {"CITEPROOF_ANTHROPIC_KEY": "k", "CITEPROOF_OPENAI_KEY": "k"}
    settings = load(options, environment=environment)
    return choose_search_tool(settings, make_spending(settings))


def test_it_is_off_unless_asked_for():
    assert choose(llm_search=False) is None
    assert choose(offline=True) is None
    tool = choose(llm_price="1/5", llm_max_dollars=0.5)
    assert (tool.model, tool.url) == ("m-1", "https://api.anthropic.com")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"llm": None}, "needs a language model"),
        ({"llm": "openai:m-1"}, "no bound"),
        ({"sources": "default"}, "not asked"),
    ],
)
def test_what_cannot_work_is_refused(more, told):
    with pytest.raises(UsageError, match=told):
        choose(**more)


def test_a_replay_reads_the_same_request():
    one = Search()
    tool = one.source.wiring.search_tool
    again = replace(tool, key=None, spending=None)
    wanted = [each.build_request("web", "search", "some words") for each in (tool, again)]
    assert wanted[0].body == wanted[1].body
