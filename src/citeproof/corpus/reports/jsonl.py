"""One JSON object a line: each document, its citations and its issues; the last line has the sums.

`record` says what a line is: `file`, `citation`, `issue` or `summary`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.nouns import Result
from citeproof.corpus.reports import objects
from citeproof.corpus.reports.base import Head
from citeproof.corpus.reports.figures import Tally


class Jsonl:
    """The lines of a document come together, as soon as it is known."""

    name: ClassVar[str] = "jsonl"
    citations: ClassVar[bool] = True

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:
        """Yield the lines of one document at a time."""
        tally = Tally()
        for result in results:
            tally.add(result)
            yield _line("file", objects.file_json(result)) + "".join(_inside(result))
        yield _line("summary", {**objects.head_json(head), **objects.tail_json(head, tally)})


def _inside(result: Result) -> Iterator[str]:
    for citation in result.citations:
        yield _line("citation", {"file": result.file, **objects.citation_json(result.file, citation)})
    for issue in result.issues:
        yield _line("issue", {"file": result.file, **objects.issue_json(result.file, issue)})


def _line(record: str, members: serial.Json) -> str:
    return serial.dump_printable({"record": record, **members}) + "\n"


make = Jsonl
