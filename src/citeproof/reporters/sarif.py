"""SARIF 2.1.0, as GitHub and editors show it: findings on the lines of the documents.

MAJOR is an error, MINOR a warning, what could not be checked a note; EXACT gives no result.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, ClassVar
from urllib.parse import quote

from citeproof import serial
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report
from citeproof.vocabulary import Checked, Finding, FindingState, Label, Place, Problem, Run, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Label.MAJOR: "error", Label.MINOR: "warning", Label.EXACT: "none", None: "note"}
_RULES = {
    "citation-differs": "The work was found, and the citation differs from it.",
    "citation-ambiguous": "The identifier belongs to one work, the title to another.",
    "citation-mismatch": "The identifier or title leads to a work that the citation does not describe.",
    "citation-not-found": "Not found in any source that covers this kind of work.",
    "citation-unchecked": "Too few sources answered to decide, or the evidence is not sure enough.",
    "integrity-finding": "A source states something about the cited work that a reader should know.",
    "document-problem": "A place of the document could not be read.",
}
_RULE_OF = {
    Verdict.MATCHED: "citation-differs", Verdict.AMBIGUOUS: "citation-ambiguous",
    Verdict.MISMATCH: "citation-mismatch", Verdict.NOT_FOUND: "citation-not-found",
    Verdict.UNCHECKED: "citation-unchecked",
}  # fmt: skip


class Sarif(Reporter):
    """One log with one run."""

    name: ClassVar[str] = "sarif"

    def report(self, report: Report) -> Iterator[str]:
        """Yield the log once all is known: a SARIF file is one object."""
        run, checked = get_references(report)
        results = [result for one in checked for result in _build_results(one)]
        results += [_build_unread_result(problem) for problem in run.problems]
        yield serial.dump_pretty(_build_sarif_log(run, results)) + "\n"


def _build_sarif_log(run: Run, results: list[dict[str, Any]]) -> dict[str, Any]:
    driver = {
        "name": "citeproof",
        "semanticVersion": serial.get_version(),
        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()],
    }
    invocation: dict[str, Any] = {"executionSuccessful": True, "startTimeUtc": run.started}
    if replaced := wording.describe_overrides(run):
        invocation["toolConfigurationNotifications"] = [
            {"level": "warning", "message": {"text": wording.show_line(text, 2000)}} for text in replaced
        ]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [invocation],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _build_results(checked: Checked) -> Iterator[dict[str, Any]]:
    judgement = checked.judgement
    if judgement.label is not Label.EXACT:
        message = f"{checked.reference.key}: {wording.format_headline(checked)}. {judgement.explanation}"
        yield _build_result(_RULE_OF[judgement.verdict], _LEVELS[judgement.label], message, checked)
    for finding in checked.findings:
        if finding.state is FindingState.FINDING:
            yield _build_result("integrity-finding", "warning", _describe_finding(checked, finding), checked)


def _describe_finding(checked: Checked, finding: Finding) -> str:
    detail = f": {finding.detail}" if finding.detail else ""
    return f"{checked.reference.key}: {finding.name.replace('_', ' ')}{detail}"


def _build_result(rule: str, level: str, message: str, checked: Checked) -> dict[str, Any]:
    # GitHub knows a result again by its fingerprint, so that moved lines open no new alert.
    known = f"{rule}\0{checked.reference.key}\0{checked.reference.raw}".encode("utf-8", "replace")
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": level,
        "message": {"text": wording.show_line(message, 2000)},
        "locations": [_build_location(checked.reference.place)],
        "partialFingerprints": {"citeproof/v1": sha256(known).hexdigest()[:32]},
        "properties": {
            "verdict": checked.judgement.verdict.value,
            "score": checked.judgement.score,
            "confidence": checked.judgement.confidence,
            "mismatches": [m.field for m in checked.judgement.mismatches],
        },
    }


def _build_unread_result(problem: Problem) -> dict[str, Any]:
    message = wording.show_line(f"{problem.message}. {problem.mend}".strip(), 2000)
    return {
        "ruleId": "document-problem",
        "ruleIndex": list(_RULES).index("document-problem"),
        "level": "note" if problem.note else "warning",
        "message": {"text": message},
        "locations": [_build_location(problem.place)],
    }


def _build_location(place: Place) -> dict[str, Any]:
    """Return file and region; a page, which SARIF does not know, becomes a logical location."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _make_uri(place.file)}}
    region = {"startLine": place.line, "startColumn": place.column, "endLine": place.end_line}
    if place.line is not None:
        physical["region"] = {name: value for name, value in region.items() if value is not None}
    if place.page is None:
        return {"physicalLocation": physical}
    return {"physicalLocation": physical, "logicalLocations": [{"name": f"page {place.page}"}]}


def _make_uri(file: str) -> str:
    """Return a relative reference, or a file address for an absolute path."""
    path = quote(wording.show_line(file or "references", 1000).replace("\\", "/"), safe="/!+-._~")
    return f"file://{path}" if path.startswith("/") else path


make = Sarif
