"""What git leaves out below a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from citeproof.corpus.code.failure import GitError
from citeproof.corpus.code.git import answer

_WHAT = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_MOST = 64_000_000  # bytes of names


@dataclass(frozen=True, slots=True)
class Ignored:
    """Names relative to a folder, `/` between parts."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


def ignored(folder: Path) -> Ignored:
    """Return what git ignores below `folder`; nothing outside of a repository, or if git cannot say.

    A folder that is ignored itself was named by somebody who wants it: nothing in it is left out.
    """
    if not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return Ignored()
    try:
        said = answer(folder, _WHAT, most=_MOST)
    except GitError:
        return Ignored()
    names = [os.fsdecode(name) for name in said.split(b"\0") if name]
    if "./" in names:
        return Ignored()
    folders = frozenset(name[:-1] for name in names if name.endswith("/"))
    return Ignored(frozenset(name for name in names if not name.endswith("/")), folders)
