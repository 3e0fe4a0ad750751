"""Our values as bytes and back: what a job stores, so that a report in any format can be made later.

Bytes are MessagePack of the fields by name. A field that was added since has its default; one that went away
is ignored. Which of several classes a value was is known by its fields.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T")


class StaleValueError(Exception):
    """Bytes that another version of citeproof made, and that this one cannot read."""


def encode_value(value: object) -> bytes:
    """Return a dataclass of ours as bytes; a lone surrogate, which no text may hold, is replaced."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_replace_surrogates(msgspec.to_builtins(value)))


def decode_value(kind: type[T], data: bytes) -> T:
    """Return the value that was stored; StaleValueError if its class has changed too much."""
    try:
        made: T = _build_value(kind, msgspec.msgpack.decode(data))
    except (msgspec.DecodeError, TypeError, ValueError, KeyError) as error:
        raise StaleValueError(str(error)) from error
    return made


def _replace_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(part) for key, part in value.items()}
    return list(map(_replace_surrogates, value)) if isinstance(value, list | tuple) else value


def _build_value(kind: Any, value: Any) -> Any:  # noqa: ANN401 - as many types as the vocabulary has
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _build_one_of(get_args(kind), value)
    if origin is tuple:
        inner = get_args(kind)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple([_build_value(inner[0], part) for part in value])
        return tuple([_build_value(each, part) for each, part in zip(inner, value, strict=True)])
    if origin in (frozenset, list):
        return origin(_build_value(get_args(kind)[0], part) for part in value)
    if isinstance(kind, type):
        return _build_class(kind, value)
    return value


def _build_class(kind: Any, value: Any) -> Any:  # noqa: ANN401 - same
    if hasattr(kind, "__dataclass_fields__"):
        hints, needed = _list_hints(kind)
        if missing := needed - value.keys():
            raise KeyError(*sorted(missing))
        return kind(
            **{name: _build_value(hints[name], part) for name, part in value.items() if name in hints}
        )
    if issubclass(kind, Enum):
        return kind(value)
    if kind is date:
        return date.fromisoformat(value)
    if kind is float and isinstance(value, int):
        return float(value)
    return value


def _build_one_of(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401 - same
    if value is None:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    if len(rest) > 1:
        rest = [kind for kind in rest if _has_same_fields(kind, value)] or rest
    return _build_value(rest[0], value)


def _has_same_fields(kind: Any, value: Any) -> bool:  # noqa: ANN401 - same
    if is_dataclass(kind) or isinstance(value, dict):
        known = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
        return isinstance(value, dict) and known == value.keys()
    plain = get_origin(kind) or kind
    return isinstance(value, list) if plain in (tuple, frozenset) else isinstance(value, plain)


@cache
def _list_hints(kind: Any) -> tuple[dict[str, Any], frozenset[str]]:  # noqa: ANN401 - same
    """Return the types of the fields that the constructor takes, and which of them have no default."""
    taken = [field for field in fields(kind) if field.init]
    needed = [field.name for field in taken if field.default is field.default_factory is MISSING]
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in taken}, frozenset(needed)
