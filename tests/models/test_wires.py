"""Requests and replies in the shapes of three providers; the loopback servers check requests strictly."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from citeproof.models.base import ModelAnswer, ModelFailure, ModelFault, TokenUsage
from citeproof.models.wire_format import ModelPrompt
from citeproof.testing import ModelTurn, WireRules
from citeproof.testing.model_wires import CACHED_FROM
from citeproof.vocabulary import Secret
from tests.models.conftest import FORMATS, GOOD, KEY, Comparison, make_question

PROVIDERS = tuple(FORMATS)
REPORTED = {"openai": "test-1-2026-01-01", "anthropic": "test-1-20260101", "google": "test-1-001"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_comes_back_decoded_with_its_origin(bench, provider):
    place = bench()
    model = place.model(provider)
    (answer,) = place.ask(model)
    assert isinstance(answer, ModelAnswer)
    assert answer.value == Comparison(71, "same", "the year differs", [])
    assert answer.raw == GOOD
    assert (answer.model, model.name) == (REPORTED[provider], f"{provider}:test-1")
    assert answer.request_id
    assert answer.digest == make_question().digest()
    assert answer.usage.input > 80
    assert answer.usage.output == (len(GOOD) + 3) // 4
    assert answer.cost == 3 * answer.usage.input + 15 * answer.usage.output
    assert answer.temperature == 0.0


def test_chat_completions_are_asked_as_documented(bench):
    place = bench()
    place.ask(place.model("openai"))
    (seen,) = place.world.log
    (body,) = place.bodies("openai")
    assert (seen.method, seen.path) == ("POST", "/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert body["messages"][0] == {"role": "system", "content": "Compare the works."}
    assert body["messages"][1]["content"].count("A title.") == 2
    assert body["temperature"] == 0
    assert body["max_tokens"] == 600  # not OpenAI's own address: the older name
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["name"] == "comparator_1_2"


def test_openai_itself_gets_the_newer_names():
    prompt = ModelPrompt("gpt-x", "s", "u", "comparator_1", None, 600, 0.0)
    request = FORMATS["openai"].build_request(prompt, FORMATS["openai"].url, None)
    body = msgspec.json.decode(request.body)
    assert request.url == "https://api.openai.com/v1/chat/completions"
    assert body["max_completion_tokens"] == 600
    assert body["prompt_cache_key"] == "citeproof-comparator_1"
    assert "max_tokens" not in body


def test_anthropic_itself_gets_the_newer_version_and_a_bearer_token():
    prompt = ModelPrompt("claude-x", "s", "u", "comparator_1", None, 600, 0.0)
    request = FORMATS["anthropic"].build_request(prompt, FORMATS["anthropic"].url, Secret("k"))
    assert request.url == "https://api.anthropic.com/v1/messages"
    assert request.headers == (("anthropic-version", "2026-10-21"),)
    assert [(name, prefix) for name, prefix, _ in request.secret_headers] == [("Authorization", "Bearer ")]


def test_messages_are_asked_as_documented(bench):
    place = bench()
    place.ask(place.model("anthropic"))
    (seen,) = place.world.log
    (body,) = place.bodies("anthropic")
    assert seen.path == "/v1/messages"
    assert seen.headers["x-api-key"] == KEY
    assert seen.headers["anthropic-version"] == "2023-06-01"
    assert body["system"] == [
        {"type": "text", "text": "Compare the works.", "cache_control": {"type": "ephemeral"}}
    ]
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert (body["max_tokens"], body["temperature"]) == (600, 0)


def test_generate_content_is_asked_as_documented(bench):
    place = bench()
    place.ask(place.model("google"))
    (seen,) = place.world.log
    (body,) = place.bodies("google")
    assert seen.path == "/v1/models/test-1:generateContent"
    assert seen.headers["x-goog-api-key"] == KEY
    assert KEY not in seen.path
    assert body["systemInstruction"] == {"parts": [{"text": "Compare the works."}]}
    assert body["generationConfig"]["responseMimeType"] == "application/json"
    assert (body["generationConfig"]["maxOutputTokens"], body["generationConfig"]["temperature"]) == (600, 0)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refusal_is_a_value_and_is_not_asked_again(bench, provider):
    place = bench(lambda _: ModelTurn(refusal="I cannot help with that."))
    (failure,) = place.ask(place.model(provider))
    assert failure.cause is ModelFault.REFUSAL
    assert failure.cost > 0
    assert place.world.count(provider) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_model_that_thinks_gets_more_room_once_and_keeps_it(bench, provider):
    place = bench(lambda _: ModelTurn(GOOD, thinking=900))
    model = place.model(provider)
    one, two = place.ask(model, make_question())[0], None
    assert isinstance(one, ModelAnswer)
    assert place.world.count(provider) == 2
    assert one.usage.output == 600 + 900 + (len(GOOD) + 3) // 4  # both tries are counted
    (two,) = place.ask(place.model(provider))
    assert isinstance(two, ModelAnswer)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_that_never_ends_is_truncated(bench, provider):
    place = bench(lambda _: ModelTurn('{"score": 7' + " " * 100_000))
    (failure,) = place.ask(place.model(provider))
    assert failure.cause is ModelFault.TRUNCATED
    assert place.world.count(provider) == 2


BROKEN = (
    "yes, they are the same",
    '{"score":101,"label":"same","rationale":"","differences":[]}',
    '{"score":71,"label":"EXACT","rationale":"","differences":[]}',
    '{"score":71,"label":"same","rationale":"","differences":[],"verdict":"matched"}',
    '{"score":"71","label":"same","rationale":"","differences":[]}',
    "[" * 50_000,
    "null",
    "",
    '{"score":71,"label":"same","rationale":"\\ud800","differences":[]}',
)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_what_breaks_the_schema_is_asked_for_once_more_and_never_used(bench, provider, text):
    place = bench(lambda _: ModelTurn(text))
    (failure,) = place.ask(place.model(provider))
    assert isinstance(failure, ModelFailure)
    assert failure.cause in (ModelFault.SCHEMA, ModelFault.TRUNCATED)
    assert place.world.count(provider) == 2
    assert len(failure.detail) < 300


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_second_answer_may_mend_the_first(bench, provider):
    turns = iter((ModelTurn("no"), ModelTurn(GOOD)))
    place = bench(lambda _: next(turns))
    (answer,) = place.ask(place.model(provider))
    assert answer.value.score == 71


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("rules", [{"takes_temperature": False}, {"takes_schema": False}], ids=str)
def test_what_a_model_does_not_take_is_left_out_from_then_on(bench, provider, rules):
    place = bench(lambda _: ModelTurn(f"```json\n{GOOD}\n```"), WireRules(**rules))
    model = place.model(provider)
    (answer,) = place.ask(model)
    assert isinstance(answer, ModelAnswer)
    assert answer.temperature == (None if "takes_temperature" in rules else 0.0)
    assert [seen.status for seen in place.world.log] == [400, 200]
    told = msgspec.json.encode(place.bodies(provider)[-1]).decode()
    assert ("additionalProperties" in told) is True  # as a parameter, or in the instructions


def test_a_server_that_wants_the_newer_name_of_the_limit_gets_it(bench):
    place = bench(rules=WireRules(takes_max_tokens=False))
    (answer,) = place.ask(place.model("openai"))
    assert isinstance(answer, ModelAnswer)
    assert "max_completion_tokens" in place.bodies("openai")[-1]


def test_a_local_server_needs_no_key(bench):
    place = bench(rules=WireRules(needs_key=False))
    (answer,) = place.ask(place.model("openai", key="", price=None))
    assert isinstance(answer, ModelAnswer)
    assert answer.cost is None
    assert "authorization" not in place.world.log[0].headers


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wrong_key_or_model_is_rejected_without_another_try(bench, provider):
    place = bench(rules=WireRules(key="another"))
    (failure,) = place.ask(place.model(provider))
    assert (failure.cause, failure.cost) == (ModelFault.REJECTED, 0)
    assert KEY not in repr(failure)
    place = bench(rules=WireRules(models=("test-9",)))
    (failure,) = place.ask(place.model(provider))
    assert failure.cause is ModelFault.REJECTED
    assert "test-1" in failure.detail
    assert place.world.count(provider) == 1


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_instructions_are_cached_by_the_provider_and_counted_so(bench, provider):
    place = bench()
    long = make_question(instructions="Compare. " * CACHED_FROM)
    first, second = place.ask(place.model(provider), long)[0], place.ask(place.model(provider), long)[0]
    assert first.usage.cached == 0
    assert second.usage.cached > CACHED_FROM
    assert second.usage.input == pytest.approx(first.usage.input, abs=2)
    assert first.usage.written == (second.usage.cached if provider == "anthropic" else 0)
    assert second.cost < first.cost / 2


# Bodies as the providers' references show them, shortened; names and nesting are theirs.
RECORDED = msgspec.json.decode(Path(__file__).with_name("provider_replies.json").read_bytes())


@pytest.mark.parametrize("row", RECORDED, ids=[row["case"] for row in RECORDED])
def test_bodies_of_the_real_servers_are_read(row):
    reply = FORMATS[row["provider"]].read_reply(msgspec.json.encode(row["body"]))
    usage = TokenUsage(*row["usage"]) if row["usage"] else None
    assert (reply.text, reply.model, reply.usage, reply.fault) == (
        *(row["text"], row["model"], usage, row["fault"]),
    )
