"""SARIF 2.1.0, as GitHub and editors show it: each issue on its lines of the document."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import ClassVar
from urllib.parse import quote

from citeproof import serial
from citeproof.corpus.catalogue import rules
from citeproof.corpus.nouns import Issue, Level, Result
from citeproof.corpus.reports.base import Head
from citeproof.reporters import words
from citeproof.reporters.sarif import SCHEMA
from citeproof.serial import Json

LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
UNREAD = "document-unreadable"
_PATH = 4_096  # characters of a path


class Sarif:
    """One log with one run; documents without issues are not in it."""

    name: ClassVar[str] = "sarif"
    citations: ClassVar[bool] = False

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:
        """Yield the log piece by piece: one result a line, no more than one document is held."""
        yield f'{{"$schema": "{SCHEMA}",\n"version": "2.1.0",\n"runs": [{{\n'
        yield '"tool": ' + _text({"driver": _driver(head)}) + ",\n"
        yield '"invocations": ' + _text([_invocation(head)]) + ",\n"
        yield '"columnKind": "unicodeCodePoints",\n"results": ['
        between = "\n"
        for result in results:
            for made in _results(replace(result, file=_below(head, result.file))):
                yield between + _text(made)
                between = ",\n"
        yield "\n]}]}\n"


def _below(head: Head, file: str) -> str:
    """Return a document's path from the root, which is where code scanning looks for it."""
    whole = posixpath.normpath(posixpath.join(head.root, head.prefix, file))
    root = f"{posixpath.normpath(head.root).rstrip('/')}/"
    return whole.removeprefix(root) if whole.startswith(root) else file


def _driver(head: Head) -> Json:
    return {
        "name": "citeproof",
        "semanticVersion": head.version,
        "rules": [_rule(*row) for row in _table()],
    }


def _table() -> Iterator[tuple[str, str, str]]:
    """Yield name, words and help of every rule, met or not: results name theirs by its place here."""
    yield from ((rule.name, rule.kind, rule.help) for rule in rules().values())
    yield (UNREAD, "Document Could Not Be Read", "Nothing is known about a document that cannot be read.")


@cache
def _indexes() -> dict[str, int]:
    return {name: index for index, (name, _, _) in enumerate(_table())}


def _rule(name: str, kind: str, about: str) -> Json:
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": kind},
        "fullDescription": {"text": about},
        "help": {"text": about},
    }


def _invocation(head: Head) -> Json:
    told = [{"level": "warning", "message": {"text": words.line(one, 2000)}} for one in head.troubles]
    return {"executionSuccessful": True, "startTimeUtc": head.date, "toolExecutionNotifications": told}


def _results(result: Result) -> Iterator[Json]:
    if result.trouble:
        message = {"text": words.line(result.trouble, 2000)}
        yield {
            **_named(UNREAD),
            "level": "warning",
            "message": message,
            "locations": [_location(result.file)],
        }
    times: Counter[str] = Counter()
    for issue in result.issues:
        known = f"{issue.rule}\0{issue.source}\0{issue.claim}"
        times[known] += 1
        yield _result(result.file, issue, f"{known}\0{times[known]}")


def _named(rule: str) -> Json:
    index = _indexes().get(rule)
    return {"ruleId": rule} if index is None else {"ruleId": rule, "ruleIndex": index}


def _result(file: str, issue: Issue, known: str) -> Json:
    message = f"{issue.kind}: {issue.message.rstrip('.')}."
    message += f" Fix: {issue.fix}" if issue.fix else ""
    region = {"startLine": issue.line, "startColumn": issue.column, "endLine": issue.end_line}
    return {
        **_named(issue.rule),
        "level": LEVELS[issue.level],
        "message": {"text": words.line(message, 2000)},
        "locations": [_location(file, {**region, "endColumn": issue.end_column})],
        # GitHub knows a result again by its fingerprint, so that moved lines open no new alert.
        "partialFingerprints": {"citeproof/corpus/v1": _fingerprint(known)},
        "properties": {
            "severity": issue.severity,
            "type": issue.type,
            "source": words.line(issue.source),
            "fixable": issue.remedy is not None,
        },
    }


def _fingerprint(known: str) -> str:
    return sha256(known.encode("utf-8", "replace")).hexdigest()[:32]


def _location(file: str, region: Json | None = None) -> Json:
    physical: Json = {"artifactLocation": {"uri": uri(file)}}
    if region is not None:
        physical["region"] = region
    return {"physicalLocation": physical}


def uri(file: str) -> str:
    """Return a relative reference, or a file address for an absolute path; the bytes of a name survive."""
    data = file[:_PATH].encode("utf-8", "surrogateescape" if _from_disk(file) else "replace")
    path = quote(data, safe="/!+-._~")
    return f"file://{path}" if path.startswith("/") else path


def _from_disk(file: str) -> bool:
    """Return whether each half character is one that stands for a byte of a name that is no UTF-8."""
    return not any("\ud800" <= char < "\udc80" or "\udcff" < char <= "\udfff" for char in file)


def _text(value: object) -> str:
    return serial.dump_printable(value)


make = Sarif
