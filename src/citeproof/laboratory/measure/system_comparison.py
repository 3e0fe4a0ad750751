"""Systems side by side on one benchmark: figures with intervals, tests between them, what each catches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from citeproof.laboratory.measure.benchmark_rows import OutcomeRow, has_three_classes
from citeproof.laboratory.measure.charts.figure_charts import ChartBar, draw_bar_chart
from citeproof.laboratory.measure.metrics import CLASSES, NAN
from citeproof.laboratory.measure.result_tables import (
    BINARY,
    CONFIDENCE,
    UNSURE,
    format_cell,
    format_figure,
    format_interval,
    name_class_figures,
)
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.laboratory.measure.system_results import Json, SystemResult, build_result_json
from citeproof.text.package_tables import load_package_table

_CHART_BINARY: dict[str, str] = load_package_table(__package__, "figures.toml")["chart"]


@dataclass(frozen=True, slots=True)
class McnemarTest:
    """How often only one of two systems was right, and how likely so uneven a split is by chance."""

    first_only: int
    second_only: int
    p: float


def run_mcnemar_test(first: Sequence[OutcomeRow], second: Sequence[OutcomeRow]) -> McnemarTest:
    """Return the test over rows of the same questions in the same order; unchecked is not right.

    Three classes are compared where both systems tell them apart, else real against fake.
    """
    classes = has_three_classes(first) and has_three_classes(second)
    pairs = [(a.right(classes=classes), b.right(classes=classes)) for a, b in zip(first, second, strict=True)]
    ahead, behind = pairs.count((True, False)), pairs.count((False, True))
    return McnemarTest(ahead, behind, compute_exact_p(ahead, behind))


def compute_exact_p(ahead: int, behind: int) -> float:
    """Return the two-sided p of a split of coin tosses at least as uneven; 1 where nothing differs."""
    total = ahead + behind
    # Binomial coefficients one from the other, as whole numbers: exact however many there are.
    steps = range(1, min(ahead, behind) + 1)
    coefficients: Iterator[int] = accumulate(steps, lambda c, k: c * (total - k + 1) // k, initial=1)
    return min(1.0, 2 * sum(coefficients) / (1 << total))


@dataclass(frozen=True, slots=True)
class SystemPair:
    first: str
    second: str
    test: McnemarTest


def compare_pairs(results: Sequence[SystemResult]) -> list[SystemPair]:
    """Return McNemar's test between every two systems."""
    return [SystemPair(a.name, b.name, run_mcnemar_test(a.rows, b.rows)) for a, b in combinations(results, 2)]


def build_comparison_tables(results: Sequence[SystemResult]) -> list[ResultTable]:
    classes = all(result.classes for result in results)
    shown = [
        _build_figures_table(results, classes=classes),
        _build_tests_table(compare_pairs(results), classes=classes),
    ]
    if classes:
        shown.append(_build_recall_table(results))
    return [*shown, _build_flagged_table(results)]


def _build_figures_table(results: Sequence[SystemResult], *, classes: bool) -> ResultTable:
    blocks = {
        f"{block}.{name}": f"{word}, {unsure}"
        for block, unsure in UNSURE.items()
        if block != "binary_as_wrong"
        for name, word in BINARY.items()
    }
    named = {**(name_class_figures() if classes else {}), **blocks, **CONFIDENCE}
    rows = [
        (word, *(_format_result_figure(result, name) for result in results)) for name, word in named.items()
    ]
    unchecked = ("unchecked", *(f"{result.unchecked} of {len(result.rows)}" for result in results))
    title = f"{len(results[0].rows)} items, 95 % intervals" if results else ""
    return ResultTable(title, ("", *(format_cell(result.name) for result in results)), (unchecked, *rows))


def _format_result_figure(result: SystemResult, name: str) -> str:
    figure, interval = result.figures.get(name, NAN), result.intervals.get(name)
    return f"{format_figure(figure)} {format_interval(interval)}".strip()


def _build_tests_table(tested: Sequence[SystemPair], *, classes: bool) -> ResultTable:
    rows = [
        (
            f"{format_cell(p.first)} / {format_cell(p.second)}",
            str(p.test.first_only),
            str(p.test.second_only),
            _format_p_value(p.test.p),
        )
        for p in tested
    ]
    compared = "the right class" if classes else "real or fake"
    title = f"McNemar's exact test on {compared}; unchecked counts as wrong"
    return ResultTable(title, ("Systems", "Only the first right", "Only the second right", "p"), tuple(rows))


def _format_p_value(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def _build_recall_table(results: Sequence[SystemResult]) -> ResultTable:
    names = [(label.value, f"three.{label.value.lower()}_recall") for label in CLASSES]
    rows = [(word, *(_format_result_figure(result, name) for result in results)) for word, name in names]
    return ResultTable(
        "Recall by class", ("Class", *(format_cell(result.name) for result in results)), tuple(rows)
    )


def _build_flagged_table(results: Sequence[SystemResult]) -> ResultTable:
    rows = [
        (format_cell(kind.name), str(kind.items), *(_format_caught(result, at) for result in results))
        for at, kind in enumerate(results[0].kinds)
    ]
    head = ("Kind", "Items", *(format_cell(result.name) for result in results))
    return ResultTable("Flagged by kind (+n?: n more undecided)", head, tuple(rows))


def _format_caught(result: SystemResult, at: int) -> str:
    kind = result.kinds[at]
    return f"{kind.flagged}" + (f" +{kind.unchecked}?" if kind.unchecked else "")


def build_comparison_json(results: Sequence[SystemResult]) -> Json:
    tested: list[Json] = [
        {
            "first": p.first,
            "second": p.second,
            "only_first_right": p.test.first_only,
            "only_second_right": p.test.second_only,
            "p": p.test.p,
        }
        for p in compare_pairs(results)
    ]
    return {"systems": [build_result_json(result) for result in results], "mcnemar": tested}


def draw_comparison_chart(title: str, results: Sequence[SystemResult]) -> str:
    """Return the main figures as a bar chart with intervals."""
    classes = all(result.classes for result in results)
    three = {f"three.{label.value.lower()}_f1": label.value for label in CLASSES}
    named = {"three.macro_f1": "macro-F1", **three} if classes else _CHART_BINARY
    systems = {
        result.name: [ChartBar(result.figures.get(name, NAN), result.intervals.get(name)) for name in named]
        for result in results
    }
    counted_as = "unchecked counts as wrong" if classes else "unchecked counts as valid"
    return draw_bar_chart(f"{title} ({counted_as})", list(named.values()), systems)
