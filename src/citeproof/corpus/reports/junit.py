"""A JUnit file, as build servers show it: one suite a document, one test an issue.

Errors fail, as in the exit code; warnings and notes are skipped with their reason. A document without
issues is one test that passes, one that could not be read an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from citeproof.corpus.nouns import DocumentResult, Issue, Level
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.reporters import wording
from citeproof.reporters.report_model import CorpusReportHead

_NO_XML = str.maketrans("\ufffe\uffff", "\ufffd\ufffd")  # all else that XML cannot hold is spelled out


class CorpusJunit:
    """Suites in document order."""

    name: ClassVar[str] = "junit"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the file once all is known, because its counts stand first."""
        head, results = report.head, report.load(False)
        when = quoteattr(head.date.split(".")[0].removesuffix("Z"))
        suites, total = (
            [_format_corpus_suite(head)] if head.troubles else [],
            [len(head.troubles), 0, 0, len(head.troubles)],
        )
        for result in results:
            figures_of = _count_tests(result)
            total = [a + b for a, b in zip(total, figures_of, strict=True)]
            suites.append(_format_suite(result, when, _format_counts(figures_of)))
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<testsuites name="citeproof corpus" {_format_counts(total)}>\n'
        yield from suites
        yield "</testsuites>\n"


def _count_tests(result: DocumentResult) -> list[int]:
    """Return tests, failures, errors and skipped tests of one document."""
    failures = sum(issue.level is Level.ERROR for issue in result.issues)
    tests = len(result.issues) + bool(result.trouble)
    return [tests or 1, failures, int(bool(result.trouble)), len(result.issues) - failures]


def _format_counts(of: list[int]) -> str:
    return 'tests="{}" failures="{}" errors="{}" skipped="{}"'.format(*of)


def _format_suite(result: DocumentResult, when: str, counts: str) -> str:
    cases = [_format_issue_case(result.file, issue) for issue in result.issues]
    if result.trouble:
        cases.append(
            _format_testcase(
                result.file, "readable", body=f"<error message={_quote_attribute(result.trouble)}/>"
            )
        )
    elif not cases:
        cases.append(_format_testcase(result.file, "citations"))
    head = f"<testsuite name={_quote_attribute(result.file)} timestamp={when} {counts}>\n"
    return f"{head}{''.join(cases)}</testsuite>\n"


def _format_issue_case(file: str, issue: Issue) -> str:
    name = f"{issue.rule} (line {issue.line}): {issue.source or issue.claim}"
    message = _quote_attribute(f"{issue.severity} {issue.kind}: {issue.message}")
    if issue.level is not Level.ERROR:
        return _format_testcase(file, name, issue.line, f"<skipped message={message}/>")
    details = escape("\n".join(_list_details(file, issue)).translate(_NO_XML))
    body = f"<failure type={_quote_attribute(issue.rule)} message={message}>{details}</failure>"
    return _format_testcase(file, name, issue.line, body)


def _list_details(file: str, issue: Issue) -> Iterator[str]:
    yield f"{wording.show_line(file)}:{issue.line}:{issue.column}"
    told = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    yield from (f"{label}: {wording.show_line(text)}" for label, text in told if text)


def _format_corpus_suite(head: CorpusReportHead) -> str:
    said = [f"<skipped message={_quote_attribute(trouble)}/>" for trouble in head.troubles]
    cases = "".join(_format_testcase("corpus", f"problem {n}", body=body) for n, body in enumerate(said, 1))
    count = len(head.troubles)
    return f'<testsuite name="the corpus" {_format_counts([count, 0, 0, count])}>\n{cases}</testsuite>\n'


def _format_testcase(file: str, name: str, line: int | None = None, body: str = "") -> str:
    at = "" if line is None else f' line="{line}"'
    head = f"<testcase classname={_quote_attribute(file)} name={_quote_attribute(name)}{at}"
    return f"{head}>{body}</testcase>\n" if body else f"{head}/>\n"


def _quote_attribute(text: str) -> str:
    return quoteattr(wording.show_line(text, 2000).translate(_NO_XML))


make = CorpusJunit
