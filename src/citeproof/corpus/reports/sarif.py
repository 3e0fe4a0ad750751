"""SARIF 2.1.0, as GitHub and editors show it: each issue on its lines of the document."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import ClassVar
from urllib.parse import quote

from citeproof import serial
from citeproof.corpus.nouns import DocumentResult, Issue, Level
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.corpus.rule_catalogue import load_rules
from citeproof.reporters import wording
from citeproof.reporters.report_model import CorpusReportHead
from citeproof.reporters.sarif import SCHEMA
from citeproof.serial import Json

LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
UNREAD = "document-unreadable"
_PATH = 4_096  # characters of a path


class CorpusSarif:
    """One log with one run; documents without issues are not in it."""

    name: ClassVar[str] = "sarif"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the log piece by piece: one result a line, no more than one document is held."""
        head, results = report.head, report.load(False)
        yield f'{{"$schema": "{SCHEMA}",\n"version": "2.1.0",\n"runs": [{{\n'
        yield '"tool": ' + _dump_json({"driver": _make_driver(head)}) + ",\n"
        yield '"invocations": ' + _dump_json([_make_invocation(head)]) + ",\n"
        yield '"columnKind": "unicodeCodePoints",\n"results": ['
        between = "\n"
        for result in results:
            for made in _make_results(replace(result, file=_relate_to_root(head, result.file))):
                yield between + _dump_json(made)
                between = ",\n"
        yield "\n]}]}\n"


def _relate_to_root(head: CorpusReportHead, file: str) -> str:
    """Return a document's path from the root, which is where code scanning looks for it."""
    whole = posixpath.normpath(posixpath.join(head.root, head.prefix, file))
    root = f"{posixpath.normpath(head.root).rstrip('/')}/"
    return whole.removeprefix(root) if whole.startswith(root) else file


def _make_driver(head: CorpusReportHead) -> Json:
    return {
        "name": "citeproof",
        "semanticVersion": head.version,
        "rules": [_make_rule(*row) for row in _list_rules()],
    }


def _list_rules() -> Iterator[tuple[str, str, str]]:
    """Yield name, words and help of every rule, met or not: results name theirs by its place here."""
    yield from ((rule.name, rule.kind, rule.help) for rule in load_rules().values())
    yield (UNREAD, "Document Could Not Be Read", "Nothing is known about a document that cannot be read.")


@cache
def _index_rules() -> dict[str, int]:
    return {name: index for index, (name, _, _) in enumerate(_list_rules())}


def _make_rule(name: str, kind: str, about: str) -> Json:
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": kind},
        "fullDescription": {"text": about},
        "help": {"text": about},
    }


def _make_invocation(head: CorpusReportHead) -> Json:
    told = [{"level": "warning", "message": {"text": wording.show_line(one, 2000)}} for one in head.troubles]
    return {"executionSuccessful": True, "startTimeUtc": head.date, "toolExecutionNotifications": told}


def _make_results(result: DocumentResult) -> Iterator[Json]:
    if result.trouble:
        message = {"text": wording.show_line(result.trouble, 2000)}
        yield {
            **_make_rule_reference(UNREAD),
            "level": "warning",
            "message": message,
            "locations": [_make_location(result.file)],
        }
    times: Counter[str] = Counter()
    for issue in result.issues:
        known = f"{issue.rule}\0{issue.source}\0{issue.claim}"
        times[known] += 1
        yield _make_result(result.file, issue, f"{known}\0{times[known]}")


def _make_rule_reference(rule: str) -> Json:
    index = _index_rules().get(rule)
    return {"ruleId": rule} if index is None else {"ruleId": rule, "ruleIndex": index}


def _make_result(file: str, issue: Issue, known: str) -> Json:
    message = f"{issue.kind}: {issue.message.rstrip('.')}."
    message += f" Fix: {issue.fix}" if issue.fix else ""
    region = {"startLine": issue.line, "startColumn": issue.column, "endLine": issue.end_line}
    return {
        **_make_rule_reference(issue.rule),
        "level": LEVELS[issue.level],
        "message": {"text": wording.show_line(message, 2000)},
        "locations": [_make_location(file, {**region, "endColumn": issue.end_column})],
        # GitHub knows a result again by its fingerprint, so that moved lines open no new alert.
        "partialFingerprints": {"citeproof/corpus/v1": _make_fingerprint(known)},
        "properties": {
            "severity": issue.severity,
            "type": issue.type,
            "source": wording.show_line(issue.source),
            "fixable": issue.remedy is not None,
        },
    }


def _make_fingerprint(known: str) -> str:
    return sha256(known.encode("utf-8", "replace")).hexdigest()[:32]


def _make_location(file: str, region: Json | None = None) -> Json:
    physical: Json = {"artifactLocation": {"uri": make_uri(file)}}
    if region is not None:
        physical["region"] = region
    return {"physicalLocation": physical}


def make_uri(file: str) -> str:
    """Return a relative reference, or a file address for an absolute path; the bytes of a name survive."""
    data = file[:_PATH].encode("utf-8", "surrogateescape" if _is_from_disk(file) else "replace")
    path = quote(data, safe="/!+-._~")
    return f"file://{path}" if path.startswith("/") else path


def _is_from_disk(file: str) -> bool:
    """Return whether each half character is one that stands for a byte of a name that is no UTF-8."""
    return not any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in file)


def _dump_json(value: object) -> str:
    return serial.dump_printable(value)


make = CorpusSarif
