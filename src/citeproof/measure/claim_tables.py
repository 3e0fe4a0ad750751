"""Results on claims as tables: classes, what was found in the sources, and where."""

from __future__ import annotations

from collections import Counter

from citeproof.measure.intervals import compute_wilson_interval
from citeproof.measure.result_tables import (
    build_binary_table,
    build_class_tables,
    build_kinds_table,
    format_cell,
    format_interval,
)
from citeproof.measure.retrieval_latency import ResultTable
from citeproof.measure.system_results import SystemResult
from citeproof.vocabulary import SupportOutcome

RANKS = 3  # passages that are shown with a claim
_OUTCOMES = tuple(each.value for each in SupportOutcome)


def build_claim_tables(one: SystemResult) -> list[ResultTable]:
    """Return the tables of one result about claims.

    Of a benchmark that says SUPPORT or REFUTE only what was found is told: whether a text supports a claim is
    not for us to say, and a table of right and wrong would say it.
    """
    ranks = [_build_rank_table(one)] if any(row.rank is not None for row in one.rows) else []
    if not any(row.label for row in one.rows):
        return [_build_outcome_table(one), _build_alarm_table(one), *ranks]
    found = [build_binary_table(one), _build_outcome_table(one), *ranks, build_kinds_table(one)]
    return [*build_class_tables(one), *found]


def _build_outcome_table(one: SystemResult) -> ResultTable:
    """Return what was found of the claims in their sources, by kind."""
    seen = {row.outcome for row in one.rows}
    outcomes = [*(each for each in _OUTCOMES if each in seen), *sorted(seen.difference(_OUTCOMES))]
    counts = Counter((row.kind, row.outcome) for row in one.rows)
    rows = [
        (format_cell(kind.name), str(kind.items), *(str(counts[kind.name, each]) for each in outcomes))
        for kind in one.kinds
    ]
    title = f"{format_cell(one.name)}: {len(one.rows)} claims; what was found, by kind"
    return ResultTable(title, ("Kind", "Items", *map(format_cell, outcomes)), tuple(rows))


def _build_alarm_table(one: SystemResult) -> ResultTable:
    """Return of which kinds the claims with an alarm are: the precision of alarms."""
    alarms = Counter(row.kind for row in one.rows if row.outcome == SupportOutcome.ALARM)
    rows = [
        (format_cell(kind.name), *_format_share(alarms[kind.name], alarms.total()), str(kind.items))
        for kind in one.kinds
    ]
    head = ("Kind", "Alarms", "Share of all alarms, 95 % interval", "Items")
    return ResultTable("Alarms, by kind", head, tuple(rows))


def _build_rank_table(one: SystemResult) -> ResultTable:
    """Return how often the passage that says it was found, where the benchmark knows it."""
    rows = []
    for kind in one.kinds:
        ranks = [row.rank for row in one.rows if row.kind == kind.name and row.rank is not None]
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
