"""Rows, cases and answers for the tests of measuring."""

from __future__ import annotations

from citeproof.laboratory.measure.benchmark_rows import (
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
    OutcomeRow,
    SystemAnswer,
)
from citeproof.vocabulary import Label

E, M, J = Label.EXACT, Label.MINOR, Label.MAJOR


def row(label, found, confidence=None, *, key="k", group="", kind=None, tier=0):
    """Return a row of three classes; `found` None is unchecked."""
    flagged = None if found is None else found is not E
    name = kind or ("valid" if label is E else "spoiled")
    return OutcomeRow(key, label is not E, flagged, label, found, confidence, name, tier, group)


def flag(bad, flagged, confidence=None, *, tier=0, group="", kind=None):
    """Return a row of real or fake; `flagged` None is unchecked."""
    return OutcomeRow(
        "k", bad, flagged, None, None, confidence, kind or ("fake" if bad else "valid"), tier, group
    )


def case(key, label, *, text="[A, 2000, T](http://x.example/1)", form="text", group="g", split="test"):
    """Return a question with its true label."""
    return BenchmarkCase(
        BenchmarkQuestion(key, form, text, group), BenchmarkTruth(label is not E, label, "valid", split=split)
    )


def said(key, label, confidence=0.9):
    """Return an answer of three classes."""
    flagged = None if label is None else label is not E
    return SystemAnswer(key=key, flagged=flagged, label=label, confidence=confidence)
