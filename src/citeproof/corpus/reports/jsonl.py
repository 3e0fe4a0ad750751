"""One JSON object a line: each document, its citations and its issues; the last line has the sums.

`record` says what a line is: `file`, `citation`, `issue` or `summary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.nouns import DocumentResult
from citeproof.corpus.reports import json_objects
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.corpus.reports.figures import CorpusTally


class CorpusJsonl:
    """The lines of a document come together, as soon as it is known."""

    name: ClassVar[str] = "jsonl"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the lines of one document at a time."""
        head, results = report.head, report.load(True)
        tally = CorpusTally()
        for result in results:
            tally.add(result)
            yield _format_line("file", json_objects.build_file_json(result)) + "".join(
                _format_contents(result)
            )
        yield _format_line(
            "summary", {**json_objects.build_head_json(head), **json_objects.build_tail_json(head, tally)}
        )


def _format_contents(result: DocumentResult) -> Iterator[str]:
    for citation in result.citations:
        yield _format_line(
            "citation", {"file": result.file, **json_objects.build_citation_json(result.file, citation)}
        )
    for issue in result.issues:
        yield _format_line(
            "issue", {"file": result.file, **json_objects.build_issue_json(result.file, issue)}
        )


def _format_line(record: str, members: serial.Json) -> str:
    return serial.dump_printable({"record": record, **members}) + "\n"


make = CorpusJsonl
