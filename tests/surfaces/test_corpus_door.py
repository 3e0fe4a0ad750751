"""The corpus door from inside of an event loop, over a snapshot that changes, and what a watch looks at."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import pytest
from tests.surfaces.test_corpus import corpus

from citeproof import check_corpus
from citeproof.corpus.corpus_types import Status
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.background import BackgroundLoop
from citeproof.service import corpus_project as project_door
from citeproof.service.corpus_project import Project
from citeproof.settings import load

DOI = "10.5555/12345678"
RECORD = (
    "@article{{a, title = {{A Title of Some Length}}, author = {{Doe, Jane}}, year = 2020, doi = {{{}}}}}\n"
)


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory) -> dict[str, Path]:
    """Return one snapshot that has the DOI, and one that has another."""
    made = {}
    for name, doi in (("has", DOI), ("lacks", "10.5555/other")):
        folder = tmp_path_factory.mktemp(name)
        (folder / "records.bib").write_text(RECORD.format(doi), encoding="utf-8")
        build([BuildInput("bibtex", (folder / "records.bib",))], folder / "made")
        made[name] = folder / "made"
    return made


@pytest.fixture
def document(tmp_path, monkeypatch) -> Path:
    root = tmp_path / "project"
    (root / ".aiwg").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    (root / "doc.md").write_text(f"So says doi:{DOI}.\n", encoding="utf-8")
    return root / "doc.md"


def status(document: Path, snapshot: Path) -> Status:
    """Return what became of the one citation."""
    settings = load({"offline": True, "snapshots": (snapshot,)}, folder=document.parent)
    (result,) = check_corpus(document, settings=settings).results
    return result.citations[0].status


def test_it_works_inside_of_a_running_loop(document, snapshots):
    async def inside() -> Status:
        return status(document, snapshots["has"])

    assert asyncio.run(inside()) is Status.VERIFIED


def test_an_answer_is_that_of_the_snapshot_as_it_is(document, snapshots, tmp_path):
    """The files are overwritten in their folder, whose own time stays."""
    folder = tmp_path / "snapshot"
    shutil.copytree(snapshots["has"], folder)
    was = folder.stat()
    first = status(document, folder)
    for path in list(folder.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(snapshots["lacks"], folder, dirs_exist_ok=True)
    os.utime(folder, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (first, status(document, folder) is first) == (Status.VERIFIED, False)


class Failing:
    """An engine that cannot be closed."""

    async def close(self) -> None:
        raise OSError("gone")


def test_every_part_is_closed_whatever_another_meets(document):
    project = Project(load({"offline": True}, folder=document.parent), document.parent)
    list(project.results([document]))
    project.dois._loop, project.dois.verifier = BackgroundLoop("corpus", alone=True), Failing()
    cache = str(project.settings.cache_dir)
    assert opened(cache)
    with pytest.raises(OSError, match="gone"):
        project.close()
    assert not opened(cache)


def opened(folder: str) -> list[str]:
    """Return the files below a folder that this process has open."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(str(handle.readlink()))
    return [name for name in found if name.startswith(folder)]


class Hook:
    """Names of the files that are opened, while it listens; Python keeps a hook for ever."""

    names: ClassVar[list[str]] = []
    listens: ClassVar[bool] = False
    added: ClassVar[bool] = False

    @classmethod
    def hear(cls, event: str, given: tuple[object, ...]) -> None:
        if cls.listens and event == "open":
            cls.names.append(Path(str(given[0])).name)


@pytest.fixture(scope="module")
def _hooked() -> None:
    if not Hook.added:  # a hook stays for good, and a worker may come to this module twice
        sys.addaudithook(Hook.hear)
        Hook.added = True


@contextmanager
def opening() -> Iterator[list[str]]:
    """Yield the names of the files that are opened meanwhile."""
    Hook.names.clear()
    Hook.listens = True
    try:
        yield Hook.names
    finally:
        Hook.listens = False


@pytest.mark.usefixtures("_hooked")
@pytest.mark.parametrize("flags", [["--fix"], ["--fix", "--diff"], []])
def test_what_cannot_be_mended_is_read_once(document, flags):
    document.write_text("Nothing is cited here.\n")
    with opening() as names:
        code, out, _ = corpus("doc.md", "--no-cache", "-j", "1", *flags)
    assert (code, "Status: PASS" in out, names.count("doc.md")) == (0, True, 1)


def test_compiled_files_do_not_make_other_code(tmp_path, monkeypatch):
    """The first run of a new installation compiles the code; what it kept must serve the second."""
    package = tmp_path / "corpus"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(project_door.corpus, "__path__", [str(package)])
    before = project_door._hash_program()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "__init__.cpython-311.pyc").write_bytes(b"compiled")
    assert project_door._hash_program() == before
    (package / "rules.toml").write_text("", encoding="utf-8")
    assert project_door._hash_program() != before
