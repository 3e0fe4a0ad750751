"""A self-test reported: tables for a terminal and Markdown, and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from bench.selftest.selftest_tally import CaughtShare, Mutant, SelftestTally

from citeproof.answers.reporters.wording import show_line
from citeproof.laboratory.measure import result_tables
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.laboratory.measure.system_results import round_figure

_LISTED = 40  # missed mutants that are listed one by one for a person; JSON has all
_VALUE = 120  # characters of a value that was changed

Json = dict[str, object]


def build_selftest_tables(tally: SelftestTally) -> list[ResultTable]:
    """Return the tables: by way, by tier, and what was missed."""
    head = ("Recall", "95 % interval", "Made", "Flagged", "Missed", "Unchecked")
    ways = [(s.name, str(s.tier), *_format_share_cells(s), str(s.impossible)) for s in tally.ways]
    tiers = [(s.name, *_format_share_cells(s)) for s in (*tally.tiers, tally.overall)]
    shown = [
        ResultTable("Caught by way", ("Way", "Tier", *head, "Not possible"), tuple(ways)),
        ResultTable("Caught by tier", ("", *head), tuple(tiers)),
    ]
    if tally.missed:
        title = f"Missed: called EXACT or NOTED ({len(tally.missed)}{_describe_cut(tally.missed)})"
        rows = [
            (m.way.name, _format_reference_key(m), describe_difference(m.edits))
            for m, _ in tally.missed[:_LISTED]
        ]
        shown.append(ResultTable(title, ("Way", "Reference", "Difference"), tuple(rows)))
    if tally.unchecked:
        title = f"Could not be checked ({len(tally.unchecked)}{_describe_cut(tally.unchecked)})"
        rows = [
            (m.way.name, _format_reference_key(m), show_line(", ".join(s.reasons), _VALUE))
            for m, s in tally.unchecked[:_LISTED]
        ]
        shown.append(ResultTable(title, ("Way", "Reference", "Reasons"), tuple(rows)))
    return shown


def describe_selftest(tally: SelftestTally) -> list[str]:
    """Return in sentences what was done, and what the figures mean."""
    used = f"{tally.usable} plain copies were verified again, and only they were spoiled"
    return [
        f"{tally.found} references, {tally.verified} works verified; of these, {used}",
        f"recall is the share that was flagged as MINOR or MAJOR; unchecked is not caught; seed {tally.seed}",
    ]


def build_selftest_json(tally: SelftestTally) -> Json:
    return {
        "references": tally.found,
        "verified": tally.verified,
        "usable": tally.usable,
        "seed": tally.seed,
        "ways": {share.name: _build_share_json(share) for share in tally.ways},
        "tiers": {str(share.tier): _build_share_json(share) for share in tally.tiers},
        "all": _build_share_json(tally.overall),
        "missed": [_build_mutant_json(*row) for row in tally.missed],
        "unchecked": [_build_mutant_json(*row) for row in tally.unchecked],
    }


def describe_difference(edits: Sequence[BenchmarkEdit]) -> str:
    """Return in words what was changed, bounded and on one line."""
    return "; ".join(
        f"{edit.field}: “{show_line(edit.before, _VALUE)}” → “{show_line(edit.after, _VALUE)}”"
        for edit in edits
    )


def _format_share_cells(share: CaughtShare) -> tuple[str, ...]:
    counts = (share.made, share.flagged, share.missed, share.unchecked)
    return (
        result_tables.format_figure(share.recall),
        result_tables.format_interval(share.interval),
        *map(str, counts),
    )


def _build_share_json(share: CaughtShare) -> Json:
    return {
        "tier": share.tier,
        "recall": round_figure(share.recall),
        "interval": [round_figure(share.interval[0]), round_figure(share.interval[1])],
        "made": share.made,
        "flagged": share.flagged,
        "missed": share.missed,
        "unchecked": share.unchecked,
        "not_possible": share.impossible,
    }


def _build_mutant_json(mutant: Mutant, answer: SystemAnswer) -> Json:
    return {
        "way": mutant.way.name,
        "tier": mutant.way.tier,
        "key": mutant.subject.key,
        "file": mutant.subject.file,
        "form": mutant.question.form,
        "citation": mutant.question.text,
        "edits": [{"field": e.field, "before": e.before, "after": e.after} for e in mutant.edits],
        "verdict": answer.verdict,
        "reasons": list(answer.reasons),
    }


def _format_reference_key(mutant: Mutant) -> str:
    return result_tables.format_cell(mutant.subject.key)


def _describe_cut(rows: Sequence[object]) -> str:
    return f", the first {_LISTED} of them; --format json has all" if len(rows) > _LISTED else ""
