"""What servers do to a model's client: everything is a value, and nothing goes on for ever."""

from __future__ import annotations

import msgspec
import pytest

from citeproof.judgement.models import served_model
from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault
from citeproof.judgement.models.served_model import GIVE_UP_AFTER
from citeproof.laboratory.testing import ALL_FAULTS, Faults, Reply
from tests.judgement.models.conftest import FORMATS, GOOD, KEY, make_question
from tests.model_servers import ModelTurn, make_model_error

HARMLESS = {"huge_headers", "odd_unicode", "invalid_utf8"}  # may still be an answer
READ = (
    "truncated",
    "empty",
    "empty_object",
    "null",
    "deep_json",
    "key_echo",
    "bot_wall_as_json",
    "odd_unicode",
)
CASES = [("openai", name) for name in sorted(ALL_FAULTS)]
CASES += [(provider, name) for provider in ("anthropic", "google") for name in READ]


@pytest.mark.parametrize(("provider", "name"), CASES, ids=[f"{one}-{name}" for one, name in CASES])
def test_every_fault_of_a_server_is_a_value(bench, provider, name):
    place = bench(**{provider: ALL_FAULTS[name]})
    (outcome,) = place.ask(place.model(provider, seconds=0.3))
    if name not in HARMLESS:
        assert isinstance(outcome, ModelFailure)
    assert KEY not in repr(outcome)
    assert place.world.count(provider) <= 3 or name == "redirect_loop"


WORDED = (
    (429, ModelFault.RATE_LIMITED),
    (500, ModelFault.SERVER_ERROR),
    (503, ModelFault.SERVER_ERROR),
    (529, ModelFault.SERVER_ERROR),
    (400, ModelFault.REJECTED),
    (401, ModelFault.REJECTED),
    (403, ModelFault.REJECTED),
    (404, ModelFault.REJECTED),
    (413, ModelFault.REJECTED),
)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
@pytest.mark.parametrize(("status", "cause"), WORDED, ids=[str(row[0]) for row in WORDED])
def test_errors_in_the_providers_words_have_their_cause(bench, provider, status, cause):
    body = make_model_error(provider, status, "no luck\x1b[31m today")
    fault = Faults.status(status, body=body, media="application/json", retry_after=0)
    place = bench(**{provider: fault})
    (failure,) = place.ask(place.model(provider))
    assert failure.cause is cause
    assert "\x1b" not in failure.detail
    if status in (400, 404, 413):
        assert "no luck" in failure.detail


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_a_busy_server_is_asked_again_as_it_wishes(bench, provider):
    body = make_model_error(provider, 429)
    busy = Faults.status(429, body=body, media="application/json", retry_after=1)
    place = bench(**{provider: busy.first(1)})
    (answer,) = place.ask(place.model(provider))
    assert isinstance(answer, ModelAnswer)
    first, second = (seen.at for seen in place.world.log)
    assert second - first >= 0.95  # Retry-After


def test_no_more_are_open_at_once_than_allowed(bench):
    place = bench()
    place.world.set("openai", latency=0.3)
    outcomes = place.ask(place.model("openai", at_once=3), *(make_question(task=f"t{n}") for n in range(12)))
    assert all(isinstance(one, ModelAnswer) for one in outcomes)
    assert place.world.requests_within("openai", 1.0).at_once == 3


def test_a_server_that_repeats_the_key_is_not_read(bench):
    told = msgspec.json.decode(GOOD) | {"rationale": KEY}
    place = bench(lambda _: ModelTurn(msgspec.json.encode(told).decode()))
    (failure,) = place.ask(place.model("openai"))
    assert isinstance(failure, ModelFailure)
    assert KEY not in repr(failure)


def test_every_request_has_a_boundary_of_its_own(bench):
    turns = iter((ModelTurn("no"), ModelTurn(GOOD)))
    place = bench(lambda _: next(turns))
    place.ask(place.model("openai"))
    users = [body["messages"][1]["content"] for body in place.bodies("openai")]
    assert len(users) == 2
    assert users[0] != users[1]


def test_the_formats_are_one_for_each_provider():
    assert {name: one.provider for name, one in FORMATS.items()} == {name: name for name in FORMATS}


SILENT = (
    (Faults.status(429, retry_after=0), ModelFault.RATE_LIMITED, 3),
    (Faults.status(500), ModelFault.SERVER_ERROR, 3),
    (Faults.status(401), ModelFault.REJECTED, 1),
)


@pytest.mark.parametrize(("fault", "cause", "each"), SILENT, ids=["429", "500", "401"])
def test_a_model_that_never_replies_is_left_alone(bench, monkeypatch, fault, cause, each):
    monkeypatch.setattr(served_model, "PATIENCE", 0.1)
    place = bench(openai=fault)
    model = place.model("openai", ceiling=10_000_000)
    outcomes = place.ask_in_turn(model, GIVE_UP_AFTER + 3)
    sent = place.world.count("openai")
    assert 1 <= sent <= GIVE_UP_AFTER * each
    assert all(isinstance(one, ModelFailure) for one in outcomes)
    assert outcomes[0].cause is cause
    declined = [one.detail.startswith("not asked any more: 5 questions") for one in outcomes]
    assert declined == [False] * GIVE_UP_AFTER + [True] * 3
    assert model.given_up is not None
    assert model.spending.spent == 0  # refusals cost nothing, and nothing stays reserved
    assert not isinstance(model.spending.reserve(0, 0), str)


def test_a_reply_in_between_starts_the_count_again(bench):
    turns = iter(["bad"] * 5 + [GOOD] + ["bad"] * 4)  # the first is tried without a schema too
    refused = make_model_error("openai", 400)

    def reply(_, good):
        return good if next(turns) == GOOD else Reply(400, refused, "application/json")

    place = bench(openai=Faults.reply("in_turn", reply))
    model = place.model("openai")
    outcomes = place.ask_in_turn(model, 9)
    assert [isinstance(one, ModelAnswer) for one in outcomes] == [False] * 4 + [True] + [False] * 4
    assert model.given_up is None


def test_what_the_ceiling_stops_is_not_held_against_the_server(bench):
    place = bench()
    model = place.model("openai", ceiling=1)
    outcomes = place.ask_in_turn(model, GIVE_UP_AFTER + 1)
    assert {one.cause for one in outcomes} == {ModelFault.OVER_BUDGET}
    assert model.given_up is None


def test_a_service_asks_again_after_a_while(bench, monkeypatch):
    place = bench(openai=Faults.status(400).first(GIVE_UP_AFTER + 1))
    model = place.model("openai")

    async def go():
        for n in range(GIVE_UP_AFTER):
            await model.ask(make_question(task=f"t{n}"))
        declined = await model.ask(make_question())
        monkeypatch.setattr(served_model, "GIVE_UP_FOR", 0.0)
        return declined, await model.ask(make_question())

    declined, answer = place.run(go())
    assert isinstance(declined, ModelFailure)
    assert isinstance(answer, ModelAnswer)
