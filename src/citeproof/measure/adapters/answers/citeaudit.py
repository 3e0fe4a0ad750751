"""CiteAudit's answers: the `Predict` column of its benchmark file, or `Pred` of the results it writes.

    {"data": [{"citation": …, "GT": true, "Predict": false}, …]}
    {"results": [{"index": 0, "citation": …, "GT": true, "Pred": false}, …]}

True: the tool takes the citation for real. A row without either is "could not tell".
"""

from __future__ import annotations

from citeproof.measure.adapters.loading import Loaded, RowOf
from citeproof.measure.adapters.questions.citeaudit import key, meant
from citeproof.measure.rows import Said

NAME = "citeaudit"
COLUMNS = ("Pred", "Predict", "predict", "pred")


def recognises(loaded: Loaded) -> bool:
    """Return whether a row has a prediction in CiteAudit's form."""
    return any(loaded.has(name) for name in COLUMNS)


def said(row: RowOf, at: int) -> Said | str | None:
    """Return one prediction."""
    told = [meant(row[name]) for name in COLUMNS if name in row]
    real = next((one for one in told if one is not None), None)
    if real is None and any(row.get(name) is not None for name in COLUMNS):
        return "has a prediction that is neither true nor false"
    return Said(key=key(row, at), flagged=None if real is None else not real)
