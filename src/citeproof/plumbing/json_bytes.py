"""Values to bytes: the same value gives the same JSON."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import msgspec

from citeproof.text import lazy_patterns as re

DIGITS = 4  # of a float in a report: enough to rank by, few enough to be the same on every machine

# controls, marks of direction, separators of lines, and what has no width: they change what a person sees
_HIDDEN = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

Json: TypeAlias = dict[str, Any]


def dumps(value: object) -> bytes:
    """Return `value` as compact UTF-8 JSON, the same bytes for the same value."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which no JSON text may hold
        return msgspec.json.encode(_scrub_surrogates(value))


def dump_printable(value: object) -> str:
    """Return `value` as compact JSON text that is safe to show: what would steer a terminal is escaped."""
    return escape_hidden(dumps(value).decode())


def dump_pretty(value: object) -> str:
    """Return `value` as indented JSON text for people, safe to show."""
    return escape_hidden(msgspec.json.format(dumps(value), indent=2).decode())


def escape_hidden(text: str) -> str:
    r"""Return JSON text with controls and marks of direction written as \uXXXX; its value stays the same.

    They can occur only in strings. Not for bytes that are hashed or signed.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def round_figure(value: float | None) -> float | None:
    """Return `value` with as many digits as a report shows."""
    return None if value is None else round(value, DIGITS)


def _scrub_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_scrub_surrogates(k): _scrub_surrogates(v) for k, v in value.items()}
    return [_scrub_surrogates(v) for v in value] if isinstance(value, list | tuple) else value
