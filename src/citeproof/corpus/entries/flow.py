"""Values in brackets or quotes that run over several lines, each brought onto its first line.

The reader of YAML looks at such a value anew with every line it adds, which takes quadratic time: 30 kB of
hostile front matter would take ten seconds. Joined before it is read, a value is looked at once.
"""

from __future__ import annotations

import re

MAX_VALUE = 20_000  # characters of one value

_OPEN = re.compile(
    r"([ \t]{0,200})(?:-[ \t]{1,9}){0,9}"
    r"(?:(?:\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s\[\]{}#\"'][^\n:#]{0,300})[ \t]{0,9}:[ \t]{1,9})?"
    r"([\[{\"'])"
)
_MARKS = re.compile(r"[\[\]{}\"']")
_ESCAPES = {'"': re.compile(r"\\."), "'": re.compile("''")}


def unfolded(text: str) -> str:
    """Return `text` with as many lines, a value of several lines on the first of them."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = _OPEN.match(lines[at])
        at = _join(lines, at, opening) if opening else at + 1
    return "\n".join(lines)


def _join(lines: list[str], at: int, opening: re.Match[str]) -> int:
    """Join the lines of the value that opens in the line `at`, and return the line behind it."""
    value = _Value(opening[2])
    value.take(lines[at][opening.end() :])
    joined, size, last = [lines[at]], 0, at
    while value.open and size < MAX_VALUE and last + 1 < len(lines):
        words = lines[last + 1].strip()
        if words and _indent(lines[last + 1]) <= len(opening[1]) and words[0] not in "]}":
            break
        last += 1
        value.take(words)
        joined.append(words)
        size += len(words) + 1
        lines[last] = ""
    lines[at] = " ".join(filter(None, joined))
    return last + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


class _Value:
    """How far a value is open: the depth of its brackets, or whether its quote was closed."""

    def __init__(self, sign: str) -> None:
        self._sign = sign
        self._depth = 1
        self._quote = ""  # inside brackets

    @property
    def open(self) -> bool:
        return self._depth > 0

    def take(self, words: str) -> None:
        """Read the next words of the value."""
        if self._sign in "\"'":
            if self._sign in _ESCAPES[self._sign].sub("", words):
                self._depth = 0
            return
        for mark in _MARKS.findall(words):
            if self._quote:
                self._quote = "" if mark == self._quote else self._quote
            elif mark in "\"'":
                self._quote = mark
            else:
                self._depth += 1 if mark in "[{" else -1
