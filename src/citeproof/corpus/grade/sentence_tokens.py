"""A sentence as words with their places: what is next to what, what is quoted, where a clause ends.

Emphasis marks are skipped, so that `**shows**` is the word "shows"; other marks are words of their own.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.text import lazy_patterns as re

_UNSEEN = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_WORD = re.compile(rf"[^\W_]+(?:[_'’{_UNSEEN}]{{1,999}}[^\W_]+)*|[^\w\s]")
_HIDDEN = re.compile(f"[{_UNSEEN}]+")
_MARKUP = "\u2061"  # what a page puts in place of markup inside a word
# Letters of other scripts that look like Latin ones.
_ALIKE = str.maketrans("аеорсухіјѕԁһӏԛԝвмнткοανρεικυτ", "aeopcyxijsdhlqwbmhtkoavpeikut")
_LATIN = re.compile("[a-z]")
_PASSED = frozenset("*_~")
# between words that are replaced together: more than that may hold what was blanked, code or a tag
_GAP = re.compile(r"[ \t]{1,2}|[ \t]{0,2}\r?\n[ \t]{0,2}")
_QUOTES = re.compile(r"\"[^\"]*+\"|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»")
_GLUE = frozenset("-‐‑/\\@#.$`")


@dataclass(frozen=True, slots=True)
class SentenceTokens:
    """The words of a sentence in lower case, and where each is."""

    text: str
    words: list[str]
    starts: list[int]
    ends: list[int]
    quoted: frozenset[int]  # words between quotation marks: somebody else's

    def get_word(self, index: int) -> str:
        """Return the word at `index`; empty outside the sentence."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def is_joined(self, first: int, last: int) -> bool:
        """Return whether only plain blanks are between the words from `first` to `last`."""
        return all(
            _GAP.fullmatch(self.text, self.ends[i], self.starts[i + 1]) is not None
            for i in range(first, last)
        )

    def has_markup(self, first: int, last: int) -> bool:
        """Return whether markup is inside one of the words from `first` to `last`."""
        return _MARKUP in self.text[self.starts[first] : self.ends[last]]

    def is_hyphenated(self, index: int) -> bool:
        """Return whether a word is part of a longer one: "well-established", "show-case", "a/b"."""
        start, end = self.starts[index], self.ends[index]
        before, after = self.text[max(0, start - 1) : start], self.text[end : end + 1]
        return before in _GLUE or (after in _GLUE and self.text[end + 1 : end + 2].isalnum())


def tokenise_sentence(text: str) -> SentenceTokens:
    matches = [match for match in _WORD.finditer(text) if match[0] not in _PASSED]
    words = [fold_text(match[0]) for match in matches]
    starts, ends = [match.start() for match in matches], [match.end() for match in matches]
    return SentenceTokens(text, words, starts, ends, frozenset(_find_quoted_words(text, starts)))


def fold_text(text: str) -> str:
    """Return words in small letters, as they look: without what no one sees, in Latin letters if any is."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", _HIDDEN.sub("", text)).lower().replace("’", "'")
    return text if text.isascii() or not _LATIN.search(text) else text.translate(_ALIKE)


def strip_hidden_characters(text: str) -> str:
    return text if text.isascii() else _HIDDEN.sub("", text)


def _find_quoted_words(text: str, starts: list[int]) -> Iterator[int]:
    if '"' in text or "“" in text or "„" in text or "«" in text:
        for match in _QUOTES.finditer(text):
            yield from range(bisect_left(starts, match.start()), bisect_left(starts, match.end()))
