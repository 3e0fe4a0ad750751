"""One JSON object a line, in document order unless `--unordered` is given, as soon as it is known.

A line is a checked reference; of what concerns the whole run it has only `overrides`, if any. For corpus
documents `record` says what a line is: `file`, `citation`, `issue` or, at the end, `summary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel


class Jsonl(Reporter):
    """One compact JSON object a line."""

    name: ClassVar[str] = "jsonl"
    media_type: ClassVar[str] = "application/x-ndjson"
    lists_only: ClassVar[frozenset[str]] = frozenset({"references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield one line for each object."""
        return (f"{serializers.dump_printable(item)}\n" for item in report.generate_objects())


make = Jsonl
