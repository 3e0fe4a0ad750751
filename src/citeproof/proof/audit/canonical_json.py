"""A JSON value -> the one way to write it (RFC 8785): the bytes that are hashed are the bytes that are read.

msgspec writes all that it writes as the RFC wants it: strings, whole numbers, everyday fractions and sorted
members. What it writes differently (1e+21, 1.0, members beyond U+FFFF) is written here and passed raw.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import msgspec

from citeproof.text import lazy_patterns as re

DEEPEST = 64  # levels of lists and objects; ours have four
WIDEST = 2**53  # a whole number beyond this is no longer exact in most JSON readers

_EASY = frozenset((str, bool, type(None)))  # what msgspec writes as the RFC does, whatever the value
_STRING = {str}
_ASTRAL = re.compile(rb"[\xf0-\xf4]")  # how UTF-8 begins a character beyond U+FFFF

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder().decode


def encode_canonical(value: object) -> bytes:
    """The one way to write `value`; ValueError for what has none: NaN, an integer beyond ±2^53, odd keys."""
    return _encode_value(value, wide=False)


class PlainObject(dict[str, Any]):
    """A JSON object whose numbers msgspec writes as the RFC does, as its maker knows.

    Whole ones within ±2^53, fractions from 0.0001 to 1e15; keys are strings. It need not be looked through.
    """


def encode_plain(value: Mapping[str, object]) -> bytes:
    """The same bytes as `encode_canonical`, sooner, of the members of a `PlainObject`."""
    try:
        line = _encode(value)
    except UnicodeEncodeError:
        return encode_canonical(value)
    return line if line.isascii() or not _ASTRAL.search(line) else encode_canonical(value)


def is_canonical(line: bytes) -> bool:
    """Whether `line` is JSON in its canonical form, byte for byte."""
    try:
        return _encode_value(_decode(line), wide=True) == line
    except (ValueError, OverflowError, RecursionError, msgspec.DecodeError):
        return False


def _encode_value(value: object, *, wide: bool) -> bytes:
    plain = _prepare_value(value, DEEPEST, wide)
    try:
        line = _encode(plain)
    except UnicodeEncodeError:
        return _encode_value(_replace_surrogates(value, DEEPEST), wide=wide)
    if line.isascii() or not _ASTRAL.search(line):
        return line
    return _encode(_sort_members(plain))  # the order of members may be another


def _prepare_value(value: object, depth: int, wide: bool) -> object:
    """`value` with everything that msgspec would write in another way made raw; itself when nothing is."""
    kind = type(value)
    if kind in _EASY:
        return value
    if kind is int:
        return _prepare_integer(value, wide)  # type: ignore[arg-type]
    if kind is float:
        return _prepare_float(value)  # type: ignore[arg-type]
    if depth == 0:
        raise ValueError(f"more than {DEEPEST} levels of lists and objects")
    if kind is dict:
        return _prepare_object(value, depth - 1, wide)  # type: ignore[arg-type]
    if kind is list or kind is tuple:
        if _EASY.issuperset(map(type, value)):  # type: ignore[call-overload]
            return value
        return [_prepare_value(item, depth - 1, wide) for item in value]  # type: ignore[attr-defined]
    return _prepare_value(_strip_subclass(value), depth, wide)


def _strip_subclass(value: object) -> object:
    """The plain value under a subclass (an enum of strings, a mapping that is no dict)."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    raise ValueError(f"{type(value).__name__} is not a JSON value")


def _prepare_object(value: dict[str, object], depth: int, wide: bool) -> object:
    if value and set(map(type, value)) != _STRING:
        value = {_check_key(key): item for key, item in value.items()}
    raw = {}
    for key, item in value.items():
        kind = type(item)
        if kind is str or kind in _EASY or (kind is int and -WIDEST <= item <= WIDEST):  # type: ignore[operator]
            continue  # most members: no call for them
        plain = _prepare_value(item, depth, wide)
        if plain is not item:
            raw[key] = plain
    return value | raw if raw else value


def _check_key(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise ValueError(f"a key is {type(key).__name__}, not a string")


def _sort_members(value: object) -> object:
    """`value` with objects in the order of UTF-16 units, where U+10000 and above come before U+E000."""
    if isinstance(value, (list, tuple)):
        return [_sort_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    order = sorted(value, key=lambda key: key.encode("utf-16-be"))
    members = (_encode(key) + b":" + _encode(_sort_members(value[key])) for key in order)
    return msgspec.Raw(b"{" + b",".join(members) + b"}")


def _prepare_integer(value: int, wide: bool) -> object:
    if -WIDEST <= value <= WIDEST:
        return value
    if wide:
        return _prepare_float(float(value))  # read back: the RFC writes the float 1e20 with all its digits
    raise ValueError(f"the integer {str(value)[:24]} is beyond ±2^53")


def _prepare_float(value: float) -> object:
    if 1e-4 <= abs(value) < 1e15 and not value.is_integer():
        return value  # msgspec writes the same shortest digits, plain
    if not isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    return msgspec.Raw(_format_number(value).encode())


def _format_number(value: float) -> str:
    """`value` as ECMAScript writes numbers (RFC 8785 §3.2.2.3)."""
    if value == 0:
        return "0"
    head, _, tail = repr(abs(value)).partition("e")
    before, _, after = head.partition(".")
    digits = (before + after).lstrip("0")
    # How many of `digits` come before the point (none or less: zeros follow it).
    point = len(before) + int(tail or 0) - (len(before + after) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{sign}{mantissa}e{point - 1:+d}"


def _replace_surrogates(value: object, depth: int) -> object:
    """`value` with surrogate pairs joined and lone surrogates as U+FFFD: they have no UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if depth == 0:
        raise ValueError(f"more than {DEEPEST} levels of lists and objects")
    if isinstance(value, Mapping):
        members = {
            _replace_surrogates(key, depth): _replace_surrogates(item, depth - 1)
            for key, item in value.items()
        }
        if len(members) < len(value):
            raise ValueError("two keys differ only in lone surrogates")
        return members
    if isinstance(value, (list, tuple)):
        return [_replace_surrogates(item, depth - 1) for item in value]
    return value
