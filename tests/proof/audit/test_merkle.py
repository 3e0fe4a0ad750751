"""The tree against RFC 6962's definition written down plainly, for every small tree."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.proof.audit import merkle

ENTRIES = [
    bytes.fromhex(text)
    for text in "- 00 10 2021 3031 40414243 5051525354555657 606162636465666768696a6b6c6d6e6f".replace(
        "-", ""
    ).split(" ")
]
# The published roots over the first n of these entries: beginning and end.
ROOTS = [
    ("e3b0c442", "b855"),
    ("6e340b9c", "a01d"),
    ("fac54203", "c125"),
    ("aeb6bcfe", "6e77"),
    ("d37ee418", "14b7"),
    ("4e3bbb1f", "64d4"),
    ("76e67dad", "87ef"),
    ("ddb89be4", "4c8c"),
    ("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328", ""),
]
MOST = 70
LEAVES = [merkle.hash_leaf(b"entry %d" % n) for n in range(MOST)]


def plain_root(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962 §2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return hashlib.sha256(b"\x01" + plain_root(leaves[:k]) + plain_root(leaves[k:])).digest()


def plain_path(m: int, leaves: list[bytes]) -> list[bytes]:
    """PATH of RFC 6962 §2.1.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*plain_path(m, leaves[:k]), plain_root(leaves[k:])]
    return [*plain_path(m - k, leaves[k:]), plain_root(leaves[:k])]


