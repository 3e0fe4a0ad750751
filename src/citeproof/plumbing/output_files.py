"""Files that the user asked for: reports, corrected copies, benchmarks.

The user names them, but a project may hold a symbolic link at that name. One that leads to another folder
is not written through: the error says where it leads, and the user can name that file.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import MORE, PERMISSIONS, open_replacement
from citeproof.text import lazy_patterns as re

_MARKS = (".git", ".hg", ".svn", "citeproof.toml", "pyproject.toml")  # what the root of a project holds
_STREAM = re.compile(r"/dev/(?:stdout|stderr|null|tty|fd/\d+|pts/\d+)|/proc/(?:self|\d+)/fd/\d+")  # links
_PRIVATE = 0o600  # of a file until it has the mode of another
_ELSEWHERE = ", or write a copy elsewhere with -o"
_HINT = "check that the folder exists and can be written to"


def find_target(path: Path, *, rewritten: bool = False) -> Path:
    """Return the real file behind `path`; UsageError for a link that leads to another folder.

    `rewritten`: it is read and written back with small changes; then it may lie anywhere in the project.
    """
    shown = os.path.abspath(path)  # noqa: PTH100 - links are not followed yet
    try:
        real = path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
        raise UsageError("is a broken link", place=str(path), hint="name the file") from error
    elsewhere = not rewritten and path.is_symlink() and real.parent != Path(shown).parent.resolve()
    outside = not real.is_relative_to(_find_project(Path(shown)).resolve())
    if not _STREAM.fullmatch(shown) and (elsewhere or outside):
        raise UsageError(
            "a symbolic link points outside the project or to another folder; it is not followed",
            place=str(path),
            hint=f"name the file itself: {shlex.quote(str(real))}",
        )
    return real


def check_output_folder(folder: Path) -> None:
    """Raise a UsageError for a folder that the user named, if a link leads from there out of the project."""
    find_target(folder, rewritten=True)


@contextmanager
def replace_output(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` at the end; a device or pipe is written itself."""
    target = find_target(path)
    if target.exists() and not target.is_file():
        with _open_output(target, os.O_WRONLY, place=path) as file:
            yield file
        return
    with ExitStack() as stack:
        with _explain_open_error(target.parent):
            file = stack.enter_context(open_replacement(target))
        yield file
        with explain_write_error(path):
            stack.close()


@contextmanager
def explain_write_error(path: Path) -> Iterator[None]:
    """Run a block that writes to a new file; UsageError says which one a full disk left unchanged."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror or error}; the file was not changed",
            place=str(path),
            hint="free some space, or name a file on another disk",
        ) from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, in the mode of the one it replaces; a device or a pipe stays one."""
    target = find_target(path, rewritten=True)
    if target.is_dir():
        raise UsageError("cannot be written: it is a folder", place=str(path), hint="name a file in it")
    if target.exists() and not target.is_file():
        target.write_bytes(data)
    else:
        check_permission(target, copies=True)
        replace_file(target, data, like=target if target.exists() else None, copies=True)


def check_permission(target: Path, *, copies: bool) -> None:
    """Raise a UsageError for a file that is not to be written: its folder alone would let it be replaced."""
    if not target.exists():
        return
    effective = os.access in os.supports_effective_ids
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK, effective_ids=effective):
        raise UsageError(
            "is read-only; the file was not changed",
            place=str(target),
            hint=f"chmod u+w {shlex.quote(str(target))}{_ELSEWHERE if copies else ''}",
        )


def replace_file(target: Path, data: bytes, *, like: Path | None, copies: bool) -> None:
    """Put `data` in a file's place at once, with the mode of `like`. `copies`: the command has -o."""
    try:
        with open_replacement(target, _PRIVATE if like else PERMISSIONS) as file:
            file.write(data)
            file.flush()
            if like is not None:
                _copy_attributes(file.fileno(), like)
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}; the file was not changed",
            place=str(target),
            hint=f"check the disk and the permissions of the folder{_ELSEWHERE if copies else ''}",
        ) from error


def _copy_attributes(handle: int, like: Path) -> None:
    """Give a new file the mode and, where allowed, the owner and the extended attributes of the old one."""
    known = like.stat()
    if sys.platform == "linux":  # elsewhere Python cannot read them
        with suppress(OSError):  # a file system without them
            for name in os.listxattr(like):
                with suppress(OSError):  # such as security.*, which only an administrator may set
                    os.setxattr(handle, name, os.getxattr(like, name))
    with suppress(OSError, AttributeError):  # AttributeError: Windows has neither
        os.fchown(handle, known.st_uid, known.st_gid)
    with suppress(AttributeError):
        os.fchmod(handle, known.st_mode & 0o7777)


def append_output(path: Path) -> BinaryIO:
    """Return a file that grows, opened at its end."""
    return _open_output(find_target(path), MORE, place=path)


def _open_output(path: Path, flags: int, *, place: Path) -> BinaryIO:
    with _explain_open_error(place):
        return os.fdopen(os.open(path, flags, PERMISSIONS), "wb")


@contextmanager
def _explain_open_error(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write: {error.strerror}", place=str(place), hint=_HINT) from error


def _find_project(path: Path) -> Path:
    """Return the root of the project that a file is in, else the working folder, else that of the file.

    A link inside a project begins no other one: what it leads to may have a root's marks.
    """
    above = (Path.home(), *Path.home().parents)  # what holds everything of a user is not a project
    root, here = None, Path.cwd()
    for folder in reversed([parent for parent in path.parents if parent not in above]):
        if root is not None and folder.is_symlink():
            break
        marked = any(os.path.lexists(folder / mark) for mark in _MARKS)
        root = folder if marked or (root is None and folder == here) else root
    return root or path.parent
