"""Results as tables, for a terminal and for Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from citeproof.answers.reporters.wording import show_line
from citeproof.laboratory.measure.metrics import CLASSES, Interval, ScoredColumns, count_confusion
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.laboratory.measure.system_results import SystemResult
from citeproof.text.package_tables import load_package_table

WIDEST = 40  # characters of a name out of a file
_NAMES = load_package_table(__package__, "figures.toml")  # what each figure is called, in order
THREE: dict[str, str] = _NAMES["three"]
BINARY: dict[str, str] = _NAMES["binary"]
UNSURE: dict[str, str] = _NAMES["unsure"]
CONFIDENCE: dict[str, str] = _NAMES["confidence"]


def name_class_figures() -> dict[str, str]:
    """Return the figures of three classes, each with what it is called, in the order of a table."""
    by_class = {f"three.{label.value.lower()}_f1": f"F1 {label.value}" for label in CLASSES}
    first = {name: THREE[name] for name in ("three.macro_f1", "three.weighted_f1", "three.accuracy")}
    return {**first, **by_class, **THREE}


def build_result_tables(result: SystemResult) -> list[ResultTable]:
    rows = [(word, *_format_figure_cells(result, name)) for name, word in CONFIDENCE.items()]
    head = ("", "", "95 % interval")
    confidence = ResultTable("Confidence that real or fake is right", head, tuple(rows))
    tables = [build_binary_table(result), confidence, build_kinds_table(result)]
    if not result.classes:
        return tables
    return [_build_three_table(result), _build_class_table(result), _build_confusion_table(result), *tables]


def _build_three_table(result: SystemResult) -> ResultTable:
    rows = [(word, *_format_figure_cells(result, name)) for name, word in name_class_figures().items()]
    return ResultTable(
        f"{format_cell(result.name)}: {len(result.rows)} items, "
        f"{result.unchecked} unchecked (counted as wrong)",
        ("Three classes", "", "95 % interval"),
        tuple(rows),
    )


def _build_class_table(result: SystemResult) -> ResultTable:
    rows = []
    for label in CLASSES:
        name = f"three.{label.value.lower()}"
        support = sum(row.label is label for row in result.rows)
        parts = (format_figure(result.figures[f"{name}_{part}"]) for part in ("precision", "recall", "f1"))
        rows.append((label.value, *parts, str(support)))
    return ResultTable("By class", ("Class", "Precision", "Recall", "F1", "Items"), tuple(rows))


def _build_confusion_table(result: SystemResult) -> ResultTable:
    counts = count_confusion(ScoredColumns.from_rows(result.rows))
    rows = [(label.value, *map(str, row)) for label, row in zip(CLASSES, counts.tolist(), strict=True)]
    return ResultTable("True class by answer", ("", *(c.value for c in CLASSES), "unchecked"), tuple(rows))


def build_binary_table(result: SystemResult) -> ResultTable:
    """Return the figures of two classes, real and fake."""
    fake = sum(row.bad for row in result.rows)
    rows = [
        (
            word,
            *(
                f"{a}  {b}".strip()
                for a, b in (_format_figure_cells(result, f"{block}.{name}") for block in UNSURE)
            ),
        )
        for name, word in BINARY.items()
    ]
    counts = f"real {len(result.rows) - fake}, fake {fake}, {result.unchecked} unchecked"
    title = f"{format_cell(result.name)}: {counts}"
    return ResultTable(title, ("Real or fake", *UNSURE.values()), tuple(rows))


def build_kinds_table(result: SystemResult) -> ResultTable:
    rows = [
        (
            format_cell(kind.name),
            *map(str, (kind.items, kind.flagged, kind.unchecked, kind.passed, kind.right)),
        )
        for kind in result.kinds
    ]
    return ResultTable("By kind", ("Kind", "Items", "Flagged", "Unchecked", "Passed", "Right"), tuple(rows))


def build_means_table(means: Mapping[str, tuple[float, float]], count: int) -> ResultTable:
    """Return the mean over files, with the standard deviation between them."""
    binary = {f"binary_answered.{name}": word for name, word in BINARY.items()}
    named = {**name_class_figures(), **binary, **CONFIDENCE}
    rows = [
        (word, format_figure(means[name][0]), format_figure(means[name][1]))
        for name, word in named.items()
        if name in means
    ]
    return ResultTable(f"Mean of {count} files", ("", "Mean", "Standard deviation"), tuple(rows))


def _format_figure_cells(result: SystemResult, name: str) -> tuple[str, str]:
    return format_figure(result.figures.get(name, math.nan)), format_interval(result.intervals.get(name))


def format_figure(value: float) -> str:
    """Return a figure with three places; a stroke where it has no cases."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def format_interval(interval: Interval | None) -> str:
    """Return an interval as low–high; nothing where there is none."""
    if interval is None or any(map(math.isnan, interval)):
        return ""
    return f"{interval[0]:.3f}–{interval[1]:.3f}"


def format_cell(text: str) -> str:
    """Return text out of a file, on one line and bounded."""
    return show_line(text, WIDEST)


def format_figures(tables: Sequence[ResultTable], sentences: Iterable[str], format_: str) -> str:
    """Return tables and the sentences below them: Markdown for "md", else aligned text."""
    lines = [show_line(text, 400) for text in sentences]
    if format_ == "md":
        return format_markdown(tables) + "\n" + "".join(f"- {line}\n" for line in lines)
    return format_tables(tables) + "\n\n" + "\n".join(lines) + "\n"


def format_markdown(tables: Sequence[ResultTable]) -> str:
    return "\n".join(_format_markdown_table(table) for table in tables)


def _format_markdown_table(table: ResultTable) -> str:
    right = ("---", *("---:",) * (len(table.head) - 1))
    rows = (table.head, right, *table.rows)
    lines = [f"| {' | '.join(map(_escape_markdown, cells))} |" for cells in rows]
    return "\n".join([f"**{_escape_markdown(table.title)}**", "", *lines, ""])


def _escape_markdown(text: str) -> str:
    for mark in "\\|`*_<>[]":
        text = text.replace(mark, f"\\{mark}")
    return text
