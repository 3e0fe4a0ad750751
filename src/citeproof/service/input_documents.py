"""Files, folders and standard input to documents, bounded."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import InputError, UsageError
from citeproof.extractors.records.adjacent_files import FolderFiles
from citeproof.reporters.wording import show_line
from citeproof.vocabulary import Document

Subject = Document | Path | str | bytes  # what a program hands over

STDIN = "-"
TEXT = "<text>"
_HANDED = re.compile(r"/dev/(?:stdin|fd/\d{1,9})|/proc/self/fd/\d{1,9}")  # `<(command)` of a shell is one
_HEAD = 200_000  # bytes of a file that tell what it is
_MOST = 2_000  # documents of one folder
_DEEPEST = 5  # folders inside each other that are searched for LaTeX documents
_FOLDERS = 2_000  # that are searched


def _ignore_note(note: str) -> None:
    """Do nothing with it."""


def read_documents(
    files: Sequence[str], limit: int, tell: Callable[[str], None] = _ignore_note
) -> list[Document]:
    """Return the documents that are named, in order; all are read before any work begins.

    `tell` is called with what a person should know meanwhile.
    """
    if files.count(STDIN) > 1:
        raise UsageError("standard input can be read once", place="FILE", hint="name - only once")
    found: list[Document] = []
    for name in files:
        path = Path(name)
        if name == STDIN:
            found.append(_read_stdin(limit, tell))
        elif path.is_dir():
            found += [read_document(file, limit, path) for file in _list_folder_documents(path, tell)]
        else:
            found.append(read_document(path, limit))
    return found


def read_document(path: Path, limit: int, root: Path | None = None) -> Document:
    """Return the file at `path`, which may use what is in its folder, or in `root` above it."""
    try:
        if path.is_dir():
            raise InputError("is a folder", place=str(path), hint="name the files in it, like DIR/*.bib")
        with _open_input(path) as file:
            return Document(str(path), _read_bounded(file, str(path), limit), FolderFiles(path.parent, root))
    except FileNotFoundError as error:
        raise InputError(
            "no such file", place=str(path), hint="check the name, or use - for standard input"
        ) from error
    except PermissionError as error:
        raise InputError("no permission to read it", place=str(path), hint="check its permissions") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(
            f"cannot be read: {error}", place=str(path), hint="check the name and the disk"
        ) from error


def make_document(subject: Subject, limit: int) -> Document:
    """Return what was passed as a document. A name without spaces can only mean a file."""
    if isinstance(subject, Document):
        return subject
    if isinstance(subject, Path):
        return read_document(subject, limit)
    if isinstance(subject, bytes):
        return Document(TEXT, subject)
    if "\n" not in subject and (" " not in subject.strip() or Path(subject).is_file()):
        if not subject.strip():
            raise InputError("is empty", place=TEXT, hint="hand over a file or the text of references")
        return read_document(Path(subject), limit)
    return Document(TEXT, subject.encode("utf-8", "replace"))


def _open_input(path: Path) -> BinaryIO:
    """Return the file at `path`, opened; no pipe is waited for but one that a shell passed."""
    if _HANDED.fullmatch(str(path)):
        return path.open("rb")
    handle = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY")))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        hint = "hand it over as standard input: citeproof check - < PIPE"
        raise InputError("not a regular file", place=str(path), hint=hint)
    return os.fdopen(handle, "rb")


def _list_folder_documents(folder: Path, tell: Callable[[str], None]) -> list[Path]:
    """Return the files of a folder that are documents: its LaTeX documents, or else all directly in it.

    LaTeX documents in the folders below count as well; what is above them is theirs to use.
    """
    from citeproof.extractors.archive.file_choice import choose_documents, is_junk_file, is_main_latex  # noqa: PLC0415 - few name a folder

    heads = _FileHeads(folder)
    if heads.links:
        count = "1 link is" if heads.links == 1 else f"{heads.links} links are"
        tell(f"{show_line(str(folder), 1000)}: {count} not followed; name the files themselves")
    choice = choose_documents(heads)
    names = choice.mains
    if not names:
        names = sorted([*choice.documents, *choice.nested, *choice.unreadable])
        below = [
            name
            for name in _find_latex_below(folder)
            if not is_junk_file(name) and is_main_latex(_read_head(folder / name))
        ]
        if below:
            of_others = {name for name, kind in choice.documents.items() if kind.name in ("bibtex", "latex")}
            names = [*below, *(name for name in names if name not in of_others)]
    if not names:
        hint = "name the files themselves; docs/formats.md lists what can be read"
        raise InputError("is a folder with no document in a known format in it", place=str(folder), hint=hint)
    if len(names) > _MOST:
        hint = "name some of them at a time, like DIR/a*.pdf"
        raise InputError(f"the folder has more than {_MOST:,} documents", place=str(folder), hint=hint)
    return [folder / name for name in names]


def _find_latex_below(folder: Path) -> Iterator[str]:
    """Yield the LaTeX files in the folders below, relative, in order; links are not followed."""
    for above, folders, files in islice(os.walk(folder), _FOLDERS):
        inside = Path(above).relative_to(folder)
        deep = len(inside.parts)
        folders[:] = sorted(name for name in folders if deep < _DEEPEST and not name.startswith("."))
        for name in sorted(files) if deep else ():
            path = Path(above, name)
            if name.lower().endswith(".tex") and path.is_file() and not path.is_symlink():  # no pipe either
                yield (inside / name).as_posix()


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""  # told when it is read in earnest


class _FileHeads(Mapping[str, bytes]):
    """The beginnings of the ordinary files directly in a folder, read one at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            with os.scandir(folder) as entries:
                listed = [
                    (entry.name, entry.is_file(follow_symlinks=False), entry.is_symlink())
                    for entry in entries
                ]
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}", place=str(folder), hint="check its permissions"
            ) from error
        self._names = sorted(name for name, ordinary, _ in listed if ordinary)
        self.links = sum(link for name, _, link in listed if not name.startswith("."))

    def __getitem__(self, name: str) -> bytes:
        return _read_head(self._folder / name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _read_stdin(limit: int, tell: Callable[[str], None]) -> Document:
    if sys.stdin.isatty():
        tell("reading from the terminal; end with Ctrl-D")
    return Document("<stdin>", _read_bounded(sys.stdin.buffer, "<stdin>", limit))


def _read_bounded(file: BinaryIO, name: str, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        hint = "split it, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=name, hint=hint)
    return data
