"""Results as tables, for a terminal and for Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from citeproof.answers.reporters.wording import show_line
from citeproof.laboratory.measure.intervals import Interval, compute_wilson_interval
from citeproof.laboratory.measure.metrics import (
    CLAIM_CLASSES,
    CLASSES,
    ClassLabels,
    ScoredColumns,
    count_confusion,
)
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.laboratory.measure.system_results import SystemResult
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import SupportOutcome

FLAGGED = "Flagged: alarm or not located"
WIDEST = 40  # characters of a name out of a file
_NAMES = load_package_table(__package__, "figures.toml")  # what each figure is called, in order
THREE: dict[str, str] = _NAMES["three"]
BINARY: dict[str, str] = _NAMES["binary"]
UNSURE: dict[str, str] = _NAMES["unsure"]
CONFIDENCE: dict[str, str] = _NAMES["confidence"]
RANKS = 3  # passages that are shown with a claim
_OUTCOMES = tuple(each.value for each in SupportOutcome)


def name_class_figures(labels: ClassLabels) -> dict[str, str]:
    """Return the figures of three classes, each with what it is called, in the order of a table."""
    by_class = {f"three.{label.value.lower()}_f1": f"F1 {label.value}" for label in labels}
    first = {name: THREE[name] for name in ("three.macro_f1", "three.weighted_f1", "three.accuracy")}
    rated = CLASSES[0] in labels  # no system gives a confidence with a claim
    return {**first, **by_class, **{name: word for name, word in THREE.items() if rated or "three" in name}}


def build_result_tables(result: SystemResult) -> list[ResultTable]:
    rows = [(word, *_format_figure_cells(result, name)) for name, word in CONFIDENCE.items()]
    head = ("", "", "95 % interval")
    confidence = ResultTable("Confidence that real or fake is right", head, tuple(rows))
    return [*build_class_tables(result), build_binary_table(result), confidence, build_kinds_table(result)]


def build_class_tables(result: SystemResult) -> list[ResultTable]:
    """Return the tables of three classes; none if they are not distinguished."""
    if not result.classes:
        return []
    return [_build_three_table(result), _build_class_table(result), _build_confusion_table(result)]


def _build_three_table(result: SystemResult) -> ResultTable:
    named = name_class_figures(result.labels)
    rows = [(word, *_format_figure_cells(result, name)) for name, word in named.items()]
    return ResultTable(
        f"{format_cell(result.name)}: {len(result.rows)} items, "
        f"{result.unchecked} unchecked (counted as wrong)",
        ("Three classes", "", "95 % interval"),
        tuple(rows),
    )


def _build_class_table(result: SystemResult) -> ResultTable:
    rows = []
    for label in result.labels:
        name = f"three.{label.value.lower()}"
        support = sum(row.label is label for row in result.rows)
        parts = (format_figure(result.figures[f"{name}_{part}"]) for part in ("precision", "recall", "f1"))
        rows.append((label.value, *parts, str(support)))
    return ResultTable("By class", ("Class", "Precision", "Recall", "F1", "Items"), tuple(rows))


def _build_confusion_table(result: SystemResult) -> ResultTable:
    counts = count_confusion(ScoredColumns.from_rows(result.rows))
    rows = [(label.value, *map(str, row)) for label, row in zip(result.labels, counts.tolist(), strict=True)]
    return ResultTable(
        "True class by answer", ("", *(c.value for c in result.labels), "unchecked"), tuple(rows)
    )


def build_binary_table(result: SystemResult) -> ResultTable:
    """Return the figures of two classes: real or fake; of claims, as in the source or not."""
    fake = sum(row.bad for row in result.rows)
    rows = [
        (
            word,
            *(
                f"{a}  {b}".strip()
                for a, b in (_format_figure_cells(result, f"{block}.{name}") for block in UNSURE)
            ),
        )
        for name, word in name_binary_figures(of_claims=result.of_claims).items()
    ]
    real = len(result.rows) - fake
    if result.of_claims:
        counts, head = f"as in the source {real}, not so {fake}", FLAGGED
    else:
        counts, head = f"real {real}, fake {fake}", "Real or fake"
    title = f"{format_cell(result.name)}: {counts}, {result.unchecked} unchecked"
    return ResultTable(title, (head, *UNSURE.values()), tuple(rows))


def name_binary_figures(*, of_claims: bool) -> dict[str, str]:
    if not of_claims:
        return BINARY
    return {name: word.replace("fake", "flags") for name, word in BINARY.items() if name != "tw_f1"}


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
    named = {**name_class_figures((*CLASSES, *CLAIM_CLASSES)), **binary, **CONFIDENCE}
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


def build_claim_tables(result: SystemResult) -> list[ResultTable]:
    """Return the tables of one result about claims."""
    ranks = [_build_rank_table(result)] if any(row.rank is not None for row in result.rows) else []
    tables = [build_binary_table(result), _build_outcome_table(result), *ranks, build_kinds_table(result)]
    return [*build_class_tables(result), *tables]


def _build_outcome_table(result: SystemResult) -> ResultTable:
    """Return what was found of the claims in their sources, by kind."""
    seen = {row.outcome for row in result.rows}
    outcomes = [*(each for each in _OUTCOMES if each in seen), *sorted(seen.difference(_OUTCOMES))]
    counts = Counter((row.kind, row.outcome) for row in result.rows)
    rows = [
        (format_cell(kind.name), str(kind.items), *(str(counts[kind.name, each]) for each in outcomes))
        for kind in result.kinds
    ]
    title = f"{format_cell(result.name)}: {len(result.rows)} claims; what was found, by kind"
    return ResultTable(title, ("Kind", "Items", *map(format_cell, outcomes)), tuple(rows))


def _build_rank_table(result: SystemResult) -> ResultTable:
    """Return how often the passage that says it was found, where the benchmark knows it."""
    rows = []
    for kind in result.kinds:
        ranks = [row.rank for row in result.rows if row.kind == kind.name and row.rank is not None]
        if ranks:
            among = sum(1 <= rank <= RANKS for rank in ranks)
            first = str(ranks.count(1))
            rows.append((format_cell(kind.name), str(len(ranks)), first, *_format_share(among, len(ranks))))
    head = ("Kind", "Items", "First", f"Among the first {RANKS}", "Share, 95 % interval")
    return ResultTable("The passage that says it, where it is known", head, tuple(rows))


def _format_share(part: int, whole: int) -> tuple[str, str]:
    if not whole:
        return str(part), "-"
    return str(part), f"{part / whole:.3f}  {format_interval(compute_wilson_interval(part, whole))}"
