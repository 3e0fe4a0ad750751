"""Two people's labels side by side: agreement, Cohen's kappa, what is kept and what is dropped."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeproof.measure.annotating.asked import Asked, agreed_item
from citeproof.measure.annotating.labels import LABELS, UNSURE
from citeproof.measure.intervals import Interval, wilson
from citeproof.measure.makers.items import Item
from citeproof.measure.metrics import NAN
from citeproof.measure.natural import Unlabelled
from citeproof.vocabulary import Label


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that is left out: the two labels, in the order of the files."""

    key: str
    citation: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What came of two sets of labels. Kappa counts UNSURE as an answer of its own."""

    items: tuple[Item, ...]
    dropped: tuple[Dropped, ...]
    one_label: int  # items that only one of them labelled
    no_label: int
    relabelled: int  # items of ours that people call otherwise than they were made
    table: tuple[tuple[int, ...], ...]  # rows by the first, columns by the second, in the order of LABELS
    share: float
    kappa: float
    interval: Interval


def agreement(asked: Asked, first: Mapping[str, str], second: Mapping[str, str]) -> Agreement:
    """Return the items that both gave the same label, with that label, and how well they agree."""
    kept: list[Item] = []
    dropped: list[Dropped] = []
    pairs: Counter[tuple[str, str]] = Counter()
    count = [0, 0, 0]  # labelled by nobody, one, both
    for at, question in enumerate(asked.questions):
        one, two = first.get(question.key), second.get(question.key)
        count[(one is not None) + (two is not None)] += 1
        if one is None or two is None:
            continue
        pairs[one, two] += 1
        if one == two != UNSURE:
            kept.append(agreed_item(asked, question, at, Label(one)))
        else:
            dropped.append(Dropped(question.key, question.text, one, two))
    table = tuple(tuple(pairs[a, b] for b in LABELS) for a in LABELS)
    relabelled = sum(item.kind == "relabelled" for item in kept)
    return Agreement(tuple(kept), tuple(dropped), count[1], count[0], relabelled, table, *kappa(table))


def kappa(table: Sequence[Sequence[int]]) -> tuple[float, float, Interval]:
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
    value, low, high = ((one - chance) / (1 - chance) for one in (same / total, *wilson(same, total)))
    return same / total, value, (max(-1.0, low), high)


def audit(items: Sequence[Item], share: float, seed: int) -> list[Unlabelled]:
    """Return a random sample of the items without their labels, for a third person to label blind."""
    count = math.ceil(len(items) * share)
    rng = random.Random(f"{seed}/audit")  # noqa: S311 - repeatable, no secret
    drawn = sorted(rng.sample(items, count), key=lambda item: item.index)
    return [
        Unlabelled(index=item.index, form=item.form, citation=item.corrupted, collection=item.collection)
        for item in drawn
    ]
