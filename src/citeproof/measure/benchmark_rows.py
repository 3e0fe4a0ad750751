"""What is measured: questions with their true answers, what a system said, and the two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from citeproof.measure.makers.benchmark_items import Form
from citeproof.vocabulary import Label

VALID = "valid"  # the kind of an item that nothing was done to


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """One citation as a system is shown it: alone, and nothing of what is known about it."""

    key: str
    form: Form
    text: str
    group: str = ""  # the document, collection or work it belongs to: folds and intervals go by it

    @property
    def data(self) -> bytes:
        return self.text.encode()


@dataclass(frozen=True, slots=True)
class BenchmarkTruth:
    """What is known about a question. `label` is None where a file tells only real from fake."""

    bad: bool
    label: Label | None = None
    kind: str = VALID
    tier: int = 0
    split: str = ""
    work: str = ""  # the work it was made of: citations of one work never are in two folds
    field: str = ""  # its field of science, where that is known


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """A question and the truth about it, which no system sees."""

    question: BenchmarkQuestion
    truth: BenchmarkTruth


class SystemAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One system's answer to one question; `flagged` None: it could not tell, or was not asked."""

    key: str
    flagged: bool | None
    label: Label | None = None  # None for a system that only tells real from fake
    verdict: str = ""
    score: float | None = None
    confidence: float | None = None  # that the label, or the flag, is right
    band: str | None = None
    reasons: tuple[str, ...] = ()
    mismatches: tuple[dict[str, str], ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One question: the truth and what a system said."""

    key: str
    bad: bool
    flagged: bool | None
    label: Label | None = None  # the true one
    found: Label | None = None
    confidence: float | None = None
    kind: str = VALID
    tier: int = 0
    group: str = ""

    def right(self, *, classes: bool) -> bool:
        """Return whether the answer is right: the label where `classes`, else real or fake."""
        return self.found is self.label if classes else self.flagged is self.bad


def join_answers(cases: Iterable[BenchmarkCase], said: Mapping[str, SystemAnswer]) -> list[OutcomeRow]:
    """Return a row for every case; a question without an answer is one that could not be checked."""
    return [_make_row(case, said.get(case.question.key)) for case in cases]


def _make_row(case: BenchmarkCase, said: SystemAnswer | None) -> OutcomeRow:
    truth = case.truth
    return OutcomeRow(
        case.question.key, truth.bad, said.flagged if said else None, truth.label,
        said.label if said else None, said.confidence if said else None, truth.kind, truth.tier,
        case.question.group,
    )  # fmt: skip


def index_answers(said: Iterable[SystemAnswer]) -> dict[str, SystemAnswer]:
    """Return answers by their key; the first of two with one key counts."""
    found: dict[str, SystemAnswer] = {}
    for one in said:
        found.setdefault(one.key, one)
    return found


def has_three_classes(rows: Sequence[OutcomeRow]) -> bool:
    """Return whether truth and answers both tell EXACT, MINOR and MAJOR apart."""
    return any(row.found is not None for row in rows) and all(row.label is not None for row in rows)
