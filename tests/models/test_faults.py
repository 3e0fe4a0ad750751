"""What servers do to a model's client: everything is a value, and nothing goes on for ever."""

from __future__ import annotations

import msgspec
import pytest

from citeproof.models.base import ModelAnswer, ModelFailure, ModelFault
from citeproof.testing import ALL_FAULTS, Faults, ModelTurn, make_model_error
from tests.models.conftest import FORMATS, GOOD, KEY, make_question

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
    place.world.set("openai", latency=0.1)
    outcomes = place.ask(place.model("openai", at_once=3), *(make_question(task=f"t{n}") for n in range(12)))
    assert all(isinstance(one, ModelAnswer) for one in outcomes)
    assert place.world.requests_within("openai", 1.0).at_once == 3


def test_a_server_that_repeats_the_key_is_not_read(bench):
    told = msgspec.json.decode(GOOD) | {"rationale": KEY}
    place = bench(lambda _: ModelTurn(msgspec.json.encode(told).decode()))
    (failure,) = place.ask(place.model("openai"))
    assert isinstance(failure, ModelFailure)
    assert KEY not in repr(failure)


def test_every_question_has_a_boundary_of_its_own_and_no_answer_is_kept(bench):
    place = bench()
    place.ask(place.model("openai"), make_question(), make_question())
    users = [body["messages"][1]["content"] for body in place.bodies("openai")]
    assert len(users) == 2
    assert users[0] != users[1]


def test_the_formats_are_one_for_each_provider():
    assert {name: one.provider for name, one in FORMATS.items()} == {name: name for name in FORMATS}
