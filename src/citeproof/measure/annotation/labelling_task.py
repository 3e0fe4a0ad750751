"""What annotators are asked about: citations out of any benchmark file, without what is known of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citeproof.measure import natural_citations
from citeproof.measure.adapters import questions, row_file
from citeproof.measure.adapters.questions import items
from citeproof.measure.benchmark_rows import BenchmarkQuestion
from citeproof.measure.makers.benchmark_items import BenchmarkItem
from citeproof.typed_decoding import convert_value
from citeproof.vocabulary import Label


@dataclass(frozen=True, slots=True)
class LabellingTask:
    """A file to be labelled. `items` are those of ours, by key: what merging needs and no annotator sees."""

    path: Path
    sha256: str
    questions: tuple[BenchmarkQuestion, ...]
    items: dict[str, BenchmarkItem]


def read_task(path: Path) -> LabellingTask:
    """Return the citations of a file: one of `import-natural`, or a benchmark of any known shape."""
    loaded = row_file.load_rows(path)
    if natural_citations.is_unlabelled_file(loaded):
        rows = [
            natural_citations.parse_unlabelled_row(row, path, at) for at, row in enumerate(loaded.rows, 1)
        ]
        return LabellingTask(path, loaded.sha256, tuple(row.question for row in rows), {})
    benchmark = questions.read_citation_benchmark(path)
    shown = tuple(case.question for case in benchmark.cases)
    known = {}
    if benchmark.shape == items.NAME:
        made = [
            convert_value(row, type=BenchmarkItem)
            for row in loaded.rows
            if not isinstance(items.read_case(row, 0), str)
        ]
        known = {question.key: item for question, item in zip(shown, made, strict=True)}
    return LabellingTask(path, loaded.sha256, shown, known)


def shuffle_questions(asked: LabellingTask, by: str, seed: int) -> list[BenchmarkQuestion]:
    """Return the citations in an order of this annotator's own, the same every time."""
    shuffled = list(asked.questions)
    random.Random(f"{seed}/{by}").shuffle(shuffled)  # noqa: S311 - repeatable, no secret
    return shuffled


def make_agreed_item(
    asked: LabellingTask, question: BenchmarkQuestion, at: int, label: Label
) -> BenchmarkItem:
    known = asked.items.get(question.key)
    if known is None:
        kind = "valid" if label is Label.EXACT else "natural"
        index = int(question.key) if question.key.isdecimal() else at
        return BenchmarkItem(
            index=index, label=label.value, kind=kind, form=question.form, original="",  # type: ignore[arg-type] # one of three
            corrupted=question.text, description="labelled by two people", collection=question.group,
        )  # fmt: skip
    if known.label == label.value:
        return known
    description = f"made as {known.label}; two people say {label.value}"
    return msgspec.structs.replace(known, label=label.value, kind="relabelled", description=description)
