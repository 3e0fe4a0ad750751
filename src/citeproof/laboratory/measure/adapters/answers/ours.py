"""citeproof's own answers: the lines of `citeproof bench run --answers`, or of `check --format jsonl`.

EXACT and NOTED are not flagged, MINOR and MAJOR are, and no label is "could not tell"; of claims, `agrees` is
not flagged. Among three classes NOTED is MINOR.
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.questions.sourced_claims import read_places
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_number, get_text
from citeproof.laboratory.measure.benchmark_rows import ClaimLabel, SystemAnswer
from citeproof.vocabulary import Label

NAME = "citeproof"
LABELS = {label.value: label for label in Label}
CLAIM_LABELS = {label.value: label for label in ClaimLabel}
HEAD = "citeproof_run"  # the first line of an answers file says what was run


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has(HEAD) or loaded.has("key", "verdict")


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - the shape of all adapters
    """Return one answer; None for the head of the file."""
    if HEAD in row:
        return None
    key, label = get_text(row, "key"), get_text(row, "label")
    if not key or (label and label not in LABELS):
        return f"label is {label[:40]!r}, not EXACT, NOTED, MINOR or MAJOR" if label else "has no key"
    known_label, of_claim = LABELS.get(label), CLAIM_LABELS.get(get_text(row, "claim_label"))
    passes = known_label.passes if known_label else of_claim is ClaimLabel.AGREES
    return SystemAnswer(
        key=key,
        flagged=not passes if known_label or of_claim else None,
        label=known_label,
        claim_label=of_claim,
        verdict=get_text(row, "verdict"),
        score=get_number(row, "score"),
        confidence=get_number(row, "confidence"),
        band=get_text(row, "band") or None,
        seconds=get_number(row, "seconds"),
        places=read_places(row.get("places")),
    )
