"""The report on corpus documents: results project to the rows that every format writes.

Valid citations pass through: what grows with a report is its issues.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import ClassVar

from citeproof.answers.reporters.report_model import (
    CitedWork,
    CorpusReportHead,
    DocumentReport,
    ReportDocument,
    ReportRow,
    ReportRule,
    ReportSummary,
    RowLevel,
)
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.references import pick_fields
from citeproof.corpus.corpus_types import CorpusCitation, Counts, DocumentResult, Issue, Level, load_rules
from citeproof.corpus.entries import CorpusEntry
from citeproof.corpus.reports import figures
from citeproof.corpus.reports.figures import CorpusTally, has_failed
from citeproof.text import bibtex_kind
from citeproof.vocabulary import Claimed, Ids, Kind, Place

_FORMS = {
    "journal": "article", "conference": "inproceedings", "thesis": "phdthesis", "report": "techreport",
    "book": "book",
}  # fmt: skip

COLUMNS = (
    "file", "line", "column", "end_line", "pattern", "raw", "target", "status", "verdict", "reason", "detail",
    "source", "grade", "hash", "lines", "current_hash", "drift",
    "level", "severity", "rule", "claim", "issue", "fix",
)  # fmt: skip
_WORST = tuple(Level)  # from error to info

LEVELS = {Level.ERROR: RowLevel.ERROR, Level.WARNING: RowLevel.WARNING, Level.INFO: RowLevel.NOTE}
UNREAD = ReportRule(
    "document-unreadable", "Document Could Not Be Read", "A document that cannot be read is not checked."
)


class CorpusRunReport(DocumentReport):
    """A run over documents; `load(True)` gives results with citations that are as they should be."""

    kind: ClassVar[str] = "corpus"
    title: ClassVar[str] = "citeproof corpus"
    fingerprint: ClassVar[str] = "citeproof/corpus/v1"
    streamed: ClassVar[bool] = True

    def __init__(
        self,
        head: CorpusReportHead,
        load: Callable[[bool], Iterable[DocumentResult]],
        entry_at: Callable[[str], CorpusEntry | None] = lambda _: None,
    ) -> None:
        self.head, self._load, self._entry_at, self._tally = head, load, entry_at, figures.CorpusTally()
        self.started, self.troubles = head.date, head.troubles

    def generate_documents(self) -> Iterator[ReportDocument]:
        return map(_make_document, self._results(citations=False))

    def make_summary(self) -> ReportSummary:
        return _summarise_tally(self._tally)

    def list_rules(self) -> Sequence[ReportRule]:
        return (*(ReportRule(rule.name, rule.kind, rule.help) for rule in load_rules().values()), UNREAD)

    def list_columns(self) -> Sequence[str]:
        return COLUMNS

    def generate_cells(self) -> Iterator[Iterable[object]]:
        for result in self._results(citations=True):
            yield from generate_cells(result)

    def generate_members(self) -> Iterator[tuple[str, object]]:
        yield from build_head_json(self.head).items()
        yield "files", (build_document_json(result) for result in self._results(citations=True))
        yield from build_tail_json(self.head, self._tally).items()

    def generate_objects(self) -> Iterator[Json]:
        for result in self._results(citations=True):
            yield from generate_records(result)
        sums = build_tail_json(self.head, self._tally)
        yield {"record": "summary", **build_head_json(self.head), **sums}

    def generate_works(self) -> Iterator[CitedWork]:
        return generate_works(self._results(citations=True), self._entry_at)

    def get_version(self) -> str:
        return self.head.version

    def locate_file(self, file: str) -> str:
        """Return a document's path from the root, which is where code scanning looks for it."""
        whole = posixpath.normpath(posixpath.join(self.head.root, self.head.prefix, file))
        root = f"{posixpath.normpath(self.head.root).rstrip('/')}/"
        return whole.removeprefix(root) if whole.startswith(root) else file

    def _results(self, *, citations: bool) -> Iterator[DocumentResult]:
        for result in self._load(citations):
            self._tally.add(result)
            yield result


def _make_document(result: DocumentResult) -> ReportDocument:
    return ReportDocument(
        name=result.file,
        rows=tuple(_make_rows(result)),
        status=figures.format_file_status(result),
        citations=result.counts.citations,
        trouble=result.trouble,
        list_flagged=lambda: figures.list_flagged_citations(result),
        make_summary=lambda: _summarise_document(result),
    )


