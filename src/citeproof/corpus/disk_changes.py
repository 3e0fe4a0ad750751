"""What changes on the disk while somebody works on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

_HEAD = 1000  # bytes of a HEAD; the names of branches are shorter
Look: TypeAlias = Mapping[str, tuple[int, ...]]


def read_signatures(paths: Iterable[Path]) -> dict[str, tuple[int, ...]]:
    """Return the signature of each path; that of one that is not there is empty, so that its coming shows."""
    signatures: dict[str, tuple[int, ...]] = {}
    for path in paths:
        try:
            state = path.stat()
            signatures[os.fspath(path)] = state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino
        except (OSError, ValueError):
            signatures[os.fspath(path)] = ()
    return signatures


def filter_inside_root(root: Path, paths: Iterable[str]) -> Iterator[Path]:
    """Yield the project paths that do not lead out of the root, whether anything is there or not."""
    for path in paths:
        try:
            real = Path(os.path.realpath(root / path))
        except (OSError, ValueError):  # a path that no file can have
            continue
        if real.is_relative_to(root):
            yield real


def list_head_files(root: Path) -> Iterator[Path]:
    """Yield the files of the repository around `root` that say which commit it is at."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            yield from (git / "HEAD", git / "packed-refs")
            name = _read_branch(git / "HEAD")
            if name and (ref := Path(os.path.normpath(git / name))).is_relative_to(git / "refs"):
                yield ref
            return


def _read_branch(head: Path) -> str:
    """Return the name of the ref that a HEAD points to; empty if it holds a commit, or cannot be read."""
    try:
        if not head.is_file():
            return ""
        with head.open("rb") as file:
            said = os.fsdecode(file.read(_HEAD))
    except OSError:
        return ""
    name = said.removeprefix("ref:").strip() if said.startswith("ref:") else ""
    return name if name.isprintable() else ""


def watch_changes(
    look: Callable[[], Look], every: float, sleep: Callable[[float], None], since: Look | None = None
) -> Iterator[frozenset[str]]:
    """Yield the paths that came, went or changed, once two looks in a row agree.

    An editor writes a file in several steps, a checkout thousands of files: a run in between would show what
    no one wrote. Changes made while the caller works show at the next look; those made before the first one
    show if `since` is a look from before. Paths that `look` gives for the first time count as changed:
    whether they are new on the disk or only to `look` is not known.
    """
    last = look() if since is None else since
    while True:
        sleep(every)
        now = look()
        if now == last:
            continue
        while True:
            sleep(every)
            again = look()
            if again == now:
                break
            now = again
        paths = last.keys() | now.keys()
        if different := frozenset(path for path in paths if last.get(path) != now.get(path)):
            yield different  # else all came back to what it was
        last = now
