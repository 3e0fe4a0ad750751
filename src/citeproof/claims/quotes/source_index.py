"""A source, ready for looking up quotations: its words, where each of them and each pair of them stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citeproof.claims.quotes.quotation_types import PassageSpan
from citeproof.claims.quotes.word_tokens import blank_markup, split_words
from citeproof.text import lazy_patterns as re

Places = NDArray[np.int32]  # numbers of words
_ROUND = re.compile(r"\(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,20}\)")
_STOP = re.compile(  # of a sentence: the next one begins with a capital
    r"[.!?][\"”’)\]\d,–]{0,12}\s{1,9}[\"“‘(\[]{0,3}[^\Wa-z\d_]"
)
_SHORT = re.compile(
    r"\b(?:[A-Z]|al|e\.g|i\.e|cf|vs|ca|Dr|Prof|Mr|Mrs|St|Figs?|Eq|Refs?|Tab|No|vol|pp|approx)\Z"
)
_FEWEST = 5  # numbers in round brackets from which on they are taken for citations


@dataclass
class SourceIndex:
    """The text of a source and its words."""

    text: str
    starts: NDArray[np.int32]  # of the words, in characters of `text`
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]  # of the words' comparable forms
    words: list[str]  # the comparable form of each id
    page_starts: tuple[int, ...] = (0,)
    sections: tuple[tuple[int, str], ...] = ()
    _numbers: dict[str, int] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def find_id(self, word: str) -> int:
        """Return the number of a comparable form; -1 if the source does not have it."""
        return self._numbers.get(word, -1)

    def count(self, word: str) -> int:
        """Return how often a comparable form is in the source."""
        number = self.find_id(word)
        return 0 if number < 0 else len(self.find_places(number))

    @cached_property
    def _single(self) -> tuple[Places, NDArray[np.int64]]:
        """The words in the order of their ids, and where each id begins among them."""
        counts = np.bincount(self.ids, minlength=len(self.words))
        return np.argsort(self.ids, kind="stable").astype(np.int32), np.concatenate(([0], np.cumsum(counts)))

    @cached_property
    def _paired(self) -> tuple[Places, NDArray[np.int64]]:
        """The words in the order of themselves and the next one, and those pairs."""
        pairs = (self.ids[:-1].astype(np.int64) << 32) | self.ids[1:]
        order = np.argsort(pairs, kind="stable").astype(np.int32)
        return order, pairs[order]

    def find_places(self, number: int) -> Places:
        """Return where the word with this id is, in order."""
        order, begins = self._single
        return order[begins[number] : begins[number + 1]]

    def find_pairs(self, ids: Sequence[int]) -> list[Places]:
        """Return where each word of a stretch is together with the next one, in order."""
        order, pairs = self._paired
        given = np.array(ids, np.int64)
        wanted = (given[:-1] << 32) | given[1:]
        wanted[(given[:-1] < 0) | (given[1:] < 0)] = -1
        lows, highs = np.searchsorted(pairs, wanted), np.searchsorted(pairs, wanted, "right")
        return [order[low:high] for low, high in zip(lows.tolist(), highs.tolist(), strict=True)]

    @cached_property
    def cites_in_round_brackets(self) -> bool:
        """Whether its citations look like (12): then a number in round brackets is most likely one."""
        return len(set(_ROUND.findall(self.text))) >= _FEWEST

    @cached_property
    def capitalises_nouns(self) -> bool:
        """Whether capitals are no sign of a name: German, or a text in capitals."""
        some = self.starts[:: max(1, len(self.starts) // 2000)]
        letters = [self.text[at] for at in some if self.text[at].isalpha()]
        return 4 * sum(letter.isupper() for letter in letters) > len(letters)

    def find_page(self, at: int) -> int | None:
        """Return the page of a character, from 1; None if the source has no pages."""
        return bisect_right(self.page_starts, at) if len(self.page_starts) > 1 else None

    def find_section(self, at: int) -> str:
        """Return the title of the section that a character is in; empty if unknown."""
        index = bisect_right(self.sections, at, key=lambda section: section[0])
        return self.sections[index - 1][1] if index else ""

    def read_words(self, low: int, high: int) -> str:
        """Return the source's text from one word to another (exclusive)."""
        return self.text[self.starts[low] : self.ends[high - 1]] if low < high else ""

    def ends_sentence(self, low: int, high: int) -> bool:
        """Return whether a sentence ends among these words, or between them and those next to them."""
        if not low < high:
            return False
        start = int(self.ends[low - 1]) if low else int(self.starts[low])
        end = int(self.starts[high]) + 1 if high < len(self) else int(self.ends[high - 1])
        stops = _STOP.finditer(self.text, start, end)
        return any(not _SHORT.search(self.text[max(0, stop.start() - 12) : stop.start()]) for stop in stops)

    def make_span(self, low: int, high: int) -> PassageSpan:
        """Return the span of the words from one to another (exclusive)."""
        start, end = int(self.starts[low]), int(self.ends[high - 1])
        pages = self.find_page(start), self.find_page(max(start, end - 1))
        return PassageSpan(start, end, *pages, self.find_section(start))


def index_source(
    text: str, *, page_starts: Sequence[int] = (), sections: Sequence[tuple[int, str]] = ()
) -> SourceIndex:
    """Return a source ready for looking up quotations.

    A form feed begins a new page, unless `page_starts` says where the pages begin. `sections` are the places
    where sections begin, and their titles.
    """
    numbers: dict[str, int] = {}
    starts: list[int] = []
    ends: list[int] = []
    ids: list[int] = []
    for start, end, word in split_words(blank_markup(text)):
        starts.append(start)
        ends.append(end)
        ids.append(numbers.setdefault(word, len(numbers)))
    pages = tuple(sorted({0, *page_starts})) if page_starts else _find_page_starts(text)
    return SourceIndex(
        text,
        np.array(starts, np.int32),
        np.array(ends, np.int32),
        np.array(ids, np.int32),
        list(numbers),
        pages,
        tuple(sorted(sections)),
        numbers,
    )


def _find_page_starts(text: str) -> tuple[int, ...]:
    starts, at = [0], text.find("\f")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\f", at + 1)
    return tuple(starts)
