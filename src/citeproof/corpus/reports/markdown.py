"""The report to keep beside the documents, or to paste into a review.

All text of documents stands in code spans and fences: Markdown reads nothing in them, so that it forms
no markup, and verifying a report finds no citation in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof.corpus.nouns import Counts, Issue, Level, Result
from citeproof.corpus.reports import codeblock, figures
from citeproof.corpus.reports.advice import recommendations
from citeproof.corpus.reports.base import Head
from citeproof.corpus.reports.figures import Tally, number
from citeproof.reporters import words

_PLAIN = re.compile(r"(?:[A-Za-z0-9./-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])){1,300}")
_TICKS = re.compile("`+")


class Markdown:
    """One block for one document; for several, one for all, then one for each that has issues."""

    name: ClassVar[str] = "markdown"
    citations: ClassVar[bool] = False

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:
        """Yield the report once all is known, because its counts stand first."""
        tally, blocks, clean = Tally(), [], []
        for result in results:
            tally.add(result)
            if head.files == 1 or result.issues or result.trouble:
                blocks.append(_lines(_document(head, result, alone=head.files == 1)))
            else:
                clean.append(f"- {_clean(result)}")
        if head.files != 1:
            yield _lines(_all(head, tally))
        for n, block in enumerate(blocks):
            yield f"\n{block}" if n or head.files != 1 else block
        if clean:
            yield _lines(("", "### Files without issues", "", *clean))


def _document(head: Head, result: Result, *, alone: bool) -> Iterator[str]:
    tally = Tally()
    tally.add(result)
    yield from _opening(named(result.file), head, tally.counts, figures.status_of(result))
    yield from _notices(head) if alone else ()
    if result.trouble:
        yield from ("", "### Issues", "", f"This document could not be read: {code(result.trouble)}")
    elif result.issues:
        yield from ("", "### Issues", "")
        for n, issue in enumerate(result.issues, 1):
            yield from _issue(n, issue)
    yield from _unchecked(tally)
    if result.counts.code:
        block = [*codeblock.totals(result.counts), *codeblock.lists(codeblock.told(result), places=False)]
        yield from ("", *fenced(block))
    yield from _closing(tally)


def _all(head: Head, tally: Tally) -> Iterator[str]:
    status = figures.status(tally.counts, tally.unread)
    yield from _opening(number(tally.files, "file"), head, tally.counts, status)
    yield from _notices(head)
    yield from _unchecked(tally)
    if tally.counts.code:
        yield from ("", *fenced(codeblock.totals(tally.counts)))
    yield from _closing(tally)


def _opening(file: str, head: Head, counts: Counts, status: str) -> Iterator[str]:
    yield "## Citation Verification Report"
    yield ""
    yield f"**File:** {file}  "  # two blanks: each of these on a line of its own
    yield f"**Date:** {plain(head.date)}  "
    if checked := figures.checked(head):
        yield f"**Checked:** {checked}  "
    yield f"**Status:** {status}"
    yield from ("", "### Summary", "", "| Metric | Count |", "| --- | --- |")
    yield from (f"| {name} | {count} |" for name, count in figures.rows(counts))


def _notices(head: Head) -> Iterator[str]:
    if head.fixed:
        yield from ("", "### Fixed", "")
        yield from (f"- {code(file)}: {number(changes, 'change')}" for file, changes in head.fixed)
    if head.troubles:
        yield from ("", "### Corpus", "", *(f"- {code(trouble)}" for trouble in head.troubles))


def _unchecked(tally: Tally) -> Iterator[str]:
    if tally.unchecked:
        yield from ("", "### Could not be checked", "", *(f"- {code(row)}" for row in tally.listed()))


def _issue(n: int, issue: Issue) -> Iterator[str]:
    level = "" if issue.level is Level.ERROR else f" ({figures.LEVELS[issue.level]})"
    yield f"{n}. **{issue.severity} - {plain(issue.kind)} (line {issue.line})**{level}"
    margin = " " * len(f"{n}. ")
    told = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    yield from (f"{margin}- {name}: {code(value)}" for name, value in told if value)


def _closing(tally: Tally) -> Iterator[str]:
    yield from ("", "### Recommendations", "")
    yield from (f"- {plain(sentence)}" for sentence in recommendations(tally))


def _clean(result: Result) -> str:
    return (
        f"{code(result.file)}: {figures.status(result.counts)}, {number(result.counts.citations, 'citation')}"
    )


def code(text: str) -> str:
    """Return `text` on one line as a code span that nothing in it can end."""
    shown = words.line(text)
    fence = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def named(file: str) -> str:
    """Return a file's name, as it is where Markdown and we can read nothing in it."""
    return file if _PLAIN.fullmatch(file) else code(file)


def fenced(rows: list[str]) -> Iterator[str]:
    """Yield `rows` as a block of plain text that none of them can end."""
    longest = max((len(run) for row in rows for run in _TICKS.findall(row)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", *rows, fence)


def plain(text: str) -> str:
    """Return our own words; they hold no markup, and what is not ours in them becomes none."""
    return re.sub(r"[^\w\s.,;:?!()/@-]", "", words.line(text))


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


make = Markdown
