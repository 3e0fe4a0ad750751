"""Systems' answers to a benchmark: each shape of file is recognised by its content.

A shape says what a row means; a tool that is not listed needs two functions and a line in `SHAPES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import questions, row_file
from citeproof.laboratory.measure.adapters.questions import (
    CITECHECK_LABELS,
    make_citeaudit_key,
    make_citecheck_key,
    parse_truth_word,
)
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_number, get_share, get_text
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer, index_answers
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Label

HEAD = "citeproof_run"  # the first line of an answers file of ours says what was run
LABELS = {label.value: label for label in Label}
_HALLMARK = {"HALLUCINATED": True, "VALID": False, "UNCERTAIN": None}
_CITEAUDIT = ("Pred", "Predict", "predict", "pred")
_MINOR_AT, _EXACT_AT = 1.25, 7.25  # the thresholds of CITECHECK's paper
_CITECHECK = ("reclassified_label", "predicted_label", "prediction", "label")
_KEYS = ("key", "bibtex_key", "citation_key", "id")
_STATUSES = ("status", "verdict", "result")
_TABLE_KEYS = ("key", "bibtex_key", "index", "id", "n")
_TABLE_LABELS = ("label", "prediction", "verdict", "answer")
_WORDS: dict[str, bool | None] = {
    "valid": False, "real": False, "true": False, "ok": False, "genuine": False,
    "hallucinated": True, "fake": True, "false": True, "fabricated": True, "invalid": True,
    "uncertain": None, "unsure": None, "unknown": None, "unchecked": None, "": None,
}  # fmt: skip
_HINT = "give CSV with the header key,label[,confidence]; other formats: docs/benchmarks.md"


@dataclass(frozen=True, slots=True)
class AnswersShape:
    """One shape of answers file.

    `read_answer` returns one answer, what of the row was not understood, or None if it is no answer.
    """

    name: str
    recognises: Callable[[LoadedRows], bool]
    read_answer: Callable[[RowOf, int], SystemAnswer | str | None]


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """What one system said, by key, and what of its file was not understood."""

    path: Path
    shape: str
    said: dict[str, SystemAnswer]
    skipped: tuple[tuple[str, int], ...] = ()


def read_answers(path: Path, wanted: Collection[str] = ()) -> SystemAnswers:
    """Return the answers in the file at `path`; it must answer at least one of the `wanted` keys."""
    loaded = row_file.load_rows(path)
    shape = next((known for known in SHAPES if known.recognises(loaded)), None)
    if shape is None:
        keys = ", ".join(sorted(map(str, loaded.rows[0]))[:12]) if loaded.rows else "none"
        raise InputError(f"unknown format of an answers file; its keys: {keys}", place=str(path), hint=_HINT)
    if shape.name not in ("citeproof", "citeaudit") and questions.find_shape(loaded):  # labels are the truth
        raise InputError("is a benchmark, not a system's answers to it", place=str(path), hint=_HINT)
    rows = [shape.read_answer(row, at) for at, row in enumerate(loaded.rows)]
    said = [answer for answer in rows if isinstance(answer, SystemAnswer)]
    keys_made = row_file.number_duplicates([answer.key for answer in said])
    by_key = index_answers(
        msgspec.structs.replace(answer, key=key) for answer, key in zip(said, keys_made, strict=True)
    )
    if wanted and not by_key.keys() & set(wanted):
        why = next((reason for reason in rows if isinstance(reason, str)), "its keys are others")
        raise InputError(f"has no answer to any item of the benchmark: {why}", place=str(path), hint=_HINT)
    skipped = Counter(reason for reason in rows if isinstance(reason, str))
    return SystemAnswers(path, shape.name, by_key, tuple(sorted(skipped.items())))


def read_own_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - as every shape
    """Return an answer of `bench run --answers` or `check --format jsonl`; None for the head of the file.

    EXACT and NOTED are not flagged, MINOR and MAJOR are, and no label is "could not tell". Among three
    classes NOTED is MINOR.
    """
    if HEAD in row:
        return None
    key, label = get_text(row, "key"), get_text(row, "label")
    if not key or (label and label not in LABELS):
        return f"label is {label[:40]!r}, not EXACT, NOTED, MINOR or MAJOR" if label else "has no key"
    known_label = LABELS.get(label)
    return SystemAnswer(
        key=key,
        flagged=not known_label.passes if known_label else None,
        label=known_label,
        verdict=get_text(row, "verdict"),
        score=get_number(row, "score"),
        confidence=get_number(row, "confidence"),
        band=get_text(row, "band") or None,
        seconds=get_number(row, "seconds"),
    )


def _read_hallmark_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - as every shape
    """Return one of HALLMARK's predictions; `confidence` is taken as that of the label."""
    key, label = get_text(row, "bibtex_key"), get_text(row, "label").upper()
    if not key or label not in _HALLMARK:
        return f"label is {label[:40]!r}, none of {', '.join(_HALLMARK)}" if key else "has no bibtex_key"
    return SystemAnswer(
        key=key, flagged=_HALLMARK[label], verdict=label, confidence=get_share(row, "confidence")
    )


