"""The benchmark of `citeproof corpus` runs, on a project that is small and always the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_it_measures_every_kind_of_run(tmp_path) -> None:
    if python("-m", "citeproof", "corpus", "--help").returncode:
        pytest.skip("`citeproof corpus` is not there")
    ended = python(str(BENCH / "corpus_speed.py"), "--files", "10", "--folder", str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    rows = ended.stdout.splitlines()
    assert "200 citations" in rows[0]
    assert [row[:22].rstrip() for row in rows[1:7]] == [
        "reading",
        "cold",
        "warm",
        "warm, 1 % changed",
        "warm, all touched",
        "one worker, cold",
    ]
    assert rows[7].startswith("warm : cold = ")
    assert rows[-1].startswith("found in 10 documents: files 10, total 200, verified ")
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_gives_the_same_project(tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from corpus_project import CITED, TARGET, build

    made = [build(tmp_path / name, 30) for name in "ab"]
    texts = [[path.read_text() for path in documents] for documents in made]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) == 30
    assert all(TARGET[0] <= len(text) <= 8_200 for text in texts[0])
    code = sum(text.count("[src/") - 1 for text in texts[0])  # one stands in a code fence
    assert code == 30 * CITED // 2
