"""The trained tagger: a label and its probability for each token of citation strings.

A linear-chain CRF. Its weights are looked up once for each distinct word and context and stored as
ready score rows, so that tagging is a few additions of rows and one pass each way. Many strings are
tagged at once, as one sequence with rows of zeros between them: what a step costs is shared by them.
Labels are the most probable ones token by token (the marginals), which are also the confidences. The weights
are shipped in a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from citeproof.reading.parse import token_context as around
from citeproof.reading.parse.label_stretches import LabelledTokens
from citeproof.reading.parse.token_context import CitationTokens, Pieces, TokenContext
from citeproof.vocabulary.quick_dataclass import dataclass, field

NEAR = (2, 1, 0, -1, -2)  # where a key is as seen from a token: +1 is the one behind it
BESIDE = (1, 0, -1)
MAX_ROWS = 50_000  # score rows of a table stored before it begins again: some 20 MB each
AT_ONCE = 20_000  # tokens tagged at once: what bounds the memory
_FLOOR = -30.0  # below this a score cannot win; it keeps products within floating point
_GAP = max(NEAR)  # rows of zeros behind a string: no offset reaches over them
_STEEP = 12.0  # no transition is surer than this
_RESCALE = 8  # steps after which the running products are scaled back

Places = npt.NDArray[np.intp]
Scores = npt.NDArray[np.floating[Any]]


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
            if len(rows) > MAX_ROWS:
                rows.forget()
        streams = [list_stream_keys(tokens, seen) for tokens, seen in strings]
        places = _join_with_gaps((self._place_rows(len(tokens.words)) for tokens, _ in strings), (0,) * _GAP)
        total = self._place.scores(places)
        for kind, rows in zip(TOKENS, self._tokens, strict=True):
            joined = _join_with_gaps((stream[kind.name] for stream in streams), (None,) * _GAP)
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
    scores = rows.scores(rows.places(stream, _join_with_gaps((keys for keys, _ in pieces), (None,))))
    total = np.zeros((len(scores), rows.width), np.float32)
    _add_offsets(total, scores, rows.offsets)
    return total.repeat(_join_with_gaps((sizes for _, sizes in pieces), (_GAP,)), axis=0)


def _join_with_gaps(lists: Iterable[Sequence[Any]], apart: tuple[Any, ...]) -> list[Any]:
    """Return the lists as one, with `apart` behind each."""
    joined: list[Any] = []
    for items in lists:
        joined += items
        joined += apart
    return joined


def _add_offsets(total: Scores, rows: Scores, offsets: tuple[int, ...]) -> None:
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


class LabelChains:
    """Probabilities of the labels of many chains, by the transitions of one model."""

    def __init__(self, transitions: Scores) -> None:
        self._width = width = len(transitions)
        step = np.exp(np.clip(transitions, -_STEEP, _STEEP))
        self._step = np.zeros((2 * width, 2 * width))  # forward and backward in one product
        self._step[:width, :width] = step
        self._step[width:, width:] = step.T

    def shares(self, emission: Scores, sizes: Places) -> Scores:
        """Return the probability of each label for each token; `sizes` parts the rows into chains."""
        width = self._width
        forth, back, bounds = _pack_tokens(sizes)
        places = np.arange(len(emission))
        first, last = np.empty_like(forth), np.empty_like(back)  # which token stands where
        first[forth], last[back] = places, places
        both = np.concatenate((emission.take(first, axis=0), emission.take(last, axis=0)), axis=1)
        self._walk(both, bounds)
        product = both.take(forth, axis=0)[:, :width] * both.take(back, axis=0)[:, width:]
        product /= emission
        product /= product.sum(axis=1, keepdims=True)
        return product

    def _walk(self, both: Scores, bounds: list[int]) -> None:
        """Turn emissions into running products, step by step; steps of as many chains are taken together."""
        step, width, dot, multiply = self._step, self._width, np.dot, np.multiply
        at, steps = 0, len(bounds) - 1
        last = both[: bounds[1]]
        while at < steps:
            count = bounds[at + 1] - bounds[at]
            until = at + 1
            while until < steps and bounds[until + 1] - bounds[until] == count:
                until += 1
            shape = (until - at, count, 2 * width) if count > 1 else (until - at, 2 * width)
            rows = both[bounds[at] : bounds[until]].reshape(shape)
            room, last = np.empty(shape[1:]), last[:count].reshape(shape[1:])
            for here in rows:
                if at:
                    multiply(here, dot(last, step, room), here)
                    if not at % _RESCALE:
                        halves = here.reshape(count, 2, width)
                        halves /= halves.max(axis=2, keepdims=True)
                last = here
                at += 1


def _pack_tokens(sizes: Places) -> tuple[Places, Places, list[int]]:
    """Return where each token stands when packed by time, forth and back, and where each step begins."""
    if len(sizes) == 1:
        time = np.arange(sizes[0])
        return time, time[::-1], list(range(len(time) + 1))
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(sizes))
    longest = int(sizes[order[0]])
    active = np.searchsorted(-sizes[order], -np.arange(longest))  # chains longer than each time
    bounds = np.concatenate(([0], np.cumsum(active)))
    ends = np.cumsum(sizes)
    count = int(ends[-1])
    time = np.arange(count) - np.repeat(ends - sizes, sizes)
    ranks = np.repeat(rank, sizes)
    return bounds[time] + ranks, bounds[np.repeat(sizes - 1, sizes) - time] + ranks, bounds.tolist()


class _RowPlaces(dict[Any, int]):
    """Where the row of each key stands; a key that is new takes the next free place of its table."""

    def __init__(self, known: dict[Any, int], table: ScoreRows) -> None:
        super().__init__(known)
        self.new: list[Any] = []
        self._table = table

    def __missing__(self, key: object) -> int:
        place = self[key] = len(self._table) + len(self.new)
        self.new.append(key)
        return place


class ScoreRows:
    """The rows of several streams in one table; a row holds a block of label scores for each offset.

    Row 0 is zero, the key None represents it. Rows that did not come with the model are forgotten when
    there are too many.
    """

    def __init__(
        self, kinds: Sequence[FeatureStream], model: TaggerWeights, offsets: tuple[int, ...]
    ) -> None:
        self._kinds = kinds
        self.width = len(model.labels)
        self.offsets = offsets
        self._index = [{f: at for at, f in enumerate(model.features[kind.name], 1)} for kind in kinds]
        self._weights = [self._frame_rows(kind, model.weights[kind.name]) for kind in kinds]
        ready = [model.ready.get(kind.name, ([], model.weights[kind.name][:0])) for kind in kinds]
        parts = [self._frame_rows(kind, rows) for kind, (_, rows) in zip(kinds, ready, strict=True)]
        self._ready = np.concatenate((np.zeros((1, self.width * len(offsets)), np.float32), *parts))
        self._known: list[dict[Any, int]] = []
        first = 1
        for keys, _ in ready:
            self._known.append({None: 0, **dict(zip(keys, range(first, first + len(keys)), strict=True))})
            first += len(keys)
        self.forget()

    def _frame_rows(self, kind: FeatureStream, rows: Scores) -> Scores:
        """Return a stream's rows with room for the offsets that it is not seen from."""
        if kind.offsets == self.offsets:
            return rows.astype(np.float32)
        wide = np.zeros((len(rows), len(self.offsets) * self.width), np.float32)
        start = self.offsets.index(kind.offsets[0]) * self.width
        wide[:, start : start + rows.shape[1]] = rows
        return wide

    def __len__(self) -> int:
        return self._count

    def forget(self) -> None:
        """Keep only the rows that came with the model."""
        self._at = [_RowPlaces(known, self) for known in self._known]
        self._count = len(self._ready)
        self._rows = np.concatenate((self._ready, np.zeros((1024, self._ready.shape[1]), np.float32)))

    def places(self, stream: int, keys: Sequence[Any]) -> list[int]:
        """Return where the rows of `keys` stand."""
        at = self._at[stream]
        rows = list(map(at.__getitem__, keys))
        if at.new:
            self._learn(stream, at.new)
            at.new = []
        return rows

    def scores(self, places: list[int]) -> Scores:
        """Return the rows at `places`."""
        return self._rows.take(places, axis=0)

    def _learn(self, stream: int, keys: list[Any]) -> None:
        index, spell = self._index[stream], self._kinds[stream].spell
        parts: list[int] = []
        starts: list[int] = []
        for key in keys:
            starts.append(len(parts))
            parts.append(0)
            parts += [at for at in map(index.get, spell(key)) if at]
        first, last = self._count, self._count + len(keys)
        while last > len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        np.add.reduceat(self._weights[stream].take(parts, axis=0), starts, axis=0, out=self._rows[first:last])
        self._count = last


