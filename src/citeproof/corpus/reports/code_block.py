"""The block about code citations: counts, then each that is stale, un-versioned, missing or out of range.

Its lines are plain text on one line each, controls spelled out; whoever shows them escapes for the medium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.corpus.nouns import (
    CorpusCitation,
    Counts,
    DocumentResult,
    Drift,
    Freshness,
    Issue,
    LineChange,
    Pattern,
)
from citeproof.reporters import wording
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import CitationReason

MODIFIED = "File modified since citation emitted"
NO_HASH = "File exists but no content hash; consider running through aiwg index"
CHANGES = {
    LineChange.UNCHANGED: "The cited lines are unchanged; the file changed elsewhere.",
    LineChange.MOVED: "The cited lines stand elsewhere now.",
    LineChange.WHITESPACE: "Only white space changed in the cited lines.",
    LineChange.CONTENT: "The cited lines changed.",
    LineChange.REMOVED: "The cited lines are gone.",
    LineChange.UNKNOWN: "The cited version was not found.",
}
_DIFF = 20, 200  # lines, and characters of one
_RANGE = "RANGE"
_SECTIONS = {
    Freshness.STALE: "STALE citations:",
    Freshness.UN_VERSIONED: "UN-VERSIONED citations:",
    Freshness.MISSING: "MISSING citations:",
    _RANGE: "RANGE problems:",
}


@dataclass(frozen=True, slots=True)
class FlaggedCitation:
    """One code citation that a reader should look at, and where it stands."""

    shown: str
    place: str
    citation: CorpusCitation | None = None  # None: all that is wrong are its lines
    range_problem: str = ""

    @property
    def section(self) -> str:
        return (self.citation.verdict if self.citation else None) or _RANGE

    @property
    def verdict(self) -> str:
        """The verdict with what lies behind it: `STALE`, `MISSING (outside_root)`."""
        if self.citation is None or self.section != Freshness.MISSING or not self.citation.reason:
            return str(self.section)
        return f"{self.section} ({wording.show_line(self.citation.reason, 60)})"


def list_flagged_citations(result: DocumentResult) -> list[FlaggedCitation]:
    """Return the code citations of a document that are not simply fresh, each (path, hash, lines) once."""
    ranges = [issue for issue in result.issues if issue.rule == "code-range"]
    beyond = {issue.cited: wording.show_line(issue.message) for issue in ranges}
    seen: dict[tuple[str, ...], FlaggedCitation] = {}
    listed: set[int | None] = set()
    for n, one in enumerate(result.citations):
        if one.pattern is Pattern.CODE and one.verdict is not Freshness.FRESH:
            listed.add(n)
            made = FlaggedCitation(
                format_code_citation(one), _format_place(result, one), one, beyond.get(n, "")
            )
            seen.setdefault((one.target, one.hash, one.lines), made)
    for issue in ranges:  # of fresh ones, which a result may come without
        if issue.cited not in listed:
            made = FlaggedCitation(
                wording.show_line(issue.source),
                _format_place(result, issue),
                None,
                wording.show_line(issue.message),
            )
            seen.setdefault((issue.source,), made)
    return list(seen.values())


def _format_place(result: DocumentResult, one: CorpusCitation | Issue) -> str:
    return f"{wording.show_line(result.file)}:{one.line}:{one.column}"


def format_totals(counts: Counts) -> list[str]:
    """Return the five lines of counts."""
    return [
        f"RLM Citations: {counts.code} total",
        f"✓ Fresh: {counts.fresh}",
        f"⚠ Stale: {counts.stale}",
        f"⚠ Un-versioned: {counts.un_versioned}",
        f"✗ Missing: {counts.missing}",
    ]


def format_lists(every: Sequence[FlaggedCitation], *, places: bool) -> Iterator[str]:
    """Yield a heading a verdict and its citations; with `places`, where each stands."""
    for section, heading in _SECTIONS.items():
        chosen = [one for one in every if one.section == section]
        if chosen:
            yield heading
        for one in chosen:
            yield f"- {one.shown}"
            yield from (f"  {line}".rstrip() for line in format_remarks(one))
            if places:
                yield f"  Cited in {one.place}"


def format_code_citation(citation: CorpusCitation) -> str:
    """Return a code citation in its inline form, wherever and however it was written."""
    named = f"{citation.target}@{citation.hash}" if citation.hash else citation.target
    return wording.show_line(f"[{named}, {citation.lines}]" if citation.lines else f"[{named}]", 1_200)


def format_remarks(one: FlaggedCitation) -> Iterator[str]:
    """Yield what is to be said of one citation, a line each; lines of a difference stand further in."""
    citation = one.citation
    match citation.verdict if citation else None:
        case Freshness.STALE if citation:
            yield f"Current hash: {wording.show_line(citation.current, 64)}"
            # What is no hash of any version does not say whether the file was modified.
            yield (
                wording.show_line(citation.detail)
                if citation.reason == CitationReason.MALFORMED_HASH
                else MODIFIED
            )
        case Freshness.UN_VERSIONED:
            yield NO_HASH
        case Freshness.MISSING if citation:
            yield one.verdict
            yield from (wording.show_line(citation.detail),) if citation.detail else ()
        case _:
            pass
    if one.range_problem:
        yield one.range_problem
    if citation and citation.drift is not None:
        yield from _format_drift(citation.drift)


def _format_drift(drift: Drift) -> Iterator[str]:
    said = wording.show_line(drift.detail)
    if said and drift.change is LineChange.UNKNOWN:
        said = f"What changed is not known: {said}"
    yield said or CHANGES[drift.change]
    most, width = _DIFF
    rows = drift.diff.splitlines()
    for row in rows[:most]:
        yield f"  {show_controls(row.expandtabs(4))[:width]}"
    if len(rows) > most:
        yield f"  … {len(rows) - most} more lines"
