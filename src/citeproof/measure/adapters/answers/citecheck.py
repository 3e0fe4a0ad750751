"""CITECHECK's predictions: `{"predictions": [{"collection_id": …, "citation_number": 1, …}, …]}` or lines.

The label is `reclassified_label`, `predicted_label` or `label` (exact_match, minor_hallucination,
major_hallucination, or the words of its benchmark); without one it comes from the score `llm_score`
with the thresholds of the paper, τ_M 1.25 and τ_E 7.25. A row with neither is "could not tell".
"""

from __future__ import annotations

from citeproof.measure.adapters.loading import Loaded, RowOf, number, share, text
from citeproof.measure.adapters.questions.citecheck import LABELS, key
from citeproof.measure.rows import Said
from citeproof.vocabulary import Label

NAME = "citecheck"
MINOR_AT, EXACT_AT = 1.25, 7.25
_LABELLED = ("reclassified_label", "predicted_label", "prediction", "label")
_SCORED = ("llm_score", "score")


def recognises(loaded: Loaded) -> bool:
    """Return whether the rows are predictions in CITECHECK's form."""
    numbered = any(loaded.has(name) for name in ("citation_number", "n"))
    return numbered and any(loaded.has(name) for name in (*_LABELLED[:3], "llm_score", "score", "label"))


def said(row: RowOf, at: int) -> Said | str | None:
    """Return one prediction."""
    word, score = text(row, *_LABELLED).lower(), number(row, *_SCORED)
    if word and word not in LABELS and score is None:
        return f"label is {word[:40]!r}, none of CITECHECK's"
    label = LABELS.get(word) or _of_score(score)
    return Said(
        key=key(row, at), flagged=label is not Label.EXACT if label else None, label=label, score=score,
        confidence=share(row, "llm_confidence", "confidence"),
    )  # fmt: skip


def _of_score(score: float | None) -> Label | None:
    if score is None:
        return None
    return Label.EXACT if score >= EXACT_AT else Label.MINOR if score >= MINOR_AT else Label.MAJOR
