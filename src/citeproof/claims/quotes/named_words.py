"""Whether a word is a name: a capital where the sentence does not ask for one."""

from __future__ import annotations

import re

from citeproof.claims.quotes.quotation_parts import QuotedWord
from citeproof.claims.quotes.source_index import SourceIndex

_BEGINS = re.compile(r"(?:\A|[.!?:;•–—\"“”„«»()\[\]\n])\s{0,20}\Z")


def is_source_name(at: int, source: SourceIndex) -> bool:
    """Return whether a word of the source is a name."""
    start = int(source.starts[at])
    text = source.text[start : int(source.ends[at])]
    if not text[0].isupper() or source.capitalises_nouns:
        return False
    if len(text) > 1 and any(letter.isupper() for letter in text[1:]):
        return True  # DNA, McDonald
    return len(text) > 2 and not _BEGINS.search(source.text[max(0, start - 30) : start])


def is_quoted_name(word: QuotedWord, source: SourceIndex) -> bool:
    """Return whether a word of the quotation is a name; it must not be one that the source writes small."""
    text = word.text
    if not text[0].isupper() or source.capitalises_nouns or len(text) < 3:
        return False
    places = source.find_places(number)[:20] if (number := source.find_id(word.word)) >= 0 else ()
    return not any(source.text[source.starts[at]].islower() for at in places) and len(places) > 0
