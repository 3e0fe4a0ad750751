"""The ceilings on money and requests hold exactly, whatever servers do."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.judgement.models import openai
from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault, TokenUsage
from citeproof.judgement.models.spending import ADDED_TOKENS, LONG_INPUT, Spending, TokenPrice, format_dollars
from citeproof.laboratory.testing import ALL_FAULTS, Faults
from tests.judgement.models.conftest import GOOD, PRICE, make_question
from tests.model_servers import ModelTurn

ONE = 100_000  # micro-dollars


COSTS = (
    (TokenUsage(1000, 100), 4500),
    (TokenUsage(1000, 100, cached=800), 200 * 3 + 240 + 1500),
    (TokenUsage(1000, 100, written=800), 200 * 3 + 3000 + 1500),
    (TokenUsage(1, 0, cached=1), 1),  # 0.3, rounded up
    (TokenUsage(), 0),
)


@pytest.mark.parametrize(("usage", "cost"), COSTS, ids=range(len(COSTS)))
def test_costs_are_whole_micro_dollars_rounded_up(usage, cost):
    assert PRICE.compute_cost(usage) == cost


def test_a_ceiling_is_reached_exactly_and_not_passed():
    price = TokenPrice(Decimal(1), Decimal(1))
    worst = ADDED_TOKENS + 100 + 50
    spending = Spending(price, ceiling=2 * worst, max_requests=9)
    first, second = spending.reserve(100, 50), spending.reserve(100, 50)
    assert (first, second) == (worst, worst)
    assert spending.reserve(0, 0) == (
        f"it could cost ${format_dollars(ADDED_TOKENS)}, and $0 is left of ${format_dollars(2 * worst)}"
    )
    spending.settle(first, TokenUsage(10, 5))  # cheaper than reserved: there is room again
    assert isinstance(spending.reserve(0, worst - 15 - ADDED_TOKENS), int)
    assert isinstance(spending.reserve(0, 0), str)


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 900), st.floats(0, 1), st.integers(0, 3))))
def test_no_order_of_events_passes_the_ceiling(events):
    spending = Spending(PRICE, ceiling=ONE, max_requests=1000)
    open_ = []
    for body, output, share, kind in events:
        reserved = spending.reserve(body, output)
        if isinstance(reserved, int):
            open_.append((reserved, body, output))
        if open_ and kind:
            reserved, asked, most = open_.pop(0)
            used = TokenUsage(int(share * (asked + ADDED_TOKENS)), int(share * most))
            if kind == 3:
                spending.release(reserved, sent=True)
            else:
                spending.settle(reserved, used if kind == 1 else None)
        assert spending.spent + sum(one[0] for one in open_) <= ONE


def test_a_ceiling_without_a_price_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="price"):
        Spending(None, ceiling=1, max_requests=1)


def test_a_question_too_long_for_known_prices_is_not_sent():
    spending = Spending(PRICE, ceiling=None, max_requests=1)
    assert "too long" in spending.reserve(LONG_INPUT, 1)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_many_questions_at_once_stay_below_the_ceiling_as_the_server_counts(bench, provider):
    spent = []

    def model(call):
        spent.append(call)
        return ModelTurn(GOOD)

    place = bench(model)
    served = place.model(provider, ceiling=ONE, at_once=8)
    outcomes = place.ask(served, *(make_question(task=f"t{n}") for n in range(60)))
    answers = [one for one in outcomes if isinstance(one, ModelAnswer)]
    refused = [one for one in outcomes if isinstance(one, ModelFailure)]
    assert answers
    assert refused
    assert {one.cause for one in refused} == {ModelFault.OVER_BUDGET}
    assert len(spent) == len(answers) == served.spending.requests
    assert sum(one.cost for one in answers) == served.spending.spent <= ONE


def test_nothing_is_sent_when_the_first_question_does_not_fit(bench):
    place = bench()
    (failure,) = place.ask(place.model("openai", ceiling=10))
    assert (failure.cause, failure.cost) == (ModelFault.OVER_BUDGET, 0)
    assert "$0.00001" in failure.detail
    assert place.world.count("openai") == 0


def test_requests_are_counted_retries_included(bench):
    place = bench(lambda _: ModelTurn("no"))
    outcomes = place.ask(
        place.model("google", max_requests=5, at_once=1), *(make_question() for _ in range(4))
    )
    assert place.world.count("google") == 5
    assert {one.cause for one in outcomes} >= {ModelFault.OVER_BUDGET}


FREE = ("status_429", "status_500", "status_503", "status_403")
PAID = ("half_body", "silence", "empty_object", "null", "wrong_media", "truncated", "hang_up")


@pytest.mark.parametrize("name", FREE + PAID)
def test_what_nobody_reports_is_taken_as_spent_and_refusals_cost_nothing(bench, name):
    place = bench(openai=ALL_FAULTS[name])
    model = place.model("openai", ceiling=10 * ONE, seconds=0.3 if name == "silence" else 30.0)
    (failure,) = place.ask(model)
    assert isinstance(failure, ModelFailure)
    assert (model.spending.spent > 0) is (name in PAID)
    assert model.spending.spent == model.spending.assumed == failure.cost


def test_no_connection_costs_nothing(bench):
    place = bench()
    model = place.model("openai", ceiling=ONE)
    place.world.close()
    (failure,) = place.ask(model)
    place.world.start()
    assert failure.cause is ModelFault.TIMEOUT
    assert (model.spending.spent, model.spending.requests) == (0, 0)


def test_a_question_that_is_given_up_counts_at_its_worst(bench):
    place = bench(openai=Faults.silence())
    model = place.model("openai", ceiling=ONE)

    async def give_up():
        task = asyncio.ensure_future(model.ask(make_question()))
        while not place.world.log:  # noqa: ASYNC110 - filled by another thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await model._client.close()

    asyncio.run(give_up())
    assert 0 < model.spending.spent == model.spending.assumed


BELOW_ZERO = (TokenUsage(-1, 5), TokenUsage(5, -1_000_000), TokenUsage(5, 5, -1), TokenUsage(5, 5, 0, -1))


@pytest.mark.parametrize("usage", BELOW_ZERO, ids=range(len(BELOW_ZERO)))
def test_counts_below_zero_make_no_room_under_the_ceiling(usage):
    spending = Spending(PRICE, ceiling=ONE, max_requests=9)
    reserved = spending.reserve(10, 10)
    assert spending.settle(reserved, usage) == reserved
    assert (spending.spent, spending.assumed) == (reserved, reserved)


def test_an_answer_without_a_count_of_its_output_costs_the_worst():
    body = b'{"choices": [{"message": {"content": "{}"}}], "usage": {"prompt_tokens": 5}}'
    assert openai.FORMAT.read_reply(body).usage is None


def test_questions_that_wait_for_their_turn_reserve_nothing(bench):
    place = bench()
    questions = [make_question(task=f"t{n}") for n in range(4)]
    model = place.model("openai", ceiling=45_000, at_once=1)  # the worst case of two
    outcomes = place.ask(model, *questions)
    assert [type(one) for one in outcomes] == [ModelAnswer] * 4
    assert model.spending.spent <= 45_000
