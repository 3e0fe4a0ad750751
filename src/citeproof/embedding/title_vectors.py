"""Titles near each other: vectors as bytes, and the cells in which near ones are looked for.

The space is cut into 256 × 256 cells: 256 places for the even and 256 for the odd dimensions, found by
k-means over titles (`bench/memory_cells.py`). A vector lies in the cell of its nearest pair; near it are the
cells with the best sums. So a store finds near vectors by whole numbers, next to everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from citeproof.embedding import DIMENSIONS, Vectors, embed_texts

COSINE = 0.92  # above it two titles are similar enough to be proposed, and no more than that
CELLS = 48  # that are searched
PLACES = 256  # of each half
_BEST = 24  # places of each half that are combined
FILE = "title_cells.npy"

NearVectors = Callable[[Sequence[int]], list[tuple[int, bytes]]]


class TitleVectors:
    """Finds similar titles among those whose vectors a store holds. Pure but for the model's files."""

    def pack_title(self, title: str) -> tuple[bytes, int]:
        """Return the vector of a title, one signed byte a dimension, and its cell."""
        vector = embed_texts([title])[0]
        return pack_vector(vector), list_near_cells(vector, 1)[0]

    def find_similar(self, title: str, near: NearVectors) -> list[int]:
        """Return the numbers of titles with a cosine above 0.92, the best first; `near` reads cells."""
        return rank_similar(embed_texts([title])[0], near)


def rank_similar(vector: NDArray[np.float32], near: NearVectors) -> list[int]:
    """Return the numbers of vectors with a cosine above 0.92 to this one, the best first."""
    rows = [row for row in near(list_near_cells(vector)) if len(row[1]) == DIMENSIONS]
    if not rows:
        return []
    packed = np.frombuffer(b"".join([row[1] for row in rows]), np.int8).reshape(-1, DIMENSIONS)
    others = packed.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", others, others))
    cosines = (others @ vector) / np.maximum(lengths, 1.0)
    best = sorted((-cosines[at], rows[at][0]) for at in np.flatnonzero(cosines > COSINE))
    return [number for _, number in best]


def pack_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector with one signed byte a dimension; its direction counts, not its length."""
    largest = float(np.abs(vector).max()) or 1.0
    return np.round(vector * (127 / largest)).astype(np.int8).tobytes()


def list_near_cells(vector: NDArray[np.float32], most: int = CELLS) -> list[int]:
    """Return the cells nearest to a vector, the best first."""
    even, odd = _load_places()
    first, second = even @ vector[::2], odd @ vector[1::2]
    rows, columns = np.argsort(-first)[:_BEST], np.argsort(-second)[:_BEST]
    sums = first[rows][:, None] + second[columns][None, :]
    best = np.argsort(-sums, axis=None, kind="stable")[:most]
    return [int(rows[at // _BEST]) * PLACES + int(columns[at % _BEST]) for at in best]


@cache
def _load_places() -> tuple[Vectors, Vectors]:
    """Return the places of both halves."""
    data = files("citeproof.embedding").joinpath(FILE).read_bytes()
    places = np.load(BytesIO(data), allow_pickle=False).astype(np.float32)
    places /= np.linalg.norm(places, axis=2, keepdims=True)
    return places[0], places[1]
