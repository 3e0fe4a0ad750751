"""The paper's acceptance of candidates, and a benchmark in a closed and an open world."""

from __future__ import annotations

import json
import re

import pytest
from bench.open_world import Cited, choose_candidate

from bench import open_world

WORKS = [
    Cited("mask r cnn for objects", 2017),
    Cited("deep residual learning for image recognition", 2016),
    Cited("deep residual learning for image recognition", 2019),
    Cited("image recognition for deep learning residual", 2001),
]


@pytest.mark.parametrize(
    ("title", "year", "gate", "at"),
    [
        ("deep residual learning for image recognition", 2016, 95, 1),
        ("deep residual learning for image recognition", 2019, 95, 2),  # the year ranks equal titles
        ("deep residual learning for image recognitio", None, 95, 1),
        ("deep residual learning of image data", 2016, 95, None),
        ("deep residual learning of image data", 2016, 60, 1),
        ("photosynthesis of sponges", 2016, 60, None),
        ("", 2016, 0, None),
    ],
)
def test_the_papers_gate(title, year, gate, at):
    best, similarity = choose_candidate(Cited(title, year), WORKS)
    assert (best if similarity > gate else None) is (None if at is None else WORKS[at])


def test_both_worlds_side_by_side(tmp_path, monkeypatch, capsys):
    titles = [
        f"Slow {word} of rings in layered crystals and their magnets" for word in ("decay", "growth", "drift")
    ]
    rows = [
        {
            "collection": "c",
            "number": n,
            "label": "valid",
            "original": f"[Roe & Doe, 20{n + 10}, {title}](https://arxiv.org/abs/1{n}01.0000{n})",
            "citation": f"[Roe & Doe, 20{n + 10}, {title}](https://arxiv.org/abs/1{n}01.0000{n})",
        }
        for n, title in enumerate(titles)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr("sys.argv", ["open_world", str(path), "--held-out", "0.5"])
    open_world.main()
    told = capsys.readouterr().out
    assert re.search(r"open +3 items  macro-F1 0\.\d+  answered 2, of these 1\.000; 1 works held out", told)
    assert re.search(r"closed +3 items  macro-F1 1\.000  answered 3", told)
    assert re.search(r"ours +right 3/3  another 0", told)
