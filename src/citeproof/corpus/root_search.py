"""Which folder is the root of a project: cited files must lie in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citeproof.errors import UsageError

MARKS = (".aiwg", ".git", "citeproof.toml")
_WILD = "*?["


def find_root(paths: Sequence[str], given: Path | None = None) -> Path:
    """Return the root: the one given, or the nearest folder at or above the paths that looks like a project.

    Without any such folder it is the working folder, or that of the path if it lies elsewhere.
    """
    if given is not None:
        if not given.is_dir():
            hint = "name the folder that cited paths start from"
            raise UsageError("is not a folder", place=f"--root {given}", hint=hint)
        return given.resolve()
    found = dict.fromkeys(_find_root_of_folder(_find_start_folder(path)) for path in paths or ["."])
    if len(found) > 1:
        named = " and ".join(str(root) for root in list(found)[:3])
        hint = "check one project at a time, or say which folder is the root with --root"
        raise UsageError(f"the documents belong to different projects: {named}", place="corpus", hint=hint)
    return next(iter(found))


def _find_start_folder(path: str) -> Path:
    """Return the folder that a path is in; of a pattern, the part before its first wildcard."""
    plain = Path(path)
    if not plain.exists() and any(sign in path for sign in _WILD):
        parts = plain.parts
        wild = next(at for at, part in enumerate(parts) if any(sign in part for sign in _WILD))
        plain = Path(*parts[:wild]) if wild else Path()
    whole = plain.absolute()
    return whole if whole.is_dir() else whole.parent


def _find_root_of_folder(start: Path) -> Path:
    """Return the root for a folder: a link in a project does not lead to another."""
    real = start.resolve()
    known = (None if ".." in start.parts else _find_marked_folder(start)) or _find_marked_folder(real)
    here = Path.cwd().resolve()
    return known.resolve() if known else here if real.is_relative_to(here) else real


def _find_marked_folder(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if folder == Path.home() != start:  # it holds everything of a user, and is not the project meant
            break
        if any((folder / mark).exists() for mark in MARKS):
            return folder
    return None
