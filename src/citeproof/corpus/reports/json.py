"""The whole report as one JSON object (docs/spec/corpus-report.schema.json), one document a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.corpus.nouns import Result
from citeproof.corpus.reports import objects
from citeproof.corpus.reports.base import Head
from citeproof.corpus.reports.figures import Tally


class Json:
    """One object that begins before the first result is there; its sums stand at its end."""

    name: ClassVar[str] = "json"
    citations: ClassVar[bool] = True

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:
        """Yield the object piece by piece: no more than one document is held."""
        tally, between = Tally(), "\n"
        yield f"{{\n{_pairs(objects.head_json(head))},\n" + '"files": ['
        for result in results:
            tally.add(result)
            yield between + _text(_document(result))
            between = ",\n"
        yield f"\n],\n{_pairs(objects.tail_json(head, tally))}\n}}\n"


def _document(result: Result) -> serial.Json:
    made = objects.file_json(result)
    trouble = made.pop("trouble")
    made["citations"] = [objects.citation_json(result.file, one) for one in result.citations]
    made["issues"] = [objects.issue_json(result.file, one) for one in result.issues]
    return {**made, "trouble": trouble}


def _pairs(members: serial.Json) -> str:
    return ",\n".join(f"{_text(name)}: {_text(value)}" for name, value in members.items())


def _text(value: object) -> str:
    return serial.dump_printable(value)


make = Json
