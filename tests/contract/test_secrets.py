"""Planted keys: whatever fails, none of them is shown on any screen or left in any file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.net import client as clients
from citeproof.surfaces.cli.main import main
from tests.contract.conftest import quickly
from tests.contract.running import bibtex, cited, environment, fail
from tests.soak import choose_cases

WORKS = cited()
TYPICAL = ("bot_wall", "key_echo", "reset", "status_429", "truncated")
FORMATS = ("text", "json", "jsonl", "md")


@pytest.fixture(scope="module")
def world():
    with World(Shelf(*WORKS)) as running:
        yield running


@pytest.fixture
def cli(world, tmp_path, monkeypatch, capfd):
    """Run `citeproof` in this process; returns all that it printed or left in files."""
    quickly(monkeypatch)
    fail(world, ())
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **other: str) -> str:
        for name, value in environment(world, tmp_path, **other).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            main(list(arguments))
        files = (path for path in tmp_path.rglob("*") if path.is_file())
        left = "".join(path.read_bytes().decode("latin-1") for path in files)
        return "".join(capfd.readouterr()) + left

    return run


@pytest.mark.parametrize("fault", [*TYPICAL, "none"])
def test_no_key_is_shown_or_kept(world, cli, tmp_path, fault):
    _no_key_is_shown_or_kept(world, cli, tmp_path, fault)


@pytest.mark.soak
@pytest.mark.parametrize("fault", choose_cases(sorted(set(ALL_FAULTS) - set(TYPICAL)), 8))
def test_whatever_fails_no_key_is_shown_or_kept(world, cli, tmp_path, fault):
    _no_key_is_shown_or_kept(world, cli, tmp_path, fault)


def _no_key_is_shown_or_kept(world: World, cli, tmp_path: Path, fault: str) -> None:
    (tmp_path / "refs.bib").write_text(bibtex(WORKS[::20]), "utf-8")
    form = FORMATS[len(fault) % len(FORMATS)]
    fail(world, ALL_FAULTS.get(fault, ()))
    before = len(world.log)
    flags = ("--format", form, "--explain-network")
    told = cli("--debug", "check", "refs.bib", *flags, CITEPROOF_TIMEOUT="0.2")
    assert "ref1" in told
    assert "canary" not in told
    keyed = [seen for seen in world.log[before:] if "canary" in repr(seen.headers) + repr(seen.body)]
    assert keyed  # they were sent, so that the servers could repeat them
    assert not any("canary" in seen.path for seen in world.log[before:])


@pytest.mark.parametrize("form", FORMATS)
def test_a_server_that_repeats_the_key(world, cli, tmp_path, form):
    (tmp_path / "refs.bib").write_text(bibtex(WORKS[::12]), "utf-8")
    fail(world, ALL_FAULTS["key_echo"])
    told = cli("check", "refs.bib", "--format", form, "-o", "report")
    assert (tmp_path / "report").stat().st_size > 500
    assert "canary" not in told


@pytest.mark.parametrize("command", [("sources",), ("sources", "test", "openalex"), ("doctor",)])
def test_no_other_command_shows_a_key(cli, command):
    told = cli(*command)
    assert len(told) > 60
    assert "canary" not in told


def test_a_bug_and_a_key_that_is_none(world, cli, tmp_path, monkeypatch):
    """What the HTTP library says about a key that is no header goes nowhere, nor does a traceback."""
    (tmp_path / "refs.bib").write_text(bibtex(WORKS[::12]), "utf-8")
    keyed = ("openalex", "semantic_scholar", "ads")
    odd = {f"CITEPROOF_{name.upper()}_KEY": f"canary-ключ\r\nX-Evil: {name}" for name in keyed}
    told = cli("check", "refs.bib", "--format", "json", **odd)
    assert "canary" not in told
    assert not any("x-evil" in seen.headers for seen in world.log)

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(clients.Client, "keep", broken)
    monkeypatch.setattr("citeproof.answers.reporters.json.Json.report", broken, raising=False)
    told = cli("--debug", "check", "refs.bib", "--format", "json")
    assert "RuntimeError: a bug" in told
    assert "canary" not in told
