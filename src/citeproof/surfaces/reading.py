"""Files and standard input to documents, bounded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import InputError, UsageError
from citeproof.vocabulary import Document

STDIN = "-"


def documents(files: Sequence[str], limit: int) -> list[Document]:
    """Return one document for each file, in order; all are read before any work begins."""
    if files.count(STDIN) > 1:
        raise UsageError("standard input can be read once", place="FILE", mend="name - only once")
    return [_stdin(limit) if name == STDIN else document(Path(name), limit) for name in files]


def document(path: Path, limit: int) -> Document:
    """Return the file at `path`; what cannot be read says why and how to mend it."""
    try:
        if path.is_dir():
            raise InputError("is a folder", place=str(path), mend="name the files in it, like DIR/*.bib")
        with path.open("rb") as file:
            return Document(str(path), _bounded(file, str(path), limit))
    except FileNotFoundError as error:
        raise InputError(
            "no such file", place=str(path), mend="check the name, or use - for standard input"
        ) from error
    except PermissionError as error:
        raise InputError("no permission to read it", place=str(path), mend="check its permissions") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(
            f"cannot be read: {error}", place=str(path), mend="check the name and the disk"
        ) from error


def _stdin(limit: int) -> Document:
    if sys.stdin.isatty():
        print("reading from the terminal; end with Ctrl-D", file=sys.stderr)
    return Document("<stdin>", _bounded(sys.stdin.buffer, "<stdin>", limit))


def _bounded(file: BinaryIO, name: str, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        mend = "split it, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=name, mend=mend)
    return data
