"""The APIs of three providers of language models on loopback, in their real shapes.

    model = ObedientModel()
    with World(Shelf(), apis=make_model_apis(model)) as world:
        world.urls["openai"]            # base URLs: "openai", "anthropic", "google"

A model is any function from `ModelCall` to `ModelTurn`. The servers check requests as the real ones do:
method, path, key, version, required fields, unknown fields, the rules of strict schemas. They count tokens
(four bytes are one), remember instructions as prompt caches do, and cut answers at the limit.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from tests.model_servers.model_calls import (
    LoopbackModel,
    ModelCall,
    ModelTurn,
    RefusedCallError,
    WireRules,
    answer_tool_search,
    check_strict_schema,
    make_model_error,
)

IMAGE_TOKENS = 1100  # of one image
CACHED_FROM = 1024  # tokens of a prefix that prompt caches keep


@dataclass(frozen=True, slots=True)
class _Measured:
    """A turn as it is served: cut at the limit, its tokens counted."""

    turn: ModelTurn
    text: str
    cut: bool
    input: int
    output: int
    cached: int


def make_model_apis(
    model: LoopbackModel, rules: WireRules | None = None
) -> dict[str, Callable[[Call, Holdings], Reply]]:
    """Return the APIs `openai`, `anthropic` and `google` for a `World`, all with this model behind them."""
    server = _ModelServer(model, rules or WireRules())
    kinds = {"openai": _OpenAi, "anthropic": _Anthropic, "google": _Google}
    return {name: kind(server).answer for name, kind in kinds.items()}


class _ModelServer:
    """What the three APIs share: the model, its rules and its prompt cache."""

    def __init__(self, model: LoopbackModel, rules: WireRules) -> None:
        self.model = model
        self.rules = rules
        self._prefixes: set[tuple[str, str]] = set()
        self._number = 0

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def run(self, asked: ModelCall) -> _Measured:
        turn = self.model(asked)
        prefix = _count_tokens(asked.system)
        known = (asked.provider, asked.system) in self._prefixes
        self._prefixes.add((asked.provider, asked.system))
        room = max(asked.max_tokens - turn.thinking, 0)
        text = turn.text.encode()[: 4 * room].decode("utf-8", "ignore")
        cut = turn.thinking > asked.max_tokens or len(text) < len(turn.text)
        thinking = min(turn.thinking, asked.max_tokens)
        output = min(_count_tokens(text or turn.refusal), asked.max_tokens) + thinking
        cached = prefix if known and prefix >= CACHED_FROM else 0
        tokens = prefix + _count_tokens(asked.user) + IMAGE_TOKENS * len(asked.images)
        return _Measured(turn, text, cut, tokens, output, cached)


def _count_tokens(text: str) -> int:
    return (len(text.encode()) + 3) // 4


class _WireServer:
    """One API: reads the call, asks the model, writes its reply."""

    provider = ""
    known_fields: frozenset[str] = frozenset()

    def __init__(self, server: _ModelServer) -> None:
        self.server = server

    def answer(self, call: Call, holdings: Holdings) -> Reply:
        try:
            self.check_call(call)
            body = _read_object(call.body)
            if unknown := sorted(set(body) - self.known_fields):
                raise RefusedCallError(400, f"Unrecognized request argument: {unknown[0]}")  # noqa: TRY301
            asked = self.read_call(call, body)
            self._check_rules(asked)
            return self.write_reply(asked, self.server.run(asked))
        except RefusedCallError as error:
            return Reply(error.status, make_model_error(self.provider, error.status, str(error)))
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            return Reply(400, make_model_error(self.provider, 400, f"malformed request: {error!r}"))

    def check_key(self, key: str) -> None:
        rules = self.server.rules
        if (rules.needs_key and not key) or (rules.key and key != rules.key):
            raise RefusedCallError(401, "the API key is missing or wrong")

    def _check_rules(self, asked: ModelCall) -> None:
        rules = self.server.rules
        if asked.temperature is not None and not rules.takes_temperature:
            raise RefusedCallError(400, "`temperature` is not supported by this model")
        if asked.schema is not None and not rules.takes_schema:
            raise RefusedCallError(400, "structured outputs with a schema are not supported by this model")
        if rules.models and asked.model not in rules.models:
            raise RefusedCallError(404, f"The model `{asked.model}` does not exist")
        if asked.schema is not None:
            check_strict_schema(asked.schema)

    def check_call(self, call: Call) -> None:
        raise NotImplementedError

    def read_call(self, call: Call, body: Mapping[str, Any]) -> ModelCall:
        raise NotImplementedError

    def write_reply(self, asked: ModelCall, said: _Measured) -> Reply:
        raise NotImplementedError


class _OpenAi(_WireServer):
    provider = "openai"
    known_fields = frozenset(
        (
            "model",
            "messages",
            "max_completion_tokens",
            "max_tokens",
            "temperature",
            "response_format",
            "stream",
        )
    ) | {"prompt_cache_key"}

    def check_call(self, call: Call) -> None:
        _check_post(call, ("chat", "completions"), skip=("v1",))
        self.check_key(call.headers.get("authorization", "").removeprefix("Bearer "))

    def read_call(self, call: Call, body: Mapping[str, Any]) -> ModelCall:
        if "max_tokens" in body and not self.server.rules.takes_max_tokens:
            raise RefusedCallError(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'")
        _refuse_stream(body)
        texts = {message["role"]: _read_parts(message["content"]) for message in body["messages"]}
        user, images = texts["user"]
        schema = None
        if wanted := body.get("response_format"):
            _expect_type(wanted, "json_schema")
            schema = wanted["json_schema"]["schema"]
            if not wanted["json_schema"]["name"].replace("-", "_").replace("_", "a").isalnum():
                raise RefusedCallError(400, "Invalid 'response_format.json_schema.name'")
        limit = body.get("max_completion_tokens", body.get("max_tokens", 4096))
        return ModelCall(
            *(self.provider, body["model"], texts.get("system", ("", ()))[0], user, schema, limit),
            body.get("temperature"),
            images,
        )

    def write_reply(self, asked: ModelCall, said: _Measured) -> Reply:
        number = self.server.next_number()
        declined = said.turn.refusal
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if declined else said.text,
            "refusal": declined or None,
            "annotations": [],
        }
        finish = "length" if said.cut and not declined else "stop"
        usage = {
            "prompt_tokens": said.input,
            "completion_tokens": said.output,
            "total_tokens": said.input + said.output,
            "prompt_tokens_details": {"cached_tokens": said.cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": said.turn.thinking, "audio_tokens": 0},
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        reply = {
            "id": f"chatcmpl-{number:06d}",
            "object": "chat.completion",
            "created": 1_794_000_000,
            "model": f"{asked.model}-2026-01-01",
            "choices": [choice],
            "usage": usage,
            "service_tier": "default",
            "system_fingerprint": "fp_loopback",
        }
        return make_json_reply(reply, headers={"x-request-id": f"req_{number:06d}"})


class _Anthropic(_WireServer):
    provider = "anthropic"
    known_fields = frozenset(
        ("model", "messages", "max_tokens", "system", "temperature", "output_config", "stream", "metadata")
    ) | {"tools"}

    def answer(self, call: Call, holdings: Holdings) -> Reply:
        """Return the model's answer, or what its search tool finds in the world."""
        if b'"tools"' not in call.body:
            return super().answer(call, holdings)
        try:
            self.check_call(call)
            return answer_tool_search(_read_object(call.body), call.base, holdings)
        except RefusedCallError as error:
            return Reply(error.status, make_model_error(self.provider, error.status, str(error)))

    def check_call(self, call: Call) -> None:
        _check_post(call, ("v1", "messages"))
        bearer = call.headers.get("authorization", "").removeprefix("Bearer ")
        self.check_key(call.headers.get("x-api-key") or bearer)
        if call.headers.get("anthropic-version") not in ("2023-06-01", "2026-10-21"):
            raise RefusedCallError(400, "anthropic-version: header is required")

    def read_call(self, call: Call, body: Mapping[str, Any]) -> ModelCall:
        _refuse_stream(body)
        system = "".join(_expect_type(block, "text")["text"] for block in body.get("system", []))
        if [message["role"] for message in body["messages"]] != ["user"]:
            raise RefusedCallError(400, "messages: one user turn is expected here")
        blocks = body["messages"][0]["content"]
        shown = [entry["source"] for entry in blocks if entry["type"] == "image"]
        images = tuple(
            _read_image(_expect_type(entry, "base64")["media_type"], entry["data"]) for entry in shown
        )
        texts = [entry for entry in blocks if entry["type"] != "image"]
        user = "".join(_expect_type(block, "text")["text"] for block in texts)
        wanted = body.get("output_config", {}).get("format")
        schema = _expect_type(wanted, "json_schema")["schema"] if wanted else None
        return ModelCall(
            *(self.provider, body["model"], system, user, schema, body["max_tokens"]),
            body.get("temperature"),
            images,
        )

    def write_reply(self, asked: ModelCall, said: _Measured) -> Reply:
        number = self.server.next_number()
        prefix = _count_tokens(asked.system)
        cacheable = prefix if prefix >= CACHED_FROM else 0
        details = {"type": "refusal", "category": None, "explanation": said.turn.refusal}
        stop = "refusal" if said.turn.refusal else "max_tokens" if said.cut else "end_turn"
        reply = {
            "id": f"msg_{number:06d}",
            "type": "message",
            "role": "assistant",
            "model": f"{asked.model}-20260101",
            "content": [{"type": "text", "text": said.text}] if said.text else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "stop_details": details if said.turn.refusal else None,
            "usage": {
                "input_tokens": said.input - cacheable,
                "cache_creation_input_tokens": cacheable - said.cached,
                "cache_read_input_tokens": said.cached,
                "output_tokens": said.output,
                "service_tier": "standard",
            },
        }
        return make_json_reply(reply, headers={"request-id": f"req_{number:06d}"})


