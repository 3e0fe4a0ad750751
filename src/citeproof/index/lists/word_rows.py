"""Lists of words and their abbreviations (ISO 4): their rows in a compiled list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from citeproof.index.lists.compiled_list import CompiledList, PackedRow, hash_name
from citeproof.text.title import make_title_key


class ListedWord(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One word, or the beginning ("abbrevi-") or end ("-ology") of words, and its abbreviation."""

    word: str  # folded, without its hyphen
    short: str  # "" if it is not abbreviated
    part: str = "word"  # or "prefix", "suffix", "infix"
    languages: tuple[str, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(ListedWord)


def pack_words(rows: Iterable[ListedWord]) -> Iterator[PackedRow]:
    """Yield the words as rows of a compiled list."""
    for row in rows:
        yield PackedRow(row.part, _ENCODER.encode(row), (f"{row.part}:{row.word}",))


def find_words(listed: CompiledList, word: str, part: str = "word") -> tuple[ListedWord, ...]:
    """Return the rows for a word (or a beginning or an end of one) in every language."""
    key = make_title_key(word)
    numbers = listed.find_rows(hash_name(f"{part}:{key}"))
    rows = (_DECODER.decode(listed.read_row(number)) for number in numbers)
    return tuple(row for row in rows if (row.word, row.part) == (key, part))
