"""Find the places that cut the space of titles into cells: bench/memory_cells.py WORKS.jsonl.zst OUT.npy

k-means over the even and the odd dimensions of the vectors of 30,000 titles (`t` of each line), drawn with
a fixed seed. What it writes is `src/citeproof/embedding/title_cells.npy`.
"""

from __future__ import annotations

import argparse
import io
import json
import random
from pathlib import Path

import numpy as np
import zstandard

from citeproof.embedding import embed_texts
from citeproof.embedding.title_vectors import PLACES

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


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("works", type=Path)
    flags.add_argument("out", type=Path)
    flags.add_argument("--vectors", type=Path, help="vectors of the same titles, made before (.npy)")
    given = flags.parse_args()
    vectors = np.load(given.vectors) if given.vectors else embed_texts(read_titles(given.works))
    places = np.stack([find_places(vectors[:, ::2]), find_places(vectors[:, 1::2])])
    scale = 127 / np.abs(places).max(axis=2, keepdims=True)
    np.save(given.out, np.round(places * scale).astype(np.int8))


if __name__ == "__main__":
    main()
