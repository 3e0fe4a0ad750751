"""The trained tagger: a label and its probability for each token of citation strings.

A linear-chain CRF. Its weights are looked up once for each distinct word and context and kept as
ready score rows, so that tagging is a few additions of rows and one pass each way. Many strings are
tagged at once, as one sequence with rows of zeros between them: what a step costs is shared by them.
Labels are the most probable ones token by token (the marginals), which are also the confidences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from citeproof.parse import token_context as around
from citeproof.parse.citation_tokens import CitationTokens
from citeproof.parse.feature_streams import BESIDE, NEAR, PLACE, SEGMENTS, STATE, TOKENS, list_stream_keys
from citeproof.parse.label_chain import LabelChains
from citeproof.parse.label_stretches import LabelledTokens
from citeproof.parse.score_rows import ScoreRows
from citeproof.parse.tagger_weights import Scores, TaggerWeights, load_shipped_weights
from citeproof.parse.token_context import Pieces, TokenContext

KEPT = 50_000  # score rows of a table kept before it begins again: some 20 MB each
AT_ONCE = 20_000  # tokens tagged at once: what bounds the memory
_FLOOR = -30.0  # below this a score cannot win; it keeps products within floating point
_GAP = max(NEAR)  # rows of zeros behind a string: no offset reaches over them


class Tagger:
    """Labels and probabilities for the tokens of strings."""

    def __init__(self, model: TaggerWeights) -> None:
        self.labels = model.labels
        self._place = ScoreRows((PLACE,), model, PLACE.offsets)
        self._at_place: dict[int, list[int]] = {}  # by number of tokens
        self._tokens = [ScoreRows((kind,), model, kind.offsets) for kind in TOKENS]
        self._state = ScoreRows((STATE,), model, STATE.offsets)
        self._segments = ScoreRows(SEGMENTS, model, BESIDE)
        self._lock = Lock()  # new rows are added by one thread at a time
        self._chains = LabelChains(model.transitions)

    def label(self, strings: Sequence[tuple[CitationTokens, TokenContext]]) -> list[LabelledTokens]:
        """Return the labels of the tokens of each string; none may be empty."""
        sizes = np.array([len(tokens.words) for tokens, _ in strings])
        if len(strings) > 1 and sizes.sum() > AT_ONCE:
            half = len(strings) // 2
            return [*self.label(strings[:half]), *self.label(strings[half:])]
        with self._lock:
            emission = self._emission(strings)
        gaps = np.repeat(np.arange(len(sizes)) * _GAP, sizes)
        emission = emission.take(np.arange(len(gaps)) + gaps, axis=0)
        emission -= emission.max(axis=1, keepdims=True)
        np.maximum(emission, _FLOOR, out=emission)
        shares = self._chains.shares(np.exp(emission.astype(np.float64)), sizes)
        chosen, sure = shares.argmax(axis=1).tolist(), shares.max(axis=1).tolist()
        bounds = pairwise([0, *np.cumsum(sizes).tolist()])
        return [LabelledTokens(chosen[a:b], sure[a:b], shares[a:b]) for a, b in bounds]

    def _emission(self, strings: Sequence[tuple[CitationTokens, TokenContext]]) -> Scores:
        """Return the scores of each label for each token, transitions aside; a gap behind each string."""
        for rows in (*self._tokens, self._state, self._segments):
            if len(rows) > KEPT:
                rows.forget()
        found = [list_stream_keys(tokens, seen) for tokens, seen in strings]
        places = _join_with_gaps((self._place_rows(len(tokens.words)) for tokens, _ in strings), (0,) * _GAP)
        total = self._place.scores(places)
        for kind, rows in zip(TOKENS, self._tokens, strict=True):
            joined = _join_with_gaps((one[kind.name] for one in found), (None,) * _GAP)
            _add_offsets(total, rows.scores(rows.places(0, joined)), rows.offsets)
        total += _score_pieces(self._state, 0, [seen.state for _, seen in strings])
        total += _score_pieces(self._segments, 0, [seen.segments for _, seen in strings])
        total += _score_pieces(self._segments, 1, [seen.clauses for _, seen in strings])
        return total

    def _place_rows(self, count: int) -> list[int]:
        """Return the rows of the places in a string of `count` tokens: they depend on nothing else."""
        if count not in self._at_place:
            self._at_place[count] = self._place.places(0, around.list_place_keys(count))
        return self._at_place[count]


def _score_pieces(rows: ScoreRows, stream: int, pieces: list[Pieces]) -> Scores:
    """Return the scores of each token's piece; a gap behind each string."""
    scores = rows.scores(rows.places(stream, _join_with_gaps((keys for keys, _ in pieces), (None,))))
    total = np.zeros((len(scores), rows.width), np.float32)
    _add_offsets(total, scores, rows.offsets)
    return total.repeat(_join_with_gaps((sizes for _, sizes in pieces), (_GAP,)), axis=0)


def _join_with_gaps(lists: Iterable[Sequence[Any]], apart: tuple[Any, ...]) -> list[Any]:
    """Return the lists as one, with `apart` behind each."""
    found: list[Any] = []
    for one in lists:
        found += one
        found += apart
    return found


def _add_offsets(total: Scores, rows: Scores, offsets: tuple[int, ...]) -> None:
    """Add to each position what its own key and its neighbours' say of it."""
    width = total.shape[1]
    for block, offset in enumerate(offsets):
        part = rows[:, block * width : (block + 1) * width]
        if offset > 0:
            total[:-offset] += part[offset:]
        elif offset < 0:
            total[-offset:] += part[:offset]
        else:
            total += part


@lru_cache(maxsize=1)
def load_tagger() -> Tagger:
    """Return the shipped tagger, loaded when it is first asked for."""
    return Tagger(load_shipped_weights())
