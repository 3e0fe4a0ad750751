"""What is measured: questions with their true answers, what a system said, and the two side by side;
checked citations whose truth is known, from which tuning, calibration and the promise learn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from citeproof.judgement.judge import weigh_evidence
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.makers.benchmark_items import Form
from citeproof.vocabulary import Checked, Label

VALID = "valid"  # the kind of an item that nothing was done to
BAD = "BAD"  # the truth of data that tell only real from hallucinated
FOLDS = 5


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
    """What is known about a question. `label` is None where a file distinguishes only real and fake."""

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
    label: Label | None = None  # None for a system that only distinguishes real and fake
    verdict: str = ""
    score: float | None = None
    confidence: float | None = None  # that the label, or the flag, is right
    band: str | None = None
    reasons: tuple[str, ...] = ()
    mismatches: tuple[dict[str, str], ...] = ()
    seconds: float | None = None
    model_score: float | None = None  # that a language model gave, where the label may depend on it
    model_labels: dict[Label, Label] = {}  # the label of its score, and the label that this comes to

    @property
    def class_(self) -> Label | None:
        """The class that it names, of three; None if it names none."""
        return self.label.of_three if self.label else None


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


def _make_row(case: BenchmarkCase, answer: SystemAnswer | None) -> OutcomeRow:
    truth = case.truth
    return OutcomeRow(
        case.question.key, truth.bad, answer.flagged if answer else None, truth.label,
        answer.class_ if answer else None, answer.confidence if answer else None, truth.kind,
        truth.tier, case.question.group,
    )  # fmt: skip


def index_answers(said: Iterable[SystemAnswer]) -> dict[str, SystemAnswer]:
    """Return answers by their key; the first of two with one key counts."""
    by_key: dict[str, SystemAnswer] = {}
    for answer in said:
        by_key.setdefault(answer.key, answer)
    return by_key


def has_three_classes(rows: Sequence[OutcomeRow]) -> bool:
    """Return whether truth and answers both tell three classes apart: EXACT, MINOR, MAJOR."""
    return any(row.found is not None for row in rows) and all(row.label is not None for row in rows)


@dataclass(frozen=True, slots=True)
class LabelledCitation:
    """One weighed citation with its true label: EXACT, MINOR, MAJOR, or BAD where no more is known."""

    weighed: WeighedRuling
    truth: str
    group: str  # the work: citations of one work never are on both sides of a split
    population: str = ""  # the data it comes from
    field: str = ""  # the field of science or the collection, for figures by field
    weight: float = 1.0

    @property
    def bad(self) -> bool:
        return self.truth != Label.EXACT.value


def get_true_label(case: BenchmarkCase) -> str:
    """Return the true label of a benchmark's case, as far as its file says."""
    if case.truth.label is not None:
        return case.truth.label.value
    return BAD if case.truth.bad else Label.EXACT.value


def label_citation(
    checked: Checked, truth: str, group: str, *, population: str = "", field: str = ""
) -> LabelledCitation:
    """Return a checked citation with its truth, ready to be judged again under any thresholds."""
    weight = weigh_evidence(checked.reference, checked.retrieved, checked.compared)
    return LabelledCitation(weight, truth, group, population, field)


def split_into_folds(
    known: Sequence[LabelledCitation],
) -> Iterator[tuple[list[LabelledCitation], list[LabelledCitation]]]:
    """Yield (the rest, one fold) for each fold: all citations of a work are in one, sizes near equal.

    The same citations give the same folds in every run, whatever their order.
    """
    place = _assign_folds(known)
    for fold in range(FOLDS):
        held = [citation for citation in known if place[citation.population, citation.group] == fold]
        if held:
            yield [citation for citation in known if place[citation.population, citation.group] != fold], held


def _assign_folds(known: Sequence[LabelledCitation]) -> dict[tuple[str, str], int]:
    sizes = Counter((citation.population, citation.group) for citation in known)
    filled: Counter[tuple[str, int]] = Counter()
    place = {}
    for key in sorted(sizes, key=lambda key: (-sizes[key], sha256("\n".join(key).encode()).digest())):
        place[key] = min(range(FOLDS), key=lambda fold: (filled[key[0], fold], fold))
        filled[key[0], place[key]] += sizes[key]
    return place


def compute_base_rate(rows: Iterable[LabelledCitation]) -> float:
    """Return the share of bad citations, by weight; never 0 or 1, where odds have no meaning."""
    bad = good = 0.5
    for row in rows:
        bad += row.weight * row.bad
        good += row.weight * (not row.bad)
    return bad / (bad + good)
