"""The tables of docs/seeds.md: every command runs, and its output has what the table says."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(
    r"\| (?P<requirement>[^|]+) \| `(?P<command>.+?)` \| `(?P<shown>[^|]+?)` \| (?P<difference>[^|]+) \|"
)
FILES = {"bench.jsonl": "bench/real_citations.jsonl", "docs.txt": "docs/checks.md"}
LINES = [line for line in (ROOT / "docs/seeds.md").read_text().splitlines() if line.startswith("| ")]
LINES = [line for line in LINES if not line.startswith(("| ---", "| requirement |"))]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sys.path.insert(0, str(ROOT / "docs"))
    import generate

    folder = tmp_path_factory.mktemp("seeds") / "workplace"
    folder.mkdir()
    for name, path in FILES.items():
        shutil.copy(ROOT / path, folder / name)
    return generate.workplace(folder)


def test_every_row_has_a_command():
    assert [line for line in LINES if not ROW.fullmatch(line)] == []
    assert len(LINES) > 60


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split(" | ")[0][2:60])
def test_the_command_shows_it(line, run):
    row = ROW.fullmatch(line)
    output, code = run(row["command"].replace("\\|", "|"))
    assert row["shown"] in output
    assert code != 2
