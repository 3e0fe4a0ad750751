"""The key table: every pair is found again, in any number of batches."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.evidence.index.key_table import CAP, KeyTable
from citeproof.evidence.index.key_writer import KeyPartitions, write_keys

# A table keeps the upper 38 bits of a key or more; keys that only differ below count as equal.
KEYS = st.one_of(st.integers(0, 2**38 - 1), st.sampled_from([0, 1, 2**32, 2**37, 2**38 - 1])).map(
    lambda n: n << 26
)
BATCHES = st.lists(st.lists(st.tuples(KEYS, st.integers(0, 2**32 - 1)), max_size=80), max_size=4)


def table(folder, batches) -> tuple[KeyTable, str]:
    partitions = KeyPartitions(folder / "partitions")
    for batch in batches:
        keys, ordinals = zip(*batch, strict=True) if batch else ((), ())
        partitions.add(np.array(keys, np.uint64), np.array(ordinals, np.uint32))
    digest = write_keys(folder, partitions)
    partitions.file.close()
    return KeyTable(folder), digest


@settings(max_examples=40, deadline=None)
@given(BATCHES)
def test_find_gives_what_was_added(tmp_path_factory, batches):
    expected = defaultdict(set)
    for batch in batches:
        for key, ordinal in batch:
            expected[key].add(ordinal)
    made, _ = table(tmp_path_factory.mktemp("t"), batches)
    for key, ordinals in expected.items():
        assert made.find(key) == sorted(ordinals)[:CAP]
    for key in (5 << 26, 2**40, 2**63 + 2**30):
        assert key in expected or made.find(key) == []


def test_a_key_keeps_its_first_records(tmp_path):
    made, _ = table(tmp_path, [[(7, n) for n in range(3 * CAP)]])
    assert made.find(7) == list(range(CAP))


def test_order_of_arrival_does_not_matter(tmp_path_factory):
    rng = np.random.default_rng(3)
    pairs = [(int(k), n % 500) for n, k in enumerate(rng.integers(0, 2**64, 4000, dtype=np.uint64))]
    pairs += [(k, n + 1) for k, n in pairs[:300]]
    one = table(tmp_path_factory.mktemp("a"), [pairs])[1]
    two = table(tmp_path_factory.mktemp("b"), [pairs[::-1][:1000], pairs[::-1][1000:]])[1]
    assert one == two


def test_partitions_go_on_where_they_were(tmp_path_factory):
    one, two = tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b")
    pairs = [(n << 50, n) for n in range(4000)]
    whole = table(one, [pairs])[1]
    half = KeyPartitions(two / "partitions")
    half.add(np.array([key for key, _ in pairs[:1500]], np.uint64), np.arange(1500, dtype=np.uint32))
    lengths = half.file.flush()
    half.add(np.arange(99, dtype=np.uint64), np.arange(99, dtype=np.uint32))  # of this nothing may be left
    half.file.close()
    rest = KeyPartitions(two / "partitions", lengths)
    rest.add(np.array([key for key, _ in pairs[1500:]], np.uint64), np.arange(1500, 4000, dtype=np.uint32))
    assert write_keys(two, rest) == whole
    rest.file.close()
