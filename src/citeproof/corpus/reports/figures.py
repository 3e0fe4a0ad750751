"""The figures that every report for people shows, under the same words and in the same order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from citeproof.corpus.corpus_types import CorpusCitation, Counts, DocumentResult, Level, Status
from citeproof.reporters import wording
from citeproof.reporters.wording import format_count
from citeproof.vocabulary import CitationReason

LISTED = 20  # citations that could not be checked and are named


def has_failed(counts: Counts) -> bool:
    """Return whether the documents fail: one error is enough."""
    return counts.errors > 0


def list_summary_rows(counts: Counts) -> tuple[tuple[str, int], ...]:
    """Return the rows of the summary table."""
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
        for one in result.citations if result.counts.unchecked else ():
            if one.status is Status.UNCHECKED:
                self.causes[one.reason] += 1
                self.unchecked += (
                    [_describe_unchecked(result.file, one)] if len(self.unchecked) < LISTED else []
                )

    def list_unchecked(self) -> list[str]:
        """Return what could not be checked, one line each, the rest by its number."""
        more = self.causes.total() - len(self.unchecked)
        return [*self.unchecked, *([f"and {more:,} more"] if more else [])]


def _describe_unchecked(file: str, one: CorpusCitation) -> str:
    why = one.detail + (f" ({one.reason})" if one.reason and one.reason != CitationReason.NO_CORPUS else "")
    return wording.show_line(f"{file}:{one.line}:{one.column}: {one.raw}: {why}")
