"""The whole report as one JSON object (docs/spec/report.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.vocabulary import Checked, Run


class Json:
    """One object: schema, version, run, summary, references."""

    name: ClassVar[str] = "json"

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield the report once all is known, because its counts stand first."""
        yield serial.dump_pretty(serial.build_report_json(run, checked)) + "\n"


make = Json
