"""What a list declares: its name, where it comes from, under which licence, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any

from citeproof.evidence.index.lists.compiled_list import PackedRow
from citeproof.evidence.index.lists.notice_rows import pack_notices
from citeproof.evidence.index.lists.title_abbreviation import pack_words
from citeproof.evidence.index.lists.venue_rows import pack_venues
from citeproof.vocabulary.quick_dataclass import dataclass

MOST_BYTES = 400_000_000  # of a list as its home sends it; Retraction Watch has 63 million


class ListForm(StrEnum):
    NOTICES = "notices"  # about works
    VENUES = "venues"  # about journals and publishers
    WORDS = "words"  # of titles, with their abbreviations


_PACKERS: dict[ListForm, Callable[[Iterable[Any]], Iterator[PackedRow]]] = {
    ListForm.NOTICES: pack_notices,
    ListForm.VENUES: pack_venues,
    ListForm.WORDS: pack_words,
}


@dataclass(frozen=True, slots=True)
class ListHome:
    """One list and its home. `read` takes one file and its name; `recognises` its name and its beginning."""

    name: str  # also in `[urls]` and CITEPROOF_<NAME>_URL
    title: str
    url: str
    licence: str
    form: ListForm
    read: Callable[[bytes, str], Iterator[Any]]
    recognises: Callable[[str, str], bool]
    about: str  # what it lists, in a few words
    days: int = 0  # after which its silence says nothing; 0: names do not get old
    edition: str = ""  # the date of a list that is not maintained any more
    dated_rows: bool = False  # what its home sends is as old as its newest row
    optional: bool = True  # a run without it says nothing about it
    most_bytes: int = MOST_BYTES
    abbreviates: bool = False  # its titles are found by their ISO 4 abbreviations too, if LTWA is installed
    merge: Callable[[list[Any]], list[Any]] = list  # rows of several files that are about the same

    def pack(self, rows: Iterable[Any]) -> Iterator[PackedRow]:
        return _PACKERS[self.form](rows)
