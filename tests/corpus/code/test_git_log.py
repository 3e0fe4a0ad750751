"""The log of one file, whatever its name and its past."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.corpus.code import git as running
from citeproof.corpus.code.git import GitError
from citeproof.corpus.code.history import FileHistory
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

ODD = ["plain.py", "a b/ü.py", "n\nl.py", f"\x01{'0' * 40} 2026.py", ":100644 x.py", "-p", 'q"q.py', "[x].py"]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Renames, a rename back, a name used again, a side branch, a merge with its own changes, a removal."""
    made = Repository(tmp_path / "project")

    def text(name: str, number: int) -> str:
        return "".join(f"{name} {n}\n" for n in range(30)) + f"{number}\n"

    for name in (*ODD, "moved.py", "back.py", "again.py", "gone.py"):
        made.write(f"in/{name}", text(name, 0))
    made.commit("outside.py", "x")
    made.git("mv", "in/moved.py", "in/renamed.py")
    made.git("mv", "in/back.py", "in/forth.py")
    made.git("mv", "in/again.py", "in/first.py")
    made.commit()
    made.git("checkout", "-q", "-b", "side")
    made.commit("in/plain.py", "side\n" + text("plain.py", 0))
    made.git("checkout", "-q", "main")
    for number in (1, 2):
        for name in (*ODD, "renamed.py", "forth.py", "first.py"):
            made.write(f"in/{name}", text(name, number))
        made.commit("in/again.py", text("another", number))
    made.git("merge", "-q", "--no-commit", "side", check=False)
    made.commit("in/plain.py", "merged\n" + text("plain.py", 3))
    made.git("mv", "in/forth.py", "in/back.py")
    made.git("rm", "-q", "in/gone.py")
    made.commit()
    return made


NAMES = [*ODD, "renamed.py", "back.py", "first.py", "again.py", "gone.py", "nothing.py"]


@pytest.mark.parametrize(("folder", "inside"), [("", "in/"), ("in", "")])
def test_versions_are_followed_through_renames(repository: Repository, folder: str, inside: str) -> None:
    history, counts = FileHistory(repository.folder / folder), {}
    for name in NAMES:
        with pytest.raises(GitError) as raised:
            history.find_version(inside + name, "0" * 16)
        counts[name] = str(raised.value)
    expected = dict.fromkeys(ODD, 3) | {"plain.py": 5, "renamed.py": 4, "back.py": 5, "first.py": 4}
    missing = "none of the {} committed versions of the file is the cited one"
    assert counts == {name: missing.format(count) for name, count in (expected | {"again.py": 3}).items()} | {
        "gone.py": "the only committed version of the file differs from the cited one",
        "nothing.py": "the file was never committed",
    }


def test_an_answer_is_bounded(repository: Repository) -> None:
    with pytest.raises(GitError, match=r"git wrote more than 0\.0001 MB"):
        running.run_git(repository.folder, ["log", "--raw"], most=100)
