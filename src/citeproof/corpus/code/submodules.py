"""The submodules of the repository that a root is in, whose repositories lie within it."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from citeproof.corpus.code.repository import GitError, find_repository, has_own_repository, read_small_file

MOST = 20  # submodules that are examined
_BYTES = 100_000  # of the file that lists them
_FAULTS = (GitError, OSError, RuntimeError, ValueError)  # RuntimeError: links in a circle, before 3.13
_PATH = re.compile(
    r'^[ \t]{0,40}path[ \t]{0,40}=[ \t]{0,40}"?([^"\n]{1,1000}?)"?[ \t\r]{0,40}$', re.MULTILINE
)


def list_submodules(root: Path) -> tuple[str, ...]:
    """Return the project paths of submodules below a root, those within other ones left out."""
    try:
        above, real = find_repository(root), root.resolve(strict=True)
        listed = above / ".gitmodules"
        if not stat.S_ISREG(listed.lstat().st_mode):
            return ()
        named = dict.fromkeys(_PATH.findall(read_small_file(listed, _BYTES)))
    except _FAULTS:
        return ()
    return tuple(name for one in list(named)[:MOST] if (name := _locate_submodule(real, above, one)))


def find_nested_repository(root: Path, path: str) -> str:
    """Return the project path of another repository that a file of the root lies in, empty if in none."""
    parts = path.split("/")[:-1]
    ways = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((way for way in ways if os.path.lexists(root / way / ".git")), "")


def _locate_submodule(root: Path, above: Path, name: str) -> str:
    """Return the project path of a submodule; empty if it is not one of the root, or nothing is there."""
    folder = above / name
    try:
        fine = folder.resolve() == folder and root in folder.parents and has_own_repository(above, folder)
    except _FAULTS:
        return ""
    return folder.relative_to(root).as_posix() if fine else ""
