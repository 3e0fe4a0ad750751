"""Listings of folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeproof.corpus.project_root import ProjectRoot
from tests.corpus.tree import made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path)


@pytest.fixture
def corpus(project: Path) -> Path:
    folder = project / ".aiwg/research/sources"
    (folder / "deep/er").mkdir(parents=True)
    for name in (
        "b.md",
        "a.MD",
        "c.yaml",
        "deep/d.md",
        "deep/er/e.md",
        ".hidden.md",
        "back\\slash.md",
        "n\nl.md",
    ):
        (folder / name).write_text(name)
    (project / "shared").mkdir()
    (project / "shared/s.md").write_text("s")
    for name, target in {
        "link.md": "b.md",
        "out.md": "../../../../outside/secret.md",
        "gone.md": "nothing.md",
        "shared": "../../../shared",
        "twice": "deep",
        "whole": "../../..",
        "self": ".",
        "out": "../../../../outside",
    }.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.md")
    return project


@pytest.mark.parametrize(
    ("suffixes", "names"),
    [
        ((".md",), ["a.MD", "b.md", "deep/d.md", "deep/er/e.md", "link.md", "shared/s.md"]),
        ((".yaml", ".yml"), ["c.yaml"]),
        ((), ["a.MD", "b.md", "c.yaml", "deep/d.md", "deep/er/e.md", "link.md", "shared/s.md"]),
    ],
)
def test_a_listing_has_the_files_below_a_folder(
    corpus: Path, suffixes: tuple[str, ...], names: list[str]
) -> None:
    root, folder = ProjectRoot(corpus), ".aiwg/research/sources"
    found = root.listing(f"./{folder}/", suffixes)
    assert found == tuple(f"{folder}/{name}" for name in names)
    assert all(root.data(path) is not None for path in found)


def test_a_listing_is_bounded_and_of_a_folder(corpus: Path) -> None:
    root = ProjectRoot(corpus)
    assert len(root.listing(".aiwg", (".md",), most=2)) == 2
    assert root.listing("nothing", (".md",)) == ()
    assert root.listing("src/auth/login.ts", ()) == ()
    assert root.listing("in-folder", (".ts",)) == ("in-folder/login.ts",)
