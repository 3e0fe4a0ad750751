"""Checked citations whose truth is known: what tuning, calibration and the promise learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from citeproof.judgement.judge import weigh_evidence
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase
from citeproof.vocabulary import Checked, Label

BAD = "BAD"  # the truth of data that tell only real from hallucinated
FOLDS = 5


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
