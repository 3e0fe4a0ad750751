"""Whether a text is that of a work: its title is on the first page, or in what the file says of itself."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz

from citeproof.compare.title import is_known_title
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key, split_words
from citeproof.vocabulary import Record

HEAD = 6000  # characters in which a title must be; a first page has about 4,000
LONG = 20  # letters of a title that may be spelt a little differently
TELLING = 12  # letters of a title that names a work by itself
ALIKE = 93.0  # of 100


def fits_titles(record: Record, titles: Iterable[str]) -> bool:
    """Return whether one of `titles` is the title of the work."""
    return any(is_known_title(title, record.titles) for title in titles if title)


def is_text_of(record: Record, text: str) -> bool:
    """Return whether a text begins as that of the work does: with its title; a short one with an author."""
    words = split_words_of(text[:HEAD])
    head = "".join(words)
    known = set(words)
    for title in record.titles:
        key = make_title_key(title)
        if len(key) >= TELLING and key in head:
            return True
        if len(key) >= LONG and fuzz.partial_ratio(key, head, score_cutoff=ALIKE) >= ALIKE:
            return True
        if 0 < len(key) < TELLING and key in head:
            families = {make_family_key(name) for name in record.authors[:3]} - {""}
            return any(family in known or family in head for family in families)
    return False


def split_words_of(text: str) -> list[str]:
    """Return the folded words of a longer text, a line at a time: titles are cut at a length."""
    pieces = (line[at : at + 1000] for line in text.split("\n") for at in range(0, len(line), 1000))
    return [word for piece in pieces for word in split_words(piece)]
