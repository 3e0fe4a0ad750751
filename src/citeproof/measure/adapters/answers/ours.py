"""citeproof's own answers: the lines of `citeproof bench run --answers`, or of `check --format jsonl`.

EXACT is not flagged, MINOR and MAJOR are, and no label is "could not tell".
"""

from __future__ import annotations

from citeproof.measure.adapters.row_file import LoadedRows, RowOf, get_number, get_text
from citeproof.measure.benchmark_rows import SystemAnswer
from citeproof.vocabulary import Label

NAME = "citeproof"
LABELS = {label.value: label for label in Label}
HEAD = "citeproof_run"  # the first line of an answers file says what was run


def recognises(loaded: LoadedRows) -> bool:
    """Return whether the rows are answers of citeproof."""
    return loaded.has(HEAD) or loaded.has("key", "verdict")


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - the shape of all adapters
    """Return one answer; None for the head of the file."""
    if HEAD in row:
        return None
    key, label = get_text(row, "key"), get_text(row, "label")
    if not key or (label and label not in LABELS):
        return f"label is {label[:40]!r}, not EXACT, MINOR or MAJOR" if label else "has no key"
    found = LABELS.get(label)
    return SystemAnswer(
        key=key,
        flagged=found is not Label.EXACT if found else None,
        label=found,
        verdict=get_text(row, "verdict"),
        score=get_number(row, "score"),
        confidence=get_number(row, "confidence"),
        band=get_text(row, "band") or None,
        seconds=get_number(row, "seconds"),
    )
