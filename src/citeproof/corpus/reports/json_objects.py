"""The JSON objects of a corpus report (docs/spec/corpus-report.schema.json): json and jsonl print these."""

from __future__ import annotations

from citeproof.corpus.nouns import CorpusCitation, Counts, DocumentResult, Drift, Issue
from citeproof.corpus.reports.base import CorpusReportHead, has_failed
from citeproof.corpus.reports.figures import CorpusTally
from citeproof.serial import Json

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
