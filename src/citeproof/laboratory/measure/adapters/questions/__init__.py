"""Benchmark files: each shape is recognised by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import row_file
from citeproof.laboratory.measure.adapters.questions import citation_shapes
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase


@dataclass(frozen=True, slots=True)
class BenchmarkShape:
    """One shape of benchmark file. A row gives the question and its truth, or what was not understood."""

    name: str
    recognises: Callable[[LoadedRows], bool]
    read_row: Callable[[RowOf, int], BenchmarkCase | str]


SHAPES = (
    BenchmarkShape(citation_shapes.ITEMS, citation_shapes.is_items, citation_shapes.read_item),
    BenchmarkShape(citation_shapes.HALLMARK, citation_shapes.is_hallmark, citation_shapes.read_hallmark),
    BenchmarkShape("citecheck", citation_shapes.is_citecheck, citation_shapes.read_citecheck),
    BenchmarkShape("citeaudit", citation_shapes.is_citeaudit, citation_shapes.read_citeaudit),
)
_HINT = "known formats: citeproof's own items, HALLMARK, CITECHECK, CiteAudit (docs/benchmarks.md)"


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
    shape = find_shape(loaded)
    if shape is None:
        keys = ", ".join(sorted(map(str, loaded.rows[0]))[:12]) if loaded.rows else "none"
        raise InputError(f"unknown format of a benchmark file; its keys: {keys}", place=str(path), hint=_HINT)
    read_rows = [shape.read_row(row, at) for at, row in enumerate(loaded.rows)]
    cases = [case for case in read_rows if isinstance(case, BenchmarkCase)]
    if not cases:
        why = next((reason for reason in read_rows if isinstance(reason, str)), "it has no row")
        raise InputError(f"no item could be read: {why}", place=str(path), hint=_HINT)
    skipped = Counter(reason for reason in read_rows if isinstance(reason, str))
    return Benchmark(
        path,
        loaded.sha256,
        shape.name,
        _make_keys_unique(cases),
        tuple(sorted(skipped.items())),
        _find_seed(loaded),
    )


def find_shape(loaded: LoadedRows) -> BenchmarkShape | None:
    """Return the shape of a benchmark file, if it is one: its labels are the truth."""
    return next((shape for shape in SHAPES if shape.recognises(loaded)), None)


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
