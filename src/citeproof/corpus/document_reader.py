"""One document read and examined: its packed result, or why there is none."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.packed_result import PackedResult, pack_result
from citeproof.text.unicode import show_one_line

Examine: TypeAlias = Callable[[bytes, str], DocumentResult]

MAX_BYTES = 50_000_000  # of one document
_SHOWN = 300  # characters of an error that may quote the document
_HOW = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class UnreadableDocumentError(Exception):
    """Why a document cannot be read, in words for people."""


def read_document(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a document."""
    try:
        _refuse_file(path, path.stat(), max_bytes)  # opening alone can do harm to a device
        handle = os.open(path, _HOW)  # does not wait for the other end of a pipe that took its place
    except (OSError, ValueError) as error:
        raise UnreadableDocumentError(f"cannot be read: {_describe_error(error)}") from error
    try:
        state = os.fstat(handle)
        _refuse_file(path, state, max_bytes)
        data = b""
        while len(data) <= max_bytes and (more := os.read(handle, max(state.st_size + 1, 65_536))):
            data += more
    except OSError as error:
        raise UnreadableDocumentError(f"cannot be read: {_describe_error(error)}") from error
    finally:
        os.close(handle)
    if len(data) > max_bytes:
        raise UnreadableDocumentError(_describe_size_limit(max_bytes))
    return data


def examine_file(path: Path, file: str, examine: Examine, max_bytes: int = MAX_BYTES) -> PackedResult | str:
    """Return the packed result of a document, or why there is none."""
    try:
        data = read_document(path, max_bytes)
    except UnreadableDocumentError as error:
        return str(error)
    try:
        result = examine(data, file)
        return result.trouble or pack_result(result, sha256(data).digest())
    except Exception as error:  # noqa: BLE001 - one document's fault is not the end of a run over thousands
        return f"could not be examined: {type(error).__name__}: {show_one_line(str(error))[:_SHOWN]}"


def _refuse_file(path: Path, state: os.stat_result, max_bytes: int) -> None:
    if stat.S_ISDIR(state.st_mode):
        listed = os.access(path, os.R_OK | os.X_OK)
        raise UnreadableDocumentError("is a folder" if listed else "is a folder that cannot be listed")
    if not stat.S_ISREG(state.st_mode):
        raise UnreadableDocumentError("is not a regular file")
    if state.st_size > max_bytes:
        raise UnreadableDocumentError(_describe_size_limit(max_bytes))


def _describe_size_limit(max_bytes: int) -> str:
    return f"is larger than {max_bytes:,} bytes"


def _describe_error(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or show_one_line(str(error))[:_SHOWN]
