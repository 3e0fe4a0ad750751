"""What git leaves out below a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from citeproof.corpus.code.git import run_git
from citeproof.corpus.code.git_errors import GitError

_WHAT = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_MOST = 64_000_000  # bytes of names


@dataclass(frozen=True, slots=True)
class IgnoredPaths:
    """Names relative to a folder, `/` between parts."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def find_ignored_paths(folder: Path) -> IgnoredPaths:
    """Return what git ignores below `folder`; nothing outside a repository, or if git cannot say.

    A folder that is ignored itself was named by somebody who wants it: nothing in it is left out.
    """
    if not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return IgnoredPaths()
    try:
        said = run_git(folder, _WHAT, most=_MOST)
    except GitError:
        return IgnoredPaths()
    names = [os.fsdecode(name) for name in said.split(b"\0") if name]
    if "./" in names:
        return IgnoredPaths()
    folders = frozenset(name[:-1] for name in names if name.endswith("/"))
    return IgnoredPaths(frozenset(name for name in names if not name.endswith("/")), folders)
