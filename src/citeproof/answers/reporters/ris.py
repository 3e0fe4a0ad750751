"""Every cited work as a RIS record, corrected where a record passed the full match.

What was found is in the record's notes (`N1`), in short in its keywords (`KW`), which Zotero shows as tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel


class Ris(Reporter):
    """One record a work."""

    name: ClassVar[str] = "ris"
    media_type: ClassVar[str] = "application/x-research-info-systems"
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus", "references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the records, each as soon as it is known."""
        for work in report.generate_works():
            notes = tuple(f"citeproof: {text}" for text in (*report.overrides, *work.notes))
            yield serializers.build_ris_record(work.key, work.kind, work.fields, notes, work.tags) + "\r\n"


make = Ris
