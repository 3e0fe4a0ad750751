"""The errors of a file by kind, edit or field, whatever shape the file has.

| file | kind | edit | field |
| items of ours | the family of the error | each edit | the field of each edit |
| HALLMARK | the kind of hallucination | the same | the fields such a kind is in |
| answers of ours | verdict and fields | the reason of each mismatch | the field of each mismatch |
| other benchmarks | minor, major | - | - |
| CSV kind,count | as it is | as it is | as it is |

A work that is made up altogether is the field "whole": its fields are not wrong one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import row_file
from citeproof.laboratory.measure.adapters.answers import HEAD
from citeproof.laboratory.measure.adapters.questions import find_shape, is_hallmark, is_items
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem
from citeproof.text.package_tables import load_package_table
from citeproof.text.typed_decoding import convert_value
from citeproof.vocabulary import Verdict

By = Literal["kind", "edit", "field"]
WHOLE = "whole"
_LONGEST = 60  # characters of a kind
_MOST = 10**9  # of one kind; a count beyond is a slip
_HINT = "give a benchmark, answers of `citeproof check --format jsonl`, or a CSV of kind,count"


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """The errors of one file: how often each kind occurs, in how many items."""

    name: str
    counts: Counter[str]
    items: int


def count_errors(path: Path, by: By) -> ErrorCounts:
    """Return the errors in the file at `path`; items that are right are left out."""
    loaded = row_file.load_rows(path)
    if loaded.has("kind", "count"):
        return _read_counts(loaded)
    kinds_of_rows = [kinds for row in loaded.rows if (kinds := _list_row_kinds(loaded, row, by))]
    if not kinds_of_rows:
        raise InputError(f"no error by {by} was found in it", place=str(path), hint=_HINT)
    return ErrorCounts(
        path.name, Counter(kind for kinds in kinds_of_rows for kind in kinds), len(kinds_of_rows)
    )


def _read_counts(loaded: LoadedRows) -> ErrorCounts:
    counts: Counter[str] = Counter()
    for number, row in enumerate(loaded.rows, 2):
        count = row_file.get_number(row, "count")
        if count is None or count != int(count) or not 0 <= count <= _MOST or not get_text(row, "kind"):
            raise InputError(
                "not a kind with a whole number", place=f"{loaded.path}:{number}", hint="write kind,count"
            )
        counts[get_text(row, "kind")[:_LONGEST]] += int(count)
    return ErrorCounts(loaded.path.name, counts, counts.total())


def _list_row_kinds(loaded: LoadedRows, row: RowOf, by: By) -> tuple[str, ...]:
    """Return the kinds of one row; nothing if nothing is wrong with it."""
    if is_items(loaded):
        kinds = _list_item_kinds(row, loaded, by)
    elif is_hallmark(loaded):
        kinds = _list_hallmark_kinds(row, by)
    elif loaded.has(HEAD) or loaded.has("key", "verdict"):
        kinds = _list_answer_kinds(row, by)
    else:
        kinds = _list_shape_kinds(loaded, row, by)
    return tuple(dict.fromkeys(kind[:_LONGEST] for kind in kinds if kind))


def _list_item_kinds(row: RowOf, loaded: LoadedRows, by: By) -> Iterator[str]:
    try:
        item = convert_value(row, type=BenchmarkItem)
    except msgspec.ValidationError as error:
        raise InputError(
            f"contains a row that is not an item: {error}", place=str(loaded.path), hint=_HINT
        ) from error
    if item.label == "EXACT":
        return
    if by == "kind":
        yield item.kind
    elif by == "edit":
        yield from (edit.kind for edit in item.edits)
    elif {"title", "authors"} <= (touched := {edit.field for edit in item.edits}) and item.label == "MAJOR":
        yield WHOLE
    else:
        yield from map(normalise_field, sorted(touched))


def _list_hallmark_kinds(row: RowOf, by: By) -> Iterator[str]:
    if get_text(row, "label") != "HALLUCINATED":
        return
    kind = get_text(row, "hallucination_type") or "unknown"
    fields: list[str] = load_field_table()["hallmark"].get(kind, [kind])
    yield from fields if by == "field" else [kind]


def _list_answer_kinds(row: RowOf, by: By) -> Iterator[str]:
    """Yield what citeproof found wrong with a reference."""
    if get_text(row, "label") not in ("MINOR", "MAJOR"):
        return
    listed = row.get("mismatches")
    mismatches = (
        [mismatch for mismatch in listed if isinstance(mismatch, dict)]
        if isinstance(listed, list | tuple)
        else []
    )
    fields = sorted({normalise_field(get_text(mismatch, "field")) for mismatch in mismatches})
    absent = get_text(row, "verdict") == Verdict.NOT_FOUND or {"title", "authors"} <= set(fields)
    if by == "kind":
        yield f"{get_text(row, 'verdict')}: {WHOLE if absent else '+'.join(fields) or 'unknown'}"
    elif by == "edit":
        yield from (get_text(mismatch, "reason") for mismatch in mismatches)
    else:
        yield from [WHOLE] if absent else fields


def _list_shape_kinds(loaded: LoadedRows, row: RowOf, by: By) -> Iterator[str]:
    shape = find_shape(loaded)
    if shape is None:
        raise InputError("unknown format of an error file", place=str(loaded.path), hint=_HINT)
    if by != "kind":
        hint = "compare by kind: --by kind"
        raise InputError(
            f"{shape.name} files do not contain the {by} of an error", place=str(loaded.path), hint=hint
        )
    case = shape.read_row(row, 0)
    if isinstance(case, BenchmarkCase) and case.truth.bad:
        yield case.truth.kind


def normalise_field(name: str) -> str:
    """Return the field under the name that all files share."""
    same: dict[str, str] = load_field_table()["same"]
    return same.get(name.lower(), name.lower())


def load_field_table() -> dict[str, Any]:
    return load_package_table(__package__, "fields.toml")
