"""The JSON objects of a corpus report (docs/spec/corpus-report.schema.json): json and jsonl print these."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.corpus.corpus_types import CorpusCitation, Counts, DocumentResult, Drift, Issue
from citeproof.corpus.reports.figures import CorpusTally, has_failed
from citeproof.reporters.report_model import CorpusReportHead
from citeproof.serializers import Json

SCHEMA = "citeproof/corpus/1"


def build_head_json(head: CorpusReportHead) -> Json:
    return {
        "schema": SCHEMA,
        "citeproof": head.version,
        "date": head.date,
        "root": head.root,
        "mode": head.mode,
        "strict": head.strict,
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
    made["citations"] = [build_citation_json(result.file, one) for one in result.citations]
    made["issues"] = [build_issue_json(result.file, one) for one in result.issues]
    return {**made, "trouble": trouble}


def generate_records(result: DocumentResult) -> Iterator[Json]:
    """Yield one document, its citations and its issues, each by itself; `record` says what it is."""
    yield {"record": "file", **build_file_json(result)}
    for citation in result.citations:
        yield {"record": "citation", "file": result.file, **build_citation_json(result.file, citation)}
    for issue in result.issues:
        yield {"record": "issue", "file": result.file, **build_issue_json(result.file, issue)}


def build_citation_json(file: str, one: CorpusCitation) -> Json:
    return {
        "pattern": one.pattern,
        "raw": one.raw,
        "target": one.target,
        "location": {"file": file, "line": one.line, "column": one.column, "end_line": one.end_line},
        "status": one.status,
        "verdict": one.verdict,
        "reason": one.reason,
        "detail": one.detail,
        "source": one.source,
        "grade": one.grade,
        "hash": one.hash,
        "lines": one.lines,
        "current_hash": one.current,
        "drift": None if one.drift is None else _build_drift_json(one.drift),
    }


def _build_drift_json(drift: Drift) -> Json:
    return {
        "change": drift.change,
        "lines": drift.lines,
        "commit": drift.commit,
        "date": drift.date,
        "commits": drift.commits,
        "diff": drift.diff,
        "detail": drift.detail,
    }


def build_issue_json(file: str, one: Issue) -> Json:
    return {
        "rule": one.rule,
        "kind": one.kind,
        "type": one.type,
        "severity": one.severity,
        "level": one.level,
        "location": {
            "file": file,
            "line": one.line,
            "column": one.column,
            "end_line": one.end_line,
            "end_column": one.end_column,
        },
        "claim": one.claim,
        "source": one.source,
        "message": one.message,
        "fix": one.fix,
        "fixable": one.remedy is not None,
    }


def build_summary_json(counts: Counts) -> Json:
    confidence = counts.verified / counts.citations if counts.citations else 1.0
    return {
        "total": counts.citations,
        "verified": counts.verified,
        "hallucinated": counts.hallucinated,
        "malformed": counts.malformed,
        "unreachable": counts.unreachable,
        "inconsistent": counts.inconsistent,
        "unchecked": counts.unchecked,
        "confidence": round(confidence, 4),
        "grade_violations": counts.grade_violations,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "infos": counts.infos,
    }


def build_rlm_json(counts: Counts) -> Json:
    return {
        "total": counts.code,
        "fresh": counts.fresh,
        "stale": counts.stale,
        "un_versioned": counts.un_versioned,
        "missing": counts.missing,
    }


def get_status_word(counts: Counts) -> str:
    return "FAIL" if has_failed(counts) else "PASS"
