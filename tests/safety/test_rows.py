"""Every row of the list of threats has its own test, and the tests that it points to exist."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
ROWS = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))["row"]


@cache
def _list_tests(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {"skip", "xfail"}
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not skipped & {word for mark in node.decorator_list for word in ast.unparse(mark).split(".")}
    )


def test_the_page_tells_every_row():
    page = (HERE / "README.md").read_text(encoding="utf-8")
    assert [row["number"] for row in ROWS if f"| {row['threat']} | {row['promise']} |" not in page] == []


def test_no_row_is_left_out():
    assert [row["number"] for row in ROWS] == list(range(1, 21))
    own = [row["own"] for row in ROWS]
    assert sorted(own) == sorted(
        name for name in _list_tests(HERE / "test_threats.py") if name.startswith("test_")
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['number']:02}")
def test_what_a_row_points_to_is_there(row):
    assert row["own"].startswith(f"test_{row['number']:02}_")
    assert row["elsewhere"]
    for place in row["elsewhere"]:
        file, _, name = place.partition("::")
        assert name in _list_tests(TESTS / file), place
