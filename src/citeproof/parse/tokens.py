"""The tokens of a citation string: runs of letters, runs of digits, single marks, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_TOKENS = 1500  # tokens of one string that are tagged

_PARTS = re.compile(r"\s+|[^\W\d_]+|\d+|[^\w\s]|_")  # every character is in one part, so lengths give places


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens side by side with where they start and whether a space stands before them."""

    words: list[str]
    starts: list[int]
    keys: list[str]  # the token, led by a space if one stands before it: what word features see

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.words[at])


def tokens(text: str) -> Tokens:
    """Return the tokens of `text`, at most `MAX_TOKENS`."""
    words: list[str] = []
    starts: list[int] = []
    keys: list[str] = []
    at, space = 0, " "
    for part in _PARTS.findall(text):
        if part.isspace():
            at += len(part)
            space = " "
            continue
        words.append(part)
        starts.append(at)
        keys.append(space + part)
        at += len(part)
        space = ""
    return Tokens(words[:MAX_TOKENS], starts[:MAX_TOKENS], keys[:MAX_TOKENS])
