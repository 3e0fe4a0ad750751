"""Systems side by side on one benchmark: figures with intervals, tests between them, what each catches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from citeproof.measure import mcnemar
from citeproof.measure.charts.bars import Bar, bars
from citeproof.measure.latency import Table
from citeproof.measure.metrics import CLASSES, NAN
from citeproof.measure.results import Json, Result, as_json
from citeproof.measure.tables import BINARY, CONFIDENCE, THREE, UNSURE, cell, figure, spread

_CHART_THREE = {"three.macro_f1": "macro-F1", **{f"three.{c.value.lower()}_f1": c.value for c in CLASSES}}
_CHART_BINARY = {
    "binary_as_valid.dr": "detected",
    "binary_as_valid.fpr": "false alarms",
    "binary_as_valid.precision": "precision",
    "binary_as_valid.f1": "F1 of fake",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems and the test between them."""

    first: str
    second: str
    test: mcnemar.Test


def pairs(results: Sequence[Result]) -> list[Pair]:
    """Return McNemar's test between every two systems."""
    return [Pair(a.name, b.name, mcnemar.test(a.rows, b.rows)) for a, b in combinations(results, 2)]


def tables(results: Sequence[Result]) -> list[Table]:
    """Return the comparison as tables."""
    classes = all(one.classes for one in results)
    shown = [_figures(results, classes=classes), _tests(pairs(results), classes=classes)]
    if classes:
        shown.append(_recalls(results))
    return [*shown, _kinds(results)]


def _figures(results: Sequence[Result], *, classes: bool) -> Table:
    blocks = {
        f"{block}.{name}": f"{word}, {unsure}"
        for block, unsure in UNSURE.items()
        if block != "binary_as_wrong"
        for name, word in BINARY.items()
    }
    named = {**(THREE if classes else {}), **blocks, **CONFIDENCE}
    rows = [(word, *(_valued(one, name) for one in results)) for name, word in named.items()]
    unchecked = ("unchecked", *(f"{one.unchecked} of {len(one.rows)}" for one in results))
    title = f"{len(results[0].rows)} items, 95 % intervals" if results else ""
    return Table(title, ("", *(cell(one.name) for one in results)), (unchecked, *rows))


def _valued(one: Result, name: str) -> str:
    return f"{figure(one.figures.get(name, NAN))} {spread(one.intervals.get(name))}".strip()


def _tests(tested: Sequence[Pair], *, classes: bool) -> Table:
    rows = [
        (f"{cell(p.first)} / {cell(p.second)}", str(p.test.first_only), str(p.test.second_only), _p(p.test.p))
        for p in tested
    ]
    what = "the right class" if classes else "real or fake"
    title = f"McNemar's exact test on {what}; unchecked counts as wrong"
    return Table(title, ("Systems", "Only the first right", "Only the second right", "p"), tuple(rows))


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def _recalls(results: Sequence[Result]) -> Table:
    names = [(label.value, f"three.{label.value.lower()}_recall") for label in CLASSES]
    rows = [(word, *(_valued(one, name) for one in results)) for word, name in names]
    return Table("Recall by class", ("Class", *(cell(one.name) for one in results)), tuple(rows))


def _kinds(results: Sequence[Result]) -> Table:
    rows = [
        (cell(kind.name), str(kind.items), *(_caught(one, at) for one in results))
        for at, kind in enumerate(results[0].kinds)
    ]
    head = ("Kind", "Items", *(cell(one.name) for one in results))
    return Table("Flagged by kind (+n?: n more could not be told)", head, tuple(rows))


def _caught(one: Result, at: int) -> str:
    kind = one.kinds[at]
    return f"{kind.flagged}" + (f" +{kind.unchecked}?" if kind.unchecked else "")


def comparison_json(results: Sequence[Result]) -> Json:
    """Return the comparison as JSON."""
    tested: list[Json] = [
        {
            "first": p.first,
            "second": p.second,
            "only_first_right": p.test.first_only,
            "only_second_right": p.test.second_only,
            "p": p.test.p,
        }
        for p in pairs(results)
    ]
    return {"systems": [as_json(one) for one in results], "mcnemar": tested}


def chart(title: str, results: Sequence[Result]) -> str:
    """Return the main figures as a bar chart with intervals."""
    classes = all(one.classes for one in results)
    named = _CHART_THREE if classes else _CHART_BINARY
    systems = {
        one.name: [Bar(one.figures.get(name, NAN), one.intervals.get(name)) for name in named]
        for one in results
    }
    told = "unchecked counts as wrong" if classes else "unchecked counts as valid"
    return bars(f"{title} ({told})", list(named.values()), systems)
