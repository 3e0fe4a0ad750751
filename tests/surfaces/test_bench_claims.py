"""Benchmarks of claims through the door: run and compared; and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.surfaces.cli import main as door

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


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run `citeproof bench` offline in a folder of its own; return the exit code and what was printed."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            door.main(["bench", *map(str, words)])
        return int(ended.value.code or 0), capfd.readouterr()

    return call


def _write(name, rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def test_claims_are_run_and_compared(run, tmp_path):
    file = _write("claims.jsonl", [{"source": {"text": SOURCE}, **row} for row in ROWS])
    code, printed = run("run", file, "--answers", "ours.jsonl", "--format", "json", "--draws", 20)
    told = json.loads(printed.out)
    assert code == 0
    (result,) = told["results"]
    assert result["confusion"]["differs"] == {"agrees": 0, "differs": 1, "absent": 0, "unchecked": 0}
    assert result["confusion"]["absent"]["absent"] == 1
    assert result["confusion"]["agrees"]["agrees"] == 2
    assert result["figures"]["three.macro_f1"] == 1.0
    assert told["card"]["files"][0]["shape"] == "claims"
    (tmp_path / "theirs.csv").write_text("key,label\n0,agree\n1,agree\n2,absent\n3,differs\n")
    code, printed = run("compare", file, "--system", "ours=ours.jsonl", "--system", "theirs=theirs.csv")
    assert code == 0
    assert "F1 agrees" in printed.out
    assert "ours / theirs" in printed.out
    code, printed = run("run", file, "--answers", "ours.jsonl", "--draws", 0)
    assert "cached answers reused: 4" in printed.out
    code, printed = run("plot", "ours.jsonl", "--kind", "confusion", "-o", "c.svg")
    assert "differs" in (tmp_path / "c.svg").read_text()


def test_parts_are_switched_off_for_citations_only(run):
    file = _write("claims.jsonl", [{"source": {"text": SOURCE}, **row} for row in ROWS])
    code, printed = run("ablate", file)
    assert code != 0
    assert "benchmark of claims" in printed.err
    assert not printed.out


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
    code, printed = run("run", file)
    assert code == 2
    assert told in printed.err


def test_claims_are_no_citations(run):
    file = _write("claims.jsonl", [{"index": 1, "source": {"passages": [SOURCE]}, **row} for row in ROWS])
    code, printed = run("tune", file)
    assert code == 2
    assert "benchmark of claims" in printed.err
    code, printed = run("compare", file, "--system", f"same={file}")
    assert code == 2
    assert "is a benchmark" in printed.err
