"""Two people's labels side by side: agreement, Cohen's kappa, what is kept and what is dropped."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeproof.measure.annotation.label_file import LABELS, UNSURE
from citeproof.measure.annotation.labelling_task import LabellingTask, make_agreed_item
from citeproof.measure.intervals import Interval, compute_wilson_interval
from citeproof.measure.makers.benchmark_items import BenchmarkItem
from citeproof.measure.metrics import NAN
from citeproof.measure.natural_citations import UnlabelledCitation
from citeproof.vocabulary import Label


@dataclass(frozen=True, slots=True)
class DroppedItem:
    """An item that is left out: the two labels, in the order of the files."""

    key: str
    citation: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """What came of two sets of labels. Kappa counts UNSURE as an answer of its own."""

    items: tuple[BenchmarkItem, ...]
    dropped: tuple[DroppedItem, ...]
    one_label: int  # items that only one of them labelled
    no_label: int
    relabelled: int  # items of ours that people call otherwise than they were made
    table: tuple[tuple[int, ...], ...]  # rows by the first, columns by the second, in the order of LABELS
    share: float
    kappa: float
    interval: Interval


def compare_labels(
    asked: LabellingTask, first: Mapping[str, str], second: Mapping[str, str]
) -> LabelAgreement:
    """Return the items that both gave the same label, with that label, and how well they agree."""
    kept: list[BenchmarkItem] = []
    dropped: list[DroppedItem] = []
    pairs: Counter[tuple[str, str]] = Counter()
    count = [0, 0, 0]  # labelled by nobody, one, both
    for at, question in enumerate(asked.questions):
        one, two = first.get(question.key), second.get(question.key)
        count[(one is not None) + (two is not None)] += 1
        if one is None or two is None:
            continue
        pairs[one, two] += 1
        if one == two != UNSURE:
            kept.append(make_agreed_item(asked, question, at, Label(one)))
        else:
            dropped.append(DroppedItem(question.key, question.text, one, two))
    table = tuple(tuple(pairs[a, b] for b in LABELS) for a in LABELS)
    relabelled = sum(item.kind == "relabelled" for item in kept)
    return LabelAgreement(
        tuple(kept), tuple(dropped), count[1], count[0], relabelled, table, *compute_kappa(table)
    )


def compute_kappa(table: Sequence[Sequence[int]]) -> tuple[float, float, Interval]:
    """Return the share of agreement, Cohen's kappa, and its 95 % interval.

    The interval is Wilson's of the agreement, with the agreement by chance taken as known: also where
    nobody disagreed it says what few items cannot.
    """
    total = sum(map(sum, table))
    if not total:
        return NAN, NAN, (NAN, NAN)
    same = sum(table[n][n] for n in range(len(table)))
    chance = sum(sum(row) * sum(other[n] for other in table) for n, row in enumerate(table)) / total**2
    if chance >= 1:  # both said the same about everything: no disagreement was possible by chance
        return same / total, NAN, (NAN, NAN)
    value, low, high = (
        (one - chance) / (1 - chance) for one in (same / total, *compute_wilson_interval(same, total))
    )
    return same / total, value, (max(-1.0, low), high)


def draw_audit_sample(items: Sequence[BenchmarkItem], share: float, seed: int) -> list[UnlabelledCitation]:
    """Return a random sample of the items without their labels, for a third person to label blind."""
    count = math.ceil(len(items) * share)
    rng = random.Random(f"{seed}/audit")  # noqa: S311 - repeatable, no secret
    drawn = sorted(rng.sample(items, count), key=lambda item: item.index)
    return [
        UnlabelledCitation(
            index=item.index, form=item.form, citation=item.corrupted, collection=item.collection
        )
        for item in drawn
    ]
