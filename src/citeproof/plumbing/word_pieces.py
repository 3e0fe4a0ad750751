"""A text as the numbers that the embedding model reads: BERT's lower-case word pieces.

The list is that of BERT (Apache-2.0), as all-MiniLM-L6-v2 uses it; the rules are those of the library
`tokenizers`, and a test compares both. The library itself would bring the client of a model hub along.
A text that spells a control token of the model (`[SEP]`) gets ordinary pieces: it is data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files

from citeproof.errors import InputError
from citeproof.plumbing.zstd_frames import unpack_frame

FILE = "word_pieces.txt.zst"
SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
LONGEST_TEXT = 8_000  # characters that are examined
LONGEST_WORD = 100  # characters of a word that is cut into pieces; longer ones are unknown
MOST_PIECES = 256  # the model was trained on no more, the two at the ends included
_UNKNOWN, _START, _END = 100, 101, 102
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def split_into_pieces(text: str) -> list[int]:
    """Return the numbers of the pieces of `text`, between the marks of its start and end."""
    pieces = [_START]
    for word in _split_into_words(text[:LONGEST_TEXT]):
        pieces += _cut_word(word)
        if len(pieces) >= MOST_PIECES:
            break
    return [*pieces[: MOST_PIECES - 1], _END]


def is_frequent_word(word: str) -> bool:
    """Return whether a word in lower case has a piece of its own, as some 20,000 English words have."""
    return word in _load_pieces()


@cache
def _load_pieces() -> dict[str, int]:
    listed = unpack_frame(files("citeproof.plumbing").joinpath(FILE).read_bytes(), 1_000_000)
    if listed is None or sha256(listed).hexdigest() != SHA256:
        raise InputError("the list of word pieces is damaged", place=FILE, hint="install citeproof anew")
    return {piece: number for number, piece in enumerate(listed.decode().splitlines())}


def _split_into_words(text: str) -> Iterator[str]:
    """Yield words in lower case and without accents; a mark of punctuation is a word."""
    spaced = "".join(map(_clean_letter, text))
    plain = "".join(map(_lower_letter, unicodedata.normalize("NFD", spaced)))
    for chunk in plain.split(" "):
        start = 0
        for place, letter in enumerate(chunk):
            if _is_punctuation(letter):
                if place > start:
                    yield chunk[start:place]
                yield letter
                start = place + 1
        if start < len(chunk):
            yield chunk[start:]


@lru_cache(maxsize=50_000)
def _cut_word(word: str) -> tuple[int, ...]:
    """Return the longest pieces of a word, from left to right; one for the unknown if that fails."""
    if len(word) > LONGEST_WORD:
        return (_UNKNOWN,)
    known, cut, start = _load_pieces(), [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = known.get(("##" if start else "") + word[start:end])
            if piece is not None:
                cut.append(piece)
                start = end
                break
        else:
            return (_UNKNOWN,)
    return tuple(cut)


@lru_cache(maxsize=10_000)
def _clean_letter(letter: str) -> str:
    """Return a letter, a space for white space, nothing for what is not to be seen."""
    if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
        return " "
    if letter == "\ufffd" or unicodedata.category(letter)[0] == "C":
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _CHINESE) else letter


@lru_cache(maxsize=10_000)
def _lower_letter(letter: str) -> str:
    """Return a letter in lower case, one by one: a final sigma has no form of its own here."""
    return "" if unicodedata.category(letter) == "Mn" else letter.lower()


@lru_cache(maxsize=10_000)
def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "P" or (letter.isascii() and letter in "$+<=>^`|~")
