"""JSON, MessagePack and plain values as typed ones, where several threads may meet a type for the first time.

msgspec reads the annotations of a class when it first decodes one, and a second thread that comes by in the
middle of that reads what is not there yet and crashes. So each type is made ready by one thread alone.
"""

from __future__ import annotations

import builtins
import threading
from typing import TypeVar

import msgspec

_Value = TypeVar("_Value")
_LOCK = threading.Lock()
_READY: set[object] = set()


def decode_json(
    data: bytes | memoryview | str,
    *,
    type: builtins.type[_Value],  # noqa: A002 - as msgspec
    strict: bool = True,
) -> _Value:
    """Return what JSON says, as a value of `type`; errors are msgspec's."""
    _make_ready(type)
    return msgspec.json.decode(data, type=type, strict=strict)


def decode_msgpack(data: bytes, *, type: builtins.type[_Value]) -> _Value:  # noqa: A002 - as msgspec
    """Return what MessagePack says, as a value of `type`; errors are msgspec's."""
    _make_ready(type)
    return msgspec.msgpack.decode(data, type=type)


def convert_value(value: object, type: builtins.type[_Value]) -> _Value:  # noqa: A002 - as msgspec
    """Return a plain value as one of `type`; errors are msgspec's."""
    _make_ready(type)
    return msgspec.convert(value, type)


def _make_ready(kind: object) -> None:
    if kind not in _READY:
        with _LOCK:
            msgspec.json.Decoder(kind)
            _READY.add(kind)
