"""Titles near each other: vectors as bytes, and the cells in which near ones are looked for.

The space is cut into 256 × 256 cells: 256 places for the even and 256 for the odd dimensions, found by
k-means over titles. Each is cut again by 8 planes, whose sides are 8 bits of the cell's number. A vector lies
in one cell; near it are those of the best pairs of places, on its side of the planes that are not close.
So a store finds near vectors by whole numbers, next to everything else. It finds most of them, not all:
one that is missed is asked for as if there were no memory. `bench/memory_cells.py` makes places and planes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from citeproof.evidence.embedding import DIMENSIONS, Vectors, embed_texts

COSINE = 0.92  # above it two titles are similar enough to be proposed, and no more than that
PLACES = 256  # of each half
PLANES = 8
PAIRS = 4  # of places that are searched
SIDES = 10  # of the planes that are searched at each
_BEST = 8  # places of each half that are combined
FILE = "title_cells.npy"

NearVectors = Callable[[Sequence[int]], list[tuple[int, bytes]]]


class TitleVectors:
    """Finds similar titles among those whose vectors a store holds. Pure but for the model's files."""

    def pack_title(self, title: str) -> tuple[bytes, int]:
        """Return the vector of a title, one signed byte a dimension, and its cell."""
        vector = embed_texts([title])[0]
        return pack_vector(vector), list_near_cells(vector)[0]

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


def list_near_cells(vector: NDArray[np.float32]) -> list[int]:
    """Return the cells in which vectors near to this one lie, its own first."""
    space = _load_space()
    even, odd = vector[::2], vector[1::2]
    first, second = space.even @ even, space.odd @ odd
    rows, columns = np.argsort(-first)[:_BEST], np.argsort(-second)[:_BEST]
    sums = first[rows][:, None] + second[columns][None, :]
    best = np.argsort(-sums, axis=None, kind="stable")[:PAIRS]
    a, b = rows[best // _BEST], columns[best % _BEST]
    # how far from each plane, seen from each pair of places
    away = (
        space.planes @ vector - first[a, None] * space.even_planes[a] - second[b, None] * space.odd_planes[b]
    )
    sides = (away > 0) @ space.bits
    costs = np.abs(away) @ space.flips.T
    nearest = np.argsort(costs, axis=1, kind="stable")[:, :SIDES]
    pairs = (a * PLACES + b)[:, None] << PLANES
    cells = pairs | (sides[:, None] ^ nearest)
    near: list[int] = cells.ravel().tolist()
    return near


class _CellSpace(NamedTuple):
    """The places of both halves, the planes, and what is computed from them once."""

    even: Vectors
    odd: Vectors
    planes: Vectors
    even_planes: Vectors  # each place, seen from each plane
    odd_planes: Vectors
    bits: NDArray[np.int64]
    flips: Vectors  # each number of sides as bits


@cache
def _load_space() -> _CellSpace:
    data = files("citeproof.evidence.embedding").joinpath(FILE).read_bytes()
    rows = np.load(BytesIO(data), allow_pickle=False).astype(np.float32)
    places = rows[: 2 * PLACES, : DIMENSIONS // 2].reshape(2, PLACES, DIMENSIONS // 2)
    even, odd = places / np.linalg.norm(places, axis=2, keepdims=True)
    halves = rows[2 * PLACES :].reshape(2, PLANES, DIMENSIONS // 2)
    planes = np.empty((PLANES, DIMENSIONS), np.float32)
    planes[:, ::2], planes[:, 1::2] = halves
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    bits = 1 << np.arange(PLANES)
    flips = ((np.arange(1 << PLANES)[:, None] & bits) > 0).astype(np.float32)
    return _CellSpace(even, odd, planes, even @ planes[:, ::2].T, odd @ planes[:, 1::2].T, bits, flips)
