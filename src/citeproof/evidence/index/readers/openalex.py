"""OpenAlex works: the snapshot's JSON lines (`.gz`) or its Parquet files (`.parquet`).

Parquet needs the extra `parquet`. Only the columns that are read are loaded, some thousand rows at a time.
A record's id is OpenAlex's own (`W2741809807`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import msgspec

from citeproof.errors import InputError
from citeproof.evidence.index.readers._json_works import Decode, add_abstract, make_decoder, read_works
from citeproof.evidence.index.readers.base import BadRecord, Bookmark, DumpReader, ReadDump
from citeproof.evidence.upstream_records.abstracts import read_openalex_abstract
from citeproof.evidence.upstream_records.openalex import make_record
from citeproof.vocabulary import Place

T = TypeVar("T")

_ROWS = 2000


class _OpenAlexName(TypedDict, total=False):
    display_name: str | None


class _OpenAlexAuthorship(TypedDict, total=False):
    author: _OpenAlexName
    raw_author_name: str | None


class _OpenAlexPlace(TypedDict, total=False):
    id: Any
    landing_page_url: Any
    source: Any
    version: Any
    raw_type: Any
    raw_source_name: Any


class _OpenAlexWork(TypedDict, total=False):
    """What the shape reads; references and, unless they are asked for, abstracts are skipped."""

    id: Any
    doi: Any
    title: Any
    display_name: Any
    publication_year: Any
    type: Any
    authorships: list[_OpenAlexAuthorship]
    primary_location: _OpenAlexPlace | None
    locations: list[_OpenAlexPlace]
    biblio: Any
    ids: Any
    is_retracted: Any
    is_authors_truncated: Any


class _AbstractedOpenAlexWork(_OpenAlexWork, total=False):
    abstract_inverted_index: Any


_make_abstracted = add_abstract(make_record, read_openalex_abstract)
_decode = make_decoder(msgspec.json.Decoder(_OpenAlexWork), make_record)
_decode_abstracted = make_decoder(msgspec.json.Decoder(_AbstractedOpenAlexWork), _make_abstracted)
_NESTED = ("authorships", "primary_location", "locations", "biblio", "ids", "abstract_inverted_index")
_PLAIN_FIELDS = frozenset(_OpenAlexWork.__annotations__)
_FIELDS = frozenset(_AbstractedOpenAlexWork.__annotations__)
_PARTS = {
    "authorships": frozenset(("author.display_name", "raw_author_name")),
    "locations": frozenset(_OpenAlexPlace.__annotations__),
    "primary_location": frozenset(_OpenAlexPlace.__annotations__),
}
_STEPS = frozenset(("list", "element", "item", "array", "bag", "array_element"))


def _make_reader(
    decode: Decode[T], shape: Callable[[object], T | None], fields: frozenset[str]
) -> ReadDump[T]:
    def read(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[T | BadRecord]:
        at = at or Bookmark()
        for path in paths:
            if path.suffix != ".parquet":
                yield from read_works((path,), at, decode=decode)
            elif at.opens():
                yield from at.list_rest(_read_parquet(path, shape, fields))

    return read


def _read_parquet(
    path: Path, shape: Callable[[object], T | None], fields: frozenset[str]
) -> Iterator[T | BadRecord]:
    """Yield the works of a Parquet file; its place is the number of the row."""
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - an extra
    except ImportError as error:
        hint = 'install it: pip install "citeproof[parquet]"'
        raise InputError("is a Parquet file, and pyarrow is missing", place=str(path), hint=hint) from error
    if not path.is_file():
        raise InputError("no such file", place=str(path), hint="check the path")
    row = 0
    try:
        with parquet.ParquetFile(path) as table:
            listed = map(table.schema.column, range(len(table.schema)))
            columns = [column.path for column in listed if _is_wanted_column(column.path, fields)]
            for batch in table.iter_batches(_ROWS, columns=columns):
                for work in batch.to_pylist():
                    row += 1
                    bad = BadRecord(Place(file=str(path), line=row), "not a work: no id or no usable title")
                    yield shape(_decode_nested(work)) or bad
    except (ArrowException, OSError) as error:
        detail = f"is damaged after row {row}: {error}"[:300]
        raise InputError(detail, place=str(path), hint="fetch the file again") from error


def _is_wanted_column(path: str, fields: frozenset[str]) -> bool:
    """Return whether a column is read; the steps into a list are named differently by each writer."""
    name, *steps = path.split(".")
    parts = ".".join(step for step in steps if step not in _STEPS)
    if name not in fields:
        return False
    wanted = _PARTS.get(name)
    return (
        wanted is None or not parts or any(parts == part or parts.startswith(f"{part}.") for part in wanted)
    )


def _decode_nested(work: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose nested fields are objects, also where a writer stored them as JSON text."""
    for name in _NESTED:
        if isinstance(value := work.get(name), str):
            try:
                work[name] = msgspec.json.decode(value)
            except (msgspec.DecodeError, RecursionError):
                work[name] = None
    return work


READER = DumpReader(
    "openalex",
    "nearly all works with a DOI or PubMed number and many without, up to the snapshot's date; "
    "weak on machine-learning papers that appeared on arXiv first",
    _make_reader(_decode, make_record, _PLAIN_FIELDS),
    _make_reader(_decode_abstracted, _make_abstracted, _FIELDS),
)
