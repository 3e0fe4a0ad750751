"""Chunks: what is cut where, and that a small change changes few of them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.evidence.index import published_manifest
from citeproof.evidence.index.published_manifest import LEAST, MOST, cut_chunks

DATA = random.Random(1).randbytes(6_000_000)


def list_digests(data: bytes) -> list[str]:
    return [span.sha256 for span in cut_chunks(data)]


@pytest.mark.parametrize("data", [b"", b"x", bytes(3 * MOST), DATA, DATA[: LEAST + 1], bytes(MOST)])
def test_chunks_are_the_file_within_their_bounds(data):
    spans = list(cut_chunks(data))
    assert b"".join(data[span.start : span.end] for span in spans) == data
    sizes = [span.end - span.start for span in spans]
    assert all(size <= MOST for size in sizes)
    assert all(size >= LEAST for size in sizes[:-1])


def test_borders_are_part_of_the_format():
    """Another hash would cut every published snapshot anew."""
    assert [span.end for span in cut_chunks(DATA)][:4] == [174701, 1063572, 1578445, 1966735]


@pytest.mark.parametrize("where", [0, 2_500_000, 5_999_999])
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_an_insertion_changes_one_or_two_chunks(where, size):
    changed = DATA[:where] + b"y" * size + DATA[where + (size == 0) :]
    assert len(set(list_digests(changed)) - set(list_digests(DATA))) <= 2


@settings(max_examples=20)
@given(st.integers(0, 400_000), st.integers(0, 100_000))
def test_borders_do_not_depend_on_how_the_file_is_read(start, step):
    piece = DATA[start : start + 300_000]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published_manifest, "_STRETCH", 40_000 + step)
        stepwise = list(published_manifest._find_borders(piece))
    assert stepwise == list(published_manifest._find_borders(piece))
