"""Files, folders, identifiers, addresses, texts and standard input to documents, bounded."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol, assert_never

from citeproof.errors import InputError, NothingFoundError, UsageError
from citeproof.extractors.base import detect_extractor
from citeproof.extractors.records.adjacent_files import FolderFiles
from citeproof.service.citation_input import is_reference_text
from citeproof.service.input_kinds import (
    CLIPBOARD,
    STDIN,
    InputKind,
    NamedInput,
    classify_input,
    suggest_names,
)
from citeproof.vocabulary import Document

Subject = Document | Path | str | bytes  # what a program hands over

TEXT = "<text>"
_HANDED = re.compile(r"/dev/(?:stdin|fd/\d{1,9})|/proc/self/fd/\d{1,9}")  # `<(command)` of a shell is one


class RemoteDocuments(Protocol):
    """What fetches documents that are elsewhere; each may raise an InputError."""

    def fetch_page(self, address: str) -> bytes: ...

    def fetch_collection(self, name: str) -> bytes: ...


def _ignore_note(note: str) -> None:
    """Do nothing with it."""


def read_documents(
    inputs: Sequence[str],
    limit: int,
    tell: Callable[[str], None] = _ignore_note,
    remote: RemoteDocuments | None = None,
) -> list[Document]:
    """Return the documents that are named, in order; all are read before any work begins.

    `tell` is called with what a person should know meanwhile; `input_kinds` says what each input is.
    """
    if inputs.count(STDIN) > 1:
        raise UsageError("standard input can be read once", place="INPUT", hint="name - only once")
    found: list[Document] = []
    texts = 0
    for one in map(classify_input, inputs):
        if one.kind is InputKind.PATH and Path(one.value).is_dir():
            found += _read_folder(Path(one.value), limit, tell)
            continue
        document = read_input(one, limit, tell, remote)
        texts += document.name == TEXT
        found.append(
            replace(document, name=f"<text {texts}>") if document.name == TEXT and texts > 1 else document
        )
    return found


def read_input(
    one: NamedInput,
    limit: int,
    tell: Callable[[str], None] = _ignore_note,
    remote: RemoteDocuments | None = None,
) -> Document:
    """Return the document that an input is; a folder is none."""
    match one.kind:
        case InputKind.STDIN:
            return _read_stdin(limit, tell)
        case InputKind.CLIPBOARD:
            from citeproof.service.clipboard import read_clipboard  # noqa: PLC0415 - few ask for it

            return Document(CLIPBOARD, read_clipboard(limit))
        case InputKind.PATH:
            return read_document(Path(one.value), limit)
        case InputKind.IDENTIFIER:
            return Document(one.value, one.text.encode())
        case InputKind.TEXT:
            return _read_text(one.value, limit)
        case InputKind.URL | InputKind.ZOTERO:
            if remote is None:
                raise InputError("is not on this machine", place=one.value, hint="save it, and name the file")
            if one.kind is InputKind.URL:
                return Document(one.value, remote.fetch_page(one.value))
            return Document(f"zotero:{one.value}", remote.fetch_collection(one.value))
    assert_never(one.kind)


def _read_folder(folder: Path, limit: int, tell: Callable[[str], None]) -> list[Document]:
    from citeproof.service.folder_documents import list_folder_documents  # noqa: PLC0415 - few name a folder

    return [read_document(file, limit, folder) for file in list_folder_documents(folder, tell)]


def _read_text(text: str, limit: int) -> Document:
    """Return a text as a document; NothingFoundError for one line that is no reference."""
    data = text.encode("utf-8", "replace")
    if len(data) > limit:
        hint = "write it to a file, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=TEXT, hint=hint)
    document = Document(TEXT, data)
    if "\n" in text.strip() or detect_extractor(document).name not in ("plain_text", "markdown"):
        return document
    if not is_reference_text(text):
        hint = "give author, year and title, or an identifier; a title alone: citeproof verify --title"
        raise NothingFoundError("not a reference, and no file has this name", place=text.strip(), hint=hint)
    return document


def read_document(path: Path, limit: int, root: Path | None = None) -> Document:
    """Return the file at `path`, which may use what is in its folder, or in `root` above it."""
    try:
        if path.is_dir():
            raise InputError("is a folder", place=str(path), hint="name the files in it, like DIR/*.bib")
        with _open_input(path) as file:
            return Document(str(path), _read_bounded(file, str(path), limit), FolderFiles(path.parent, root))
    except FileNotFoundError as error:
        raise InputError("no such file", place=str(path), hint=suggest_names(str(path))) from error
    except PermissionError as error:
        raise InputError("no permission to read it", place=str(path), hint="check its permissions") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(
            f"cannot be read: {error}", place=str(path), hint="check the name and the disk"
        ) from error


def make_document(subject: Subject, limit: int, remote: RemoteDocuments | None = None) -> Document:
    """Return what a program hands over as a document; a string is told apart as on the command line."""
    if isinstance(subject, Document):
        return subject
    if isinstance(subject, Path):
        return read_document(subject, limit)
    if isinstance(subject, bytes):
        return Document(TEXT, subject)
    if not subject.strip():
        raise InputError("is empty", place=TEXT, hint="hand over a file or the text of references")
    return read_input(classify_input(subject), limit, remote=remote)


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
