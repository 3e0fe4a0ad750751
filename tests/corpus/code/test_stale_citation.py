"""Stale citations: what changed since, from the history of a real repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.corpus.code import history as versions
from citeproof.corpus.code import judge_code_citation
from citeproof.corpus.code.git import MOST_CONTENT as MOST
from citeproof.corpus.code.git import run_git
from citeproof.corpus.code.history import FileHistory, find_citation_drift, is_transient
from citeproof.corpus.corpus_types import Drift, Freshness, LineChange
from citeproof.corpus.project_root import ProjectRoot
from citeproof.plumbing.clock import SystemClock
from tests.corpus.code.marks import mark
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

FILE = "src/auth/login.ts"
LINES = [f"const value{n} = compute({n})" for n in range(80)]


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.fixture
def history(repository: Repository) -> FileHistory:
    return FileHistory(repository.folder)


def _drift(repository: Repository, history: FileHistory, cited: str, lines: str, path: str = FILE) -> Drift:
    root = ProjectRoot(repository.folder)
    citation, artefact = mark(path, cited, lines), root.artefact(path)
    assert judge_code_citation(artefact, citation).freshness is Freshness.STALE
    return find_citation_drift(root, history, citation, artefact)


@pytest.mark.parametrize(
    ("new", "change", "now", "said"),
    [
        (
            [*LINES, "more()"],
            LineChange.UNCHANGED,
            "L42-58",
            "the file changed elsewhere; the cited lines are unchanged",
        ),
        (["one()", "two()", *LINES], LineChange.MOVED, "L44-60", "the cited lines are now at L44-60"),
        (
            ["  " + line for line in LINES],
            LineChange.WHITESPACE,
            "L42-58",
            "only white space changed; now at L42-58",
        ),
        ([*LINES[:49], "x = 1", *LINES[50:]], LineChange.CONTENT, "L42-58", "what was cited has changed"),
        ([*LINES[:41], *LINES[58:]], LineChange.REMOVED, "", "the cited lines are gone"),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_what_changed_since_a_citation(
    repository: Repository,
    history: FileHistory,
    new: list[str],
    change: LineChange,
    now: str,
    said: str,
    *,
    committed: bool,
) -> None:
    cited, commit = repository.commit(FILE, _text(LINES))
    if committed:
        repository.commit(FILE, _text(new))
    else:
        repository.write(FILE, _text(new))
    found = _drift(repository, history, cited, "L42-58")
    assert (found.change, found.lines) == (change, now)
    assert (found.commit, found.date, found.commits) == (commit, "2026-03-01T01:00:00+00:00", int(committed))
    assert found.detail.startswith(said)
    then = f"{commit[:12]} of 2026-03-01"
    ends = (f"; the change since {then} is not committed", f"; 1 commit changed the file since {then}")
    assert found.detail.endswith(ends[committed])
    assert bool(found.diff) == (change is LineChange.CONTENT)


def test_without_lines_the_whole_file_is_meant(repository: Repository, history: FileHistory) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    repository.commit(FILE, _text(LINES).replace("\n", "\n\n"))
    assert _drift(repository, history, cited, "").change is LineChange.WHITESPACE
    repository.commit(FILE, "other()\n")
    again = FileHistory(repository.folder)
    found = _drift(repository, again, cited, "")
    assert (found.change, found.lines, found.commits) == (LineChange.CONTENT, "", 2)


def test_a_path_through_a_link_has_the_history_of_its_file(
    repository: Repository, history: FileHistory
) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    (repository.folder / "lib").symlink_to("src")
    repository.commit(FILE, _text(["one()", *LINES]))
    assert _drift(repository, history, cited, "L1", "lib/auth/login.ts").change is LineChange.MOVED


@pytest.mark.parametrize("form", [str.upper, lambda cited: cited[:12]])
def test_a_malformed_hash_is_not_looked_for_in_history(
    repository: Repository, history: FileHistory, form
) -> None:
    before, _ = repository.commit(FILE, _text(LINES))
    now, _ = repository.commit(FILE, _text(["one()", *LINES]))
    other = _drift(repository, history, form(before), "L1")
    assert (other.change, other.diff, other.commit) == (LineChange.UNKNOWN, "", "")
    assert other.detail == "a malformed hash cannot be searched in the history of the file"
    same = _drift(repository, history, form(now), "L1")
    assert (same.change, same.detail) == (
        LineChange.UNCHANGED,
        "the hash is malformed; the file has not changed",
    )


def test_what_is_not_known_says_why(repository: Repository, history: FileHistory, tmp_path: Path) -> None:
    repository.commit(FILE, _text(LINES))
    found = _drift(repository, history, "a8f9c2d4e5f60718", "L42-58")
    assert found == Drift(
        LineChange.UNKNOWN, detail="the only committed version of the file differs from the cited one"
    )
    elsewhere = FileHistory(tmp_path)
    found = _drift(repository, elsewhere, "a8f9c2d4e5f60718", "L42-58")
    assert found == Drift(LineChange.UNKNOWN, detail="the root is not in a git repository")


def test_a_file_that_went_away_meanwhile_is_unknown(repository: Repository, history: FileHistory) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    root = ProjectRoot(repository.folder)
    repository.write(FILE, "other()\n")
    artefact = root.artefact(FILE)
    (repository.folder / FILE).unlink()
    found = find_citation_drift(root, history, mark(FILE, cited, "L1"), artefact)
    assert found == Drift(LineChange.UNKNOWN, detail="the file can no longer be read; try again")
    assert is_transient(found)
    assert not is_transient(Drift(LineChange.UNKNOWN, detail="the file was never committed"))


def test_a_large_file_is_not_compared(repository: Repository, history: FileHistory) -> None:
    cited, _ = repository.commit(FILE, b"x\n" * 10)
    repository.write(FILE, b"y" * (MOST + 1))
    found = _drift(repository, history, cited, "L1")
    assert (found.change, found.detail) == (
        LineChange.UNKNOWN,
        "the file is larger than 5 MB, too large to compare",
    )


def test_versions_that_are_too_large_to_be_read_are_told(
    repository: Repository, history: FileHistory
) -> None:
    cited, _ = repository.commit(FILE, b"y" * (MOST + 1))
    repository.commit(FILE, b"x\n" * 10)
    found = _drift(repository, history, cited, "L1")
    assert found.change is LineChange.UNKNOWN
    assert found.detail == "the cited version is not among the readable versions of up to 5 MB"


class Counted(ProjectRoot):
    """A root that counts how often a file is read as a whole."""

    read = 0

    def data(self, path: str) -> bytes | None:
        self.read += 1
        return super().data(path)


def test_two_versions_are_read_and_compared_once(repository: Repository, history: FileHistory) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    repository.write(FILE, _text(["one()", *LINES]))
    root = Counted(repository.folder)
    artefact = root.artefact(FILE)
    for line in range(1, 81):
        found = find_citation_drift(root, history, mark(FILE, cited, f"L{line}"), artefact)
        assert (found.change, found.lines) == (LineChange.MOVED, f"L{line + 1}")
    assert root.read == 1


class Slow(SystemClock):
    """Each look at it takes a minute."""

    passed = 0.0

    def elapsed(self) -> float:
        self.passed += 60.0
        return self.passed


def test_a_run_compares_only_for_so_long(repository: Repository) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    repository.write(FILE, "other()\n")
    slow = FileHistory(repository.folder, clock=Slow())
    assert _drift(repository, slow, cited, "L1").change is LineChange.CONTENT
    _drift(repository, slow, cited, "L2")
    late = _drift(repository, slow, cited, "L3")
    assert is_transient(late)
    assert late.detail == "reading and comparing versions took longer than 60 s in all; try again"


def test_few_comparisons_are_stored(repository: Repository, history: FileHistory) -> None:
    root = Counted(repository.folder)
    cited = {f"{n}.py": repository.commit(f"{n}.py", f"{n}\n")[0] for n in range(6)}
    for name in cited:
        repository.write(name, "other\n")
    for n in (0, 1, 0, 1, 2, 3, 4, 0):
        name = f"{n}.py"
        find_citation_drift(root, history, mark(name, cited[name], "L1"), root.artefact(name))
    assert root.read == 6


def test_a_failure_of_the_moment_is_told_from_one_that_stays(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited, _ = repository.commit(FILE, _text(LINES))
    repository.write(FILE, "other()\n")
    monkeypatch.setattr(versions, "run_git", lambda *_, **__: run_git(repository.folder, ["log"], patience=0))
    slow = FileHistory(repository.folder)
    found = _drift(repository, slow, cited, "L1")
    assert is_transient(found)
    assert found.detail == "git took longer than 0 s; try again"
