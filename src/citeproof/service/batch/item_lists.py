"""Lists of documents with ids: one path a line, CSV with a heading, or JSON objects, one a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import msgspec

from citeproof.disk_files import read_plain_file
from citeproof.errors import UsageError
from citeproof.service.batch.batch_items import BUCKET, MOST, ListedDocument, show_name
from citeproof.typed_decoding import decode_json

_MOST_BYTES = 200_000_000
_LONGEST = 500  # characters of an id
_LONGEST_FIELD = 1 << 17  # characters of one field
_PATHS = ("path", "file", "document")  # names of the column or key of the path
_IDS = ("id", "paper", "paper_id")


def read_item_list(path: Path) -> list[ListedDocument]:
    """Return the documents of a list in its order; paths are relative to the folder of the list.

    UsageError at its line for a row without a path, and for an id that is there twice.
    """
    text = _read_text(path)
    rows = list(_choose_reader(path, text))
    first: dict[str, str] = {}
    for row in rows:
        if row.id and row.id in first:
            hint = f"give each document an id of its own; the first is at {first[row.id]}"
            raise UsageError(f"the id {row.id!r} is there twice", place=row.place, hint=hint)
        first[row.id] = row.place
    if len(rows) > MOST:
        raise UsageError(f"lists more than {MOST:,} documents", place=str(path), hint="split it")
    return rows


def _read_text(path: Path) -> str:
    try:
        return read_plain_file(path, _MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        hint = "check the name and the permissions"
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8 text", place=str(path), hint="save it as UTF-8") from error


def _choose_reader(path: Path, text: str) -> Iterator[ListedDocument]:
    beginning = text.lstrip()[:1]
    if beginning == "{":
        return _read_json_lines(path, text)
    if path.suffix.lower() in (".csv", ".tsv"):
        return _read_table(path, text)
    return _read_lines(path, text)


def _read_lines(path: Path, text: str) -> Iterator[ListedDocument]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield _make_row(path, number, line.strip(), "")


def _read_table(path: Path, text: str) -> Iterator[ListedDocument]:
    csv.field_size_limit(_LONGEST_FIELD)  # it is the process's, and readers of long lists need more
    rows = csv.DictReader(io.StringIO(text), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        yield from _read_rows(path, rows)
    except csv.Error as error:
        place = f"{path}:{rows.line_num + 1}"  # it counts a line when it has read it
        raise UsageError(f"is no CSV: {error}", place=place, hint="correct it") from error


def _read_rows(path: Path, rows: csv.DictReader[str]) -> Iterator[ListedDocument]:
    heads = {str(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    of_path = next((heads[name] for name in _PATHS if name in heads), None)
    of_id = next((heads[name] for name in _IDS if name in heads), None)
    if of_path is None:
        hint = "begin it with a line of column names: path,id"
        raise UsageError("has no column named path", place=f"{path}:1", hint=hint)
    for row in rows:
        yield _make_row(path, rows.line_num, row[of_path] or "", (row[of_id] or "") if of_id else "")


def _read_json_lines(path: Path, text: str) -> Iterator[ListedDocument]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = decode_json(line, type=dict[str, object])
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
            hint = 'write one object a line, such as {"path": "1.pdf", "id": "1"}'
            raise UsageError(f"is no JSON object: {error}", place=f"{path}:{number}", hint=hint) from error
        found = next((row[name] for name in _PATHS if name in row), "")
        known = next((row[name] for name in _IDS if name in row), "")
        yield _make_row(path, number, str(found or ""), "" if known is None else str(known))


def _make_row(path: Path, number: int, found: str, known: str) -> ListedDocument:
    place = f"{path}:{number}"
    if not found.strip() or "\0" in found:
        raise UsageError("has no path", place=place, hint="give the path of a document in each row")
    if len(known) > _LONGEST:
        raise UsageError(f"has an id of more than {_LONGEST} characters", place=place, hint="shorten it")
    where = found if found.startswith(BUCKET) else str(path.parent / found)
    return ListedDocument(where, show_name(known.strip()), place)
