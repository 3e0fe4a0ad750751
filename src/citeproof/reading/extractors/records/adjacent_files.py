"""The files next to a document, and nothing outside them: its folder on disk, or its archive."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from citeproof.plumbing.disk_files import read_plain_file
from citeproof.text import lazy_patterns as re

MAX_FILE = 50 * 1024 * 1024
MAX_NAMES = 10_000
MAX_FOLDERS = 10_000  # that are looked into
_MAX_PATH = 1_000
_DRIVE = re.compile(r"[A-Za-z]:")


def normalise_path(path: str) -> str | None:
    """Return a relative path in its plain form, None if it must not be followed.

    It may still climb out by `..`: the caller that has the root decides.
    """
    odd = not path or len(path) > _MAX_PATH or "\0" in path or "\\" in path
    if odd or path.startswith(("/", "~")) or _DRIVE.match(path):
        return None
    plain = posixpath.normpath(path)
    return None if plain == "." else plain


class FolderFiles:
    """The files of one folder and the folders in it; with a `root` above it, those of the root as well."""

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self._folder = folder
        self._root = root or folder

    def read(self, path: str) -> bytes | None:
        """Return the file at `path`, None if it is not one, lies outside or is too large."""
        plain = normalise_path(path)
        if plain is None:
            return None
        try:
            root = self._root.resolve(strict=True)
            file = (self._folder / plain).resolve(strict=True)  # no link put there since is followed
            return read_plain_file(file, MAX_FILE) if file.is_relative_to(root) else None
        except (OSError, ValueError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
            return None

    def show_path(self, path: str) -> str:
        """Return a path from this folder as a person would write it from where the folder was named."""
        return posixpath.normpath(posixpath.join(self._folder.as_posix(), path))

    def names(self) -> tuple[str, ...]:
        """Return the relative paths of up to 10,000 files, in order; hidden ones are left out."""
        paths: list[str] = []
        for path in self._walk():
            paths.append(path)
            if len(paths) >= MAX_NAMES:
                break
        return tuple(sorted(paths))

    def _walk(self) -> Iterator[str]:
        walked = os.walk(self._folder)  # links to folders are not followed
        for folder, folders, files in islice(walked, MAX_FOLDERS):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                if not name.startswith(".") and not path.is_symlink():
                    yield path.relative_to(self._folder).as_posix()


class ArchiveFiles:
    """The members of one archive, seen from the folder that the document is in."""

    def __init__(self, members: Mapping[str, bytes], folder: str) -> None:
        self._members = members
        self._folder = folder
        self.used: set[str] = set()  # full names of the members that were read

    def read(self, path: str) -> bytes | None:
        """Return the member at `path`, None if there is none of that name in the archive."""
        name = self.full(path)
        if name is None or name not in self._members or len(self._members[name]) > MAX_FILE:
            return None
        self.used.add(name)
        return self._members[name]

    def full(self, path: str) -> str | None:
        """Return the name of a member from the root of the archive, None if the path leads out of it."""
        plain = normalise_path(path)
        name = posixpath.normpath(posixpath.join(self._folder, plain)) if plain else ".."
        return None if name == ".." or name.startswith("../") else name

    def names(self) -> tuple[str, ...]:
        """Return the relative paths of the members in the document's folder, in order."""
        start = f"{self._folder}/" if self._folder else ""
        inside = (name.removeprefix(start) for name in self._members if name.startswith(start))
        return tuple(sorted(inside)[:MAX_NAMES])
