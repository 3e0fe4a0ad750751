"""HALLMARK predictions: one JSON object a line.

    {"bibtex_key": …, "label": "HALLUCINATED" | "VALID" | "UNCERTAIN", "confidence": 0..1, …}

HALLUCINATED is flagged, VALID is not, UNCERTAIN is "could not tell". `confidence` is taken as that of the
label.
"""

from __future__ import annotations

from citeproof.measure.adapters.loading import Loaded, RowOf, share, text
from citeproof.measure.rows import Said

NAME = "hallmark"
LABELS = {"HALLUCINATED": True, "VALID": False, "UNCERTAIN": None}


def recognises(loaded: Loaded) -> bool:
    """Return whether the rows are predictions in HALLMARK's form."""
    return loaded.has("bibtex_key", "label") and not loaded.has("fields")


def said(row: RowOf, at: int) -> Said | str | None:  # noqa: ARG001 - the shape of all adapters
    """Return one prediction."""
    key, label = text(row, "bibtex_key"), text(row, "label").upper()
    if not key or label not in LABELS:
        return f"label is {label[:40]!r}, none of {', '.join(LABELS)}" if key else "has no bibtex_key"
    return Said(key=key, flagged=LABELS[label], verdict=label, confidence=share(row, "confidence"))
