"""Stretches of a quotation that are in the source word for word, one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citeproof.claims.quotes.passage_comparison import INSERTED
from citeproof.claims.quotes.passage_search import find_exact_places
from citeproof.claims.quotes.quotation_parts import QuotedPart, QuotedWord
from citeproof.claims.quotes.source_index import Places, SourceIndex

OMITTED = 1_000  # words that an ellipsis may represent: a page or two
_BLOCKS = 20_000  # starts that are kept of a stretch


@dataclass(frozen=True, slots=True)
class QuotedStretch:
    """Words without brackets and ellipses, with the words in brackets before them."""

    part: int
    words: tuple[QuotedWord, ...]
    brackets: tuple[QuotedWord, ...]
    begins: bool  # another sentence is shown to begin here
    gap: int  # words of the source that may be before it, behind the last one


def split_stretches(parts: Sequence[QuotedPart]) -> list[QuotedStretch]:
    """Return the stretches of a quotation that must stand as they are."""
    found: list[QuotedStretch] = []
    for index, part in enumerate(parts):
        for at, (words, brackets) in enumerate(part.split_brackets()):
            gap = (OMITTED if at == 0 else INSERTED) if found else 0
            found.append(QuotedStretch(index, tuple(words), tuple(brackets), part.begins, gap))
    return found


def chain_stretches(stretches: Sequence[QuotedStretch], source: SourceIndex) -> tuple[list[int], Places]:
    """Return at which word of the source each stretch is, the first chain that holds; and all last places.

    Empty if the source does not have all of them in order.
    """
    reached: list[Places] = []
    for index, stretch in enumerate(stretches):
        if any(word.stem for word in stretch.words):
            return [], np.empty(0, np.int32)
        places = find_exact_places([source.find_id(word.word) for word in stretch.words], source)
        if index:
            ends = reached[-1] + len(stretches[index - 1].words)
            near = np.searchsorted(ends, places, "right") - 1
            kept = near >= 0
            kept[kept] = places[kept] - ends[near[kept]] <= stretch.gap
            places = places[kept]
        if not len(places):
            return [], places
        reached.append(places[:_BLOCKS])
    return _trace_back(stretches, reached), reached[-1]


def _trace_back(stretches: Sequence[QuotedStretch], reached: Sequence[Places]) -> list[int]:
    chain = [int(reached[-1][0])]
    for index in range(len(stretches) - 2, -1, -1):
        limit = chain[0] - len(stretches[index].words)
        chain.insert(0, int(reached[index][np.searchsorted(reached[index], limit, "right") - 1]))
    return chain
