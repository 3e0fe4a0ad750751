"""The errors of a file by kind, edit or field, whatever shape the file has.

| file | kind | edit | field |
| items of ours | the family of the error | each edit | the field of each edit |
| HALLMARK | the kind of hallucination | the same | the fields such a kind is in |
| answers of ours | verdict and fields | the reason of each mismatch | the field of each mismatch |
| other benchmarks | minor, major | - | - |
| CSV kind,count | as it stands | as it stands | as it stands |

A work that is made up altogether is the field "whole": its fields are not wrong one by one.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from citeproof.errors import InputError
from citeproof.measure.adapters import loading
from citeproof.measure.adapters.answers import ours
from citeproof.measure.adapters.loading import Loaded, RowOf, text
from citeproof.measure.adapters.questions import hallmark, items, shape_of
from citeproof.measure.makers.items import Item
from citeproof.measure.rows import Case
from citeproof.vocabulary import Verdict

By = Literal["kind", "edit", "field"]
WHOLE = "whole"
_LONGEST = 60  # characters of a kind
_MOST = 10**9  # of one kind; a count beyond is a slip
_MEND = "give a benchmark, answers of `citeproof check --format jsonl`, or a CSV of kind,count"


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of one file: how often each kind occurs, in how many items."""

    name: str
    counts: Counter[str]
    items: int


def errors(path: Path, by: By) -> Errors:
    """Return the errors in the file at `path`; items that are right are left out."""
    loaded = loading.load(path)
    if loaded.has("kind", "count"):
        return _counted(loaded)
    found = [kinds for row in loaded.rows if (kinds := _kinds(loaded, row, by))]
    if not found:
        raise InputError(f"no error by {by} was found in it", place=str(path), mend=_MEND)
    return Errors(path.name, Counter(kind for kinds in found for kind in kinds), len(found))


def _counted(loaded: Loaded) -> Errors:
    counts: Counter[str] = Counter()
    for number, row in enumerate(loaded.rows, 2):
        count = loading.number(row, "count")
        if count is None or count != int(count) or not 0 <= count <= _MOST or not text(row, "kind"):
            raise InputError(
                "is no kind with a whole number", place=f"{loaded.path}:{number}", mend="write kind,count"
            )
        counts[text(row, "kind")[:_LONGEST]] += int(count)
    return Errors(loaded.path.name, counts, counts.total())


def _kinds(loaded: Loaded, row: RowOf, by: By) -> tuple[str, ...]:
    """Return the kinds of one row; nothing if nothing is wrong with it."""
    if items.recognises(loaded):
        found = _item(row, loaded, by)
    elif hallmark.recognises(loaded):
        found = _hallmark(row, by)
    elif ours.recognises(loaded):
        found = _answer(row, by)
    else:
        found = _other(loaded, row, by)
    return tuple(dict.fromkeys(kind[:_LONGEST] for kind in found if kind))


def _item(row: RowOf, loaded: Loaded, by: By) -> Iterator[str]:
    try:
        item = msgspec.convert(row, type=Item)
    except msgspec.ValidationError as error:
        raise InputError(
            f"holds a row that is no item: {error}", place=str(loaded.path), mend=_MEND
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
        yield from map(field, sorted(touched))


def _hallmark(row: RowOf, by: By) -> Iterator[str]:
    if text(row, "label") != "HALLUCINATED":
        return
    kind = text(row, "hallucination_type") or "unknown"
    fields: list[str] = table()["hallmark"].get(kind, [kind])
    yield from fields if by == "field" else [kind]


def _answer(row: RowOf, by: By) -> Iterator[str]:
    """Yield what citeproof found wrong with a reference."""
    if text(row, "label") not in ("MINOR", "MAJOR"):
        return
    listed = row.get("mismatches")
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list | tuple) else []
    fields = sorted({field(text(one, "field")) for one in found})
    absent = text(row, "verdict") == Verdict.NOT_FOUND or {"title", "authors"} <= set(fields)
    if by == "kind":
        yield f"{text(row, 'verdict')}: {WHOLE if absent else '+'.join(fields) or 'unknown'}"
    elif by == "edit":
        yield from (text(one, "reason") for one in found)
    else:
        yield from [WHOLE] if absent else fields


def _other(loaded: Loaded, row: RowOf, by: By) -> Iterator[str]:
    shape = shape_of(loaded)
    if shape is None:
        raise InputError("is no file of errors that is known", place=str(loaded.path), mend=_MEND)
    if by != "kind":
        mend = "compare by kind: --by kind"
        raise InputError(f"{shape.NAME} files tell no {by} of an error", place=str(loaded.path), mend=mend)
    case = shape.case(row, 0)
    if isinstance(case, Case) and case.truth.bad:
        yield case.truth.kind


def field(name: str) -> str:
    """Return the field under the name that all files share."""
    same: dict[str, str] = table()["same"]
    return same.get(name.lower(), name.lower())


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """Return the table of fields."""
    return tomllib.loads(resources.files(__package__).joinpath("fields.toml").read_text("utf-8"))
