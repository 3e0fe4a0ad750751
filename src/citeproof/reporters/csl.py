"""Every reference as a CSL-JSON item, corrected where a record passed the full match.

What was found stands in the item's `custom.citeproof`, which CSL leaves to programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof import serial
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import ReportModel


class Csl(Reporter):
    """One array of items, in document order."""

    name: ClassVar[str] = "csl"
    lists_only: ClassVar[frozenset[str]] = frozenset({"references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the array, an item as soon as it is known."""
        run, checked = get_references(report)
        lead, taken, replaced = "[", serial.UniqueKeys(), wording.describe_overrides(run)
        for one in checked:
            fields = one.correction.claimed if one.correction else one.reference.claimed
            item = serial.build_csl_item(one.reference.key, one.reference.kind, fields)
            item["id"] = taken.make_unique(one.reference.key)
            item["custom"] = {
                **item.get("custom", {}),
                "citeproof": [*replaced, *wording.describe_outcome(one)],
            }
            yield f"{lead}\n{serial.dump_printable(item)}"
            lead = ","
        yield "[]\n" if lead == "[" else "\n]\n"


make = Csl
