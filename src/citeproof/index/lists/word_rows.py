"""Lists of words and their abbreviations (ISO 4): their rows in a compiled list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from citeproof.index.lists.compiled_list import CompiledList, PackedRow


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


def read_words(listed: CompiledList) -> Iterator[ListedWord]:
    """Yield every row of a list of words."""
    return map(_DECODER.decode, listed.list_rows())
