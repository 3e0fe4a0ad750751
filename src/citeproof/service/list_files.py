"""The files that a list is made of: read within bounds, unpacked, and recognised by name and content."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path

import zstandard

from citeproof.errors import InputError, UsageError
from citeproof.index.lists.list_catalogue import LISTS
from citeproof.index.lists.list_home import ListHome
from citeproof.index.lists.list_tables import decode_text

MOST_FILES = 2000  # in a folder or an archive
_START = 4000  # bytes by which a file is recognised
_NAMED = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)")
_PACKED = re.compile(r"\.(?:gz|zst)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListFile:
    """One file of a list: its name and its content."""

    name: str
    data: bytes

    @property
    def home(self) -> ListHome | None:
        """The list that it is a file of; None if it is of none that is known."""
        name, start = Path(self.name).name, decode_text(self.data[:_START]).lstrip()
        return next((home for home in LISTS.values() if home.recognises(name, start)), None)


def find_list_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named, and those in folders that are."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
        if not inside:
            raise InputError("is an empty folder", place=str(path), hint="name the files of a list")
        found += inside
    if len(found) > MOST_FILES:
        raise InputError(f"are more than {MOST_FILES} files", place=str(paths[0]), hint="name fewer")
    return found


def read_list_file(path: Path, most: int) -> list[ListFile]:
    """Return a file, unpacked if it is .gz or .zst, or the files of a .zip; InputError above `most` bytes."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            data = b"".join(_unpack_file(file, start, most))
    except IsADirectoryError as error:
        raise InputError("is a folder", place=str(path), hint="name the CSV file in it") from error
    except (EOFError, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise InputError("is a damaged archive", place=str(path), hint="download it again") from error
    if len(data) > most:
        raise InputError(f"is larger than {most:,} bytes", place=str(path), hint="is it the right file?")
    return split_archive(ListFile(_strip_packing(str(path)), data), most)


def split_archive(file: ListFile, most: int) -> list[ListFile]:
    """Return the files in a .zip that are of a known list; the file itself if it is no archive."""
    if not file.data.startswith(b"PK\x03\x04"):
        return [file]
    found: list[ListFile] = []
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()][:MOST_FILES]
            for member in members:
                if not any(home.recognises(Path(member.filename).name, "") for home in LISTS.values()):
                    continue
                most -= member.file_size
                if most < 0:
                    raise InputError("is too large unpacked", place=file.name, hint="is it the right file?")
                with archive.open(member) as opened:
                    found.append(ListFile(member.filename, opened.read(member.file_size)))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise InputError("is a damaged archive", place=file.name, hint="download it again") from error
    return found


def group_by_list(files: Sequence[ListFile], named: Collection[str] = ()) -> dict[str, list[ListFile]]:
    """Return the files by the name of their list; UsageError for one that is of none.

    In a folder, files of no list are passed over, unless there is no other.
    """
    groups: dict[str, list[ListFile]] = {}
    strange: list[ListFile] = []
    for file in files:
        home = file.home
        if home is None:
            strange.append(file)
        else:
            groups.setdefault(home.name, []).append(file)
    refused = [file for file in strange if not groups or file.name in map(_strip_packing, named)]
    if refused or not groups:
        raise UsageError(
            "is not a file of a known list",
            place=refused[0].name if refused else "lists import",
            hint=f"say which one it is: --as NAME ({', '.join(LISTS)})",
        )
    return groups


def hash_files(files: Sequence[ListFile]) -> str:
    """Return the SHA-256 of a file; of many, that of the hashes of all in the order of their names."""
    hashes = [sha256(file.data).hexdigest() for file in sorted(files, key=lambda file: file.name)]
    return hashes[0] if len(hashes) == 1 else sha256("\n".join(hashes).encode()).hexdigest()


def read_date_in_name(name: str) -> date | None:
    """Return the date that a file's name has, as `2026-08-17` or `20260817`."""
    for found in _NAMED.finditer(name):
        try:
            return date(*map(int, found.groups()))
        except ValueError:
            continue
    return None


def _unpack_file(file: io.BufferedReader, start: bytes, most: int) -> Iterator[bytes]:
    if start[:2] == b"\x1f\x8b":
        yield gzip.GzipFile(fileobj=file).read(most + 1)
    elif start == b"\x28\xb5\x2f\xfd":
        with zstandard.ZstdDecompressor().stream_reader(file) as reader:
            yield reader.read(most + 1)
    else:
        yield file.read(most + 1)


def _strip_packing(name: str) -> str:
    return _PACKED.sub("", name)
