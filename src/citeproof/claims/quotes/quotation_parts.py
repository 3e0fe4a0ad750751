"""A quotation as its writer marked it: parts that an ellipsis separates, words in [brackets], stems.

"[T]he results … show[ed] that they [the authors] were right"
"""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.claims.quotes.word_tokens import blank_markup, split_words
from citeproof.text import lazy_patterns as re

MOST = 5_000  # characters of a quotation that are examined
MOST_PARTS = 100
_HYPHENS = frozenset("-‐‑\u00ad\ufffe\x02")
_DOT = r"(?:[…⋯]{1,2}|\.[ \u00a0]?\.[ \u00a0]?\.(?:[ \u00a0]?\.)?)"
_LEFT_OUT = re.compile(rf"\[\s{{0,3}}{_DOT}\s{{0,3}}\]|\(\s{{0,3}}{_DOT}\s{{0,3}}\)|{_DOT}")
_LETTER = re.compile(r"\[(\w{1,3})\](?=\w)")  # [T]he: a capital that was changed
_ENDING = re.compile(r"(?<=\w)\[[\w'’]{1,4}\]")  # show[ed]
_ENDED = re.compile(
    rf"[.!?]\s{{0,3}}[\[(]?\s{{0,3}}{_DOT}\s{{0,3}}[\])]?\Z|\.[ \u00a0]?\.[ \u00a0]?\.[ \u00a0]?\.\Z"
)
_CAPITAL = re.compile(r"[\s\"“‘(]{0,9}[^\Wa-z\d_]")
_STEM = "\u2063"  # behind a word whose ending was changed; no word has it
_BRACKETS = re.compile(
    r"\[[^\[\]]{1,80}\]"
    r"|\((?:sic!?|(?:my|our) (?:emphasis|italics|translation)|(?:emphasis|italics) (?:added|mine|ours)"
    r"|emphasis in (?:the )?original|translated by the authors?)\)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuotedWord:
    """One word of a quotation."""

    text: str  # as written
    word: str  # as compared
    editorial: bool = False  # in brackets: the quoting author's own
    stem: bool = False  # its ending is the quoting author's own
    tied: bool = False  # a hyphen or nothing at all is between it and the next one


@dataclass(frozen=True, slots=True)
class QuotedPart:
    """A stretch of a quotation that should stand in one place; an ellipsis separates it from the next."""

    words: tuple[QuotedWord, ...]
    begins: bool = False  # a capital, or a full stop before the ellipsis: another sentence begins

    @property
    def own(self) -> int:
        """How many of its words are the source's own."""
        return sum(not word.editorial for word in self.words)

    def split_brackets(self) -> list[tuple[list[QuotedWord], list[QuotedWord]]]:
        """Return the stretches without brackets, each with the words in brackets before it."""
        found: list[tuple[list[QuotedWord], list[QuotedWord]]] = []
        before: list[QuotedWord] = []
        for index, word in enumerate(self.words):
            if word.editorial:
                before.append(word)
            elif not found or self.words[index - 1].editorial:
                found.append(([word], before))
                before = []
            else:
                found[-1][0].append(word)
        return found


def split_quotation(quote: str) -> list[QuotedPart]:
    """Return the parts of a quotation that have words of the source in them."""
    text = blank_markup(quote[:MOST])
    text = _ENDING.sub(_STEM, _LETTER.sub(r"\1", text))
    marks = [*_LEFT_OUT.finditer(text)][: MOST_PARTS - 1]
    parts, at = [], 0
    for start, end in [*(mark.span() for mark in marks), (len(text), len(text))]:
        piece = text[at:start]
        begins = _ENDED.search(text[max(0, at - 40) : at]) or _CAPITAL.match(piece)
        parts.append(QuotedPart(tuple(_read_words(piece)), bool(begins)))
        at = end
    return [part for part in parts if part.own]


def is_tied(text: str, end: int) -> bool:
    """Return whether a hyphen or nothing at all is between a word that ends there and the next one."""
    return text[end : end + 1] in _HYPHENS or text[end : end + 1].isalnum()


def _read_words(piece: str) -> list[QuotedWord]:
    spans = [match.span() for match in _BRACKETS.finditer(piece)]
    found: list[QuotedWord] = []
    at = 0
    for start, end, word in split_words(piece):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= start
        stem, tied = piece.startswith(_STEM, end), is_tied(piece, end)
        found.append(QuotedWord(piece[start:end], word, inside, stem, tied))
    return found
