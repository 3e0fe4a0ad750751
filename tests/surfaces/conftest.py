"""The small snapshot of examples/records.bib, and the command line run in this process."""

from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import pytest

from citeproof.surfaces.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory):
    """A snapshot that claims all articles from 2015 to 2017: CVPR 2016 with its neighbours."""
    from citeproof.evidence.index.build import BuildInput, build
    from citeproof.evidence.index.coverage import parse_claim

    out = tmp_path_factory.mktemp("snapshot") / "examples"
    claims = (parse_claim("article=2015-2017"),)
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], out, covers=claims, name="examples")
    return out


@pytest.fixture
def cli(monkeypatch, capfdbinary, tmp_path):
    """Run `citeproof` with its own empty home; returns exit code, output and errors."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("SNAPSHOT", "CACHE_DIR", "OFFLINE", "SOURCES", "FORMAT", "MAX_DOCUMENT_BYTES"):
        monkeypatch.delenv(f"CITEPROOF_{name}", raising=False)
    monkeypatch.setenv("CITEPROOF_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Ended(ended.value.code, out.decode(), err.decode())

    return run


@pytest.fixture
def registries(monkeypatch, tmp_path):
    """Every registry on loopback, with the records of `mcp_world`, and a list of retractions."""
    from tests.surfaces import mcp_world

    from citeproof.laboratory.testing import Shelf, World

    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    mcp_world.install_list(tmp_path)
    with World(Shelf(*mcp_world.RECORDS)) as world:
        given = {**world.environment(), "CITEPROOF_OFFLINE": "0", "CITEPROOF_PACE": "1000"}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        yield world
