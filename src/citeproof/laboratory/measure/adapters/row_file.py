"""A file of rows, whatever it is written in: JSON lines, one JSON value, or CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec
import zstandard

from citeproof.errors import InputError
from citeproof.text.typed_decoding import decode_json

MAX_BYTES = 1_000_000_000
LISTS = ("data", "items", "results", "predictions", "collections", "entries", "references")
_ZSTD = b"\x28\xb5\x2f\xfd"
UTF8_MARK = b"\xef\xbb\xbf"

RowOf = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LoadedRows:
    """The rows of one file, what stands around them, and the digest of its bytes."""

    path: Path
    sha256: str
    rows: tuple[RowOf, ...]
    head: RowOf = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Return whether the first row has all these keys."""
        return bool(self.rows) and all(name in self.rows[0] for name in names)


def load_rows(path: Path) -> LoadedRows:
    """Return the rows of the file at `path`."""
    data = read_file_bytes(path)
    digest = sha256(data).hexdigest()
    body = data.removeprefix(UTF8_MARK).strip()
    if not body:
        raise InputError("is empty", place=str(path), hint="give a file with one item per line")
    if body[:1] not in b"[{":
        return LoadedRows(path, digest, _parse_csv(body, path))
    if body[:1] == b"{" and (rows := _parse_json_lines(body, path)):
        return LoadedRows(path, digest, rows)
    return _parse_json(body, path, digest)


def read_file_bytes(path: Path) -> bytes:
    """Return the bytes of a file; a device, which has no end, is refused."""
    try:
        if path.is_char_device() or path.is_block_device():
            raise InputError("is a device", place=str(path), hint="name a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", place=str(path), hint="name a file that exists"
        ) from error
    if len(data) > MAX_BYTES:
        raise InputError("is larger than 1 GB", place=str(path), hint="split it into several files")
    return _unpack_bytes(data, path) if data.startswith(_ZSTD) else data


def _unpack_bytes(data: bytes, path: Path) -> bytes:
    try:
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
            unpacked = stream.read(MAX_BYTES + 1)
    except (zstandard.ZstdError, MemoryError) as error:
        raise InputError("is not a whole zstd file", place=str(path), hint="fetch it again") from error
    if len(unpacked) > MAX_BYTES:
        raise InputError("holds more than 1 GB", place=str(path), hint="split it into several files")
    return unpacked


def _parse_json_lines(body: bytes, path: Path) -> tuple[RowOf, ...]:
    """Return the objects of a file of JSON lines; nothing if it is not one."""
    rows: list[RowOf] = []
    for number, line in enumerate(body.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(decode_json(line, type=dict[str, object]))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not rows:  # the first line alone is no object: one value over many lines
                return ()
            raise InputError(
                f"not a JSON object: {error}", place=f"{path}:{number}", hint="write one JSON object per line"
            ) from error
    return tuple(rows) if len(rows) > 1 or not _find_rows_key(rows[0]) else ()


def _parse_json(body: bytes, path: Path, digest: str) -> LoadedRows:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"not JSON: {error}", place=str(path), hint="give JSON lines, a JSON list or CSV"
        ) from error
    head: RowOf = {}
    if isinstance(value, dict):
        name = _find_rows_key(value)
        head = {key: item for key, item in value.items() if key != name}
        value = value.get(name, ())
    rows = tuple(row for row in value if isinstance(row, dict))
    return LoadedRows(path, digest, _flatten_collections(rows), head)


def _find_rows_key(value: RowOf) -> str:
    """Return the key under which an object holds its rows, if it does."""
    return next((name for name in LISTS if isinstance(value.get(name), list)), "")


def _flatten_collections(rows: tuple[RowOf, ...]) -> tuple[RowOf, ...]:
    if not rows or not isinstance(rows[0].get("citations"), list):
        return rows
    flat: list[RowOf] = []
    for row in rows:
        around = {name: item for name, item in row.items() if name != "citations"}
        within = row.get("citations")
        if isinstance(within, list):
            flat += [{**around, **citation} for citation in within if isinstance(citation, dict)]
    return tuple(flat)


def _parse_csv(body: bytes, path: Path) -> tuple[RowOf, ...]:
    try:
        text = body.decode()
        rows = [
            {(name or "").strip(): value or "" for name, value in row.items() if isinstance(value, str)}
            for row in csv.DictReader(io.StringIO(text, newline=""))
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"not JSON or CSV: {error}", place=str(path), hint="give JSON lines, a JSON list or CSV"
        ) from error
    return tuple(rows)


def get_text(row: RowOf, *names: str) -> str:
    """Return the first of these fields that is there and not empty, as text."""
    for name in names:
        value = row.get(name)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value).strip()
    return ""


def get_number(row: RowOf, *names: str) -> float | None:
    """Return the first of these fields that is a number, or reads as one."""
    for name in names:
        try:
            number = float(str(row[name]))
        except (KeyError, ValueError):
            continue
        if math.isfinite(number):
            return number
    return None


def get_share(row: RowOf, *names: str) -> float | None:
    """Return the first of these fields that is a number from 0 to 1."""
    number = get_number(row, *names)
    return number if number is not None and 0.0 <= number <= 1.0 else None


def number_duplicates(keys: list[str]) -> list[str]:
    """Return the keys, every one but the first of equal ones with its count: a, a#2, a#3."""
    seen: dict[str, int] = {}
    made = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        made.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return made
