"""The documents that a tool may read: text in the call, and files below the folders that the user named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from citeproof.errors import InputError, UsageError
from citeproof.service.input_documents import read_document
from citeproof.vocabulary import Document

TEXT = "<text>"
_MAX_PATH = 1000


class AllowedFiles:
    """Reads files below some folders, and no others; what lies outside is refused without a look at it."""

    def __init__(self, roots: Sequence[Path], max_bytes: int) -> None:
        """Take the folders; UsageError for one that is not there."""
        self._roots = tuple(_resolve_root(root) for root in roots)
        self._max_bytes = max_bytes

    def read_argument(self, arguments: Mapping[str, Any]) -> Document:
        """Return the document that a call gives as `text` or names as `path`: one of them, not both."""
        text, path = arguments.get("text"), arguments.get("path")
        if (text is None) == (path is None):
            hint = "give the content as `text`, or the name of a file as `path`"
            raise UsageError("exactly one of them is needed", place="text, path", hint=hint)
        if path is not None:
            return self._read_file(path)
        content = str(text)
        if not content.strip():
            raise InputError("is empty", place="text", hint="give the content of the document")
        return Document(TEXT, content.encode("utf-8", "replace"))

    def _read_file(self, path: str) -> Document:
        if not self._roots:
            hint = "give its content as `text`, or start the server with --root DIR"
            raise UsageError("this server may not read files", place="path", hint=hint)
        if "\0" in path or len(path) > _MAX_PATH or path.startswith("~"):
            raise self._make_refusal()
        for root in self._roots:
            try:
                file = (root / path).resolve()  # links are followed first: none leads out
            except (OSError, ValueError, RuntimeError):
                continue
            if file.is_relative_to(root) and (file.exists() or root is self._roots[-1]):
                return _read_below(root, file, self._max_bytes)
        raise self._make_refusal()

    def _make_refusal(self) -> UsageError:
        hint = "name a file below the folders of --root"
        return UsageError("is outside the folders that may be read", place="path", hint=hint)


def _read_below(root: Path, file: Path, limit: int) -> Document:
    """Return a file under its name below the root: its place on the disk is not shown."""
    name = file.relative_to(root).as_posix()
    try:
        return replace(read_document(file, limit, root), name=name)
    except InputError as error:
        raise InputError(error.message, place=name, hint="check the name") from None


def _resolve_root(root: Path) -> Path:
    real = root.expanduser().resolve()
    if not real.is_dir():
        raise UsageError("is not a folder", place=f"--root {root}", hint="name a folder that exists")
    return real
