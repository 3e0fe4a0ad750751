"""How the promise is measured in parts: rows by name, and label sets that hold the truth."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy.optimize")
sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))  # the scripts import each other by name
from bench import promise  # it needs scipy, which only development has
from citeproof.laboratory.measure.promise_measurement import LEVELS, judge_held_out
from tests.laboratory.measure.test_promise_measurement import _known, _same


def test_sets_hold_the_true_label_as_often_as_promised():
    rows = judge_held_out(_known(4000), _same, refits=False)
    for level in LEVELS:
        found = promise.measure_coverage(rows, level)
        assert all(found[label] >= 1 - level - 0.02 for label in ("EXACT", "MINOR", "MAJOR"))
        assert found["size"] <= 3


def test_parts_are_named_and_complete():
    rows = judge_held_out([*_known(50), *_known(50, population="q")], _same, refits=False)
    parts = dict(promise.group_by_key(rows, lambda row: row.one.population))
    assert list(parts) == ["p", "q"]
    assert sum(map(len, parts.values())) == len(rows)
