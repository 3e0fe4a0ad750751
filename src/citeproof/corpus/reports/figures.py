"""The figures and recommendations that every report for people shows, in the same words and order;
the block about code citations. Lines are plain text, controls spelled out; a reporter escapes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.report_model import FlaggedCitation
from citeproof.corpus.corpus_types import (
    CorpusCitation,
    Counts,
    DocumentResult,
    Drift,
    Freshness,
    Issue,
    Level,
    LineChange,
    Pattern,
    Status,
)
from citeproof.errors import format_count
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import CitationReason

LISTED = 20  # citations that could not be checked and are named
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


def has_failed(counts: Counts) -> bool:
    """Return whether the documents fail: one error is enough."""
    return counts.errors > 0


def list_summary_rows(counts: Counts) -> tuple[tuple[str, int], ...]:
    return (
        ("Citations found", counts.citations),
        ("Valid", counts.verified),
        ("Hallucinated", counts.hallucinated),
        ("GRADE violations", counts.grade_violations),
        ("Inconsistent", counts.inconsistent),
        ("Malformed", counts.malformed),
        ("Unreachable", counts.unreachable),
        ("Could not be checked", counts.unchecked),
        ("Warnings", counts.warnings),
        ("Notes", counts.infos),
    )


def format_status(counts: Counts, unread: int = 0) -> str:
    """Return `PASS`, or `FAIL` with the number of errors; a pass says what it does not speak for."""
    if has_failed(counts):
        return f"FAIL ({format_count(counts.errors, 'issue')})"
    return f"PASS ({format_count(unread, 'document')} could not be read)" if unread else "PASS"


def format_file_status(result: DocumentResult) -> str:
    """Return the status of one document; nothing is known of one that could not be read."""
    return "UNCHECKED" if result.trouble else format_status(result.counts)


@dataclass(slots=True)
class CorpusTally:
    """What grows while results pass by: figures only, however many citations there are."""

    files: int = 0
    counts: Counts = field(default_factory=Counts)
    kinds: Counter[tuple[Level, str]] = field(default_factory=Counter)
    rules: set[str] = field(default_factory=set)
    fixable: int = 0
    unread: int = 0
    unchecked: list[str] = field(default_factory=list)  # the first of them, where and why
    causes: Counter[str] = field(default_factory=Counter)

    def add(self, result: DocumentResult) -> None:
        self.files += 1
        self.counts += result.counts
        self.kinds.update((issue.level, issue.kind) for issue in result.issues)
        self.rules.update(issue.rule for issue in result.issues)
        self.fixable += sum(issue.remedy is not None for issue in result.issues)
        self.unread += bool(result.trouble)
        for citation in result.citations if result.counts.unchecked else ():
            if citation.status is Status.UNCHECKED:
                self.causes[citation.reason] += 1
                self.unchecked += (
                    [_describe_unchecked(result.file, citation)] if len(self.unchecked) < LISTED else []
                )

    def list_unchecked(self) -> list[str]:
        """Return what could not be checked, one line each, the rest by its number."""
        more = self.causes.total() - len(self.unchecked)
        return [*self.unchecked, *([f"and {more:,} more"] if more else [])]


def _describe_unchecked(file: str, cited: CorpusCitation) -> str:
    why = cited.detail + (
        f" ({cited.reason})" if cited.reason and cited.reason != CitationReason.NO_CORPUS else ""
    )
    return wording.show_line(f"{file}:{cited.line}:{cited.column}: {cited.raw}: {why}")


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
    if kinds := _format_kinds(tally, Level.ERROR):
        yield f"Fix what fails this check: {kinds}."
    if kinds := _format_kinds(tally, Level.WARNING):
        yield f"Fix the warnings, which --strict treats as errors: {kinds}."
    yield from (text for rules, text in _load_advice() if not rules.isdisjoint(tally.rules))
    if lost := tally.causes[CitationReason.NO_CORPUS]:
        count = format_count(lost, "citation")
        yield f"Set the corpus folders: no corpus was found to look {count} up in."
    if late := counts.unchecked - lost:
        count = format_count(late, "citation")
        yield f"Check again later, with the network or with a snapshot: {count} could not be checked."
    if tally.fixable:
        count = format_count(tally.fixable, "issue")
        yield f"Run with --fix to fix {count}, then review the changes."


def _format_kinds(tally: CorpusTally, level: Level) -> str:
    """Return the kinds of one level with their numbers, the most frequent first; empty if there are none."""
    rows = [(kind, n) for (of, kind), n in tally.kinds.items() if of is level]
    return ", ".join(f"{kind} ({n:,})" for kind, n in sorted(rows, key=lambda row: (-row[1], row[0])))


@cache
def _load_advice() -> tuple[tuple[frozenset[str], str], ...]:
    """Return each advice with the rules it is for."""
    table = load_package_table("citeproof.corpus.reports", "advice.toml")
    return tuple((frozenset(row["rules"]), row["text"]) for row in table["advice"])


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
