"""Systems' answers to a benchmark: each shape is one file of this folder, recognised by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import questions, row_file
from citeproof.laboratory.measure.adapters.answers import (
    citeaudit,
    citecheck,
    hallmark,
    ours,
    statuses,
    table,
)
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer, index_answers


class AnswersShape(Protocol):
    """One shape of answers file."""

    NAME: str

    def recognises(self, loaded: LoadedRows) -> bool: ...

    def read_answer(self, row: RowOf, at: int) -> SystemAnswer | str | None:
        """Return one answer, what of the row was not understood, or None if it is no answer."""
        ...


SHAPES: tuple[AnswersShape, ...] = (ours, hallmark, citeaudit, citecheck, statuses, table)
_HINT = "give CSV with the header key,label[,confidence]; other formats: docs/benchmarks.md"


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """What one system said, by key, and what of its file was not understood."""

    path: Path
    shape: str
    said: dict[str, SystemAnswer]
    skipped: tuple[tuple[str, int], ...] = ()


def read_answers(path: Path, wanted: Collection[str] = ()) -> SystemAnswers:
    """Return the answers in the file at `path`; it must answer at least one of the `wanted` keys."""
    loaded = row_file.load_rows(path)
    shape = next((known for known in SHAPES if known.recognises(loaded)), None)
    if shape is None:
        keys = ", ".join(sorted(map(str, loaded.rows[0]))[:12]) if loaded.rows else "none"
        raise InputError(f"unknown format of an answers file; its keys: {keys}", place=str(path), hint=_HINT)
    if shape not in (ours, citeaudit) and questions.is_benchmark(loaded):  # its labels are the truth itself
        raise InputError("is a benchmark, not a system's answers to it", place=str(path), hint=_HINT)
    rows = [shape.read_answer(row, at) for at, row in enumerate(loaded.rows)]
    said = [answer for answer in rows if isinstance(answer, SystemAnswer)]
    keys_made = row_file.number_duplicates([answer.key for answer in said])
    by_key = index_answers(
        msgspec.structs.replace(answer, key=key) for answer, key in zip(said, keys_made, strict=True)
    )
    if wanted and not by_key.keys() & set(wanted):
        why = next((reason for reason in rows if isinstance(reason, str)), "its keys are others")
        raise InputError(f"has no answer to any item of the benchmark: {why}", place=str(path), hint=_HINT)
    skipped = Counter(reason for reason in rows if isinstance(reason, str))
    return SystemAnswers(path, shape.NAME, by_key, tuple(sorted(skipped.items())))