def _read_citeaudit_answer(row: RowOf, at: int) -> SystemAnswer | str | None:
    """Return what the `Predict` column of CiteAudit's benchmark, or `Pred` of its results, says.

    True: the tool takes the citation for real. A row without either is "could not tell".
    """
    predictions = [parse_truth_word(row[name]) for name in _CITEAUDIT if name in row]
    real = next((prediction for prediction in predictions if prediction is not None), None)
    if real is None and any(row.get(name) is not None for name in _CITEAUDIT):
        return "has a prediction that is neither true nor false"
    return SystemAnswer(key=make_citeaudit_key(row, at), flagged=None if real is None else not real)


def _read_citecheck_answer(row: RowOf, at: int) -> SystemAnswer | str | None:
    """Return one of CITECHECK's predictions.

    Without a label it comes from the score, with the thresholds of the paper. A row with neither is
    "could not tell".
    """
    word, score = get_text(row, *_CITECHECK).lower(), get_number(row, "llm_score", "score")
    if word and word not in CITECHECK_LABELS and score is None:
        return f"label is {word[:40]!r}, none of CITECHECK's"
    label = CITECHECK_LABELS.get(word)
    if label is None and score is not None:
        label = Label.EXACT if score >= _EXACT_AT else Label.MINOR if score >= _MINOR_AT else Label.MAJOR
    return SystemAnswer(
        key=make_citecheck_key(row, at),
        flagged=label is not Label.EXACT if label else None,
        label=label,
        score=score,
        confidence=get_share(row, "llm_confidence", "confidence"),
    )


def _read_status_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - as every shape
    """Return a row of another checker's report, as far as its words are known (`statuses.toml`).

    Every reported discrepancy flags the entry, as HALLMARK counts it.
    """
    key, status = get_text(row, *_KEYS), get_text(row, *_STATUSES).lower().replace(" ", "_").replace("-", "_")
    if not key:
        return "has no key"
    if status not in load_statuses():
        return f"status is {status[:40]!r}, which is not in the table"
    return SystemAnswer(
        key=key, flagged=load_statuses()[status], verdict=status, confidence=get_share(row, "confidence")
    )


@lru_cache(maxsize=1)
def load_statuses() -> dict[str, bool | None]:
    """Return what each known status says: True flagged, False real, None could not tell."""
    table = load_package_table(__package__, "statuses.toml")
    meant: dict[str, bool | None] = dict.fromkeys(table["flagged"], True)
    return meant | dict.fromkeys(table["real"], False) | dict.fromkeys(table["unsure"], None)


def read_table_answer(row: RowOf, at: int) -> SystemAnswer | str | None:  # noqa: ARG001 - as every shape
    """Return a row of any tool's table: `key,label[,confidence]` as CSV, or the same as JSON.

    The label is EXACT, NOTED, MINOR or MAJOR, or one of `_WORDS`.
    """
    key, stated = get_text(row, *_TABLE_KEYS), next((row[name] for name in _TABLE_LABELS if name in row), "")
    word = ("real" if stated else "fake") if isinstance(stated, bool) else str(stated or "").strip()
    if not key:
        return "has no key"
    confidence = get_share(row, "confidence", "probability")
    if label := LABELS.get(word.upper()):
        return SystemAnswer(key=key, flagged=not label.passes, label=label, confidence=confidence)
    if word.lower() not in _WORDS:
        return f"label is {word[:40]!r}, none that is known"
    return SystemAnswer(key=key, flagged=_WORDS[word.lower()], confidence=confidence)


def _has_one_of(*groups: Iterable[str]) -> Callable[[LoadedRows], bool]:
    """Return a test for rows that have, of each group of names, one."""
    return lambda rows: all(any(map(rows.has, names)) for names in groups)


SHAPES = (
    AnswersShape("citeproof", lambda rows: rows.has(HEAD) or rows.has("key", "verdict"), read_own_answer),
    AnswersShape(
        "hallmark",
        lambda rows: rows.has("bibtex_key", "label") and not rows.has("fields"),
        _read_hallmark_answer,
    ),
    AnswersShape("citeaudit", _has_one_of(_CITEAUDIT), _read_citeaudit_answer),
    AnswersShape(
        "citecheck",
        _has_one_of(("citation_number", "n"), (*_CITECHECK, "llm_score", "score")),
        _read_citecheck_answer,
    ),
    AnswersShape("statuses", _has_one_of(_KEYS, _STATUSES), _read_status_answer),
    AnswersShape("table", _has_one_of(_TABLE_KEYS, _TABLE_LABELS), read_table_answer),
)
