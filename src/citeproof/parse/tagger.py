"""The trained tagger: a label and its probability for each token of a citation string.

A linear-chain CRF. Its weights are looked up once for each distinct word and context and kept as
ready score rows, so that tagging a string is a few additions of rows and one pass each way.
Labels are the most probable ones token by token (the marginals), which are also the confidences.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from citeproof.parse import context as around
from citeproof.parse.context import Context
from citeproof.parse.rows import Rows
from citeproof.parse.streams import BESIDE, NEAR, PLACE, SEGMENTS, TOKENS, keys
from citeproof.parse.tokens import Tokens
from citeproof.parse.weights import Model, Scores, shipped

KEPT = 100_000  # score rows kept before the tagger begins anew
_FLOOR = -30.0  # below this a score cannot win; it keeps products within floating point
_STEEP = 12.0  # no transition is surer than this
_RESCALE = 8  # steps after which the running products are scaled back


class Tagger:
    """Labels and probabilities for the tokens of a string."""

    def __init__(self, model: Model) -> None:
        self.labels = model.labels
        self._tokens = Rows(TOKENS, model, NEAR)
        self._segments = Rows(SEGMENTS, model, BESIDE)
        self._place = Rows((PLACE,), model, PLACE.offsets)
        self._placed: dict[int, Scores] = {}
        width = len(model.labels)
        step = np.exp(np.clip(model.transitions, -_STEEP, _STEEP))
        self._step = np.zeros((2 * width, 2 * width))  # forward and backward in one product
        self._step[:width, :width] = step
        self._step[width:, width:] = step.T

    def marginals(self, tokens: Tokens, seen: Context) -> Scores:
        """Return the probability of each label for each token."""
        emission = self._emission(tokens, seen)
        emission -= emission.max(axis=1, keepdims=True)
        np.maximum(emission, _FLOOR, out=emission)
        emission = np.exp(emission.astype(np.float64))
        count, width = emission.shape
        both = np.concatenate((emission, emission[::-1]), axis=1)
        rows, step = list(both), self._step
        next_row = np.empty(2 * width)
        dot, multiply = np.dot, np.multiply
        last = rows[0]
        for at in range(1, count):
            dot(last, step, next_row)
            last = rows[at]
            multiply(last, next_row, last)
            if not at % _RESCALE:
                last[:width] /= last[:width].max()
                last[width:] /= last[width:].max()
        product = both[:, :width] * both[::-1, width:] / emission
        shares: Scores = product / product.sum(axis=1, keepdims=True)
        return shares

    def _emission(self, tokens: Tokens, seen: Context) -> Scores:
        """Return the scores of each label for each token, transitions aside."""
        for rows in (self._tokens, self._segments):
            if len(rows) > KEPT:
                rows.forget()
        found = keys(tokens, seen)
        width, count = len(self.labels), len(tokens.words)
        places: list[int] = []
        for number, kind in enumerate(TOKENS):
            places += self._tokens.places(number, found[kind.name])
        summed = self._tokens.scores(places).reshape(len(TOKENS), count, -1).sum(axis=0)
        total = _gathered(summed, NEAR, width)
        total += self._at_place(count)
        total += self._of_segments(seen)
        return total

    def _at_place(self, count: int) -> Scores:
        """Return the scores of the places in a string of `count` tokens: they depend on nothing else."""
        if count not in self._placed:
            self._placed[count] = self._place.scores(self._place.places(0, around.places(count)))
        return self._placed[count]

    def _of_segments(self, seen: Context) -> Scores:
        """Return the scores of each token's segment and clause; a row of zeros keeps the two apart."""
        segments = self._segments.places(0, seen.segments)
        clauses = self._segments.places(1, seen.clauses)
        both = _gathered(self._segments.scores([*segments, 0, *clauses]), BESIDE, len(self.labels))
        first = len(segments) + 1
        found: Scores = both.take(seen.segment_of, axis=0)
        found += both[first:].take(seen.clause_of, axis=0)
        return found


def _gathered(rows: Scores, offsets: tuple[int, ...], width: int) -> Scores:
    """Return for each position what its own key and its neighbours' say of it."""
    count = len(rows)
    middle = offsets.index(0) * width
    total = rows[:, middle : middle + width].copy()
    for block, offset in enumerate(offsets):
        part = rows[:, block * width : (block + 1) * width]
        if 0 < offset < count:
            total[:-offset] += part[offset:]
        elif 0 < -offset < count:
            total[-offset:] += part[:offset]
    return total


@lru_cache(maxsize=1)
def tagger() -> Tagger:
    """Return the shipped tagger, loaded when it is first asked for."""
    return Tagger(shipped())
