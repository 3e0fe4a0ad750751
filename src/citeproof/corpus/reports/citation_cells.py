"""The cells of a spreadsheet: one citation a row, with what is wrong with it.

An issue that concerns no citation has a row of its own, as has a document that could not be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.corpus.corpus_types import CorpusCitation, DocumentResult, Issue, Level

COLUMNS = (
    "file", "line", "column", "end_line", "pattern", "raw", "target", "status", "verdict", "reason", "detail",
    "source", "grade", "hash", "lines", "current_hash", "drift",
    "level", "severity", "rule", "claim", "issue", "fix",
)  # fmt: skip
_WORST = tuple(Level)  # from error to info


def generate_cells(result: DocumentResult) -> Iterator[Sequence[object]]:
    """Yield the rows of one document."""
    if result.trouble:
        blank = [""] * (COLUMNS.index("level") - 1)
        yield (result.file, *blank, Level.WARNING, "", "", "", result.trouble, "")
    about: dict[int | None, list[Issue]] = {}
    for issue in result.issues:
        about.setdefault(issue.cited, []).append(issue)
    for n, citation in enumerate(result.citations):
        yield (*_make_citation_cells(result.file, citation), *_make_issue_cells(about.pop(n, ())))
    # What is left concerns no citation, or one that was not loaded.
    for issue in (issue for issues in about.values() for issue in issues):
        blank = [""] * (COLUMNS.index("source") - 4)
        place = (result.file, issue.line, issue.column, issue.end_line)
        yield (*place, *blank, issue.source, "", "", "", "", "", *_make_issue_cells((issue,)))


def _make_citation_cells(file: str, one: CorpusCitation) -> tuple[object, ...]:
    drift = "" if one.drift is None else one.drift.change
    return (
        file, one.line, one.column, one.end_line, one.pattern, one.raw, one.target, one.status, one.verdict,
        one.reason, one.detail, one.source, one.grade, one.hash, one.lines, one.current, drift,
    )  # fmt: skip


def _make_issue_cells(issues: Sequence[Issue]) -> tuple[object, ...]:
    """Return the cells about issues: the worst level, and each thing said once."""
    if not issues:
        return ("",) * 6
    level = min((issue.level for issue in issues), key=_WORST.index)
    told = ((i.severity, i.rule, i.claim, i.message, i.fix) for i in issues)
    return (
        level,
        *("; ".join(dict.fromkeys(part for part in parts if part)) for parts in zip(*told, strict=True)),
    )
