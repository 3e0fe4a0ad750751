"""What is another in two JSON values, by path."""

from __future__ import annotations

import pytest

from citeproof.proof.replay.rejudgement import LONGEST, find_differences

pytestmark = pytest.mark.slow

ROWS = [
    ({"label": "EXACT"}, {"label": "EXACT"}, []),
    ({"label": "EXACT"}, {"label": "MINOR"}, [("j.label", '"EXACT"', '"MINOR"')]),
    ({"score": 1}, {"score": 1.0}, [("j.score", "1", "1.0")]),
    ({"score": None}, {"score": 9.5}, [("j.score", "null", "9.5")]),
    ({"ok": True}, {"ok": 1}, [("j.ok", "true", "1")]),
    ({"a": 1}, {}, [("j.a", "1", "")]),
    ({}, {"a": [1]}, [("j.a", "", "[1]")]),
    (
        {"rows": [{"f": "x", "g": 1}, {"f": "y"}]},
        {"rows": [{"f": "z", "g": 1}]},
        [("j.rows[0].f", '"x"', '"z"'), ("j.rows[1]", '{"f":"y"}', "")],
    ),
    ({"m": {"r": {"t": ["a", "b"]}}}, {"m": {"r": {"t": ["a", "c"]}}}, [("j.m.r.t[1]", '"b"', '"c"')]),
    ({"m": None}, {"m": {"t": 1}}, [("j.m", "null", '{"t":1}')]),
]


@pytest.mark.parametrize(("then", "now", "told"), ROWS)
def test_every_leaf_that_differs_is_named(then, now, told):
    assert [(d.path, d.then, d.now) for d in find_differences(then, now, "j")] == told


def test_long_values_are_cut():
    [one] = find_differences("x" * 10_000, "y", "j")
    assert len(one.then) == LONGEST
    assert one.then.endswith("…")
