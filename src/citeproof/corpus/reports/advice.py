"""Recommendations: what to do next, drawn from what was found and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from citeproof.corpus.corpus_types import Level
from citeproof.corpus.reports.figures import CorpusTally
from citeproof.reporters.wording import format_count
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import CitationReason


def list_recommendations(tally: CorpusTally) -> tuple[str, ...]:
    """Return one sentence a thing to do, the most pressing first; never none."""
    return tuple(_generate_advice(tally)) or ("No action needed.",)


def _generate_advice(tally: CorpusTally) -> Iterator[str]:
    counts = tally.counts
    if tally.unread:
        yield (
            f"Make {format_count(tally.unread, 'document')} readable: nothing is known about what "
            "cannot be read."
        )
    yield from _advise_by_level(tally)
    yield from (text for rules, text in _load_advice() if not rules.isdisjoint(tally.rules))
    if lost := tally.causes[CitationReason.NO_CORPUS]:
        told = format_count(lost, "citation")
        yield f"Set the corpus folders: no corpus was found to look {told} up in."
    if late := counts.unchecked - lost:
        told = format_count(late, "citation")
        yield f"Check again later, with the network or with a snapshot: {told} could not be checked."
    if tally.fixable:
        told = format_count(tally.fixable, "issue")
        yield f"Run with --fix to fix {told}, then review the changes."


def _advise_by_level(tally: CorpusTally) -> Iterator[str]:
    if told := _format_kinds(tally, Level.ERROR):
        yield f"Fix what fails this check: {told}."
    if told := _format_kinds(tally, Level.WARNING):
        yield f"Fix the warnings, which --strict treats as errors: {told}."


def _format_kinds(tally: CorpusTally, level: Level) -> str:
    """Return the kinds of one level with their numbers, the most frequent first; empty if there are none."""
    found = [(kind, n) for (of, kind), n in tally.kinds.items() if of is level]
    return ", ".join(f"{kind} ({n:,})" for kind, n in sorted(found, key=lambda one: (-one[1], one[0])))


@cache
def _load_advice() -> tuple[tuple[frozenset[str], str], ...]:
    """Return each advice with the rules it is for."""
    table = load_package_table("citeproof.corpus.reports", "advice.toml")
    return tuple((frozenset(row["rules"]), row["text"]) for row in table["advice"])
