"""Claims looked up in their texts: what was found is counted, and what is wrong with a file is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.made_claims import claim_run
from bench.made_claims.claim_run import command

SOURCE = (
    "We trained the network for ten days. Accuracy increased from 71.4 percent to 83.9 percent on the "
    "held-out set of images. The effect was not seen in smaller networks. "
    "No other change to the training was made."
)
ROWS = [
    {"claim": "They write: “Accuracy increased from 71.4 percent to 83.9 percent”.", "label": "verbatim"},
    {"claim": "They write: “Accuracy increased from 71.4 percent to 93.9 percent”.", "label": "altered"},
    {"claim": "They write: “Wombats dig burrows of several hundred metres at night”.", "label": "absent"},
    {"claim": "The effect was not seen in smaller networks.", "label": "agree", "kind": "negation"},
]


def _write(name, rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def test_claims_are_looked_up_and_counted(run):
    file = _write("claims.jsonl", [{"source": {"text": SOURCE}, **row} for row in ROWS])
    ended = run(command, file)
    assert ended.code == 0, ended.err
    assert "4 of 4 claims rightly classed" in ended.out
    cells = [line.split() for line in ended.out.splitlines()]
    assert ["agrees", "2", "0", "0", "0"] in cells
    assert ["differs", "0", "1", "0", "0"] in cells
    assert ["absent", "0", "0", "1", "0"] in cells
    assert "| negation | 1 |" in run(command, file, "--format", "md").out


@pytest.mark.parametrize(
    ("gold", "given", "rank"),
    [
        ((), ((0, 9),), None),
        (((0, 10),), (), 0),
        (((0, 10),), ((20, 30), (2, 9)), 2),
        (((0, 10),), ((9, 40),), 0),
    ],
)
def test_the_rank_of_the_passage_that_says_it(gold, given, rank):
    assert claim_run.find_rank(gold, given) == rank


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"file": "../outside.txt"}, "outside the folder"),
        ({"file": "missing.txt"}, "cannot be read"),
        ({"file": "claims.jsonl", "sha256": "0" * 64}, "another than the one"),
        ({}, "no text, passages or file"),
        (5, "no object"),
    ],
)
def test_a_source_that_cannot_be_read(source, told, run, tmp_path):
    (tmp_path.parent / "outside.txt").write_text(SOURCE)
    file = _write("claims.jsonl", [{"claim": "So.", "label": "agree", "source": source}])
    ended = run(command, file)
    assert ended.code == 2
    assert told in ended.err
    assert "claims.jsonl:1" in ended.err


def test_a_label_that_is_none(run):
    ended = run(command, _write("claims.jsonl", [{"claim": "So.", "label": "perhaps", "source": SOURCE}]))
    assert ended.code == 2
    assert "label is 'perhaps'" in ended.err
