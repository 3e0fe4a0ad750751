"""The thresholds τ_M ≤ τ_E that fit development data best, without a new retrieval.

The pair decides three things: the label, the interval that a verdict leaves the score, and with it
the score itself. So every pair judges every citation again, from what was weighed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from citeproof.judgement.judge import model_bounds, weighed_ruling
from citeproof.judgement.judge.model import Model
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.answers_file import AnswerLine
from citeproof.laboratory.measure.benchmark_rows import BAD, LabelledCitation
from citeproof.vocabulary import Label

STEP = 0.25
TOP = 10.0

Table = Counter[tuple[str, str]]  # (truth, answer): how many
Kind = tuple[str, WeighedRuling, int]  # truth, what was weighed, how many are alike


@dataclass(frozen=True, slots=True)
class ThresholdPair:
    exact_at: float
    minor_at: float
    figures: Mapping[str, float]

    @property
    def f1(self) -> float:
        return self.figures["weighted_f1"]


def find_best_thresholds(
    model: Model, known: Sequence[LabelledCitation]
) -> tuple[ThresholdPair, ThresholdPair]:
    """Return the judge's present pair and the best one."""
    alike = _group_alike(known)
    return _find_best_pair(
        (model.exact_at, model.minor_at), lambda high, low: _count_labels(model, high, low, alike)
    )


def find_best_model_thresholds(
    model: Model, lines: Sequence[AnswerLine]
) -> tuple[ThresholdPair, ThresholdPair]:
    """Return the present pair for a language model's scores and the best one, from stored answers."""
    two = any(line.true_label is None for line in lines)

    def count(high: float, low: float) -> Table:
        pair = msgspec.structs.replace(model, llm_exact_at=high, llm_minor_at=low)
        table: Table = Counter()
        for line in lines:
            label = line.label
            if line.model_score is not None:
                label = line.model_labels[model_bounds.label_model_score(line.model_score, pair)]
            truth = (BAD if line.bad else Label.EXACT) if two else line.true_label
            table[str(truth), _name_answer(label, two=two)] += 1
        return table

    return _find_best_pair((model.llm_exact_at, model.llm_minor_at), count)


def _find_best_pair(
    present: tuple[float, float], count: Callable[[float, float], Table]
) -> tuple[ThresholdPair, ThresholdPair]:
    """Return the present pair and the one of highest support-weighted F1; of equals the nearest to it."""
    now = ThresholdPair(*present, compute_table_figures(count(*present)))

    def distance(pair: ThresholdPair) -> tuple[float, float, float]:
        away = abs(pair.exact_at - now.exact_at) + abs(pair.minor_at - now.minor_at)
        return away, pair.exact_at, pair.minor_at

    pairs = [
        ThresholdPair(high, low, compute_table_figures(count(high, low)))
        for high, low in list_threshold_pairs()
    ]
    top = max(pair.f1 for pair in [now, *pairs])
    return now, min((pair for pair in [now, *pairs] if pair.f1 == top), key=distance)


def list_threshold_pairs() -> Iterator[tuple[float, float]]:
    """Yield every pair (τ_E, τ_M) of the sweep."""
    steps = [i * STEP for i in range(int(TOP / STEP) + 1)]
    return ((high, low) for high in steps for low in steps if low <= high)


def set_thresholds(model: Model, exact_at: float, minor_at: float) -> Model:
    return msgspec.structs.replace(model, exact_at=exact_at, minor_at=minor_at)


def predict_label(model: Model, weighed: WeighedRuling) -> Label | None:
    """Return the label under this model's thresholds; None where it could not be checked."""
    return weighed_ruling.choose_label(model, weighed, weighed_ruling.compute_score(model, weighed))


def _group_alike(known: Sequence[LabelledCitation]) -> list[Kind]:
    """Return the kinds of citations that no pair of thresholds can distinguish, and how many of each."""
    kinds: dict[tuple[object, ...], tuple[str, WeighedRuling]] = {}
    counts: Counter[tuple[object, ...]] = Counter()
    two = any(citation.truth == BAD for citation in known)
    for citation in known:
        w, truth = citation.weighed, BAD if two and citation.bad else citation.truth
        faults = None if w.faults is None else tuple(sorted(w.faults.items()))
        key = (truth, w.verdict, faults, w.unproven)
        kinds.setdefault(key, (truth, w))
        counts[key] += 1
    return [(*kinds[key], count) for key, count in counts.items()]


def _count_labels(model: Model, exact_at: float, minor_at: float, alike: Sequence[Kind]) -> Table:
    model, table = set_thresholds(model, exact_at, minor_at), Counter[tuple[str, str]]()
    two = any(truth == BAD for truth, *_ in alike)
    for truth, weighed, count in alike:
        table[truth, _name_answer(predict_label(model, weighed), two=two)] += count
    return table


def _name_answer(label: Label | None, *, two: bool) -> str:
    """Return the class of an answer: thresholds say whom to accuse, and a note is no accusation."""
    return "" if label is None else Label.EXACT.value if label.passes else BAD if two else label.value


def compute_table_figures(table: Table) -> dict[str, float]:
    """Return F1 of each class, weighted by support and plain, and accuracy; not checked is wrong."""
    truths = sorted({truth for truth, _ in table})
    total = table.total()
    support = {t: sum(n for (truth, _), n in table.items() if truth == t) for t in truths}
    f1 = {t: _compute_f1(table, t, support[t]) for t in truths}
    right = sum(n for (truth, answer), n in table.items() if truth == answer)
    return {
        "weighted_f1": round(sum(f1[t] * support[t] for t in truths) / total, 6) if total else 0.0,
        "macro_f1": round(sum(f1.values()) / len(f1), 6) if f1 else 0.0,
        "accuracy": round(right / total, 6) if total else 0.0,
        **{f"f1_{t}": round(value, 6) for t, value in f1.items()},
    }


def _compute_f1(table: Table, label: str, support: int) -> float:
    hit = table[label, label]
    answered = sum(n for (_, answer), n in table.items() if answer == label)
    return 2 * hit / (answered + support) if answered + support else 0.0
