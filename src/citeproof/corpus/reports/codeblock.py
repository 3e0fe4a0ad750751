"""The block about code citations: counts, then each that is stale, un-versioned, missing or out of range.

Its lines are plain text on one line each, controls spelled out; whoever shows them escapes for the medium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.corpus.nouns import Change, Citation, Counts, Drift, Freshness, Issue, Pattern, Result
from citeproof.reporters import words
from citeproof.text.unicode import visible

MODIFIED = "File modified since citation emitted"
NO_HASH = "File exists but no content hash; consider running through aiwg index"
CHANGES = {
    Change.UNCHANGED: "The cited lines are unchanged; the file changed elsewhere.",
    Change.MOVED: "The cited lines stand elsewhere now.",
    Change.WHITESPACE: "Only white space changed in the cited lines.",
    Change.CONTENT: "The cited lines changed.",
    Change.REMOVED: "The cited lines are gone.",
    Change.UNKNOWN: "The cited version was not found.",
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
class Told:
    """One code citation that a reader should look at, and where it stands."""

    shown: str
    place: str
    citation: Citation | None = None  # None: all that is wrong are its lines
    range_problem: str = ""

    @property
    def section(self) -> str:
        return (self.citation.verdict if self.citation else None) or _RANGE

    @property
    def verdict(self) -> str:
        """The verdict with what lies behind it: `STALE`, `MISSING (outside_root)`."""
        if self.citation is None or self.section != Freshness.MISSING or not self.citation.reason:
            return str(self.section)
        return f"{self.section} ({words.line(self.citation.reason, 60)})"


def told(result: Result) -> list[Told]:
    """Return the code citations of a document that are not simply fresh, each (path, hash, lines) once."""
    ranges = [issue for issue in result.issues if issue.rule == "code-range"]
    beyond = {issue.cited: words.line(issue.message) for issue in ranges}
    seen: dict[tuple[str, ...], Told] = {}
    listed: set[int | None] = set()
    for n, one in enumerate(result.citations):
        if one.pattern is Pattern.CODE and one.verdict is not Freshness.FRESH:
            listed.add(n)
            made = Told(bracket(one), _place(result, one), one, beyond.get(n, ""))
            seen.setdefault((one.target, one.hash, one.lines), made)
    for issue in ranges:  # of fresh ones, which a result may come without
        if issue.cited not in listed:
            made = Told(words.line(issue.source), _place(result, issue), None, words.line(issue.message))
            seen.setdefault((issue.source,), made)
    return list(seen.values())


def _place(result: Result, one: Citation | Issue) -> str:
    return f"{words.line(result.file)}:{one.line}:{one.column}"


def totals(counts: Counts) -> list[str]:
    """Return the five lines of counts."""
    return [
        f"RLM Citations: {counts.code} total",
        f"✓ Fresh: {counts.fresh}",
        f"⚠ Stale: {counts.stale}",
        f"⚠ Un-versioned: {counts.un_versioned}",
        f"✗ Missing: {counts.missing}",
    ]


def lists(every: Sequence[Told], *, places: bool) -> Iterator[str]:
    """Yield a heading a verdict and its citations; with `places`, where each stands."""
    for section, heading in _SECTIONS.items():
        chosen = [one for one in every if one.section == section]
        if chosen:
            yield heading
        for one in chosen:
            yield f"- {one.shown}"
            yield from (f"  {line}".rstrip() for line in remarks(one))
            if places:
                yield f"  Cited in {one.place}"


def bracket(citation: Citation) -> str:
    """Return a code citation in its inline form, wherever and however it was written."""
    named = f"{citation.target}@{citation.hash}" if citation.hash else citation.target
    return words.line(f"[{named}, {citation.lines}]" if citation.lines else f"[{named}]", 1_200)


def remarks(one: Told) -> Iterator[str]:
    """Yield what is to be said of one citation, a line each; lines of a difference stand further in."""
    citation = one.citation
    match citation.verdict if citation else None:
        case Freshness.STALE if citation:
            yield f"Current hash: {words.line(citation.current, 64)}"
            # What is no hash of any version does not say whether the file was modified.
            yield words.line(citation.detail) if citation.reason == "malformed_hash" else MODIFIED
        case Freshness.UN_VERSIONED:
            yield NO_HASH
        case Freshness.MISSING if citation:
            yield one.verdict
            yield from (words.line(citation.detail),) if citation.detail else ()
        case _:
            pass
    if one.range_problem:
        yield one.range_problem
    if citation and citation.drift is not None:
        yield from _drifted(citation.drift)


def _drifted(drift: Drift) -> Iterator[str]:
    said = words.line(drift.detail)
    if said and drift.change is Change.UNKNOWN:
        said = f"What changed is not known: {said}"
    yield said or CHANGES[drift.change]
    most, width = _DIFF
    rows = drift.diff.splitlines()
    for row in rows[:most]:
        yield f"  {visible(row.expandtabs(4))[:width]}"
    if len(rows) > most:
        yield f"  … {len(rows) - most} more lines"
