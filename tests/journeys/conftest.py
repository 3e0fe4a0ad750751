"""What the journeys share: snapshots that are always there, a folder of documents, a terminal."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim
from tests.journeys.tmux_terminal import TMUX, TmuxTerminal

ROOT = Path(__file__).parents[2]
SCREENS = Path(__file__).parent / "screens"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents and "no_terminal" not in item.keywords:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.skipif(TMUX is None, reason="needs tmux"))


@pytest.fixture(scope="session")
def examples_snapshot(tmp_path_factory) -> Path:
    """A snapshot of examples/records.bib that claims all articles from 2015 to 2017."""
    out = tmp_path_factory.mktemp("snapshot") / "examples"
    claims = (parse_claim("article=2015-2017"),)
    build([BuildInput("bibtex", (ROOT / "examples" / "records.bib",))], out, covers=claims, name="examples")
    return out


@pytest.fixture(scope="session")
def papers_snapshot(tmp_path_factory) -> Path:
    """A snapshot of what the made PDFs cite; of one work it has another year than they say."""
    folder = tmp_path_factory.mktemp("papers")
    text = (ROOT / "tests/fixtures/pdf/works.bib").read_text("utf-8")
    assert "{1948}" in text
    (folder / "works.bib").write_text(text.replace("{1948}", "{1938}"), encoding="utf-8")
    build([BuildInput("bibtex", (folder / "works.bib",))], folder / "papers", name="papers")
    return folder / "papers"


@pytest.fixture
def desk(tmp_path, examples_snapshot) -> Path:
    """A folder with the example documents and nothing else; its snapshot is set in the environment."""
    folder = tmp_path / "desk"
    folder.mkdir()
    for name in ("references.bib", "answer.md", "short.txt"):
        shutil.copy(ROOT / "examples" / name, folder / name)
    return folder


@pytest.fixture
def open_terminal(desk, examples_snapshot) -> Iterator[Callable[..., TmuxTerminal]]:
    """Open terminals in that folder; offline and with the snapshot of the examples, unless told otherwise."""
    opened: list[TmuxTerminal] = []

    def open_one(width: int = 80, **environment: str) -> TmuxTerminal:
        offline = {"CITEPROOF_OFFLINE": "1", "CITEPROOF_SNAPSHOT": str(examples_snapshot)}
        variables = {name: value for name, value in {**offline, **environment}.items() if value}
        opened.append(TmuxTerminal(desk, variables, width=width))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def compare_screen(name: str, lines: list[str]) -> None:
    """Compare with a screen that somebody has looked at; `CITEPROOF_GOLDEN=write` makes it anew."""
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", "\n".join(lines) + "\n")
    text = re.sub(r"\b(?:crossref|openalex)(?=, doi:)", "REGISTRY", text)  # whichever could answer soonest
    path = SCREENS / f"{name}.txt"
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")