def _make_rows(result: DocumentResult) -> Iterator[ReportRow]:
    """Yield a row for each issue; a document without any, or that could not be read, has one that says so."""
    place = Place(result.file)
    if result.trouble:
        level, message = RowLevel.WARNING, result.trouble
        yield ReportRow(place, UNREAD.name, level, message, title="readable", text=message, unread=True)
    elif not result.issues:
        yield ReportRow(place, "", RowLevel.NONE, "", title="citations")
    times: Counter[str] = Counter()
    for issue in result.issues:
        known = f"{issue.rule}\0{issue.source}\0{issue.claim}"
        times[known] += 1
        yield _make_issue_row(result.file, issue, f"{known}\0{times[known]}")


def _make_issue_row(file: str, issue: Issue, identity: str) -> ReportRow:
    parts = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    fix = f" Fix: {issue.fix}" if issue.fix else ""
    return ReportRow(
        place=Place(file, issue.line, issue.column, issue.end_line),
        rule=issue.rule,
        level=LEVELS[issue.level],
        message=f"{issue.kind}: {issue.message.rstrip('.')}.{fix}",
        title=f"{issue.rule} (line {issue.line}): {issue.source or issue.claim}",
        reason=issue.rule,
        severity=issue.severity,
        kind=issue.kind,
        text=issue.message,
        evidence=tuple((label, text) for label, text in parts if text),
        fix=issue.fix,
        fails=issue.level is Level.ERROR,
        end_column=issue.end_column,
        identity=identity,
        properties={
            "severity": issue.severity,
            "type": issue.type,
            "source": issue.source,
            "fixable": issue.remedy is not None,
        },
    )


def _summarise_tally(tally: figures.CorpusTally) -> ReportSummary:
    """Return what reports for people say about all that was counted."""
    counts = tally.counts
    return ReportSummary(
        files=tally.files,
        unread=tally.unread,
        failed=figures.has_failed(counts),
        status=figures.format_status(counts, tally.unread),
        figures=figures.list_summary_rows(counts),
        levels={
            RowLevel.ERROR: counts.errors,
            RowLevel.WARNING: counts.warnings,
            RowLevel.NOTE: counts.infos,
        },
        unchecked=tuple(tally.list_unchecked()),
        advice=figures.list_recommendations(tally),
        code=tuple(figures.format_totals(counts)) if counts.code else (),
    )


def _summarise_document(result: DocumentResult) -> ReportSummary:
    tally = figures.CorpusTally()
    tally.add(result)
    return _summarise_tally(tally)


def generate_cells(result: DocumentResult) -> Iterator[Sequence[object]]:
    """Yield the rows of one document."""
    if result.trouble:
        blank = [""] * (COLUMNS.index("level") - 1)
        yield (result.file, *blank, Level.WARNING, "", "", "", result.trouble, "")
    about: dict[int | None, list[Issue]] = {}
    for issue in result.issues:
        about.setdefault(issue.cited, []).append(issue)
    for n, citation in enumerate(result.citations):
        cells = (getattr(citation, name) for name in COLUMNS[1 : COLUMNS.index("current_hash")])
        drift = "" if citation.drift is None else citation.drift.change
        yield (result.file, *cells, citation.current, drift, *_make_issue_cells(about.pop(n, ())))
    # What is left concerns no citation, or one that was not loaded.
    for issue in (issue for issues in about.values() for issue in issues):
        blank = [""] * (COLUMNS.index("source") - 4)
        place = (result.file, issue.line, issue.column, issue.end_line)
        yield (*place, *blank, issue.source, "", "", "", "", "", *_make_issue_cells((issue,)))


def _make_issue_cells(issues: Sequence[Issue]) -> tuple[object, ...]:
    """Return the cells about issues: the worst level, and each thing said once."""
    if not issues:
        return ("",) * 6
    level = min((issue.level for issue in issues), key=_WORST.index)
    columns = ((i.severity, i.rule, i.claim, i.message, i.fix) for i in issues)
    return (
        level,
        *("; ".join(dict.fromkeys(part for part in parts if part)) for parts in zip(*columns, strict=True)),
    )


