"""Score rows, kept: the summed weights of all features of a key, for the keys seen so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from citeproof.parse.feature_streams import FeatureStream
from citeproof.parse.tagger_weights import Scores, TaggerWeights


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
        found = list(map(at.__getitem__, keys))
        if at.new:
            self._learn(stream, at.new)
            at.new = []
        return found

    def scores(self, places: list[int]) -> Scores:
        """Return the rows at `places`."""
        return self._rows.take(places, axis=0)

    def _learn(self, stream: int, keys: list[Any]) -> None:
        """Add the rows of new keys: the sums of their features' weights."""
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