class _Google(_WireServer):
    provider = "google"
    known_fields = frozenset(("systemInstruction", "contents", "generationConfig", "safetySettings"))

    def check_call(self, call: Call) -> None:
        known = (("v1", "models"), ("v1beta", "models"))
        if call.method != "POST" or len(call.parts) != 3 or call.parts[:2] not in known:
            raise RefusedCallError(404, "Requested entity was not found.")
        if not call.parts[2].endswith(":generateContent"):
            raise RefusedCallError(404, "Requested entity was not found.")
        self.check_key(call.headers.get("x-goog-api-key", ""))

    def read_call(self, call: Call, body: Mapping[str, Any]) -> ModelCall:
        config = body.get("generationConfig", {})
        known = ("maxOutputTokens", "temperature", "responseMimeType", "responseJsonSchema", "responseSchema")
        if unknown := sorted(set(config) - set(known)):
            raise RefusedCallError(400, f'Unknown name "{unknown[0]}" at generation_config')
        schema = config.get("responseJsonSchema")
        if schema is not None and config.get("responseMimeType") != "application/json":
            raise RefusedCallError(400, "a response schema needs the MIME type application/json")
        system = "".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", []))
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        shown = [part["inlineData"] for part in parts if "inlineData" in part]
        images = tuple(_read_image(image["mimeType"], image["data"]) for image in shown)
        user = "".join(part["text"] for part in parts if "inlineData" not in part)
        model = call.parts[2].removesuffix(":generateContent")
        limit = config.get("maxOutputTokens", 8192)
        return ModelCall(
            *(self.provider, model, system, user, schema, limit, config.get("temperature")), images
        )

    def write_reply(self, asked: ModelCall, said: _Measured) -> Reply:
        number = self.server.next_number()
        usage: dict[str, Any] = {"promptTokenCount": said.input, "totalTokenCount": said.input + said.output}
        reply: dict[str, Any] = {
            "usageMetadata": usage,
            "modelVersion": f"{asked.model}-001",
            "responseId": f"resp{number:06d}",
        }
        if said.turn.refusal:
            rating = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH"}
            reply["promptFeedback"] = {"blockReason": "SAFETY", "safetyRatings": [rating]}
            return make_json_reply(reply)
        usage["candidatesTokenCount"] = said.output - min(said.turn.thinking, asked.max_tokens)
        usage |= (
            {"thoughtsTokenCount": min(said.turn.thinking, asked.max_tokens)} if said.turn.thinking else {}
        )
        usage |= {"cachedContentTokenCount": said.cached} if said.cached else {}
        parts = [{"text": said.text}] if said.text else []
        finish = "MAX_TOKENS" if said.cut else "STOP"
        content = {"parts": parts, "role": "model"} if parts else {"role": "model"}
        reply["candidates"] = [{"content": content, "finishReason": finish, "index": 0}]
        return make_json_reply(reply)


