"""What a language model on loopback is asked and what it says, whatever the API; and how APIs refuse.

Anthropic's web search tool has the shape of its documentation: a `server_tool_use` block, a
`web_search_tool_result` block with the results, which lead to the world's own pages, or an error, then the
model's words. `web_search_requests` counts the searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from citeproof.laboratory.testing.apis import url as pages
from citeproof.laboratory.testing.base import Holdings, Reply, make_json_reply

_KINDS = {  # status: (OpenAI's type, Anthropic's type, Google's status)
    400: ("invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
    401: ("invalid_request_error", "authentication_error", "UNAUTHENTICATED"),
    403: ("invalid_request_error", "permission_error", "PERMISSION_DENIED"),
    404: ("invalid_request_error", "not_found_error", "NOT_FOUND"),
    413: ("invalid_request_error", "request_too_large", "INVALID_ARGUMENT"),
    429: ("requests", "rate_limit_error", "RESOURCE_EXHAUSTED"),
    500: ("server_error", "api_error", "INTERNAL"),
    503: ("server_error", "api_error", "UNAVAILABLE"),
    529: ("server_error", "overloaded_error", "UNAVAILABLE"),
}
FOUND_TOKENS = 9_000  # of what one search finds
ROWS = 10
FAULTS = ("too_many_requests", "invalid_input", "max_uses_exceeded", "query_too_long", "unavailable")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What a model is asked, whatever the API: everything it is given to read is in `system` and `user`."""

    provider: str
    model: str
    system: str
    user: str
    schema: Mapping[str, Any] | None
    max_tokens: int
    temperature: float | None
    images: tuple[tuple[str, bytes], ...] = ()  # media type and data


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What a model says. `refusal` declines; `thinking` tokens are used up before the text begins."""

    text: str = ""
    refusal: str = ""
    thinking: int = 0


LoopbackModel: TypeAlias = Callable[[ModelCall], ModelTurn]


@dataclass(frozen=True, slots=True)
class WireRules:
    """What the servers are strict about."""

    key: str = ""  # the only key that is taken; empty: any
    needs_key: bool = True  # local servers take requests without one
    takes_temperature: bool = True
    takes_schema: bool = True
    takes_max_tokens: bool = True  # chat completions: the older name of the limit
    models: tuple[str, ...] = ()  # those that exist; empty: any


class RefusedCallError(Exception):
    """A request that a provider does not take; the message is in its own words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def make_model_error(provider: str, status: int, message: str = "no luck") -> bytes:
    """Return the body of an error as a provider words it, for `Faults.status(429, body=...)`."""
    openai, anthropic, google = _KINDS.get(status, _KINDS[500])
    if provider == "openai":
        body: object = {"error": {"message": message, "type": openai, "param": None, "code": None}}
    elif provider == "anthropic":
        body = {"type": "error", "error": {"type": anthropic, "message": message}, "request_id": "req_01"}
    else:
        body = {"error": {"code": status, "message": message, "status": google}}
    return msgspec.json.encode(body)


def check_strict_schema(schema: Mapping[str, Any]) -> None:
    """Refuse what strict modes refuse: references, open objects, optional properties, bounds."""
    wrong = set(schema) - {"type", "enum", "description", "anyOf", "const", "properties", "items"}
    wrong -= {"required", "additionalProperties"}
    if wrong:
        raise RefusedCallError(400, f"Invalid schema: '{min(wrong)}' is not permitted")
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise RefusedCallError(400, "Invalid schema: 'additionalProperties' must be false")
        if sorted(schema.get("required", ())) != sorted(schema["properties"]):
            raise RefusedCallError(400, "Invalid schema: 'required' must name every property")
        for inner in schema["properties"].values():
            check_strict_schema(inner)
    for inner in (*schema.get("anyOf", ()), *((schema["items"],) if "items" in schema else ())):
        check_strict_schema(inner)


def answer_tool_search(body: Mapping[str, Any], base: str, holdings: Holdings) -> Reply:
    """Return what the tool finds; words that are the name of an error give that error."""
    (tool,) = body["tools"]
    if tool.get("type") != "web_search_20250305" or tool.get("name") != "web_search":
        raise RefusedCallError(400, f"tools.0: unknown tool {tool.get('type')!r}")
    if not isinstance(tool.get("max_uses"), int) or tool["max_uses"] < 1:
        raise RefusedCallError(400, "tools.0.max_uses: Input should be greater than 0")
    words = msgspec.json.decode(body["messages"][0]["content"][0]["text"])["words"]
    fault = next((name for name in FAULTS if words.startswith(name.replace("_", " "))), "")
    records = holdings.search(words, ROWS)
    results: Any = [_build_result(record.title, base, pages.build_page_path(record)) for record in records]
    if fault:
        results = {"type": "web_search_tool_result_error", "error_code": fault}
    return make_json_reply(make_tool_reply(words, results, body["model"]))


def make_tool_reply(words: str, results: object, model: str = "m-1", *, uses: int = 1) -> dict[str, Any]:
    """Return the body of an answer in which the tool was used once."""
    number = "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE"
    text = "I found it: the citation is certainly correct, and its verdict is EXACT."
    return {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": f"{model}-20260101",
        "content": [
            {"type": "server_tool_use", "id": number, "name": "web_search", "input": {"query": words}},
            {"type": "web_search_tool_result", "tool_use_id": number, "content": results},
            {"type": "text", "text": text, "citations": []},
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 600 + FOUND_TOKENS,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 60,
            "server_tool_use": {"web_search_requests": uses},
        },
    }


def _build_result(title: str, base: str, path: str) -> dict[str, Any]:
    return {
        "type": "web_search_result",
        "url": f"{base.removesuffix('anthropic')}url{path}",
        "title": title,
        "page_age": "April 30, 2025",
        "encrypted_content": "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y" * 20,
    }
