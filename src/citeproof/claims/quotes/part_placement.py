"""The parts of a quotation to passages of the source: the longest part first, its neighbours around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeproof.claims.quotes.ordered_stretches import OMITTED
from citeproof.claims.quotes.passage_search import AlignedPassage, find_exact_places, find_passages
from citeproof.claims.quotes.quotation_parts import QuotedPart
from citeproof.claims.quotes.source_index import SourceIndex

_RUN = 4  # words in one run that make a passage of their own
_PIECES = 12  # passages that one quotation may be pieced together from
_GOOD = 0.6  # share of a part that a passage near its neighbour must have


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece of a part, words `low` to `high` of it, and the passage that it is like; None: like none."""

    part: int
    low: int
    high: int
    passage: AlignedPassage | None  # its `quoted_low` and `quoted_high` count in the part


def place_parts(parts: Sequence[QuotedPart], source: SourceIndex) -> list[list[PlacedPiece]]:
    """Return the pieces of each part of a quotation in its order; empty if the source has nothing of it."""
    anchor = max(range(len(parts)), key=lambda index: parts[index].own)
    placed: dict[int, list[AlignedPassage]] = {anchor: _cover_part(parts[anchor], source, None)}
    steps = [(index, 1) for index in range(anchor + 1, len(parts))]
    steps += [(index, -1) for index in range(anchor - 1, -1, -1)]
    for index, step in steps:
        beside = placed[index - step]
        window = None
        if beside and step > 0:
            window = (beside[-1].high, min(len(source), beside[-1].high + OMITTED + len(parts[index].words)))
        elif beside:
            window = (max(0, beside[0].low - OMITTED - len(parts[index].words)), beside[0].low)
        placed[index] = _cover_part(parts[index], source, window, nearest_last=step < 0)
    if not any(placed.values()):
        return []
    return [_spread_part(index, part, placed[index]) for index, part in enumerate(parts)]


def _spread_part(index: int, part: QuotedPart, passages: Sequence[AlignedPassage]) -> list[PlacedPiece]:
    """Return the pieces of a part, which together have all of its words."""
    if not passages:
        return [PlacedPiece(index, 0, len(part.words), None)]
    lows = [0, *(passage.quoted_low for passage in passages[1:])]
    highs = [*lows[1:], len(part.words)]
    return [PlacedPiece(index, low, high, one) for low, high, one in zip(lows, highs, passages, strict=True)]


def _cover_part(
    part: QuotedPart, source: SourceIndex, window: tuple[int, int] | None, *, nearest_last: bool = False
) -> list[AlignedPassage]:
    """Return the passages that a part is pieced together from: most often one, near its neighbour."""
    ids = [source.find_id(word.word) for word in part.words]
    if window is not None and (near := _find_near(ids, source, window, nearest_last=nearest_last)):
        return [near]
    places = find_exact_places(ids, source)
    if len(places):
        return [_make_exact(len(ids), int(places[0]))]
    return _cover_words(ids, source, 0, _PIECES)


def _find_near(
    ids: Sequence[int], source: SourceIndex, window: tuple[int, int], *, nearest_last: bool
) -> AlignedPassage | None:
    places = find_exact_places(ids, source)
    places = places[(places >= window[0]) & (places <= window[1] - len(ids))]
    if len(places):
        return _make_exact(len(ids), int(places[-1 if nearest_last else 0]))
    best = next(iter(find_passages(ids, source, window)), None)
    return best if best is not None and best.fitting >= _GOOD * len(ids) else None


def _make_exact(size: int, at: int) -> AlignedPassage:
    return AlignedPassage(0, size, at, at + size, float(size), size, size)


def _cover_words(ids: Sequence[int], source: SourceIndex, begin: int, most: int) -> list[AlignedPassage]:
    """Return the passages that words are pieced together from: the best one, then the rest on either side."""
    best = next(iter(find_passages(ids, source)), None)
    if best is None or most <= 0 or (most < _PIECES and best.longest < _RUN):
        return []
    left = _cover_rest(ids[: best.quoted_low], source, begin, most - 1)
    right = _cover_rest(ids[best.quoted_high :], source, begin + best.quoted_high, most - 1 - len(left))
    moved = replace(best, quoted_low=begin + best.quoted_low, quoted_high=begin + best.quoted_high)
    return [*left, moved, *right]


def _cover_rest(ids: Sequence[int], source: SourceIndex, begin: int, most: int) -> list[AlignedPassage]:
    return _cover_words(ids, source, begin, most) if len(ids) >= _RUN else []
