"""CiteAudit's answers: the `Predict` column of its benchmark file, or `Pred` of the results it writes.

    {"data": [{"citation": …, "GT": true, "Predict": false}, …]}
    {"results": [{"index": 0, "citation": …, "GT": true, "Pred": false}, …]}

True: the tool takes the citation for real. A row without either is "could not tell".
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.questions.citeaudit import make_citeaudit_key, parse_truth_word
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer

NAME = "citeaudit"
COLUMNS = ("Pred", "Predict", "predict", "pred")


def recognises(loaded: LoadedRows) -> bool:
    return any(loaded.has(name) for name in COLUMNS)


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:
    predictions = [parse_truth_word(row[name]) for name in COLUMNS if name in row]
    real = next((prediction for prediction in predictions if prediction is not None), None)
    if real is None and any(row.get(name) is not None for name in COLUMNS):
        return "has a prediction that is neither true nor false"
    return SystemAnswer(key=make_citeaudit_key(row, at), flagged=None if real is None else not real)
