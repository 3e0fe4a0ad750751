"""The block about code citations: counts, then each that is stale, un-versioned, missing or out of range.

Its lines are plain text on one line each, controls spelled out; a reporter escapes them for its medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.report_model import FlaggedCitation
from citeproof.corpus.corpus_types import (
    CorpusCitation,
    Counts,
    DocumentResult,
    Drift,
    Freshness,
    Issue,
    LineChange,
    Pattern,
)
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import CitationReason

MODIFIED = "File modified since citation emitted"
NO_HASH = "File exists but no content hash; consider running through aiwg index"
CHANGES = {
    LineChange.UNCHANGED: "The cited lines are unchanged; the file changed elsewhere.",
    LineChange.MOVED: "The cited lines have moved.",
    LineChange.WHITESPACE: "Only white space changed in the cited lines.",
    LineChange.CONTENT: "The cited lines changed.",
    LineChange.REMOVED: "The cited lines are gone.",
    LineChange.UNKNOWN: "The cited version was not found.",
}
_DIFF = 20, 200  # lines, and characters of one
_RANGE = "RANGE"  # all that is wrong are its lines


def list_flagged_citations(result: DocumentResult) -> list[FlaggedCitation]:
    """Return the code citations of a document that are not simply fresh, each (path, hash, lines) once."""
    ranges = [issue for issue in result.issues if issue.rule == "code-range"]
    beyond = {issue.cited: wording.show_line(issue.message) for issue in ranges}
    seen: dict[tuple[str, ...], FlaggedCitation] = {}
    listed: set[int | None] = set()
    for n, citation in enumerate(result.citations):
        if citation.pattern is Pattern.CODE and citation.verdict is not Freshness.FRESH:
            listed.add(n)
            if (known := (citation.target, citation.hash, citation.lines)) not in seen:
                seen[known] = FlaggedCitation(
                    shown=format_code_citation(citation),
                    place=_format_place(result, citation),
                    section=citation.verdict or _RANGE,
                    verdict=_format_verdict(citation),
                    remarks=tuple(format_remarks(citation, beyond.get(n, ""))),
                )
    for issue in ranges:  # of fresh ones, which a result may come without
        if issue.cited not in listed:
            shown, said = wording.show_line(issue.source), wording.show_line(issue.message)
            made = FlaggedCitation(shown, _format_place(result, issue), _RANGE, _RANGE, (said,))
            seen.setdefault((issue.source,), made)
    return list(seen.values())


def _format_verdict(citation: CorpusCitation) -> str:
    """Return the verdict with what lies behind it: `STALE`, `MISSING (outside_root)`."""
    if citation.verdict is not Freshness.MISSING or not citation.reason:
        return citation.verdict or _RANGE
    return f"{citation.verdict} ({wording.show_line(citation.reason, 60)})"


def _format_place(result: DocumentResult, item: CorpusCitation | Issue) -> str:
    return f"{wording.show_line(result.file)}:{item.line}:{item.column}"


def format_totals(counts: Counts) -> list[str]:
    return [
        f"RLM Citations: {counts.code} total",
        f"✓ Fresh: {counts.fresh}",
        f"⚠ Stale: {counts.stale}",
        f"⚠ Un-versioned: {counts.un_versioned}",
        f"✗ Missing: {counts.missing}",
    ]


def format_code_citation(citation: CorpusCitation) -> str:
    """Return a code citation in its inline form, wherever and however it was written."""
    named = f"{citation.target}@{citation.hash}" if citation.hash else citation.target
    return wording.show_line(f"[{named}, {citation.lines}]" if citation.lines else f"[{named}]", 1_200)


def format_remarks(cited: CorpusCitation, range_problem: str = "") -> Iterator[str]:
    """Yield what is to be said of one citation, a line each; lines of a difference stand further in."""
    match cited.verdict:
        case Freshness.STALE:
            yield f"Current hash: {wording.show_line(cited.current, 64)}"
            # What is no hash of any version does not say whether the file was modified.
            yield (
                wording.show_line(cited.detail) if cited.reason == CitationReason.MALFORMED_HASH else MODIFIED
            )
        case Freshness.UN_VERSIONED:
            yield NO_HASH
        case Freshness.MISSING:
            yield _format_verdict(cited)
            yield from (wording.show_line(cited.detail),) if cited.detail else ()
        case _:
            pass
    if range_problem:
        yield range_problem
    if cited.drift is not None:
        yield from _format_drift(cited.drift)


def _format_drift(drift: Drift) -> Iterator[str]:
    said = wording.show_line(drift.detail)
    if said and drift.change is LineChange.UNKNOWN:
        said = f"Unknown what changed: {said}"
    yield said or CHANGES[drift.change]
    most, width = _DIFF
    rows = drift.diff.splitlines()
    for row in rows[:most]:
        yield f"  {show_controls(row.expandtabs(4))[:width]}"
    if len(rows) > most:
        yield f"  … {len(rows) - most} more lines"
