"""Any tool's answers as a table: CSV with a head `key,label[,confidence]`, or the same as JSON.

The label is one of EXACT, NOTED, MINOR, MAJOR; of a claim, one of `CLAIM_WORDS`; or a word for real, fake or
unsure (`WORDS`), in any case.
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_share, get_text
from citeproof.laboratory.measure.benchmark_rows import ClaimLabel, SystemAnswer
from citeproof.vocabulary import Label

NAME = "table"
KEYS = ("key", "bibtex_key", "index", "id", "n")
LABELS = ("label", "prediction", "verdict", "answer")
CLASSES = {label.value: label for label in Label}
CLAIM_WORDS = {
    "agrees": ClaimLabel.AGREES, "agree": ClaimLabel.AGREES, "verbatim": ClaimLabel.AGREES,
    "differs": ClaimLabel.DIFFERS, "altered": ClaimLabel.DIFFERS, "absent": ClaimLabel.ABSENT,
}  # fmt: skip
WORDS: dict[str, bool | None] = {
    "valid": False, "real": False, "true": False, "ok": False, "genuine": False,
    "hallucinated": True, "fake": True, "false": True, "fabricated": True, "invalid": True,
    "uncertain": None, "unsure": None, "unknown": None, "unchecked": None, "": None,
}  # fmt: skip


def recognises(loaded: LoadedRows) -> bool:
    return any(loaded.has(name) for name in KEYS) and any(loaded.has(name) for name in LABELS)


def read_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - the shape of all adapters
    key, stated = get_text(row, *KEYS), next((row[name] for name in LABELS if name in row), "")
    word = ("real" if stated else "fake") if isinstance(stated, bool) else str(stated or "").strip()
    if not key:
        return "has no key"
    confidence = get_share(row, "confidence", "probability")
    if label := CLASSES.get(word.upper()):
        return SystemAnswer(key=key, flagged=not label.passes, label=label, confidence=confidence)
    if of_claim := CLAIM_WORDS.get(word.lower()):
        flagged = of_claim is not ClaimLabel.AGREES
        return SystemAnswer(key=key, flagged=flagged, claim_label=of_claim, confidence=confidence)
    if word.lower() not in WORDS:
        return f"label is {word[:40]!r}, none that is known"
    return SystemAnswer(key=key, flagged=WORDS[word.lower()], confidence=confidence)
