"""HALLMARK predictions: one JSON object a line.

    {"bibtex_key": …, "label": "HALLUCINATED" | "VALID" | "UNCERTAIN", "confidence": 0..1, …}

HALLUCINATED is flagged, VALID is not, UNCERTAIN is "could not tell". `confidence` is taken as that of the
label.
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_share, get_text
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer

NAME = "hallmark"
LABELS = {"HALLUCINATED": True, "VALID": False, "UNCERTAIN": None}


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has("bibtex_key", "label") and not loaded.has("fields")


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - the shape of all adapters
    key, label = get_text(row, "bibtex_key"), get_text(row, "label").upper()
    if not key or label not in LABELS:
        return f"label is {label[:40]!r}, none of {', '.join(LABELS)}" if key else "has no bibtex_key"
    return SystemAnswer(
        key=key, flagged=LABELS[label], verdict=label, confidence=get_share(row, "confidence")
    )
