"""The JSON objects of a corpus report (docs/spec/corpus-report.schema.json): json and jsonl print these."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters.report_model import CorpusReportHead
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.references import pick_fields
from citeproof.corpus.corpus_types import CorpusCitation, Counts, DocumentResult, Issue
from citeproof.corpus.reports.figures import CorpusTally, has_failed

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
