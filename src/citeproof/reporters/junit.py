"""A JUnit file, as build servers show it: one test a reference, one suite a document.

MAJOR and MINOR are failures, as in the exit code. What could not be checked is skipped with its
reason. A place of a document that could not be read is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from citeproof.reporters import words
from citeproof.vocabulary import Checked, Label, Problem, Run

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Junit:
    """Suites in document order."""

    name: ClassVar[str] = "junit"

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield the file once all is known, because its counts stand first."""
        every = list(checked)
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<testsuites name="citeproof" {_counts(every, run.problems)}>\n'
        for file, group in groupby(every, key=lambda one: one.reference.place.file):
            yield from _suite(file, list(group), run)
        if run.problems:
            yield f'<testsuite name="reading the documents" {_counts([], run.problems)}>\n'
            yield from (_unread(problem) for problem in run.problems)
            yield "</testsuite>\n"
        yield "</testsuites>\n"


def _suite(file: str, checked: Sequence[Checked], run: Run) -> Iterator[str]:
    when = quoteattr(run.started.split(".")[0])
    yield f"<testsuite name={_attribute(file or 'references')} timestamp={when} {_counts(checked, ())}>\n"
    if replaced := words.overrides(run):
        each = "".join(f'<property name="override" value={_attribute(text)}/>' for text in replaced)
        yield f"<properties>{each}</properties>\n"
    yield from (_case(one) for one in checked)
    yield "</testsuite>\n"


def _counts(checked: Sequence[Checked], problems: Sequence[Problem]) -> str:
    labels = [one.judgement.label for one in checked]
    failed = sum(label in (Label.MAJOR, Label.MINOR) for label in labels)
    errors = sum(not problem.note for problem in problems)
    total = len(checked) + len(problems)
    skipped = labels.count(None) + len(problems) - errors
    return f'tests="{total}" failures="{failed}" errors="{errors}" skipped="{skipped}"'


def _case(checked: Checked) -> str:
    place = checked.reference.place
    name = f"{checked.reference.key}: {words.title(checked)}"
    line = f' line="{place.line}"' if place.line else ""
    head = f"<testcase classname={_attribute(place.file or 'references')} name={_attribute(name)}{line}"
    match checked.judgement.label:
        case Label.EXACT:
            return f"{head}/>\n"
        case None:
            return f"{head}><skipped message={_attribute(words.evidence(checked))}/></testcase>\n"
        case _:
            kind = _attribute(checked.judgement.verdict.value)
            message = _attribute(f"{words.headline(checked)}: {checked.judgement.explanation}")
            body = escape(_clean("\n".join(_details(checked))))
            return f"{head}><failure type={kind} message={message}>{body}</failure></testcase>\n"


def _details(checked: Checked) -> Iterator[str]:
    yield words.where(checked.reference.place)
    for m in checked.judgement.mismatches:
        yield words.line(f"{m.field}: claimed {m.claimed!r}, found {m.resolved!r} ({m.reason})")
    yield f"evidence: {words.evidence(checked)}"


def _unread(problem: Problem) -> str:
    where = _attribute(words.where(problem.place))
    word = "skipped" if problem.note else "error"
    message = _attribute(f"{problem.message}. {problem.mend}".strip())
    return f'<testcase classname="reading" name={where}><{word} message={message}/></testcase>\n'


def _attribute(text: str) -> str:
    return quoteattr(_clean(words.line(text, 2000)))


def _clean(text: str) -> str:
    """Return `text` without what XML cannot hold, such as lone surrogates."""
    return _NO_XML.sub("\ufffd", text)


make = Junit
