"""A self-test told: tables for a terminal and Markdown, and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.measure import tables
from citeproof.measure.latency import Table
from citeproof.measure.makers.items import Edit
from citeproof.measure.results import number
from citeproof.measure.rows import Said
from citeproof.measure.selftest.mutants import Mutant
from citeproof.measure.selftest.tally import Share, Tally
from citeproof.reporters.words import line

_LISTED = 40  # missed mutants that are told one by one to a person; JSON has all
_VALUE = 120  # characters of a value that was changed

Json = dict[str, object]


def made_tables(tally: Tally) -> list[Table]:
    """Return the tables: by way, by tier, and what was missed."""
    head = ("Recall", "95 % interval", "Made", "Flagged", "Missed", "Unchecked")
    ways = [(s.name, str(s.tier), *_cells(s), str(s.impossible)) for s in tally.ways]
    tiers = [(s.name, *_cells(s)) for s in (*tally.tiers, tally.overall)]
    shown = [
        Table("Caught by way", ("Way", "Tier", *head, "Not possible"), tuple(ways)),
        Table("Caught by tier", ("", *head), tuple(tiers)),
    ]
    if tally.missed:
        title = f"Missed: taken for right ({len(tally.missed)}{_cut(tally.missed)})"
        rows = [(m.way.name, _where(m), difference(m.edits)) for m, _ in tally.missed[:_LISTED]]
        shown.append(Table(title, ("Way", "Reference", "Difference"), tuple(rows)))
    if tally.unchecked:
        title = f"Could not be checked ({len(tally.unchecked)}{_cut(tally.unchecked)})"
        rows = [(m.way.name, _where(m), _why(s)) for m, s in tally.unchecked[:_LISTED]]
        shown.append(Table(title, ("Way", "Reference", "Reasons"), tuple(rows)))
    return shown


def words(tally: Tally) -> list[str]:
    """Return in sentences what was done, and what the figures mean."""
    used = f"{tally.usable} plain copies were verified again, and only they were spoiled"
    return [
        f"{tally.found} references, {tally.verified} works verified; of these, {used}",
        f"recall is the share that was flagged as MINOR or MAJOR; unchecked is not caught; seed {tally.seed}",
    ]


def as_json(tally: Tally) -> Json:
    """Return the self-test as JSON."""
    return {
        "references": tally.found,
        "verified": tally.verified,
        "usable": tally.usable,
        "seed": tally.seed,
        "ways": {share.name: _share(share) for share in tally.ways},
        "tiers": {str(share.tier): _share(share) for share in tally.tiers},
        "all": _share(tally.overall),
        "missed": [_mutant(*one) for one in tally.missed],
        "unchecked": [_mutant(*one) for one in tally.unchecked],
    }


def difference(edits: Sequence[Edit]) -> str:
    """Return in words what was changed, bounded and on one line."""
    return "; ".join(
        f"{edit.field}: “{line(edit.before, _VALUE)}” → “{line(edit.after, _VALUE)}”" for edit in edits
    )


def _cells(share: Share) -> tuple[str, ...]:
    counts = (share.made, share.flagged, share.missed, share.unchecked)
    return (tables.figure(share.recall), tables.spread(share.interval), *map(str, counts))


def _share(share: Share) -> Json:
    return {
        "tier": share.tier,
        "recall": number(share.recall),
        "interval": [number(share.interval[0]), number(share.interval[1])],
        "made": share.made,
        "flagged": share.flagged,
        "missed": share.missed,
        "unchecked": share.unchecked,
        "not_possible": share.impossible,
    }


def _mutant(mutant: Mutant, said: Said) -> Json:
    return {
        "way": mutant.way.name,
        "tier": mutant.way.tier,
        "key": mutant.subject.key,
        "file": mutant.subject.file,
        "form": mutant.question.form,
        "citation": mutant.question.text,
        "edits": [{"field": e.field, "before": e.before, "after": e.after} for e in mutant.edits],
        "verdict": said.verdict,
        "reasons": list(said.reasons),
    }


def _where(mutant: Mutant) -> str:
    return tables.cell(mutant.subject.key)


def _why(said: Said) -> str:
    return line(", ".join(said.reasons), _VALUE)


def _cut(rows: Sequence[object]) -> str:
    return f", the first {_LISTED} of them; --format json has all" if len(rows) > _LISTED else ""
