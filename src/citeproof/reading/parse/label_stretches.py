"""Labelled tokens to stretches: which part of a string each label covers, and how sure that is."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from citeproof.reading.parse.token_context import CitationTokens
from citeproof.vocabulary.quick_dataclass import dataclass

if TYPE_CHECKING:
    from citeproof.reading.parse.tagger import Scores

_LOOSE = frozenset(("container", "publisher", "pages"))  # whose slips are closed; a title's are its end
_BRIDGED = 2  # tokens of another label that do not break a stretch, if the same label continues behind them
_DOUBTFUL = 3  # tokens of a stretch that its confidence is taken from
_PIECE = 3  # tokens a stretch must have on both sides to be bridged


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters [start, end) of a string, and the probability that its label is right."""

    start: int
    end: int
    confidence: float
    ruled: bool = False  # found by a rule, not by the tagger


@dataclass(frozen=True, slots=True)
class LabelledTokens:
    """The labels of a string's tokens: the most probable, how sure it is, and the shares of all."""

    chosen: list[int]
    sure: list[float]
    shares: Scores


Stretches = dict[str, Stretch]


def find_stretches(tokens: CitationTokens, labelled: LabelledTokens, labels: list[str]) -> dict[str, Stretch]:
    """Return the stretch of each label that was found: its longest one, slips in some closed."""
    spans: dict[int, list[tuple[int, int]]] = {}
    start, current = 0, labelled.chosen[0]
    for at, label in enumerate([*labelled.chosen, -1]):  # none has the label -1: it ends the last piece
        if label != current:
            spans.setdefault(current, []).append((start, at))
            start, current = at, label
    answer: dict[str, Stretch] = {}
    for label, pieces in spans.items():
        if (name := labels[label]) != "O":
            first, last = (
                _choose_longest_piece(pieces, bridged=name in _LOOSE) if len(pieces) > 1 else pieces[0]
            )
            inside = prod(sorted(labelled.sure[first:last])[:_DOUBTFUL])  # what the most doubtful leave
            before = labelled.shares.item(first - 1, label) if first else 0.0
            behind = labelled.shares.item(last, label) if last < len(labelled.shares) else 0.0
            confidence = inside * max(1e-3, (1 - before) * (1 - behind))
            answer[name] = Stretch(tokens.starts[first], tokens.end(last - 1), confidence)
    return answer


def _choose_longest_piece(pieces: list[tuple[int, int]], *, bridged: bool) -> tuple[int, int]:
    """Return the longest piece, if `bridged` after joining long ones that only a slip keeps apart."""
    if not bridged:
        return max(pieces, key=_get_piece_length)
    joined = [pieces[0]]
    for start, end in pieces[1:]:
        before, last = joined[-1]
        if start - last <= _BRIDGED and min(end - start, last - before) >= _PIECE:
            joined[-1] = (before, end)
        else:
            joined.append((start, end))
    return max(joined, key=_get_piece_length)


def _get_piece_length(piece: tuple[int, int]) -> int:
    return piece[1] - piece[0]