def plain_proof(m: int, leaves: list[bytes], whole: bool = True) -> list[bytes]:
    """SUBPROOF of RFC 6962 §2.1.2."""
    if m == len(leaves):
        return [] if whole else [plain_root(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*plain_proof(m, leaves[:k], whole), plain_root(leaves[k:])]
    return [*plain_proof(m - k, leaves[k:], whole=False), plain_root(leaves[:k])]


def split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def hashes_of(leaves: list[bytes]) -> merkle.Hashes:
    return lambda level, index: plain_root(leaves[index << level : (index + 1) << level])


HASHES = hashes_of(LEAVES)
PLAIN = [plain_root(LEAVES[:size]) for size in range(MOST + 1)]


@pytest.mark.parametrize(("size", "ends"), list(enumerate(ROOTS)))
def test_published_roots(size, ends):
    found = merkle.compute_root([merkle.hash_leaf(entry) for entry in ENTRIES[:size]]).hex()
    assert len(ENTRIES) == 8
    assert merkle.hash_leaves(ENTRIES) == [merkle.hash_leaf(entry) for entry in ENTRIES]
    assert (found[: len(ends[0])], found[64 - len(ends[1]) :]) == ends


def test_roots_of_every_size():
    assert [merkle.compute_root(LEAVES[:size]) for size in range(MOST + 1)] == PLAIN
    assert [merkle.compute_root_at(size, HASHES) for size in range(MOST + 1)] == PLAIN


def test_inclusion_of_every_leaf_in_every_size():
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = merkle.prove_inclusion(index, size, HASHES)
            assert proof == plain_path(index, LEAVES[:size])
            assert merkle.check_inclusion(index, size, LEAVES[index], proof, PLAIN[size])


def test_consistency_of_every_two_sizes():
    for new in range(1, MOST + 1):
        assert merkle.prove_consistency(0, new, HASHES) == []
        assert merkle.check_consistency(0, PLAIN[0], new, PLAIN[new], [])
        for old in range(1, new + 1):
            proof = merkle.prove_consistency(old, new, HASHES)
            assert proof == plain_proof(old, LEAVES[:new])
            assert merkle.check_consistency(old, PLAIN[old], new, PLAIN[new], proof)


def test_no_inclusion_proof_holds_for_anything_else():
    for size in range(1, 40):
        for index in range(size):
            proof = merkle.prove_inclusion(index, size, HASHES)
            for other in range(-1, size + 2):
                assert merkle.check_inclusion(other, size, LEAVES[index], proof, PLAIN[size]) == (
                    other == index
                )
            assert not merkle.check_inclusion(
                index, size, LEAVES[index - 1] if size > 1 else PLAIN[0], proof, PLAIN[size]
            )
            assert not merkle.check_inclusion(index, size, LEAVES[index], proof, PLAIN[size + 1])
            for wrong in spoiled(proof):
                assert not merkle.check_inclusion(index, size, LEAVES[index], wrong, PLAIN[size])


def test_no_consistency_proof_holds_for_anything_else():
    for new in range(2, 40):
        for old in range(1, new):
            proof = merkle.prove_consistency(old, new, HASHES)
            assert not merkle.check_consistency(old, PLAIN[old - 1], new, PLAIN[new], proof)
            assert not merkle.check_consistency(old, PLAIN[old], new, PLAIN[new + 1], proof)
            assert not merkle.check_consistency(new, PLAIN[new], old, PLAIN[old], proof)
            assert not merkle.check_consistency(old, PLAIN[old], new * 4, PLAIN[new], proof)
            for wrong in [[], *spoiled(proof)]:
                assert not merkle.check_consistency(old, PLAIN[old], new, PLAIN[new], wrong)


def spoiled(proof: list[bytes]) -> list[list[bytes]]:
    """The proof longer, shorter, with one bit changed, and with a hash of a wrong length."""
    wrong = [[*proof, LEAVES[0]], [LEAVES[0], *proof], [*proof, *[LEAVES[0]] * 100], [*proof, b""]]
    wrong += [proof[:at] + proof[at + 1 :] for at in range(len(proof))]
    for at, step in enumerate(proof):
        flipped = bytes([step[0] ^ 1]) + step[1:]
        wrong += [[*proof[:at], changed, *proof[at + 1 :]] for changed in (flipped, step[:-1], step + b"x")]
    return wrong


@pytest.mark.parametrize(
    ("index", "size"), [(-1, 3), (3, 3), (0, 0), (5, -1), (0, 2**80), (2**70, 2**70 + 1), (-(2**64), 2**64)]
)
def test_sizes_that_are_none(index, size):
    assert not merkle.check_inclusion(index, size, LEAVES[0], [], LEAVES[0])
    assert not merkle.check_consistency(size, LEAVES[0], index, LEAVES[0], [LEAVES[1]])


def test_what_an_empty_tree_is():
    assert not merkle.check_consistency(0, LEAVES[0], 5, PLAIN[5], [])
    assert not merkle.check_consistency(0, PLAIN[0], 5, PLAIN[5], [LEAVES[0]])
    assert not merkle.check_consistency(0, PLAIN[0], 0, PLAIN[5], [])


@pytest.mark.parametrize("leaf", [b"", b"short", LEAVES[0] + b"x"])
def test_a_leaf_that_is_no_hash(leaf):
    assert not merkle.check_inclusion(0, 1, leaf, [], leaf)
    assert not merkle.check_consistency(1, leaf, 1, leaf, [])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: merkle.prove_inclusion(3, 3, HASHES),
        lambda: merkle.prove_inclusion(-1, 3, HASHES),
        lambda: merkle.prove_consistency(4, 3, HASHES),
        lambda: merkle.prove_consistency(-1, 3, HASHES),
    ],
)
def test_proofs_that_cannot_be(ask):
    with pytest.raises(ValueError):
        ask()


@given(st.integers(1, 2**62), st.data())
def test_huge_trees(size, data):
    """Of a tree whose entries are all alike every subtree is known, so sizes can be astronomical."""
    rows = [merkle.hash_leaf(b"same")]
    for _ in range(63):
        rows.append(merkle.hash_node(rows[-1], rows[-1]))
    same: merkle.Hashes = lambda level, _: rows[level]  # noqa: E731 - a type for it
    root = merkle.compute_root_at(size, same)
    index = data.draw(st.integers(0, size - 1))
    proof = merkle.prove_inclusion(index, size, same)
    assert len(proof) <= 63
    assert merkle.check_inclusion(index, size, rows[0], proof, root)
    old = data.draw(st.integers(1, size))
    assert merkle.check_consistency(
        old, merkle.compute_root_at(old, same), size, root, merkle.prove_consistency(old, size, same)
    )


@given(st.integers(), st.integers(), st.lists(st.binary(max_size=33), max_size=70), st.binary(max_size=33))
def test_rubbish_is_no_proof(one, two, proof, root):
    assert merkle.check_inclusion(one, two, root, proof, LEAVES[0]) is (
        root == LEAVES[0] and (one, two) == (0, 1) and not proof
    )
    assert not merkle.check_consistency(one, root, two, LEAVES[0], [*proof, LEAVES[1]])
