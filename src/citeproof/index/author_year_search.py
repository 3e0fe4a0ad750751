"""Finding records by who wrote them and when, as a mention in running text says it: "Smith & Jones 2004".

Full text knows the family names of the first two authors and the years of every record, marked by "@". Of
a family name of several words only the first has the mark: "@garcia lopez".

1. ask      for the names and the year; the words of the citing sentence put the works in order
2. ask on   for the years next to it, if that year has none: a preprint or an online first
3. look     at each record found: the words may have come from elsewhere in it
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from citeproof.index.full_text import MARK, FullText
from citeproof.index.record_blocks import RecordBlocks
from citeproof.index.record_packing import unpack_heading
from citeproof.text.names import fold_family_words
from citeproof.vocabulary import Name

TOLD_AUTHORS = 2  # authors of a record whom full text knows
MOST_WORDS = 80  # words of the sentence and the document that put the works in order
WIDER = 3  # times as many are looked at: full text does not know who is the first author
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_SPELLED = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a"))


class AuthorYearSearch:
    """Searches one open snapshot by authors and year."""

    def __init__(self, blocks: RecordBlocks, text: FullText) -> None:
        self._blocks, self._text = blocks, text

    def find(self, names: Sequence[Name], year: int, words: Iterable[str], *, limit: int) -> list[int]:
        """Return the records by these people, the year meant before the years next to it."""
        people = [list_family_forms(name) for name in names[:TOLD_AUTHORS]]
        if not people or not all(people):
            return []
        rare = self._text.rarest(words, MOST_WORDS)
        marked = [[[MARK + form[0], *form[1:]] for form in forms] for forms in people]
        for years in ((year,), (year - 1, year + 1)):
            dated = [[f"{MARK}{one}"] for one in years]
            found = self._text.find_all_of([*marked, dated], rare, limit=WIDER * limit)
            if kept := [ordinal for ordinal in found if self._has_authors(ordinal, people)]:
                return kept[:limit]
        return []

    def _has_authors(self, ordinal: int, people: Sequence[Sequence[tuple[str, ...]]]) -> bool:
        """Return whether the first of these people is the record's first author, and the second an author."""
        heading = unpack_heading(self._blocks[ordinal])
        families = [fold_family_words(Name(author[0])) for author in heading.authors]
        if not families or families[0] not in people[0]:
            return False
        return all(any(family in forms for family in families[1:]) for forms in people[1:])


def list_family_forms(name: Name) -> tuple[tuple[str, ...], ...]:
    """Return the folded forms under which a family name may be filed: double, with umlauts spelled out."""
    printed = [name.family, f"{name.given} {name.family}"] if name.given else [name.family]
    forms: dict[tuple[str, ...], None] = {}
    for one in printed:
        folded = fold_family_words(Name(one))
        forms.setdefault(folded)
        if not one.isascii():
            spelled = unicodedata.normalize("NFC", one.lower()).translate(_UMLAUTS)
            forms.setdefault(fold_family_words(Name(spelled)))
        for pair, letter in _SPELLED:
            if any(pair in word for word in folded):
                forms.setdefault(tuple(word.replace(pair, letter) for word in folded))
    return tuple(form for form in forms if form)
