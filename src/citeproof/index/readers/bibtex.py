"""BibTeX files (`.bib`, also `.gz` or `.zst`): one record an entry.

Large files are read in pieces that end before an entry; macros (`@string`) are carried along. A
record's id is `bibtex:<key>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, ClassVar

from citeproof.index.readers._bibtex_record import make_bibtex_record
from citeproof.index.readers._dump_files import MAX_LINE, open_dump
from citeproof.index.readers.base import BadRecord, Bookmark
from citeproof.text.bibtex_scanner import scan_entries
from citeproof.vocabulary import Record

PIECE = 4_000_000  # bytes read at a time, up to the next entry
MAX_MACROS = 200_000  # characters of macros carried along

_STRING = re.compile(r"^[ \t]*@string[ \t]*[{(][^\n]{1,2000}$", re.MULTILINE | re.IGNORECASE)


class BibtexReader:
    name: ClassVar[str] = "bibtex"
    covers_note: ClassVar[str] = "the entries of the files given, as their authors wrote them; nothing else"

    def read(self, paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
        """Yield one record an entry, in the order of the files."""
        at = at or Bookmark()
        for path in paths:
            with open_dump(path) as stream:
                if at.opens():
                    yield from at.list_rest(_read_entries(stream, str(path)))


def _read_entries(stream: IO[bytes], file: str) -> Iterator[Record | BadRecord]:
    macros, line = "", 0
    for piece in _split_stream(stream):
        text = piece.decode("utf-8", "replace")
        ahead = macros.count("\n")
        for entry in scan_entries(macros + text):
            yield make_bibtex_record(entry, file, line + entry.line - ahead)
        line += text.count("\n")
        macros = (macros + "".join(f"{found[0]}\n" for found in _STRING.finditer(text)))[-MAX_MACROS:]


def _split_stream(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the stream in pieces that end before a line that begins with "@"."""
    held: list[bytes] = []
    size = 0
    while line := stream.readline(MAX_LINE):
        if size >= PIECE and line.lstrip()[:1] == b"@":
            yield b"".join(held)
            held, size = [], 0
        held.append(line)
        size += len(line)
    if held:
        yield b"".join(held)


READER = BibtexReader()
