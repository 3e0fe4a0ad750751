"""Values to bytes: the same value gives the same JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

DIGITS = 4  # of a float in a report: enough to rank by, few enough to be the same on every machine

Json: TypeAlias = dict[str, Any]


def dumps(value: object) -> bytes:
    """Return `value` as compact UTF-8 JSON, the same bytes for the same value."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which no JSON text may hold
        return msgspec.json.encode(_scrubbed(value))


def pretty(value: object) -> str:
    """Return `value` as indented JSON text for people."""
    return msgspec.json.format(dumps(value), indent=2).decode()


def rounded(value: float | None) -> float | None:
    """Return `value` with as many digits as a report shows."""
    return None if value is None else round(value, DIGITS)


def _scrubbed(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_scrubbed(k): _scrubbed(v) for k, v in value.items()}
    return [_scrubbed(v) for v in value] if isinstance(value, list | tuple) else value
