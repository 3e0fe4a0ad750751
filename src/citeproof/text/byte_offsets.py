"""Bytes of UTF-8 to characters of the text they encode."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

_WIDE = re.compile(r"[^\x00-\x7f]+")
# Characters that take the same number of bytes: between two breaks the way is a straight line.
_EQUAL = re.compile("[\u0080-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")


def map_byte_offsets(text: str) -> Callable[[int], int]:
    """Return what turns a byte of `text` in UTF-8 into the character that it belongs to."""
    if text.isascii():
        return int
    at, chars, widths = [0], [0], [1]
    bytes_before, end = 0, 0
    for run in (run for wide in _WIDE.finditer(text) for run in _EQUAL.finditer(text, *wide.span())):
        bytes_before += run.start() - end
        end = run.end()
        width = 2 if text[run.start()] < "\u0800" else 3 if text[run.start()] < "\U00010000" else 4
        at.append(bytes_before)
        chars.append(run.start())
        widths.append(width)
        bytes_before += width * (end - run.start())
        at.append(bytes_before)
        chars.append(end)
        widths.append(1)

    def char(byte: int) -> int:
        index = bisect_right(at, byte) - 1
        return chars[index] + (byte - at[index]) // widths[index]

    return char
