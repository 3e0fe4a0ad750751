"""The whole report as one JSON object (docs/spec/corpus-report.schema.json), one document a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.nouns import DocumentResult
from citeproof.corpus.reports import json_objects
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.corpus.reports.figures import CorpusTally


class CorpusJson:
    """One object that begins before the first result is there; its sums stand at its end."""

    name: ClassVar[str] = "json"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the object piece by piece: no more than one document is held."""
        head, results = report.head, report.load(True)
        tally, between = CorpusTally(), "\n"
        yield f"{{\n{_format_pairs(json_objects.build_head_json(head))},\n" + '"files": ['
        for result in results:
            tally.add(result)
            yield between + _dump_json(_make_document(result))
            between = ",\n"
        yield f"\n],\n{_format_pairs(json_objects.build_tail_json(head, tally))}\n}}\n"


def _make_document(result: DocumentResult) -> serial.Json:
    made = json_objects.build_file_json(result)
    trouble = made.pop("trouble")
    made["citations"] = [json_objects.build_citation_json(result.file, one) for one in result.citations]
    made["issues"] = [json_objects.build_issue_json(result.file, one) for one in result.issues]
    return {**made, "trouble": trouble}


def _format_pairs(members: serial.Json) -> str:
    return ",\n".join(f"{_dump_json(name)}: {_dump_json(value)}" for name, value in members.items())


def _dump_json(value: object) -> str:
    return serial.dump_printable(value)


make = CorpusJson
