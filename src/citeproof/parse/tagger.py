"""The trained tagger: a label and its probability for each token of a citation string.

A linear-chain CRF. Its weights are looked up once for each distinct word and context and kept as
ready score rows, so that tagging a string is a few additions of rows and one pass each way.
Labels are the most probable ones token by token (the marginals), which are also the confidences.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citeproof.parse import context as around
from citeproof.parse import words
from citeproof.parse.context import Context
from citeproof.parse.tokens import Tokens

Scores = npt.NDArray[np.floating[Any]]

KEPT = 40_000  # score rows kept by a stream before it begins anew
_FLOOR = -30.0  # below this a score cannot win; it keeps products within floating point
_STEEP = 12.0  # no transition is surer than this
_RESCALE = 8  # steps after which the running products are scaled back


@dataclass(frozen=True, slots=True)
class Kind:
    """A stream of keys: how one is spelled out as features, and which tokens see them.

    `offsets` are where the key stands as seen from a token: "+1" is the one behind it.
    """

    name: str
    spell: Callable[[Any], list[str]]
    offsets: tuple[int, ...] = (0,)
    seen: Callable[[str, int], bool] = lambda _feature, _offset: True
    of: Callable[[Context], list[int]] | None = None  # each token's key, where there is not one a token


# The streams of features, in order; the first depends on the number of tokens alone.
STREAMS: tuple[Kind, ...] = (
    Kind("place", around.spelled_place),
    Kind("words", words.features, (2, 1, 0, -1, -2), words.seen),
    Kind("kinds", words.kinds, (1, 0, -1)),
    Kind("segments", around.spelled_segment, (1, 0, -1), around.segment_seen, lambda seen: seen.segment_of),
    Kind("clauses", around.spelled_segment, (1, 0, -1), around.segment_seen, lambda seen: seen.clause_of),
    Kind("marks", around.spelled_marks),
    Kind("state", around.spelled_state),
)


def keys(tokens: Tokens, seen: Context) -> dict[str, Sequence[Any]]:
    """Return the keys of each stream, one a token (segments: one a segment)."""
    kinds = f"#{seen.coarse}#"
    return {
        "words": tokens.keys,
        "kinds": [kinds[at : at + 3] for at in range(len(tokens.words))],
        "segments": seen.segments,
        "clauses": seen.clauses,
        "place": around.places(len(tokens.words)),
        "marks": seen.marks,
        "state": seen.state,
    }


@dataclass(frozen=True, slots=True)
class Model:
    """The weights: for each stream its features, and for each of them scores by offset and label."""

    labels: list[str]
    transitions: Scores
    features: dict[str, list[str]]
    weights: dict[str, Scores]  # (1 + features) x (offsets * labels); the first row is zero
    ready: dict[str, tuple[list[Any], Scores]] = field(default_factory=dict)  # frequent keys, their rows


class Stream:
    """Score rows of the keys seen so far, bounded."""

    def __init__(self, kind: Kind, model: Model) -> None:
        self._kind = kind
        self._index = {feature: at for at, feature in enumerate(model.features[kind.name], 1)}
        self._weights = model.weights[kind.name]
        keys, rows = model.ready.get(kind.name, ([], self._weights[:0]))
        self._ready = len(keys)
        self._at: dict[Any, int] = dict(zip(keys, range(len(keys)), strict=True))
        self._rows = np.zeros((len(keys) + 1024, self._weights.shape[1]), np.float32)
        self._rows[: len(keys)] = rows

    def scores(self, keys: Sequence[Any]) -> Scores:
        """Return the rows of `keys`."""
        at = self._at
        try:
            return self._rows.take([at[key] for key in keys], axis=0)
        except KeyError:
            self._learn(keys)
        at = self._at
        return self._rows.take([at[key] for key in keys], axis=0)

    def _learn(self, keys: Sequence[Any]) -> None:
        """Add the rows of new keys: the sums of their features' weights."""
        if len(self._at) + len(keys) > KEPT:
            self._at = dict(islice(self._at.items(), self._ready))
        new = [key for key in dict.fromkeys(keys) if key not in self._at]
        index, spell = self._index, self._kind.spell
        parts: list[int] = []
        starts: list[int] = []
        for key in new:
            starts.append(len(parts))
            parts.append(0)
            parts.extend([index[f] for f in spell(key) if f in index])
        first = len(self._at)
        while first + len(new) > len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        self._rows[first : first + len(new)] = np.add.reduceat(self._weights[parts], starts, axis=0)
        self._at.update(zip(new, range(first, first + len(new)), strict=True))


class Tagger:
    """Labels and probabilities for the tokens of a string."""

    def __init__(self, model: Model) -> None:
        self.labels = model.labels
        self._streams = {kind.name: Stream(kind, model) for kind in STREAMS}
        self._places: dict[int, Scores] = {}
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
        last = rows[0]
        for at in range(1, count):
            np.dot(last, step, out=next_row)
            last = rows[at]
            last *= next_row
            if not at % _RESCALE:
                last[:width] /= last[:width].max()
                last[width:] /= last[width:].max()
        product = both[:, :width] * both[::-1, width:] / emission
        shares: Scores = product / product.sum(axis=1, keepdims=True)
        return shares

    def _emission(self, tokens: Tokens, seen: Context) -> Scores:
        """Return the scores of each label for each token, transitions aside."""
        width, count = len(self.labels), len(tokens.words)
        total = self._placed(count).copy()
        found = keys(tokens, seen)
        for kind in STREAMS[1:]:
            rows = self._streams[kind.name].scores(found[kind.name])
            part = _gathered(rows, kind.offsets, width) if len(kind.offsets) > 1 else rows
            total += part if kind.of is None else part[kind.of(seen)]
        return total

    def _placed(self, count: int) -> Scores:
        """Return the scores of the places in a string of `count` tokens: they depend on nothing else."""
        if count not in self._places:
            self._places[count] = self._streams["place"].scores(around.places(count))
        return self._places[count]


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


def load(path: Traversable | Path) -> Model:
    """Return the model of a file written by `bench/tagging/fit.py`."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        labels = _lines(data["labels"])
        features: dict[str, list[str]] = {}
        weights: dict[str, Scores] = {}
        ready: dict[str, tuple[list[Any], Scores]] = {}
        for kind in STREAMS:
            names = features[kind.name] = _lines(data[f"{kind.name} features"])
            dense = np.zeros((len(names) + 1, len(kind.offsets) * len(labels)), np.float32)
            rows = np.repeat(np.arange(1, len(names) + 1), data[f"{kind.name} counts"])
            dense[rows, data[f"{kind.name} columns"]] = data[f"{kind.name} weights"]
            weights[kind.name] = dense
            frequent = json.loads(data[f"{kind.name} keys"].tobytes())
            found = [tuple(key) if isinstance(key, list) else key for key in frequent]
            ready[kind.name] = found, data[f"{kind.name} rows"]
        return Model(labels, data["transitions"].astype(np.float64), features, weights, ready)


def _lines(data: npt.NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n")


def shipped() -> Model:
    """Return the model that comes with the package."""
    return load(files("citeproof.parse").joinpath("model", "tagger.npz"))


@lru_cache(maxsize=1)
def tagger() -> Tagger:
    """Return the shipped tagger, loaded when it is first asked for."""
    return Tagger(shipped())
