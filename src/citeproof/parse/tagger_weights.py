"""The weights of the tagger, and the file they are shipped in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citeproof.parse.feature_streams import STREAMS

Scores = npt.NDArray[np.floating[Any]]


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
            found = [tuple(key) if isinstance(key, list) else key for key in frequent]
            ready[kind.name] = found, data[f"{kind.name} rows"]
        return TaggerWeights(labels, data["transitions"].astype(np.float64), features, weights, ready)


def load_shipped_weights() -> TaggerWeights:
    """Return the model that comes with the package."""
    return load_weights(files("citeproof.parse").joinpath("model", "tagger.npz"))


def _decode_lines(data: npt.NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode().split("\n")
