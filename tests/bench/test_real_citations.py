"""The published benchmark of real citations: whole lines, each once, as the page about it counts them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from bench.real_citations import FILE, VERDICTS

PAGE = Path(__file__).parents[2] / "docs" / "real-citations.md"
FIELDS = {"id", "citation", "verdict", "what", "why", "record", "seen_in"}
WHAT = {"title", "authors", "year", "venue", "identifier", "doi", "isbn", "pages", "arxiv"}


def test_lines_are_whole():
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    for row in rows:
        assert row.keys() == FIELDS
        assert row["citation"].strip()
        assert row["verdict"] in VERDICTS
        assert row["verdict"] == "wrong" or not row["what"]
        assert set(row["what"]) <= WHAT, row
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert len({row["citation"] for row in rows}) == len(rows)


def test_page_counts_the_lines():
    verdicts = Counter(json.loads(line)["verdict"] for line in FILE.read_text("utf-8").splitlines())
    counted = re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {verdict: int(count) for verdict, count in counted} == verdicts
    assert f"holds {sum(verdicts.values())} citations" in PAGE.read_text("utf-8")