def _read_parts(content: object) -> tuple[str, tuple[tuple[str, bytes], ...]]:
    """Return the text and the images of a message of chat completions."""
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        raise RefusedCallError(400, "Invalid type for 'messages.content'")
    texts = [part["text"] for part in content if part["type"] == "text"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    split = [url.removeprefix("data:").partition(";base64,") for url in urls]
    return "".join(texts), tuple(_read_image(kind, data) for kind, _, data in split)


def _read_image(media_type: str, data: str) -> tuple[str, bytes]:
    if media_type not in ("image/png", "image/jpeg", "image/webp"):
        raise RefusedCallError(400, f"unsupported image: {media_type}")
    try:
        return media_type, b64decode(data, validate=True)
    except ValueError as error:
        raise RefusedCallError(400, "the image is not base64") from error


def _check_post(call: Call, path: tuple[str, ...], skip: tuple[str, ...] = ()) -> None:
    parts = call.parts[len(skip) :] if call.parts[: len(skip)] == skip else call.parts
    if call.method != "POST" or parts != path:
        raise RefusedCallError(404, f"Invalid URL ({call.method} {call.path})")
    if not call.headers.get("content-type", "").startswith("application/json"):
        raise RefusedCallError(400, "the content type must be application/json")


def _read_object(body: bytes) -> Mapping[str, Any]:
    try:
        read = msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise RefusedCallError(400, f"the body is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise RefusedCallError(400, "the body is not an object")
    return read


def _expect_type(value: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    if value.get("type") != kind:
        raise RefusedCallError(400, f"type: {kind} was expected")
    return value


def _refuse_stream(body: Mapping[str, Any]) -> None:
    if body.get("stream"):
        raise RefusedCallError(400, "this server does not stream")
