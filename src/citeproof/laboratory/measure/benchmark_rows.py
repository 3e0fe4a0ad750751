"""What is measured: questions with their true answers, what a system said, and the two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from citeproof.laboratory.measure.makers.benchmark_items import Form
from citeproof.vocabulary import Label, SourceText

VALID = "valid"  # the kind of an item that nothing was done to


class ClaimLabel(StrEnum):
    """What a source's text says about a claim, as far as a benchmark can know it."""

    AGREES = "agrees"  # the words, numbers, direction and negation of the text; no word on whether it is true
    DIFFERS = "differs"  # one of them is another
    ABSENT = "absent"  # it is not in the text


UNANSWERED = "unanswered"  # the outcome of a claim that a system said nothing about
TrueLabel = Label | ClaimLabel


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """One citation as a system is shown it: alone, and nothing of what is known about it.

    With a `source` it is a claim, and the source what is to be looked at.
    """

    key: str
    form: Form
    text: str
    group: str = ""  # the document, collection or work it belongs to: folds and intervals go by it
    source: SourceText | None = None

    @property
    def is_claim(self) -> bool:
        return self.source is not None

    @property
    def data(self) -> bytes:
        return self.text.encode()


@dataclass(frozen=True, slots=True)
class BenchmarkTruth:
    """What is known about a question. `label` is None where a file distinguishes only real and fake."""

    bad: bool
    label: TrueLabel | None = None
    kind: str = VALID
    tier: int = 0
    split: str = ""
    work: str = ""  # the work it was made of: citations of one work never are in two folds
    field: str = ""  # its field of science, where that is known
    places: tuple[tuple[int, int], ...] = ()  # of a claim: where the source says it, if that is known


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """A question and the truth about it, which no system sees."""

    question: BenchmarkQuestion
    truth: BenchmarkTruth


class SystemAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One system's answer to one question; `flagged` None: it could not tell, or was not asked."""

    key: str
    flagged: bool | None
    label: Label | None = None  # None for a system that only distinguishes real and fake
    claim_label: ClaimLabel | None = None  # the same, of a claim
    verdict: str = ""  # of a claim: what was found of it in the source
    score: float | None = None
    confidence: float | None = None  # that the label, or the flag, is right
    band: str | None = None
    reasons: tuple[str, ...] = ()
    mismatches: tuple[dict[str, str], ...] = ()
    seconds: float | None = None
    places: tuple[tuple[int, int], ...] = ()  # of a claim: the passages that were found, the best first
    model_score: float | None = None  # that a language model gave, where the label may depend on it
    model_labels: dict[Label, Label] = {}  # the label of its score, and the label that this comes to

    @property
    def class_(self) -> TrueLabel | None:
        """The class that it names, of three; None if it names none."""
        return self.label.of_three if self.label else self.claim_label


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One question: the truth and what a system said."""

    key: str
    bad: bool
    flagged: bool | None
    label: TrueLabel | None = None  # the true one
    found: TrueLabel | None = None
    confidence: float | None = None
    kind: str = VALID
    tier: int = 0
    group: str = ""
    outcome: str = ""  # of a claim: what was found of it in the source; empty for a citation
    rank: int | None = None  # of the passage that says it, from 1; 0: not found; None: not known

    def right(self, *, classes: bool) -> bool:
        """Return whether the answer is right: the label where `classes`, else real or fake."""
        return self.found is self.label if classes else self.flagged is self.bad


def join_answers(cases: Iterable[BenchmarkCase], said: Mapping[str, SystemAnswer]) -> list[OutcomeRow]:
    """Return a row for every case; a question without an answer is one that could not be checked."""
    return [_make_row(case, said.get(case.question.key)) for case in cases]


def _make_row(case: BenchmarkCase, answer: SystemAnswer | None) -> OutcomeRow:
    truth = case.truth
    return OutcomeRow(
        case.question.key, truth.bad, answer.flagged if answer else None, truth.label,
        answer.class_ if answer else None, answer.confidence if answer else None, truth.kind,
        truth.tier, case.question.group,
        ((answer.verdict if answer else "") or UNANSWERED) if case.question.is_claim else "",
        find_rank(truth.places, answer.places if answer else ()),
    )  # fmt: skip


def find_rank(gold: Sequence[tuple[int, int]], found: Sequence[tuple[int, int]]) -> int | None:
    """Return which of the passages found has most of one that says it; 0: none; None: that is not known."""
    if not gold:
        return None
    for rank, (start, end) in enumerate(found, 1):
        if any(2 * (min(end, b) - max(start, a)) > min(end - start, b - a) for a, b in gold):
            return rank
    return 0


def index_answers(said: Iterable[SystemAnswer]) -> dict[str, SystemAnswer]:
    """Return answers by their key; the first of two with one key counts."""
    by_key: dict[str, SystemAnswer] = {}
    for answer in said:
        by_key.setdefault(answer.key, answer)
    return by_key


def has_three_classes(rows: Sequence[OutcomeRow]) -> bool:
    """Return whether truth and answers both tell three classes apart: EXACT, MINOR, MAJOR, or of claims."""
    return any(row.found is not None for row in rows) and all(row.label is not None for row in rows)
