"""What a language model on loopback is asked and what it says, whatever the API; and how APIs refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

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
        told: object = {"error": {"message": message, "type": openai, "param": None, "code": None}}
    elif provider == "anthropic":
        told = {"type": "error", "error": {"type": anthropic, "message": message}, "request_id": "req_01"}
    else:
        told = {"error": {"code": status, "message": message, "status": google}}
    return msgspec.json.encode(told)


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
