"""Titles of journals to their abbreviations by ISO 4, with the words of LTWA: its rows in a compiled list.

"Journal of the American Chemical Society" ⇒ "J. Am. Chem. Soc."
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from citeproof.evidence.index.lists.compiled_list import CompiledList, PackedRow
from citeproof.text import lazy_patterns as re
from citeproof.text.title import STOPWORDS, make_title_key

LANGUAGES = ("eng", "mul", "lat", "fre", "ger", "spa")  # the first that has the word; then any other
MOST_WORDS = 30
_LITTLE = STOPWORDS | {
    "fur", "zu", "aus", "del", "della", "dell", "di", "dei", "da", "do", "dos", "van", "och",
}  # fmt: skip
_LEAST = 3  # letters of the beginning of a word
_WORD = re.compile(r"[^\W_][\w'’.]{0,60}")


class TitleAbbreviator:
    """Shortens the words of titles; it is made of the rows of LTWA."""

    def __init__(self, rows: Iterable[ListedWord]) -> None:
        self._words: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        ranks: dict[tuple[str, str], int] = {}
        for row in rows:
            table = {"word": self._words, "prefix": self._prefixes}.get(row.part)
            rank = min(
                (LANGUAGES.index(language) for language in row.languages if language in LANGUAGES), default=99
            )
            if table is not None and rank < ranks.get((row.part, row.word), 100):
                ranks[row.part, row.word] = rank
                table[row.word] = row.short

    def abbreviate(self, title: str) -> str:
        """Return the abbreviation of a title; that of a single word is the word."""
        words = [word for word in _WORD.findall(title)[:MOST_WORDS] if make_title_key(word) not in _LITTLE]
        return " ".join(words if len(words) == 1 else map(self._shorten, words))

    def _shorten(self, word: str) -> str:
        """Return a word as LTWA has it, or by the longest beginning that it has, else as it is."""
        key = make_title_key(word)
        for form in (key, key.removesuffix("s")):  # LTWA has "report"; its plural is shortened alike
            if form in self._words:
                return self._words[form] or word
        for end in range(len(key), _LEAST - 1, -1):
            if key[:end] in self._prefixes:
                return self._prefixes[key[:end]] or word
        return word


class ListedWord(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One word, or the beginning ("abbrevi-") or end ("-ology") of words, and its abbreviation."""

    word: str  # folded, without its hyphen
    short: str  # "" if it is not abbreviated
    part: str = "word"  # or "prefix", "suffix", "infix"
    languages: tuple[str, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ListedWord)


def pack_words(rows: Iterable[ListedWord]) -> Iterator[PackedRow]:
    for row in rows:
        yield PackedRow(row.part, _ENCODER.encode(row), (f"{row.part}:{row.word}",))


def read_words(listed: CompiledList) -> Iterator[ListedWord]:
    return map(_DECODER.decode, listed.list_rows())
