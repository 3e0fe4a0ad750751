"""Every reference as a BibTeX entry, corrected where a record passed the full match.

Above each entry stands what was found, as text that BibTeX passes over. An entry that was not
matched is written as the document has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import ReportModel
from citeproof.serial.bibtex import make_safe_key


class Bibtex(Reporter):
    """One entry a reference, in document order."""

    name: ClassVar[str] = "bibtex"
    lists_only: ClassVar[frozenset[str]] = frozenset({"references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the entries, each as soon as it is known; no two have the same key."""
        run, checked = get_references(report)
        yield _format_comment(f"checked by citeproof against {wording.describe_sources(run)}, {run.started}")
        yield "".join(_format_comment(text) for text in wording.describe_overrides(run)) + "\n"
        taken = serial.UniqueKeys()
        for one in checked:
            fields = one.correction.claimed if one.correction else one.reference.claimed
            key = taken.make_unique(make_safe_key(one.reference.key))
            told = "".join(_format_comment(line) for line in wording.describe_outcome(one))
            yield f"{told}{serial.build_bibtex_entry(key, one.reference.kind, fields)}\n"


def _format_comment(text: str) -> str:
    """Return a line between entries; an @ there would begin an entry."""
    return f"% {wording.show_line(text).replace('@', '(at)')}\n"


make = Bibtex
