"""Every cited work as a CSL-JSON item, corrected where a record passed the full match.

What was found is in the item's `custom.citeproof`, which CSL leaves to programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from citeproof.answers import serializers
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.report_model import ReportModel


class Csl(Reporter):
    """One array of items."""

    name: ClassVar[str] = "csl"
    media_type: ClassVar[str] = "application/vnd.citationstyles.csl+json"
    suffixes: ClassVar[tuple[str, ...]] = ("csl.json",)
    lists_only: ClassVar[frozenset[str]] = frozenset({"corpus", "references"})

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the array, an item as soon as it is known."""
        lead, taken = "[", serializers.UniqueKeys()
        for work in report.generate_works():
            item = serializers.build_csl_item(work.key, work.kind, work.fields)
            item["id"] = taken.make_unique(work.key)
            if notes := [*report.overrides, *work.notes]:
                item["custom"] = {**item.get("custom", {}), "citeproof": notes}
            yield f"{lead}\n{serializers.dump_printable(item)}"
            lead = ","
        yield "[]\n" if lead == "[" else "\n]\n"


make = Csl
