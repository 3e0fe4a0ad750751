"""Cited files that are not there any more: what took them away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citeproof.corpus.code import history as histories
from citeproof.corpus.code.history import FileHistory
from citeproof.corpus.code.stale_citation import find_citation_drift, is_transient
from citeproof.corpus.corpus_types import Drift, LineChange
from citeproof.corpus.project_root import ProjectRoot
from tests.corpus.code.marks import mark
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

FILE, OTHER = "src/a.py", "src/b.py"
TEXT = "".join(f"line {n}\n" for n in range(30))
UNKNOWN = "the history has no such file"


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = Repository(tmp_path / "project")
    made.commit("keep.py", "kept\n")
    return made


def _deleted(repository: Repository) -> None:
    repository.git("rm", "-q", FILE)
    repository.commit()


def _renamed(repository: Repository) -> None:
    repository.git("mv", FILE, OTHER)
    repository.commit()


def _renamed_and_changed(repository: Repository) -> None:
    repository.git("mv", FILE, OTHER)
    repository.commit(OTHER, TEXT + "more\n")


def _renamed_twice(repository: Repository) -> None:
    _renamed(repository)
    repository.git("mv", OTHER, "c.py")
    repository.commit()
    repository.commit("later.py", "x")


def _renamed_and_deleted(repository: Repository) -> None:
    _renamed(repository)
    repository.git("rm", "-q", OTHER)
    repository.commit()


def _deleted_by_a_merge(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("side.py", "x")
    repository.git("checkout", "-q", "main")
    repository.commit("main.py", "x")
    repository.git("merge", "-q", "--no-commit", "side")
    repository.git("rm", "-q", FILE)
    repository.commit()


def _not_committed(repository: Repository) -> None:
    (repository.folder / FILE).unlink()


def _made_again_and_not_committed(repository: Repository) -> None:
    _deleted(repository)
    repository.commit(FILE, TEXT)
    _not_committed(repository)


NOT_COMMITTED = "it is in the last commit; its removal is not committed"
WAYS = [  # what is told to a root that is the whole repository, and to one that is its folder src
    (_deleted, "it was deleted by {}", "it was deleted by {}"),
    (
        _renamed,
        "it was renamed to src/b.py by {}, with the cited content",
        "it was renamed to b.py by {}, with the cited content",
    ),
    (_renamed_and_changed, "it was renamed to src/b.py by {}", "it was renamed to b.py by {}"),
    (
        _renamed_twice,
        "it was renamed to c.py by {}, with the cited content",
        "it was renamed to b.py, and that was deleted by {}",
    ),
    (
        _renamed_and_deleted,
        "it was renamed to src/b.py, and that was deleted by {}",
        "it was renamed to b.py, and that was deleted by {}",
    ),
    (_deleted_by_a_merge, "it was deleted by {}", "it was deleted by {}"),
    (_not_committed, NOT_COMMITTED, NOT_COMMITTED),
    (_made_again_and_not_committed, NOT_COMMITTED, NOT_COMMITTED),
]


def _drift(folder: Path, path: str, cited: str) -> Drift:
    root, history = ProjectRoot(folder), FileHistory(folder)
    try:
        return find_citation_drift(root, history, mark(path, cited, "L3"), root.artefact(path))
    finally:
        history.close()


@pytest.mark.parametrize(("way", "said", "below"), WAYS, ids=[way[0].__name__ for way in WAYS])
def test_what_took_a_file_away(
    repository: Repository, way: Callable[[Repository], None], said: str, below: str
) -> None:
    cited, _ = repository.commit(FILE, TEXT)
    way(repository)
    (repository.folder / "src").mkdir(exist_ok=True)
    last = repository.git("rev-parse", "HEAD~1" if way is _renamed_twice else "HEAD")
    by = f"{last[:12]} of 2026-03-01"
    assert _drift(repository.folder, FILE, cited) == Drift(LineChange.REMOVED, detail=said.format(by))
    found = _drift(repository.folder / "src", "a.py", cited)
    assert found == Drift(LineChange.REMOVED, detail=below.format(by))


@pytest.mark.parametrize(
    ("path", "cited"), [("src/nothing.py", "0" * 16), ("src", "0" * 16), (FILE, ""), ("../x.py", "0" * 16)]
)
def test_of_what_never_was_nothing_is_told(repository: Repository, path: str, cited: str) -> None:
    """Nor of folders, of citations without a hash, and of what is outside."""
    repository.commit(FILE, TEXT)
    _deleted(repository)
    found = _drift(repository.folder, path, cited)
    assert (found.change, is_transient(found)) == (LineChange.UNKNOWN, False)


def test_without_a_repository_nothing_is_told(tmp_path: Path) -> None:
    assert _drift(tmp_path, FILE, "0" * 16) == Drift(LineChange.UNKNOWN, detail=UNKNOWN)
    root = ProjectRoot(tmp_path)
    found = find_citation_drift(root, None, mark(FILE, "0" * 16), root.artefact(FILE))
    assert (found.change, found.detail) == (LineChange.UNKNOWN, "the history of the file was not searched")


def test_a_name_is_safe_to_show(repository: Repository) -> None:
    cited, _ = repository.commit(FILE, TEXT)
    repository.git("mv", FILE, "src/b\n\x1b[31m.py")
    repository.commit()
    detail = _drift(repository.folder, FILE, cited).detail
    assert detail.startswith("it was renamed to src/b")
    assert detail.isprintable()


def test_a_run_looks_only_for_so_long_and_once_a_file(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited, _ = repository.commit(FILE, TEXT)
    _deleted(repository)
    root, history = ProjectRoot(repository.folder), FileHistory(repository.folder)
    first = find_citation_drift(root, history, mark(FILE, cited), root.artefact(FILE))
    monkeypatch.setattr(histories, "SOUGHT", 0.0)
    again = find_citation_drift(root, history, mark(FILE, cited, "L3"), root.artefact(FILE))
    other = find_citation_drift(root, history, mark(OTHER, cited), root.artefact(OTHER))
    assert first == again
    assert (first.change, other) == (LineChange.REMOVED, Drift(LineChange.UNKNOWN, detail=UNKNOWN))
    assert not is_transient(other)
