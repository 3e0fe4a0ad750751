"""SARIF 2.1.0, as GitHub and editors show it: findings on the lines of the documents.

MAJOR is an error, MINOR a warning; NOTED and what could not be checked are notes; EXACT gives no result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import ClassVar
from urllib.parse import quote

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel, ReportRow, ReportRule, RowLevel
from citeproof.answers.serializers import Json
from citeproof.vocabulary import CHECKED_AGAINST, Acceptance

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"  # what GitHub and others call the root of the repository
_PATH = 4_096  # characters of a path


class Sarif(Reporter):
    """One log with one run."""

    name: ClassVar[str] = "sarif"
    media_type: ClassVar[str] = "application/sarif+json"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the log: whole, or one result a line as it comes."""
        rules = report.list_rules()
        places = {rule.name: n for n, rule in enumerate(rules)}
        driver = {
            "name": "citeproof",
            "version": report.get_version(),
            "semanticVersion": report.get_version(),
            "rules": [_make_rule(rule) for rule in rules],
        }
        rows = (row for row in report.generate_rows() if row.level is not RowLevel.NONE)
        results: Iterable[Json] = (_make_result(row, report, places) for row in rows)
        if not report.streamed:
            results = made = list(results)  # who answered is known after the last
            if any("suppressions" in result for result in made):  # then the others must say that they are not
                results = [{"suppressions": [], **result} for result in made]
        run: Json = {
            "tool": {"driver": driver},
            "invocations": [_make_invocation(report)],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        }
        if report.streamed:
            yield from _stream_log(run, results)
        else:
            runs = [{**run, "results": results}]
            yield serializers.dump_pretty({"$schema": SCHEMA, "version": "2.1.0", "runs": runs}) + "\n"


def _stream_log(run: Json, results: Iterable[Json]) -> Iterator[str]:
    yield f'{{"$schema": "{SCHEMA}",\n"version": "2.1.0",\n"runs": [{{\n'
    yield from (f'"{name}": {serializers.dump_printable(value)},\n' for name, value in run.items())
    yield '"results": ['
    between = "\n"
    for result in results:
        yield between + serializers.dump_printable(result)
        between = ",\n"
    yield "\n]}]}\n"


def _make_rule(rule: ReportRule) -> Json:
    if not rule.help:
        return {"id": rule.name, "shortDescription": {"text": rule.words}}
    return {
        "id": rule.name,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.words},
        "fullDescription": {"text": rule.help},
        "help": {"text": rule.help, "markdown": rule.help},
    }


def _make_invocation(report: ReportModel) -> Json:
    invocation: Json = {"executionSuccessful": True, "startTimeUtc": report.started}
    if report.overrides:
        invocation["toolConfigurationNotifications"] = [_make_notification(text) for text in report.overrides]
    if report.troubles is not None:
        invocation["toolExecutionNotifications"] = [_make_notification(text) for text in report.troubles]
    if against := report.describe_sources():
        notification = _make_notification(f"{CHECKED_AGAINST} {against}", "note")
        invocation.setdefault("toolExecutionNotifications", []).append(notification)
    return invocation


def _make_notification(text: str, level: str = "warning") -> Json:
    return {"level": level, "message": {"text": wording.show_line(text, 2000)}}


def _make_result(row: ReportRow, report: ReportModel, places: dict[str, int]) -> Json:
    result: Json = {"ruleId": row.rule}
    if row.rule in places:
        result["ruleIndex"] = places[row.rule]
    result["level"] = RowLevel.NOTE if row.level is RowLevel.HINT else row.level
    result["message"] = {"text": wording.show_line(row.message, 2000)}
    result["locations"] = [_make_location(row, report.locate_file(row.place.file))]
    if row.identity:
        # GitHub knows a result again by its fingerprint, so that moved lines open no new alert.
        known = sha256(row.identity.encode("utf-8", "replace")).hexdigest()[:32]
        result["partialFingerprints"] = {report.fingerprint: known}
    if row.accepted:
        result["suppressions"] = [_make_suppression(row.accepted)]
    if row.properties:
        result["properties"] = {
            name: wording.show_line(value) if isinstance(value, str) else value
            for name, value in row.properties.items()
        }
    return result


def _make_suppression(acceptance: Acceptance) -> Json:
    words = {"baseline": "Known from the baseline.", "ignore": acceptance.reason}
    until = f" Until {acceptance.expires}." if acceptance.expires else ""
    reason = wording.show_line(f"{words.get(acceptance.by, acceptance.reason)}{until}", 2000)
    return {"kind": "external", "status": "accepted", "justification": reason}


def _make_location(row: ReportRow, file: str) -> Json:
    """Return file and region; a page, which SARIF does not know, becomes a logical location."""
    place = row.place
    uri = make_uri(file or "references")
    known = {} if uri.startswith("file:") else {"uriBaseId": _ROOT}
    physical: Json = {"artifactLocation": {"uri": uri, **known}}
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": row.end_column,
    }
    if place.line is not None:
        physical["region"] = {name: value for name, value in region.items() if value is not None}
    if place.page is None:
        return {"physicalLocation": physical}
    return {"physicalLocation": physical, "logicalLocations": [{"name": f"page {place.page}"}]}


def make_uri(file: str) -> str:
    """Return a relative reference, or a file address for an absolute path; the bytes of a name survive."""
    # whether a half character represents no byte of a name that is not UTF-8
    odd = any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in file)
    data = file[:_PATH].encode("utf-8", "replace" if odd else "surrogateescape")
    path = quote(data.replace(os.sep.encode(), b"/"), safe="/!+-._~")
    return f"file://{path}" if path.startswith("/") else path


make = Sarif
