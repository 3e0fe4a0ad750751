"""The tokens of a citation string: runs of letters, runs of digits, single marks, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from operator import sub

MAX_TOKENS = 1500  # tokens of one string that are tagged
LONG = 100  # characters of a token from which on only its ends are looked at: what is seen stays in memory

# Every character but trailing space is in one part, so that lengths give places.
_PARTS = re.compile(r"\s*(?:[^\W\d_]+|\d+|[^\w\s]|_)")
_ASCII_PARTS = re.compile(r"[ \t-\r\x1c-\x1f]*(?:[A-Za-z]+|[0-9]+|[^ \t-\r\x1c-\x1f])")  # the same, faster


@dataclass(frozen=True, slots=True)
class CitationTokens:
    """Tokens side by side with where they start and whether a space comes before them."""

    words: list[str]
    starts: list[int]
    keys: list[str]  # the token, led by a space if one comes before it: what word features see

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.words[at])


def split_tokens(text: str) -> CitationTokens:
    """Return the tokens of `text`, at most `MAX_TOKENS`."""
    parts = (_ASCII_PARTS if text.isascii() else _PARTS).findall(text)[:MAX_TOKENS]
    words = list(map(str.lstrip, parts))
    starts = list(map(sub, accumulate(map(len, parts)), map(len, words)))
    if " ".join(text.split()) != text:  # spaces other than single ones
        parts = [word if part == word else " " + word for part, word in zip(parts, words, strict=True)]
    keys = [" " + word for word in words[:1]] + parts[1:]
    return CitationTokens(words, starts, shorten_words(keys))


def shorten_words(words: list[str]) -> list[str]:
    """Return the words, of long ones only both ends."""
    if max(map(len, words), default=0) <= LONG:
        return words
    return [word if len(word) <= LONG else word[: LONG // 2] + word[-LONG // 2 :] for word in words]
