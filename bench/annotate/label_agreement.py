"""Two people's labels side by side: agreement, Cohen's kappa, what stays and what is dropped."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.annotate.label_file import (
    LABELS,
    UNSURE,
    LabellingTask,
    UnlabelledCitation,
    make_agreed_item,
)

from citeproof.answers.reporters.wording import show_line
from citeproof.laboratory.measure import result_tables
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem
from citeproof.laboratory.measure.metrics import NAN, Interval, compute_wilson_interval
from citeproof.laboratory.measure.retrieval_latency import ResultTable
from citeproof.laboratory.measure.system_results import round_figure
from citeproof.vocabulary import Label

_LISTED = 40
_CITATION = 100
# Landis and Koch's words for kappa, each below its bound.
_WORDS = ((0.0, "worse than chance"), (0.21, "slight"), (0.41, "fair"), (0.61, "moderate"),
          (0.81, "substantial"), (1.01, "almost perfect"))  # fmt: skip

Json = dict[str, object]


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
    agreed: list[BenchmarkItem] = []
    dropped: list[DroppedItem] = []
    pairs: Counter[tuple[str, str]] = Counter()
    count = [0, 0, 0]  # labelled by none, one, both
    for at, question in enumerate(asked.questions):
        first_label, second_label = first.get(question.key), second.get(question.key)
        count[(first_label is not None) + (second_label is not None)] += 1
        if first_label is None or second_label is None:
            continue
        pairs[first_label, second_label] += 1
        if first_label == second_label != UNSURE:
            agreed.append(make_agreed_item(asked, question, at, Label(first_label)))
        else:
            dropped.append(DroppedItem(question.key, question.text, first_label, second_label))
    table = tuple(tuple(pairs[a, b] for b in LABELS) for a in LABELS)
    relabelled = sum(item.kind == "relabelled" for item in agreed)
    return LabelAgreement(
        tuple(agreed), tuple(dropped), count[1], count[0], relabelled, table, *compute_kappa(table)
    )


def compute_kappa(table: Sequence[Sequence[int]]) -> tuple[float, float, Interval]:
    """Return the share of agreement, Cohen's kappa, and its 95 % interval.

    The interval is Wilson's of the agreement, with the agreement by chance taken as known: also where
    there was no disagreement it says what few items cannot.
    """
    total = sum(map(sum, table))
    if not total:
        return NAN, NAN, (NAN, NAN)
    same = sum(table[n][n] for n in range(len(table)))
    chance = sum(sum(row) * sum(other[n] for other in table) for n, row in enumerate(table)) / total**2
    if chance >= 1:  # both said the same about everything: no disagreement was possible by chance
        return same / total, NAN, (NAN, NAN)
    value, low, high = (
        (agreed - chance) / (1 - chance) for agreed in (same / total, *compute_wilson_interval(same, total))
    )
    return same / total, value, (max(-1.0, low), high)


def draw_audit_sample(items: Sequence[BenchmarkItem], share: float, seed: int) -> list[UnlabelledCitation]:
    """Return a random sample of the items without their labels, for a third person to label blind."""
    count = math.ceil(len(items) * share)
    rng = random.Random(f"{seed}/audit")
    drawn = sorted(rng.sample(items, count), key=lambda item: item.index)
    return [
        UnlabelledCitation(
            index=item.index, form=item.form, citation=item.corrupted, collection=item.collection
        )
        for item in drawn
    ]


def build_agreement_tables(agreement: LabelAgreement) -> list[ResultTable]:
    """Return the tables: the labels against each other, and the items that were dropped."""
    rows = [(name, *map(str, counts)) for name, counts in zip(LABELS, agreement.table, strict=True)]
    shown = [ResultTable("First label by second", ("", *LABELS), tuple(rows))]
    if agreement.dropped:
        more = (
            f", the first {_LISTED} of them; --format json has all"
            if len(agreement.dropped) > _LISTED
            else ""
        )
        title = f"Dropped: the two do not agree ({len(agreement.dropped)}{more})"
        listed = [
            (result_tables.format_cell(d.key), d.first, d.second, show_line(d.citation, _CITATION))
            for d in agreement.dropped[:_LISTED]
        ]
        shown.append(ResultTable(title, ("Item", "First", "Second", "Citation"), tuple(listed)))
    return shown


def describe_agreement(agreement: LabelAgreement) -> list[str]:
    both = len(agreement.items) + len(agreement.dropped)
    sentences = [
        f"{both} items labelled by both, {len(agreement.items)} kept, {len(agreement.dropped)} dropped"
    ]
    if agreement.one_label or agreement.no_label:
        sentences.append(
            f"{agreement.one_label} labelled by one alone and {agreement.no_label} by nobody: left out"
        )
    if agreement.relabelled:
        sentences.append(f"{agreement.relabelled} items got another label than they were made with")
    if math.isnan(agreement.kappa):
        return [*sentences, "Cohen's kappa is not defined: both gave one and the same label throughout"]
    how = next(word for bound, word in _WORDS if agreement.kappa < bound)
    kappa = (
        f"Cohen's kappa {agreement.kappa:.2f} ({result_tables.format_interval(agreement.interval)}), {how}"
    )
    return [*sentences, f"agreement {agreement.share:.1%}; {kappa}; UNSURE counts as a separate answer"]


def build_agreement_json(agreement: LabelAgreement) -> Json:
    return {
        "both": len(agreement.items) + len(agreement.dropped),
        "kept": len(agreement.items),
        "labelled_by_one": agreement.one_label,
        "labelled_by_nobody": agreement.no_label,
        "relabelled": agreement.relabelled,
        "agreement": round_figure(agreement.share),
        "kappa": round_figure(agreement.kappa),
        "kappa_interval": [round_figure(end) for end in agreement.interval],
        "labels": list(LABELS),
        "table": [list(row) for row in agreement.table],
        "dropped": [
            {"key": d.key, "first": d.first, "second": d.second, "citation": d.citation}
            for d in agreement.dropped
        ],
    }
