"""A JUnit file, as build servers show it: one test a reference or issue, one suite a document.

What fails the run is a failure, as in the exit code; what matched with a note passes. What could not
be checked, is only a note or is accepted is skipped with its reason. What could not be read is an error. A
document without issues is one test that passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel, ReportRow, RowGroup, RowLevel
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import CHECKED_AGAINST, Place

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTCOMES = ("", "failure", "error", "skipped")


class Junit(Reporter):
    """Suites in document order."""

    name: ClassVar[str] = "junit"
    media_type: ClassVar[str] = "application/xml"
    suffixes: ClassVar[tuple[str, ...]] = ("xml",)

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the file once all is known, because its counts stand first."""
        suites: list[tuple[str, str, str]] = []  # what it is about, head, cases
        total = [0] * len(_OUTCOMES)
        for group in _list_groups(report):
            rows = [row for row in group.rows if not row.aside or row.fails]
            outcomes = [_choose_outcome(row) for row in rows]
            counts = [len(rows), *(outcomes.count(outcome) for outcome in _OUTCOMES[1:])]
            total = [a + b for a, b in zip(total, counts, strict=True)]
            cases = "".join(_format_testcase(row, group) for row in rows)
            suites.append((group.about, _format_suite_head(report, group, counts), cases))
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        counted = _format_counts(total).rpartition(" skipped=")[0]  # the schema has it in suites only
        yield f'<testsuites name="{report.title}" {counted}>\n'
        facts = [("override", text) for text in report.overrides]
        if against := report.describe_sources():  # which is known after the last
            facts.append((CHECKED_AGAINST, against))
        each = (f'<property name="{name}" value={_quote_attribute(text)}/>' for name, text in facts)
        properties = f"<properties>{''.join(each)}</properties>\n" if facts else ""
        for about, head, cases in suites:
            yield f"{head}{'' if about else properties}{cases}</testsuite>\n"
        yield "</testsuites>\n"


def _list_groups(report: ReportModel) -> Iterator[RowGroup]:
    if report.troubles:
        rows = [
            ReportRow(Place(), "", RowLevel.NOTE, text, title=f"problem {n}", text=text)
            for n, text in enumerate(report.troubles, 1)
        ]
        yield RowGroup("the corpus", rows, about="corpus")
    yield from report.generate_documents()


def _choose_outcome(row: ReportRow) -> str:
    if row.level in (RowLevel.HINT, RowLevel.NONE):
        return ""
    return "failure" if row.fails else "error" if row.unread else "skipped"


def _format_counts(counts: list[int]) -> str:
    return 'tests="{}" failures="{}" errors="{}" skipped="{}"'.format(*counts)


def _format_suite_head(report: ReportModel, group: RowGroup, counts: list[int]) -> str:
    started = quoteattr(report.started.split(".")[0].removesuffix("Z"))
    when = "" if group.about else f"timestamp={started} "
    return f"<testsuite name={_quote_attribute(group.name)} {when}{_format_counts(counts)}>\n"


def _format_testcase(row: ReportRow, group: RowGroup) -> str:
    line = f' line="{row.place.line}"' if row.place.line and not group.about else ""
    of = _quote_attribute(group.about or group.name)
    head = f"<testcase classname={of} name={_quote_attribute(row.title)}{line}"
    outcome = _choose_outcome(row)
    if not outcome:
        return f"{head}/>\n"
    accepted = f"accepted: {row.accepted.reason or row.accepted.by}; " if row.accepted else ""
    message = _quote_attribute(
        accepted + (f"{row.severity} {row.kind}: {row.text}" if row.severity else row.text)
    )
    if outcome != "failure":
        return f"{head}><{outcome} message={message}/></testcase>\n"
    kind = _quote_attribute(row.reason)
    lines = (f"{wording.show_line(label)}: {wording.show_line(text, 2000)}" for label, text in row.evidence)
    body = escape(_clean_xml("\n".join((wording.format_place(row.place), *lines))))
    return f"{head}><failure type={kind} message={message}>{body}</failure></testcase>\n"


def _quote_attribute(text: str) -> str:
    return quoteattr(_clean_xml(wording.show_line(text, 2000)))


def _clean_xml(text: str) -> str:
    """Return `text` without what XML cannot hold, such as lone surrogates."""
    return _NO_XML.sub("\ufffd", text)


make = Junit