def generate_works(
    results: Iterable[DocumentResult], entry_at: Callable[[str], CorpusEntry | None]
) -> Iterator[CitedWork]:
    """Yield the entries of the corpus that were cited and found, each once, when all documents were seen."""
    paths = {citation.source for result in results for citation in result.citations if citation.source}
    for path in sorted(paths):
        if (entry := entry_at(path)) and entry.title:
            key = entry.ref or PurePosixPath(entry.path).stem
            yield CitedWork(key, _guess_work_kind(entry), _make_claim(entry))


def _guess_work_kind(entry: CorpusEntry) -> Kind:
    words = entry.type.casefold()
    return bibtex_kind.find_kind(next((form for word, form in _FORMS.items() if word in words), "misc"), {})


def _make_claim(entry: CorpusEntry) -> Claimed:
    pages = f"{entry.pages[0]}-{entry.pages[1]}" if entry.pages else None
    ids = Ids((("doi", entry.doi),)) if entry.doi else Ids()
    return Claimed(title=entry.title, authors=entry.authors, year=entry.year, pages=pages, ids=ids)


SCHEMA = "citeproof/corpus/1"
_DRIFT = ("change", "lines", "commit", "date", "commits", "diff", "detail")


def build_head_json(head: CorpusReportHead) -> Json:
    return {
        "schema": SCHEMA,
        "citeproof": head.version,
        **pick_fields(head, "date", "root", "mode", "strict"),
    }


def build_tail_json(head: CorpusReportHead, tally: CorpusTally) -> Json:
    """Return what concerns all documents and is known at the end."""
    return {
        "troubles": list(head.troubles),
        "fixed": [{"file": file, "changes": changes} for file, changes in head.fixed],
        "rlm": build_rlm_json(tally.counts),
        "summary": {"files": tally.files, "unread": tally.unread, **build_summary_json(tally.counts)},
        "status": get_status_word(tally.counts),
    }


def build_file_json(result: DocumentResult) -> Json:
    """Return what is known of one document but for its citations and issues."""
    return {
        "file": result.file,
        "status": "UNCHECKED" if result.trouble else get_status_word(result.counts),
        "summary": build_summary_json(result.counts),
        "trouble": result.trouble,
    }


def build_document_json(result: DocumentResult) -> Json:
    """Return one document with its citations and issues."""
    made = build_file_json(result)
    trouble = made.pop("trouble")
    made["citations"] = [build_citation_json(result.file, citation) for citation in result.citations]
    made["issues"] = [build_issue_json(result.file, issue) for issue in result.issues]
    return {**made, "trouble": trouble}


def generate_records(result: DocumentResult) -> Iterator[Json]:
    """Yield one document, its citations and its issues, each by itself; `record` says what it is."""
    yield {"record": "file", **build_file_json(result)}
    for citation in result.citations:
        yield {"record": "citation", "file": result.file, **build_citation_json(result.file, citation)}
    for issue in result.issues:
        yield {"record": "issue", "file": result.file, **build_issue_json(result.file, issue)}


def build_citation_json(file: str, citation: CorpusCitation) -> Json:
    return {
        **pick_fields(citation, "pattern", "raw", "target"),
        "location": {"file": file, **pick_fields(citation, "line", "column", "end_line")},
        **pick_fields(citation, "status", "verdict", "reason", "detail", "source", "grade", "hash", "lines"),
        "current_hash": citation.current,
        "drift": pick_fields(citation.drift, *_DRIFT) if citation.drift is not None else None,
    }


def build_issue_json(file: str, issue: Issue) -> Json:
    return {
        **pick_fields(issue, "rule", "kind", "type", "severity", "level"),
        "location": {"file": file, **pick_fields(issue, "line", "column", "end_line", "end_column")},
        **pick_fields(issue, "claim", "source", "message", "fix"),
        "fixable": issue.remedy is not None,
    }


def build_summary_json(counts: Counts) -> Json:
    confidence = counts.verified / counts.citations if counts.citations else 1.0
    return {
        "total": counts.citations,
        **pick_fields(
            counts, "verified", "hallucinated", "malformed", "unreachable", "inconsistent", "unchecked"
        ),
        "confidence": round(confidence, 4),
        **pick_fields(counts, "grade_violations", "errors", "warnings", "infos"),
    }


def build_rlm_json(counts: Counts) -> Json:
    return {"total": counts.code, **pick_fields(counts, "fresh", "stale", "un_versioned", "missing")}


def get_status_word(counts: Counts) -> str:
    return "FAIL" if has_failed(counts) else "PASS"
