"""The whole report as one JSON object (docs/spec/report.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel


class Json(Reporter):
    """One object with all that is known."""

    name: ClassVar[str] = "json"
    media_type: ClassVar[str] = "application/json"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the object: once all is known, or as it comes, with no more than one document held."""
        if not report.streamed:
            yield serializers.dump_pretty(dict(report.generate_members())) + "\n"
            return
        between = "{\n"
        for name, value in report.generate_members():
            yield f"{between}{serializers.dump_printable(name)}: "
            yield from (
                _stream_list(value) if isinstance(value, Iterator) else (serializers.dump_printable(value),)
            )
            between = ",\n"
        yield "\n}\n"


def _stream_list(items: Iterator[object]) -> Iterator[str]:
    between = "[\n"
    for item in items:
        yield between + serializers.dump_printable(item)
        between = ",\n"
    yield "\n]" if between == ",\n" else "[\n]"


make = Json
