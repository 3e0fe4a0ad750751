"""CITECHECK's predictions: `{"predictions": [{"collection_id": …, "citation_number": 1, …}, …]}` or lines.

The label is `reclassified_label`, `predicted_label` or `label` (exact_match, minor_hallucination,
major_hallucination, or the words of its benchmark); without one it comes from the score `llm_score`
with the thresholds of the paper, τ_M 1.25 and τ_E 7.25. A row with neither is "could not tell".
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.questions.citecheck import LABELS, make_citecheck_key
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_number, get_share, get_text
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer
from citeproof.vocabulary import Label

NAME = "citecheck"
MINOR_AT, EXACT_AT = 1.25, 7.25
_LABELLED = ("reclassified_label", "predicted_label", "prediction", "label")
_SCORED = ("llm_score", "score")


def recognises(loaded: LoadedRows) -> bool:
    numbered = any(loaded.has(name) for name in ("citation_number", "n"))
    return numbered and any(loaded.has(name) for name in (*_LABELLED[:3], "llm_score", "score", "label"))


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:
    word, score = get_text(row, *_LABELLED).lower(), get_number(row, *_SCORED)
    if word and word not in LABELS and score is None:
        return f"label is {word[:40]!r}, none of CITECHECK's"
    label = LABELS.get(word) or _label_score(score)
    return SystemAnswer(
        key=make_citecheck_key(row, at),
        flagged=label is not Label.EXACT if label else None,
        label=label,
        score=score,
        confidence=get_share(row, "llm_confidence", "confidence"),
    )


def _label_score(score: float | None) -> Label | None:
    if score is None:
        return None
    return Label.EXACT if score >= EXACT_AT else Label.MINOR if score >= MINOR_AT else Label.MAJOR
