"""Cited lines: `L42` and `L42-58`."""

from __future__ import annotations

import re

_LINES = re.compile(r"L([0-9]{1,9})(?:-([0-9]{1,9}))?")
_TYPED = re.compile(r"[Ll]?([0-9]{1,9})(?:\s?[-–—:]\s?[Ll]?([0-9]{1,9}))?")


def parse_line_range(text: str) -> tuple[int, int] | None:
    """Return the first and the last line of a range as cited, None if it is not one."""
    match = _LINES.fullmatch(text)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def format_line_range(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-{last}"


def normalise_line_range(text: str) -> str | None:
    """Return a typed range (`42`, `42-58`, `L42-L58`) as citations write it, None if it is not a range."""
    match = _TYPED.fullmatch(text.strip())
    return format_line_range(int(match[1]), int(match[2] or match[1])) if match else None


def describe_range_problem(text: str, count: int) -> str:
    """Return what is wrong with a range, for a file of `count` lines; empty if nothing is."""
    if not text:
        return ""
    given = parse_line_range(text)
    if given is None:
        return f"{text[:40]} is not a range of lines: write L42 or L42-58"
    first, last = given
    if first == 0:
        return f"{text} begins at line 0; lines count from 1"
    if last < first:
        return f"{text} runs backwards"
    if first > count:
        return f"{text} is outside the file, which has {_format_line_count(count)}"
    return (
        f"{text} goes beyond the end of the file, which has {_format_line_count(count)}"
        if last > count
        else ""
    )


def _format_line_count(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"
