"""The files of a folder of texts, and what each says of itself: read once, and kept between runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

import msgspec

from citeproof.plumbing.disk_files import read_plain_file
from citeproof.plumbing.stores.cache_database import CacheDatabase
from citeproof.reading.extractors.body.body_reader import NOTHING_SAID, WorkDescription
from citeproof.reading.extractors.source_reader import MAX_BYTES, describe_source
from citeproof.vocabulary import Document

MAX_FILES = 50_000  # of one folder
SUFFIXES = frozenset((
    ".pdf", ".xml", ".nxml", ".jats", ".tei", ".html", ".htm", ".xhtml", ".docx", ".odt", ".rtf", ".tex",
    ".md", ".markdown", ".rst", ".txt", ".text",
))  # fmt: skip
_FOLDERS = 20_000  # that are searched
_VERSION = 1  # of the tables
_READING = 1  # of what is read of a file: another one, and every file is read again
_BATCH = 64  # files that are described together, then kept
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
  path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
  sha256 BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS described (
  sha256 BLOB NOT NULL, reading INTEGER NOT NULL, said BLOB NOT NULL, PRIMARY KEY (sha256, reading)
);
"""
_FILE = "SELECT size, mtime, ctime, sha256 FROM files WHERE path = ?"
_SAID = "SELECT said FROM described WHERE sha256 = ? AND reading = ?"
_PUT_FILE = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)"
_PUT_SAID = "INSERT OR REPLACE INTO described VALUES (?, ?, ?)"
_unpack = msgspec.msgpack.Decoder(WorkDescription)


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """One file: where it is, the hash of its bytes, what it says of itself."""

    path: Path
    sha256: str
    said: WorkDescription


class DescriptionCache:
    """What files say of themselves, kept between runs; without a usable file nothing is kept."""

    def __init__(self, cache_dir: Path) -> None:
        self._database = CacheDatabase(
            cache_dir / "texts" / "library.sqlite", _TABLES, _VERSION, "texts are described anew each run"
        )

    def describe_files(self, paths: Sequence[Path]) -> list[LibraryFile]:
        """Return what the files say of themselves; those that cannot be read are left out."""
        found: list[LibraryFile] = []
        with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            for start in range(0, len(paths), _BATCH):
                batch = paths[start : start + _BATCH]
                known = {path: one for path in batch if (one := self._get(path)) is not None}
                fresh = list(pool.map(_read_file, (path for path in batch if path not in known)))
                self._put([one for one in fresh if one is not None])
                new = {one.file.path: one.file for one in fresh if one is not None}
                found += [one for path in batch if (one := known.get(path) or new.get(path)) is not None]
        return found

    @property
    def trouble(self) -> str:
        """Why nothing is kept; empty while all is well."""
        return self._database.trouble

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _get(self, path: Path) -> LibraryFile | None:
        signature = _read_signature(path)
        row = self._database.ask(_FILE, os.fsencode(path))
        if signature is None or not row or tuple(row[0][:3]) != signature:
            return None
        digest = bytes(row[0][3])
        said = self._database.ask(_SAID, digest, _READING)
        try:
            return LibraryFile(path, digest.hex(), _unpack.decode(said[0][0])) if said else None
        except (msgspec.MsgspecError, TypeError):
            return None

    def _put(self, fresh: Sequence[_FreshFile]) -> None:
        rows = [(os.fsencode(one.file.path), *one.signature, bytes.fromhex(one.file.sha256)) for one in fresh]
        said = [
            (bytes.fromhex(one.file.sha256), _READING, msgspec.msgpack.encode(one.file.said)) for one in fresh
        ]
        self._database.write((_PUT_FILE, rows), (_PUT_SAID, said))


@dataclass(frozen=True, slots=True)
class _FreshFile:
    file: LibraryFile
    signature: tuple[int, int, int]


def list_text_files(folder: Path) -> list[Path]:
    """Return the files of a folder and those below that may hold a text, in order; links are not followed."""
    return sorted(islice(_walk_folder(folder), MAX_FILES))


def _walk_folder(folder: Path) -> Iterator[Path]:
    for above, folders, files in islice(os.walk(folder), _FOLDERS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(above, name)
            if not name.startswith(".") and path.suffix.lower() in SUFFIXES and not path.is_symlink():
                yield path


def _read_file(path: Path) -> _FreshFile | None:
    signature = _read_signature(path)
    try:
        data = read_plain_file(path, MAX_BYTES)
    except (OSError, ValueError):
        return None
    if signature is None or signature != _read_signature(path):  # it is being written
        return None
    said = describe_source(Document(path.name, data)) if data else NOTHING_SAID
    return _FreshFile(LibraryFile(path, sha256(data).hexdigest(), said), signature)


def _read_signature(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
