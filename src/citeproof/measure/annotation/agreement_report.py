"""Agreement told: figures, the two people's labels against each other, and what was dropped."""

from __future__ import annotations

import math

from citeproof.measure import result_tables
from citeproof.measure.annotation.agreement import LabelAgreement
from citeproof.measure.annotation.label_file import LABELS
from citeproof.measure.retrieval_latency import ResultTable
from citeproof.measure.system_results import round_figure
from citeproof.reporters.wording import show_line

_LISTED = 40
_CITATION = 100
# Landis and Koch's words for kappa, each below its bound.
_WORDS = ((0.0, "worse than chance"), (0.21, "slight"), (0.41, "fair"), (0.61, "moderate"),
          (0.81, "substantial"), (1.01, "almost perfect"))  # fmt: skip

Json = dict[str, object]


def build_agreement_tables(found: LabelAgreement) -> list[ResultTable]:
    """Return the tables: the labels against each other, and the items that were dropped."""
    rows = [(name, *map(str, counts)) for name, counts in zip(LABELS, found.table, strict=True)]
    shown = [ResultTable("First label by second", ("", *LABELS), tuple(rows))]
    if found.dropped:
        more = f", the first {_LISTED} of them; --format json has all" if len(found.dropped) > _LISTED else ""
        title = f"Dropped: the two do not agree ({len(found.dropped)}{more})"
        listed = [
            (result_tables.format_cell(d.key), d.first, d.second, show_line(d.citation, _CITATION))
            for d in found.dropped[:_LISTED]
        ]
        shown.append(ResultTable(title, ("Item", "First", "Second", "Citation"), tuple(listed)))
    return shown


def describe_agreement(found: LabelAgreement) -> list[str]:
    """Return the figures in sentences."""
    both = len(found.items) + len(found.dropped)
    told = [f"{both} items labelled by both, {len(found.items)} kept, {len(found.dropped)} dropped"]
    if found.one_label or found.no_label:
        told.append(f"{found.one_label} labelled by one alone and {found.no_label} by nobody: left out")
    if found.relabelled:
        told.append(f"{found.relabelled} items got another label than they were made with")
    if math.isnan(found.kappa):
        return [*told, "Cohen's kappa is not defined: both gave one and the same label throughout"]
    how = next(word for bound, word in _WORDS if found.kappa < bound)
    kappa = f"Cohen's kappa {found.kappa:.2f} ({result_tables.format_interval(found.interval)}), {how}"
    return [*told, f"agreement {found.share:.1%}; {kappa}; UNSURE counts as a separate answer"]


def build_agreement_json(found: LabelAgreement) -> Json:
    """Return the agreement as JSON."""
    return {
        "both": len(found.items) + len(found.dropped),
        "kept": len(found.items),
        "labelled_by_one": found.one_label,
        "labelled_by_nobody": found.no_label,
        "relabelled": found.relabelled,
        "agreement": round_figure(found.share),
        "kappa": round_figure(found.kappa),
        "kappa_interval": [round_figure(one) for one in found.interval],
        "labels": list(LABELS),
        "table": [list(row) for row in found.table],
        "dropped": [
            {"key": d.key, "first": d.first, "second": d.second, "citation": d.citation}
            for d in found.dropped
        ],
    }
