"""The whole report as one JSON object (docs/spec/report.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report


class Json(Reporter):
    """One object: schema, version, run, summary, references."""

    name: ClassVar[str] = "json"

    def report(self, report: Report) -> Iterator[str]:
        """Yield the report once all is known, because its counts stand first."""
        run, checked = get_references(report)
        yield serial.dump_pretty(serial.build_report_json(run, checked)) + "\n"


make = Json
