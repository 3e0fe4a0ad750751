"""The tables of docs/seeds.md: every command runs, and its output has what the table says."""

from __future__ import annotations

import re
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(
    r"\| (?P<requirement>[^|]+) \| `(?P<command>.+?)` \| `(?P<shown>[^|]+?)` \| (?P<difference>[^|]+) \|"
)
FILES = {
    "bench.jsonl": "bench/real_citations.jsonl",
    "bench/citecheck.py": "bench/citecheck.py",
    "bench/open_world.py": "bench/open_world.py",
    "first.py": "bench/first_document.py",
    "real.py": "bench/real_citations.py",
    "second.py": "bench/second_document.py",
}
TABLES = (ROOT / "docs/seeds.md").read_text().split("| requirement | command | output | difference |\n")[1:]
LINES = [line for table in TABLES for line in table.split("\n\n")[0].splitlines()[1:]]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sys.path.insert(0, str(ROOT / "docs"))
    import generate

    folder = tmp_path_factory.mktemp("seeds") / "workplace"
    (folder / "bench").mkdir(parents=True)
    for name, path in FILES.items():
        shutil.copy(ROOT / path, folder / name)
    shutil.copytree(ROOT / "tests/model_servers", folder / "tests/model_servers")  # `second.py` asks them
    return cache(generate.workplace(folder))


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
