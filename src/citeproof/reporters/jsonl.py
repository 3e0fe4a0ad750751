"""One checked reference a line, in document order, as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report


class Jsonl(Reporter):
    """One compact JSON object a line; of what concerns the whole run it has only `overrides`, if any."""

    name: ClassVar[str] = "jsonl"
    lists_only: ClassVar[frozenset[str]] = frozenset({"references"})

    def report(self, report: Report) -> Iterator[str]:
        """Yield one line for each reference."""
        run, checked = get_references(report)
        for one in checked:
            yield serial.dump_printable(serial.build_checked_json(one, run.overrides)) + "\n"


make = Jsonl
