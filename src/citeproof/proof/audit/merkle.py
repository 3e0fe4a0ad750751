"""Hashes in, hashes out: the tree of RFC 6962 and RFC 9162, its proofs, and their check.

`Hashes` is how a tree is read: (level, index) -> the hash of the complete subtree over the 2**level leaves
from index * 2**level. Anyone who has those (tiles, a list) gets roots and proofs of every size from them.
The checks answer False for whatever is not a proof; they never raise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

EMPTY = hashlib.sha256(b"").digest()
SIZE = 32  # bytes of a hash
LONGEST = 64  # hashes in a proof: no tree of ours outgrows 2**63 leaves

Hashes = Callable[[int, int], bytes]

_sha256 = hashlib.sha256


def hash_leaf(entry: bytes) -> bytes:
    return _sha256(b"\x00" + entry).digest()


def hash_leaves(entries: Iterable[bytes]) -> list[bytes]:
    """The hash of each entry: `leaf` without a call for each, for many."""
    sha256 = _sha256
    return [sha256(b"\x00" + entry).digest() for entry in entries]


def hash_node(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\x01" + left + right).digest()


def hash_row_above(hashes: Sequence[bytes]) -> list[bytes]:
    """The row above `hashes`: each two hashed, an odd last one as it is."""
    sha256 = _sha256
    pairs = zip(hashes[::2], hashes[1::2], strict=False)
    row = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    if len(hashes) % 2:
        row.append(hashes[-1])
    return row


def compute_root(leaves: Sequence[bytes]) -> bytes:
    row = leaves
    while len(row) > 1:
        row = hash_row_above(row)
    return row[0] if row else EMPTY


def compute_root_at(size: int, hashes: Hashes) -> bytes:
    return _hash_range(0, size, hashes) if size > 0 else EMPTY


def prove_inclusion(index: int, size: int, hashes: Hashes) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root of the first `size` leaves, leaf first."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not in a tree of {size}")
    low, high, proof = 0, size, []
    while high - low > 1:
        middle = low + _split_size(high - low)
        if index < middle:
            proof.append(_hash_range(middle, high, hashes))
            high = middle
        else:
            proof.append(_hash_range(low, middle, hashes))
            low = middle
    return proof[::-1]


def prove_consistency(old: int, new: int, hashes: Hashes) -> list[bytes]:
    """The hashes that show the first `old` of `new` leaves to be the tree of `old`."""
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} has no older tree of {old}")
    if old in {0, new}:
        return []
    low, high, proof = 0, new, []
    while high != old:
        middle = low + _split_size(high - low)
        if old <= middle:
            proof.append(_hash_range(middle, high, hashes))
            high = middle
        else:
            proof.append(_hash_range(low, middle, hashes))
            low = middle
    if low:  # otherwise the subtree left is the old tree itself, whose root the reader has
        proof.append(_hash_range(low, high, hashes))
    return proof[::-1]


def check_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether `proof` leads from the leaf hash `leaf` at `index` to `root` (RFC 9162 §2.1.3.2)."""
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof[: LONGEST + 1]) or len(proof) > LONGEST:
        return False
    at, last, node = index, size - 1, leaf
    for other in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = hash_node(other, node)
            while not at & 1 and at:  # a right edge without a sibling is carried up
                at, last = at >> 1, last >> 1
        else:
            node = hash_node(node, other)
        at, last = at >> 1, last >> 1
    return last == 0 and node == root


def check_consistency(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows the tree of `old` to be the beginning of that of `new` (RFC 9162 §2.1.4.2)."""
    if (
        not 0 <= old <= new
        or not _are_hashes(old_root, new_root, *proof[: LONGEST + 1])
        or len(proof) > LONGEST
    ):
        return False
    if old == new:
        return not proof and old_root == new_root
    if old == 0:
        return not proof and old_root == EMPTY
    if not proof:
        return False
    path = list(proof) if old & (old - 1) else [old_root, *proof]  # a whole old tree is its own first hash
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    older = newer = path[0]
    for other in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            older, newer = hash_node(other, older), hash_node(other, newer)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            newer = hash_node(newer, other)
        at, last = at >> 1, last >> 1
    return last == 0 and older == old_root and newer == new_root


def _split_size(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def _hash_range(low: int, high: int, hashes: Hashes) -> bytes:
    """The hash over the leaves from `low`, a multiple of the largest power of two inside, to `high`."""
    whole = []
    while low < high:
        level = (high - low).bit_length() - 1
        whole.append(hashes(level, low >> level))
        low += 1 << level
    node = whole.pop()
    while whole:
        node = hash_node(whole.pop(), node)
    return node


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == SIZE for value in values)
