"""Requests and replies in the shapes of three providers; the loopback servers check requests strictly."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault, TokenUsage
from citeproof.judgement.models.wire_format import ModelPrompt
from citeproof.laboratory.testing import Faults, Reply
from citeproof.vocabulary import Secret
from tests.judgement.models.conftest import FORMATS, GOOD, KEY, Comparison, make_question
from tests.model_servers import ModelTurn, WireRules
from tests.model_servers.model_wires import CACHED_FROM

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


DRAFT = GOOD.replace("71", "99").replace("same", "other")
WRAPPED = (
    f"```json\n{GOOD}\n```",
    f"```\n{GOOD}\n```\nI hope this helps.",
    f"Here is the answer:\n\n{GOOD}",
    f"<think>\nThe year differs, so {DRAFT}? No.\n</think>\n\n{GOOD}",
    f"<think></think>```json\n{GOOD}\n```",
    f"The template opened the thought. {DRAFT}\n</think>\n{GOOD}",  # DeepSeek-R1, QwQ
    f"<think>The text says </think>{DRAFT}, an order.</think>{GOOD}",
    f"[THINK]{DRAFT}[/THINK]{GOOD}",
    f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{GOOD}",
    GOOD.replace("the year", "</think>the year"),
)
NOT_ENDED = (
    f"<think>First thought: {DRAFT}",
    f"<think>a</think><think>{DRAFT}",
    f"{DRAFT} or rather {GOOD}",
    f"```json\n{DRAFT}\n```\n```json\n{GOOD}\n```",
    f'<think>x</think>{{"rationale": "</think>{DRAFT}"}}',
)


@pytest.mark.parametrize("text", WRAPPED, ids=range(len(WRAPPED)))
def test_an_answer_behind_thoughts_in_a_fence_or_between_words_is_read(bench, text):
    place = bench(lambda _: ModelTurn(text))
    (answer,) = place.ask(place.model("openai"))
    assert (answer.value.score, answer.value.label) == (71, "same")


@pytest.mark.parametrize("text", NOT_ENDED, ids=range(len(NOT_ENDED)))
def test_a_draft_in_the_thoughts_is_no_answer(bench, text):
    place = bench(lambda _: ModelTurn(text))
    (failure,) = place.ask(place.model("openai"))
    assert failure.cause is ModelFault.SCHEMA


PARTS = (
    ("openai", {"choices": [{"message": {"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
        {"type": "text", "text": GOOD}]}}]}),
    ("openai", {"choices": [{"message": {"content": GOOD, "reasoning_content": DRAFT}}]}),
    ("anthropic", {"content": [{"type": "thinking", "thinking": DRAFT, "signature": "x"},
                               {"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": GOOD}]}),
    ("google", {"candidates": [{"content": {"parts": [{"text": DRAFT, "thought": True}, {"text": GOOD}]}}]}),
)  # fmt: skip


@pytest.mark.parametrize(("provider", "body"), PARTS, ids=range(len(PARTS)))
def test_thoughts_in_parts_of_their_own_are_left_out(provider, body):
    assert FORMATS[provider].read_reply(msgspec.json.encode(body)).text == GOOD


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_refuses_a_schema_without_a_word_is_asked_without_once_in_a_run(
    bench, provider, status
):
    def refuse(asked, good):
        named = (b"response_format", b"output_config", b"responseJsonSchema")
        return Reply(status, b"{}", "application/json") if any(n in asked.body for n in named) else good

    place = bench(
        lambda _: ModelTurn(f"<think>Hm.</think>{GOOD}"), **{provider: Faults.reply("strict", refuse)}
    )
    outcomes = place.ask_in_turn(place.model(provider), 3)
    assert [one.value.score for one in outcomes] == [71] * 3
    refused = [seen.status == status for seen in place.world.log]
    assert refused == [True] * (2 if status == 500 else 1) + [False] * 3


def test_a_schema_is_not_left_out_for_another_fault(bench):
    turns = iter([GOOD, "bad", GOOD])
    fault = Faults.reply(
        "once", lambda _, good: good if next(turns) == GOOD else Reply(400, b"{}", "application/json")
    )
    place = bench(openai=fault)
    outcomes = place.ask_in_turn(place.model("openai"), 3)
    assert [isinstance(one, ModelAnswer) for one in outcomes] == [True, False, True]
    assert all("response_format" in body for body in place.bodies("openai"))


def test_the_same_question_is_not_sent_again_and_costs_nothing(bench):
    place = bench()
    first, other = place.model("openai"), place.model("openai")
    (asked,) = place.ask(first)
    (kept,) = place.ask(other)
    assert (kept.value, kept.model, kept.digest) == (asked.value, asked.model, asked.digest)
    assert (asked.cost > 0, kept.cost, other.recalled, other.spending.requests) == (True, 0, 1, 0)
    assert place.world.count("openai") == 1
    place.ask(place.model("openai"), make_question(prompt_version="1.3"))
    place.ask(place.model("anthropic"))
    assert (place.world.count("openai"), place.world.count("anthropic")) == (2, 1)


def test_an_answer_that_does_not_fit_is_not_kept(bench):
    turns = iter((*[ModelTurn("no")] * 2, ModelTurn(GOOD)))
    place = bench(lambda _: next(turns))
    assert isinstance(place.ask(place.model("openai"))[0], ModelFailure)
    assert isinstance(place.ask(place.model("openai"))[0], ModelAnswer)


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
    long, other = (make_question(instructions="Compare. " * CACHED_FROM, evidence=(("a", x),)) for x in "bc")
    first, second = place.ask(place.model(provider), long)[0], place.ask(place.model(provider), other)[0]
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
