"""Every cited work as a BibTeX entry, corrected where a record passed the full match.

The result is above each entry, as text that BibTeX skips. An entry that was not
matched is written as the document has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel
from citeproof.answers.serializers.bibliography import make_safe_key


class Bibtex(Reporter):
    """One entry a work."""

    name: ClassVar[str] = "bibtex"
    media_type: ClassVar[str] = "application/x-bibtex"
    suffixes: ClassVar[tuple[str, ...]] = ("bib",)
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus", "references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the entries once all are known, because above them is who answered; each has its own key."""
        works, taken = list(report.generate_works()), serializers.UniqueKeys()
        if against := report.describe_sources():
            heading = f"checked by citeproof against {against}, {report.started}"
            yield "".join(_format_comment(text) for text in (heading, *report.overrides)) + "\n"
        for work in works:
            key = taken.make_unique(make_safe_key(work.key))
            notes = "".join(map(_format_comment, work.notes))
            yield f"{notes}{serializers.build_bibtex_entry(key, work.kind, work.fields)}\n"


def _format_comment(text: str) -> str:
    """Return a line between entries; an @ there would begin an entry."""
    return f"% {wording.show_line(text).replace('@', '(at)')}\n"


make = Bibtex