@dataclass(frozen=True, slots=True)
class TaggerWeights:
    """The weights: for each stream its features, and for each of them scores by offset and label."""

    labels: list[str]
    transitions: Scores
    features: dict[str, list[str]]
    weights: dict[str, Scores]  # (1 + features) x (offsets * labels); the first row is zero
    ready: dict[str, tuple[list[Any], Scores]] = field(default_factory=dict)  # frequent keys, their rows


def load_weights(path: Traversable | Path) -> TaggerWeights:
    """Return the model of a file written by `bench/tagging/fit.py`."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
        labels = _decode_lines(data["labels"])
        features: dict[str, list[str]] = {}
        weights: dict[str, Scores] = {}
        ready: dict[str, tuple[list[Any], Scores]] = {}
        for kind in STREAMS:
            names = features[kind.name] = _decode_lines(data[f"{kind.name} features"])
            dense = np.zeros((len(names) + 1, len(kind.offsets) * len(labels)), np.float32)
            rows = np.repeat(np.arange(1, len(names) + 1), data[f"{kind.name} counts"])
            dense[rows, data[f"{kind.name} columns"]] = data[f"{kind.name} weights"]
            weights[kind.name] = dense
            frequent = json.loads(data[f"{kind.name} keys"].tobytes())
            keys = [tuple(key) if isinstance(key, list) else key for key in frequent]
            ready[kind.name] = keys, data[f"{kind.name} rows"]
        return TaggerWeights(labels, data["transitions"].astype(np.float64), features, weights, ready)


def load_shipped_weights() -> TaggerWeights:
    """Return the model that comes with the package."""
    return load_weights(files("citeproof.reading.parse").joinpath("model", "tagger.npz"))


def _decode_lines(data: npt.NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n")


@dataclass(frozen=True, slots=True)
class FeatureStream:
    """A stream: how its keys are spelled out as features, and from which offsets those are seen."""

    name: str
    spell: Callable[[Any], list[str]]
    offsets: tuple[int, ...] = (0,)
    seen: Callable[[str, int], bool] = lambda _feature, _offset: True
    of: Callable[[TokenContext], list[int]] | None = None  # each token's key, where there is not one a token


PLACE = FeatureStream("place", around.spell_place)  # depends on the number of tokens alone
STATE = FeatureStream("state", around.spell_state, of=lambda seen: around.list_piece_numbers(seen.state))
TOKENS = (
    FeatureStream("words", around.list_word_features, NEAR, around.is_feature_seen),
    FeatureStream("kinds", around.list_kind_features, BESIDE),
    FeatureStream("marks", around.spell_marks),
)
SEGMENTS = (
    FeatureStream(
        "segments",
        around.spell_segment,
        BESIDE,
        around.is_segment_feature_seen,
        lambda seen: around.list_piece_numbers(seen.segments),
    ),
    FeatureStream(
        "clauses",
        around.spell_segment,
        BESIDE,
        around.is_segment_feature_seen,
        lambda seen: around.list_piece_numbers(seen.clauses),
    ),
)
STREAMS: tuple[FeatureStream, ...] = (PLACE, *TOKENS, STATE, *SEGMENTS)


def list_stream_keys(tokens: CitationTokens, seen: TokenContext) -> dict[str, Sequence[Any]]:
    """Return the keys of each stream, one a token or, where several share it, one a piece."""
    kinds, count = f"#{seen.coarse}#", len(tokens.words)
    return {
        "place": around.list_place_keys(count),
        "words": tokens.keys,
        "kinds": [kinds[at : at + 3] for at in range(count)],
        "marks": seen.marks,
        "state": seen.state[0],
        "segments": seen.segments[0],
        "clauses": seen.clauses[0],
    }
