"""Find the places that cut the space of titles into cells: bench/memory_cells.py WORKS.jsonl.zst OUT.npy

k-means over the even and the odd dimensions of the vectors of 30,000 titles (`t` of each line), drawn with
a fixed seed; then the 8 directions in which vectors lie furthest from their places. What it writes is
`src/citeproof/evidence/embedding/title_cells.npy`.
"""

from __future__ import annotations

import argparse
import io
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import zstandard

from citeproof.evidence.embedding import embed_texts
from citeproof.evidence.embedding.title_vectors import PLACES, PLANES

SEED, TITLES, ROUNDS = 21, 30_000, 25


def read_titles(path: Path) -> list[str]:
    """Return the titles to learn from."""
    with path.open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
        rows = [row for row in map(json.loads, lines) if row.get("t")]
    random.Random(SEED).shuffle(rows)
    return [row["t"] for row in rows[:TITLES]]


def find_places(half: np.ndarray) -> np.ndarray:
    """Return the places around which the vectors of one half lie, by their direction."""
    half = half / np.linalg.norm(half, axis=1, keepdims=True)
    chance = np.random.default_rng(SEED)
    places = half[chance.choice(len(half), PLACES, replace=False)]
    for _ in range(ROUNDS):
        nearest = (half @ places.T).argmax(axis=1)
        for place in range(PLACES):
            mine = half[nearest == place]
            places[place] = mine.mean(axis=0) if len(mine) else half[chance.integers(len(half))]
        places /= np.linalg.norm(places, axis=1, keepdims=True)
    return places


def find_planes(vectors: np.ndarray, places: Sequence[np.ndarray]) -> np.ndarray:
    """Return the main directions of what is left of vectors without their nearest places."""
    left = vectors.copy()
    for half, own in enumerate(places):
        mine = left[:, half::2]
        near = mine @ own.T
        best = near.argmax(axis=1)
        left[:, half::2] = mine - near[np.arange(len(near)), best][:, None] * own[best]
    return np.linalg.svd(left - left.mean(axis=0), full_matrices=False)[2][:PLANES]


def pack_rows(rows: np.ndarray) -> np.ndarray:
    """Return rows with one signed byte a number; their directions count."""
    return np.round(rows * (127 / np.abs(rows).max(axis=1, keepdims=True))).astype(np.int8)


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("works", type=Path)
    flags.add_argument("out", type=Path)
    flags.add_argument("--vectors", type=Path, help="vectors of the same titles, made before (.npy)")
    given = flags.parse_args()
    vectors = np.load(given.vectors) if given.vectors else embed_texts(read_titles(given.works))
    places = [find_places(vectors[:, half::2]) for half in (0, 1)]
    planes = find_planes(vectors, places)
    scaled = np.hstack([planes[:, ::2], planes[:, 1::2]])  # both halves of a plane have one scale
    halves = pack_rows(scaled).reshape(PLANES, 2, -1).swapaxes(0, 1).reshape(2 * PLANES, -1)
    np.save(given.out, np.vstack([*map(pack_rows, places), halves]))


if __name__ == "__main__":
    main()
