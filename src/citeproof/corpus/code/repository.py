"""The repository that a folder is in, unless files of that folder would lead git to another one.

A project that is unpacked may bring its own `.git`, and with it words that name any folder of the machine:
a file instead of a folder, links, a common folder, objects that are borrowed elsewhere. What is found there
would be shown in reports, so git looks only where the project is itself.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

AGAIN = "; try again"  # ends the sentence of a failure that may not come again
_WORDS = 8_192  # bytes of a file that names a folder
_ELSEWHERE = "the root's .git leads to another repository"


class GitError(Exception):
    """Why the history of a file gave no answer, as one sentence; always caught and reported."""


class TransientGitError(GitError):
    """Why there is no answer this time; what rests on it is not stored."""

    def __init__(self, why: str) -> None:
        super().__init__(why + AGAIN)


def find_repository(folder: Path) -> Path:
    """Return where the `.git` of a folder stands; GitError if there is none, or it leads elsewhere."""
    try:
        real = folder.resolve(strict=True)
        for above in (real, *real.parents):
            if os.path.lexists(above / ".git"):
                _check_repository(above)
                return above
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before 3.13
        raise GitError("the root's .git cannot be read") from error
    raise GitError("the root is not in a git repository")


def _read_small_file(file: Path) -> str:
    """Return what a small file says, without its last newline."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise GitError(_ELSEWHERE)
    with file.open("rb") as opened:
        return os.fsdecode(opened.read(_WORDS)).rstrip("\r\n")


def _check_repository(above: Path) -> None:
    """Look at all that could lead out of a repository; GitError if something does."""
    git = _resolve_git_folder(above)
    home = _find_repository_home(above, git)
    common = (git / _read_small_file(git / "commondir")).resolve() if (git / "commondir").exists() else git
    objects = common / "objects"
    for place in (common, objects, *_list_links(objects), *_list_links(objects / "pack")):
        if not place.resolve().is_relative_to(home):
            raise GitError(_ELSEWHERE)
    alternates = objects / "info/alternates"
    state = alternates.lstat() if os.path.lexists(alternates) else None
    if state is not None and (state.st_size or not stat.S_ISREG(state.st_mode)):
        raise GitError("the repository borrows its objects from another one (objects/info/alternates)")


def _resolve_git_folder(above: Path) -> Path:
    """Return the folder that a `.git` is or names."""
    dot = above / ".git"
    if not stat.S_ISREG(dot.lstat().st_mode):
        if not dot.is_dir():  # a link to a file that names a folder
            raise GitError(_ELSEWHERE)
        return dot.resolve(strict=True)
    kind, _, name = _read_small_file(dot).partition("gitdir: ")
    if kind or not name:
        raise GitError("the root's .git is not a repository")
    return (above / name).resolve(strict=True)


def _find_repository_home(above: Path, git: Path) -> Path:
    """Return what a repository may use all of; GitError if it is not that of the folder above."""
    if git.is_relative_to(above):
        return above
    for parent in above.parents:  # a submodule, or a worktree inside the first one
        outer = parent / ".git"
        if git.is_relative_to(outer) and stat.S_ISDIR(outer.lstat().st_mode):
            return outer
    back = git / "gitdir"  # a linked worktree: its repository names it
    linked = git.parent.name == "worktrees" and back.exists()
    if linked and (git / _read_small_file(back)).resolve() == above / ".git":
        return git.parent.parent
    raise GitError(_ELSEWHERE)


def _list_links(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as listing:
        return [Path(entry.path) for entry in listing if entry.is_symlink()]
