"""Every reference as a RIS record, corrected where a record passed the full match.

What was found stands in the record's notes (`N1`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import ReportModel


class Ris(Reporter):
    """One record a reference, in document order."""

    name: ClassVar[str] = "ris"
    lists_only: ClassVar[frozenset[str]] = frozenset({"references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the records, each as soon as it is known."""
        run, checked = get_references(report)
        replaced = wording.describe_overrides(run)
        for one in checked:
            fields = one.correction.claimed if one.correction else one.reference.claimed
            notes = tuple(f"citeproof: {line}" for line in (*replaced, *wording.describe_outcome(one)))
            yield serial.build_ris_record(one.reference.key, one.reference.kind, fields, notes) + "\r\n"


make = Ris
