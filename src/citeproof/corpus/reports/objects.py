"""The JSON objects of a corpus report (docs/spec/corpus-report.schema.json): json and jsonl print these."""

from __future__ import annotations

from citeproof.corpus.nouns import Citation, Counts, Drift, Issue, Result
from citeproof.corpus.reports.base import Head, failed
from citeproof.corpus.reports.figures import Tally
from citeproof.serial import Json

SCHEMA = "citeproof/corpus/1"


def head_json(head: Head) -> Json:
    return {
        "schema": SCHEMA,
        "citeproof": head.version,
        "date": head.date,
        "root": head.root,
        "mode": head.mode,
        "strict": head.strict,
    }


def tail_json(head: Head, tally: Tally) -> Json:
    """Return what concerns all documents and is known at the end."""
    return {
        "troubles": list(head.troubles),
        "fixed": [{"file": file, "changes": changes} for file, changes in head.fixed],
        "rlm": rlm_json(tally.counts),
        "summary": {"files": tally.files, "unread": tally.unread, **summary_json(tally.counts)},
        "status": status(tally.counts),
    }


def file_json(result: Result) -> Json:
    """Return what is known of one document but for its citations and issues."""
    return {
        "file": result.file,
        "status": "UNCHECKED" if result.trouble else status(result.counts),
        "summary": summary_json(result.counts),
        "trouble": result.trouble,
    }


def citation_json(file: str, one: Citation) -> Json:
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
        "drift": None if one.drift is None else _drift_json(one.drift),
    }


def _drift_json(drift: Drift) -> Json:
    return {
        "change": drift.change,
        "lines": drift.lines,
        "commit": drift.commit,
        "date": drift.date,
        "commits": drift.commits,
        "diff": drift.diff,
        "detail": drift.detail,
    }


def issue_json(file: str, one: Issue) -> Json:
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


def summary_json(counts: Counts) -> Json:
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


def rlm_json(counts: Counts) -> Json:
    return {
        "total": counts.code,
        "fresh": counts.fresh,
        "stale": counts.stale,
        "un_versioned": counts.un_versioned,
        "missing": counts.missing,
    }


def status(counts: Counts) -> str:
    return "FAIL" if failed(counts) else "PASS"
