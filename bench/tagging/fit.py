"""Fit the CRF's weights with python-crfsuite and write them as the file the parser reads."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from citeproof.reading.parse.citation_reader import inspect_citation, strip_markup
from citeproof.reading.parse.tagger import STREAMS, ScoreRows, TaggerWeights, list_stream_keys
from citeproof.reading.parse.token_context import CitationTokens, TokenContext
from tagging.corpus import Tagged, cleaned

PRUNED = 0.02  # weights smaller than this are left out
READY = 12_000  # keys of a stream whose score rows are shipped ready
OFTEN = 3  # times a key must occur for that


def examples(
    rows: Iterable[Tagged], dropped: float, seed: int
) -> Iterable[tuple[list[list[str]], list[str]]]:
    """Yield features and labels of each reference; some words are left out, so that other features learn."""
    rng = random.Random(seed)
    for row in rows:
        one = cleaned(row)
        sight = inspect_citation(one.text)
        if sight.tokens.words:
            gone = frozenset(key for key in dict.fromkeys(sight.tokens.keys) if rng.random() < dropped)
            labels = [one.labels[start] or "O" for start in sight.tokens.starts]
            yield features(sight.tokens, sight.context, gone), labels


def features(tokens: CitationTokens, seen: TokenContext, gone: frozenset[str]) -> list[list[str]]:
    """Return all features of each token as text; words that are `gone` show only their shape and class."""
    found: list[list[str]] = [[] for _ in tokens.words]
    every = range(len(tokens.words))
    for kind in STREAMS:
        stream = list_stream_keys(tokens, seen)[kind.name]
        for at, middle in zip(every, kind.of(seen) if kind.of else every, strict=True):
            for offset in kind.offsets:
                if 0 <= middle + offset < len(stream):
                    key = stream[middle + offset]
                    hidden = key in gone if kind.name == "words" else False
                    found[at].extend(_spelled(kind.name, key, offset, hidden=hidden))
    return found


@lru_cache(maxsize=500_000)
def _spelled(name: str, key: Any, offset: int, *, hidden: bool) -> tuple[str, ...]:
    kind = next(kind for kind in STREAMS if kind.name == name)
    shown = (f for f in kind.spell(key) if kind.seen(f, offset) and not (hidden and f.startswith("w=")))
    return tuple(f"{name} {offset} {f}" for f in shown)


def fit(
    rows: Iterable[Tagged],
    *,
    dropped: float = 0.2,
    seed: int = 1,
    iterations: int = 70,
    c1: float = 0.1,
    c2: float = 0.1,
    minfreq: int = 3,
    verbose: bool = False,
) -> TaggerWeights:
    """Return the weights that L-BFGS finds; `c1` keeps them few, `c2` small."""
    return train(
        examples(rows, dropped, seed), iterations=iterations, c1=c1, c2=c2, minfreq=minfreq, verbose=verbose
    )


def train(
    labelled: Iterable[tuple[list[list[str]], list[str]]],
    *,
    iterations: int,
    c1: float,
    c2: float,
    minfreq: int = 3,
    verbose: bool = False,
) -> TaggerWeights:
    """Return the weights for features and labels of texts."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=verbose)
    trainer.set_params({
        "c1": c1, "c2": c2, "max_iterations": iterations, "feature.minfreq": minfreq,
        "feature.possible_transitions": True,
    })  # fmt: skip
    for found, labels in labelled:
        trainer.append(found, labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    return _model(info)


def _model(info: Any) -> TaggerWeights:
    labels = sorted(info.labels)
    column = {label: at for at, label in enumerate(labels)}
    transitions = np.zeros((len(labels), len(labels)))
    for (one, two), weight in info.transitions.items():
        transitions[column[one], column[two]] = weight
    rows: dict[str, dict[str, np.ndarray]] = {kind.name: {} for kind in STREAMS}
    offsets = {kind.name: kind.offsets for kind in STREAMS}
    for (spelled, label), weight in info.state_features.items():
        if abs(weight) < PRUNED:
            continue
        stream, offset, feature = spelled.split(" ", 2)
        row = rows[stream].setdefault(feature, np.zeros(len(labels) * len(offsets[stream])))
        row[offsets[stream].index(int(offset)) * len(labels) + column[label]] = weight
    features = {name: sorted(found) for name, found in rows.items()}
    weights = {
        name: np.array([np.zeros(len(labels) * len(offsets[name])), *(rows[name][f] for f in features[name])])
        for name in rows
    }
    return TaggerWeights(labels, transitions, features, weights)


def readied(model: TaggerWeights, rows: Iterable[Tagged]) -> TaggerWeights:
    """Return the model with score rows of the keys that `rows` hold most often, so that it starts warm."""
    sights = (inspect_citation(strip_markup(row.text)) for row in rows)
    return keep_ready(model, (list_stream_keys(one.tokens, one.context) for one in sights), READY)


def keep_ready(model: TaggerWeights, keys: Iterable[dict[str, Sequence[Any]]], most: int) -> TaggerWeights:
    """Return the model with score rows of the `most` frequent keys of each stream."""
    counts: dict[str, Counter[Any]] = {kind.name: Counter() for kind in STREAMS}
    for streams in keys:
        for name, found in streams.items():
            counts[name].update(found)
    ready = {}
    for kind in STREAMS:
        common = [key for key, count in counts[kind.name].most_common(most) if count >= OFTEN]
        table = ScoreRows((kind,), model, kind.offsets)
        ready[kind.name] = (common, table.scores(table.places(0, common)))
    return replace(model, ready=ready)


def save(model: TaggerWeights, path: Path) -> None:
    """Write the model: features as text, weights as sparse half-precision numbers."""
    arrays = {"labels": _text(model.labels), "transitions": model.transitions.astype(np.float32)}
    for name, weights in model.weights.items():
        columns = [np.flatnonzero(row) for row in weights[1:]]
        arrays[f"{name} features"] = _text(model.features[name])
        arrays[f"{name} counts"] = np.array([len(c) for c in columns], dtype=np.uint8)
        arrays[f"{name} columns"] = np.concatenate(columns).astype(np.uint8)
        arrays[f"{name} weights"] = weights[weights != 0].astype(np.float16)
    for name, (common, scores) in model.ready.items():
        arrays[f"{name} keys"] = np.frombuffer(json.dumps(common).encode(), dtype=np.uint8)
        arrays[f"{name} rows"] = scores.astype(np.float16)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _text(lines: list[str]) -> np.ndarray:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)
