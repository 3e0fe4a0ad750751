"""Stored bodies at hand: those that were used last, and only so many bytes of them."""

from __future__ import annotations

from hashlib import sha256

import pytest

from citeproof.proof.replay import recorded_lookups
from citeproof.proof.replay.recorded_lookups import EvidenceBodies

pytestmark = pytest.mark.slow


class Shelf:
    """An evidence store that counts how often it is read."""

    def __init__(self, **stored: bytes | None) -> None:
        self._stored = stored
        self.read: list[str] = []

    def has(self, digest: str) -> bool:
        return digest in self._stored

    def read_stored(self, digest: str) -> bytes | None:
        self.read.append(digest)
        return self._stored.get(digest)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("aaa", "a"),
        ("abab", "ab"),
        ("abcabc", "abcabc"),  # two of them fill the room
        ("abacab", "abcb"),  # what was used last stays
        ("axax", "axax"),  # too large for all of it: nothing stays beside it, nor it itself
        ("nn", "n"),  # that nothing is there is known too
        ("dd", "d"),
        ("nidonido", "nidonido"),  # too many, however small
    ],
)
def test_what_is_at_hand_is_bound_by_bytes(monkeypatch, asked, read):
    monkeypatch.setattr(recorded_lookups, "KEPT", 100)
    monkeypatch.setattr(recorded_lookups, "MOST", 3)
    shelf = Shelf(a=b"a" * 50, b=b"b" * 50, c=b"c" * 50, x=b"x" * 101, d=None, i=b"i", o=b"o")
    found = EvidenceBodies(shelf)
    for digest in asked:
        found.get(digest)
    assert "".join(shelf.read) == read


def test_what_is_stored_has_the_hash_of_its_bytes_and_what_cannot_be_unpacked_is_empty():
    found = EvidenceBodies(Shelf(a=b"text", d=None))
    assert found.get("a") == (b"text", sha256(b"text").hexdigest())
    assert found.get("d") == (b"", sha256(b"").hexdigest())
    assert found.get("n") is None
