"""The weights of the tagger, and the file they are shipped in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citeproof.reading.parse import token_context as around
from citeproof.reading.parse.token_context import CitationTokens, TokenContext

Scores = npt.NDArray[np.floating[Any]]

NEAR = (2, 1, 0, -1, -2)  # where a key is as seen from a token: +1 is the one behind it
BESIDE = (1, 0, -1)


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
