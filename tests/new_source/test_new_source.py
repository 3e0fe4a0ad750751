"""A new source is one file (`sources/toy_books.py`) and one test double of its server (`apis/toy_books.py`).

Nothing else names it: it is found, asked in its turn, shown, tested and documented, and the contract tests
run over it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import citeproof.evidence.sources
import citeproof.laboratory.testing.apis
from citeproof.evidence.sources.base import find_source, list_sources
from citeproof.laboratory.testing import Shelf, World
from citeproof.laboratory.testing.apis import crossref, k10plus, open_library
from tests.contract import library
from tests.surfaces.conftest import cli  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
NAME = "toy_books"
BOOK = next(work for work in library.WORKS if work.ids.all("isbn"))
ISBN = BOOK.ids.all("isbn")[0]


@pytest.fixture
def toy(monkeypatch):
    """The toy source and its server in their folders."""
    for package in (citeproof.evidence.sources, citeproof.laboratory.testing.apis):
        folder = HERE / package.__name__.rpartition(".")[2]
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    yield find_source(NAME)
    for package in (citeproof.evidence.sources, citeproof.laboratory.testing.apis):
        sys.modules.pop(f"{package.__name__}.{NAME}", None)
        vars(package).pop(NAME, None)


@pytest.fixture
def world(toy):
    """Toy Books has the book; the other catalogues answer that they do not."""
    lacking = {
        name: lambda call, _, api=api: api.answer(call, Shelf())
        for name, api in {"open_library": open_library, "k10plus": k10plus, "crossref": crossref}.items()
    }
    server = importlib.import_module(f"citeproof.laboratory.testing.apis.{NAME}")
    with World(Shelf(BOOK), apis={**lacking, NAME: server.answer}) as running:
        yield running


@pytest.fixture
def online(cli, monkeypatch, tmp_path, world):  # noqa: F811 - the fixture
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    folders = {"CACHE_DIR": tmp_path / "cache", "LIMITS_DIR": tmp_path / "limits", "PACE": 1000}
    for name, value in {**folders, "SOURCES": ",".join(world.urls)}.items():
        monkeypatch.setenv(f"CITEPROOF_{name}", str(value))
    for name, value in world.environment().items():
        monkeypatch.setenv(name, value)
    return cli


def test_it_is_found(toy):
    assert NAME in list_sources()
    assert toy.name == NAME


def test_it_is_asked_in_its_turn(online, world):
    ended = online("verify", "--title", BOOK.title, "--isbn", ISBN, "--year", BOOK.versions[0].year)
    answer = json.loads(ended.out)
    assert answer["verdict"] == "matched"
    assert answer["citeproof"]["matched"]["source"] == NAME
    asked = list(dict.fromkeys(seen.api for seen in world.log))
    assert asked[0] == "open_library"  # turn 1 for an ISBN
    assert set(asked[1:3]) == {NAME, "k10plus"}  # turn 2
    stops = answer["citeproof"]["provenance"]["stops"]
    assert "crossref/isbn" in [name for stop in stops for name in stop["not_asked"]]  # turn 3


def test_it_is_shown_and_tested(online, world):
    row = next(line for line in online("sources").out.splitlines() if line.startswith(NAME))
    assert "ok" in row
    assert "Toy Books" in online("sources", NAME).out
    assert f"{len(world.urls)} of" in online("doctor", "-v").out
    assert world.log == []
    tested = online("sources", "test", NAME)
    assert tested.code == 0
    assert tested.out.split()[:2] == [NAME, "found"]


def test_it_is_documented(toy):
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    page = generate.source_pages()[generate.SOURCES / f"{NAME}.md"]
    assert toy.__module__ == f"citeproof.evidence.sources.{NAME}"
    for told in ("# Toy Books", "**Covers** books", "| its turn | `isbn` 2 |", "| tested with | isbn"):
        assert told in page
    assert "[Toy Books](toy_books.md)" in generate.format_sources_table()


def test_the_contract_runs_over_it():
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.new_source.plugin"]
    ended = subprocess.run([*run, "tests/contract", "-k", NAME], cwd=ROOT, capture_output=True, text=True)  # noqa: PLW1510
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout
    assert not any(word in ended.stdout for word in ("failed", "error", "skipped"))


def test_nothing_else_names_it():
    named = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".toml", ".json"}]
    assert not [path for path in named if NAME in path.read_text("utf-8")]
