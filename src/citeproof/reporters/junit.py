"""A JUnit file, as build servers show it: one test a reference, one suite a document.

MAJOR and MINOR are failures, as in the exit code. What could not be checked is skipped with its
reason. A place of a document that could not be read is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report
from citeproof.vocabulary import Checked, Label, Problem, Run

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Junit(Reporter):
    """Suites in document order."""

    name: ClassVar[str] = "junit"

    def report(self, report: Report) -> Iterator[str]:
        """Yield the file once all is known, because its counts stand first."""
        run, checked = get_references(report)
        every = list(checked)
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<testsuites name="citeproof" {_format_test_counts(every, run.problems)}>\n'
        for file, group in groupby(every, key=lambda one: one.reference.place.file):
            yield from _format_suite(file, list(group), run)
        if run.problems:
            yield f'<testsuite name="reading the documents" {_format_test_counts([], run.problems)}>\n'
            yield from (_format_unread_case(problem) for problem in run.problems)
            yield "</testsuite>\n"
        yield "</testsuites>\n"


def _format_suite(file: str, checked: Sequence[Checked], run: Run) -> Iterator[str]:
    when = quoteattr(run.started.split(".")[0])
    yield (
        f"<testsuite name={_quote_attribute(file or 'references')} timestamp={when} "
        f"{_format_test_counts(checked, ())}>\n"
    )
    if replaced := wording.describe_overrides(run):
        each = "".join(f'<property name="override" value={_quote_attribute(text)}/>' for text in replaced)
        yield f"<properties>{each}</properties>\n"
    yield from (_format_testcase(one) for one in checked)
    yield "</testsuite>\n"


def _format_test_counts(checked: Sequence[Checked], problems: Sequence[Problem]) -> str:
    labels = [one.judgement.label for one in checked]
    failed = sum(label in (Label.MAJOR, Label.MINOR) for label in labels)
    errors = sum(not problem.note for problem in problems)
    total = len(checked) + len(problems)
    skipped = labels.count(None) + len(problems) - errors
    return f'tests="{total}" failures="{failed}" errors="{errors}" skipped="{skipped}"'


def _format_testcase(checked: Checked) -> str:
    place = checked.reference.place
    name = f"{checked.reference.key}: {wording.format_title(checked)}"
    line = f' line="{place.line}"' if place.line else ""
    head = (
        f"<testcase classname={_quote_attribute(place.file or 'references')} name="
        f"{_quote_attribute(name)}{line}"
    )
    match checked.judgement.label:
        case Label.EXACT:
            return f"{head}/>\n"
        case None:
            return (
                f"{head}><skipped message="
                f"{_quote_attribute(wording.describe_evidence(checked))}/></testcase>\n"
            )
        case _:
            kind = _quote_attribute(checked.judgement.verdict.value)
            message = _quote_attribute(f"{wording.format_headline(checked)}: {checked.judgement.explanation}")
            body = escape(_clean_xml("\n".join(_list_failure_details(checked))))
            return f"{head}><failure type={kind} message={message}>{body}</failure></testcase>\n"


def _list_failure_details(checked: Checked) -> Iterator[str]:
    yield wording.format_place(checked.reference.place)
    for m in checked.judgement.mismatches:
        yield wording.show_line(f"{m.field}: claimed {m.claimed!r}, found {m.resolved!r} ({m.reason})")
    yield f"evidence: {wording.describe_evidence(checked)}"


def _format_unread_case(problem: Problem) -> str:
    where = _quote_attribute(wording.format_place(problem.place))
    word = "skipped" if problem.note else "error"
    message = _quote_attribute(f"{problem.message}. {problem.mend}".strip())
    return f'<testcase classname="reading" name={where}><{word} message={message}/></testcase>\n'


def _quote_attribute(text: str) -> str:
    return quoteattr(_clean_xml(wording.show_line(text, 2000)))


def _clean_xml(text: str) -> str:
    """Return `text` without what XML cannot hold, such as lone surrogates."""
    return _NO_XML.sub("\ufffd", text)


make = Junit
