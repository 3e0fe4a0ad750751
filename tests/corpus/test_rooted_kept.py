"""Hashes that are kept between runs, and listings of folders."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from citeproof.corpus.packed_result import Signature
from citeproof.corpus.project_root import KnownHashes, ProjectRoot
from citeproof.plumbing.clock import FixedClock
from tests.corpus.tree import made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path)


class _Kept(KnownHashes):
    def __init__(self) -> None:
        self.rows: dict[tuple[str, Signature], tuple[str, int]] = {}

    def get(self, path: str, signature: Signature) -> tuple[str, int] | None:
        return self.rows.get((path, signature))

    def put(self, path: str, signature: Signature, sha256: str, lines: int) -> None:
        self.rows[path, signature] = sha256, lines


LATER = FixedClock(datetime.now(UTC) + timedelta(hours=1))


def test_a_known_file_is_not_read_again(project: Path) -> None:
    known, path = _Kept(), "chain/login.ts"
    first = ProjectRoot(project, known=known, clock=LATER).artefact(path)
    assert [name for name, _ in known.rows] == ["src/auth/login.ts"]
    known.rows = dict.fromkeys(known.rows, ("f" * 64, 7))
    again = ProjectRoot(project, known=known, clock=LATER).artefact(path)
    assert (again.sha256, again.lines, again.size) == ("f" * 64, 7, first.size)


@pytest.mark.parametrize("content", ["x\ny\nz", "longer than before"])
def test_a_changed_file_is_read_again(project: Path, content: str) -> None:
    known, file = _Kept(), project / "src/auth/login.ts"
    ProjectRoot(project, known=known, clock=LATER).artefact("src/auth/login.ts")
    before = file.stat()
    file.write_text(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # ctime tells all the same
    found = ProjectRoot(project, known=known, clock=LATER).artefact("src/auth/login.ts")
    assert found.sha256 == sha256(content.encode()).hexdigest()


def test_a_file_that_was_just_written_is_not_kept(project: Path) -> None:
    """Within a tick of the clock it could change once more and look the same."""
    known = _Kept()
    ProjectRoot(project, known=known).artefact("src/auth/login.ts")
    assert known.rows == {}


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
