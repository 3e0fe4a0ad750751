"""One value, one way to write it: against RFC 8785's own examples and a second implementation."""

from __future__ import annotations

import json
import struct
from enum import StrEnum
from types import MappingProxyType

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from citeproof.proof.audit.canonical_json import encode_canonical, is_canonical

# RFC 8785 appendix B: the bits of a double, and how it is written.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


class Colour(StrEnum):
    RED = "red"


WRITTEN = [
    (None, "null"),
    (True, "true"),
    ({}, "{}"),
    ([], "[]"),
    ({"b": 1, "a": [1, 2.5, "x"]}, '{"a":[1,2.5,"x"],"b":1}'),
    ({"ts": "2026-01-01T00:00:00.000Z", "conf": 1.0}, '{"conf":1,"ts":"2026-01-01T00:00:00.000Z"}'),
    ('\x00\x08\t\n\x0b\x0c\r\x1f"\\/\x7f', '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\x7f"'),
    ("é\u2028😀", '"é\u2028😀"'),
    # RFC 8785 §3.2.3: by UTF-16 units, so that 😀 (d83d de00) stands before U+FB33.
    (
        {"€": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\x80": 6, "ö": 7},
        '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ),
    ({"\uffff": {"\U00010000": 1.0, "\uffff": []}}, '{"\uffff":{"\U00010000":1,"\uffff":[]}}'),
    (2**53, "9007199254740992"),
    (-(2**53), "-9007199254740992"),
    ("a\ud800b", '"a\ufffdb"'),
    ({"\udfff": ["\ud83d\ude00"]}, '{"\ufffd":["😀"]}'),
    ({Colour.RED: Colour.RED}, '{"red":"red"}'),
    (MappingProxyType({"a": (1, 2)}), '{"a":[1,2]}'),
]


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


REFUSED = [
    float("nan"),
    float("inf"),
    [-float("inf")],
    2**53 + 1,
    {"a": -(2**53) - 1},
    10**5000,
    {1: "a"},
    {None: "a"},
    {"a": b"bytes"},
    {"a", "b"},
    object(),
    dict.fromkeys(["\ud800", "\ud801"]),
    nested(100),
    nested(100_000),
]

NOT_CANONICAL = [
    b"",
    b"{",
    b"{}\n",
    b" {}",
    b'{"b":1,"a":2}',
    b'{"a":1,"a":1}',
    b'{"a": 1}',
    b'{"a":1.0}',
    b'{"a":1e0}',
    b"-0",
    b"1E5",
    b"01",
    b"1e400",
    b"9007199254740993",
    b"1" * 400,
    b'"\\u00e9"',
    b'"\\/"',
    b'"\\ud800"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b"NaN",
    b"[" * 100_000,
    b"[" * 100 + b"]" * 100,
    '{"\uffff":1,"\U00010000":2}'.encode(),
]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("bits", "written"), NUMBERS)
def test_numbers_of_the_rfc(bits, written):
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert encode_canonical(value).decode() == written
    assert is_canonical(written.encode())


@pytest.mark.parametrize(("value", "written"), WRITTEN)
def test_written(value, written):
    assert encode_canonical(value).decode() == written
    assert is_canonical(written.encode())


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: repr(type(value)))
def test_refused(value):
    with pytest.raises(ValueError):
        encode_canonical(value)


@pytest.mark.parametrize("line", NOT_CANONICAL, ids=lambda line: repr(line[:20]))
def test_not_canonical(line):
    assert not is_canonical(line)


@given(VALUES)
def test_as_another_implementation_writes_it(value):
    assert encode_canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_reads_back(value):
    line = encode_canonical(value)
    assert json.loads(line, parse_int=float) == value
    assert is_canonical(line)
    assert b"\n" not in line


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double(value):
    assert encode_canonical(value) == rfc8785.dumps(value)
    assert float(encode_canonical(value)) == value


@given(st.text(st.characters(categories=["Cs", "Lu", "So"])))
def test_any_text_can_be_written(text):
    assert is_canonical(encode_canonical({text: text}))


@given(st.binary(max_size=60))
def test_any_bytes_can_be_asked(line):
    assert is_canonical(line) in {True, False}
