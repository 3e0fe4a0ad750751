"""Benchmark files: each shape is one file of this folder, recognised by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import row_file
from citeproof.laboratory.measure.adapters.questions import (
    citeaudit,
    citecheck,
    evidence_rows,
    hallmark,
    items,
    sourced_claims,
)
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase


class BenchmarkShape(Protocol):
    """One shape of benchmark file."""

    NAME: str

    def recognises(self, loaded: LoadedRows) -> bool: ...

    def read_case(self, row: RowOf, at: int) -> BenchmarkCase | str:
        """Return the question and its truth, or what of the row was not understood."""
        ...


class SourcedShape(Protocol):
    """A shape whose rows have texts in other files: of each file it gets the place."""

    NAME: str

    def recognises(self, loaded: LoadedRows) -> bool: ...

    def make_reader(self, loaded: LoadedRows) -> RowReader: ...


RowReader = Callable[[RowOf, int], BenchmarkCase | str]
SHAPES: tuple[BenchmarkShape, ...] = (items, hallmark, citecheck, citeaudit)
SOURCED: tuple[SourcedShape, ...] = (sourced_claims, evidence_rows)
_HINT = "known formats: citeproof's own items, HALLMARK, CITECHECK, CiteAudit, claims (docs/benchmarks.md)"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The cases of one file, and what of it was left out."""

    path: Path
    sha256: str
    shape: str
    cases: tuple[BenchmarkCase, ...]
    skipped: tuple[tuple[str, int], ...] = ()  # why, how often
    seed: int | None = None

    def select_split(self, split: str) -> Benchmark:
        """Return the cases of one split; all of them where the file knows no splits."""
        if not split or not any(case.truth.split for case in self.cases):
            return self
        return replace(self, cases=tuple(case for case in self.cases if case.truth.split == split))


def read_benchmark(path: Path) -> Benchmark:
    """Return the benchmark in the file at `path`, whatever shape it has."""
    loaded = row_file.load_rows(path)
    reader = _find_reader(loaded)
    if reader is None:
        keys = ", ".join(sorted(map(str, loaded.rows[0]))[:12]) if loaded.rows else "none"
        raise InputError(f"unknown format of a benchmark file; its keys: {keys}", place=str(path), hint=_HINT)
    shape, read_row = reader
    read_rows = [read_row(row, at) for at, row in enumerate(loaded.rows)]
    cases = [case for case in read_rows if isinstance(case, BenchmarkCase)]
    if not cases:
        why = next((reason for reason in read_rows if isinstance(reason, str)), "it has no row")
        raise InputError(f"no item could be read: {why}", place=str(path), hint=_HINT)
    skipped = Counter(reason for reason in read_rows if isinstance(reason, str))
    return Benchmark(
        path,
        loaded.sha256,
        shape,
        _make_keys_unique(cases),
        tuple(sorted(skipped.items())),
        evidence_rows.SEED if shape == evidence_rows.NAME else _find_seed(loaded),
    )


def read_citation_benchmark(path: Path) -> Benchmark:
    """Return a benchmark of citations; InputError for one of claims."""
    benchmark = read_benchmark(path)
    if any(case.question.is_claim for case in benchmark.cases):
        hint = "run it with `citeproof bench run`"
        raise InputError("is a benchmark of claims, not of citations", place=str(path), hint=hint)
    return benchmark


def is_benchmark(loaded: LoadedRows) -> bool:
    """Return whether a file is a benchmark: its labels are the truth."""
    return find_shape(loaded) is not None or any(shape.recognises(loaded) for shape in SOURCED)


def find_shape(loaded: LoadedRows) -> BenchmarkShape | None:
    """Return the shape of a benchmark file of citations, if it is one."""
    return next((shape for shape in SHAPES if shape.recognises(loaded)), None)


def _find_reader(loaded: LoadedRows) -> tuple[str, RowReader] | None:
    """Return the name of a file's shape, and what reads its rows."""
    for sourced in SOURCED:
        if sourced.recognises(loaded):
            return sourced.NAME, sourced.make_reader(loaded)
    shape = find_shape(loaded)
    return (shape.NAME, shape.read_case) if shape else None


def _make_keys_unique(cases: Sequence[BenchmarkCase]) -> tuple[BenchmarkCase, ...]:
    keys = row_file.number_duplicates([case.question.key for case in cases])
    return tuple(
        replace(case, question=replace(case.question, key=key)) for case, key in zip(cases, keys, strict=True)
    )


def _find_seed(loaded: LoadedRows) -> int | None:
    """Return the seed that a file was drawn with, if it says so."""
    configuration = loaded.head.get("configuration")
    for around in (loaded.head, configuration if isinstance(configuration, dict) else {}, loaded.rows[0]):
        for name in ("seed", "random_seed"):
            if isinstance(seed := around.get(name), int):
                return seed
    return None
