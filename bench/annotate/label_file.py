"""What annotators are asked about, and their labels.

Citations come out of any benchmark file, without what is known of them. One person's answers are written as
they are given, so that a session continues later.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from citeproof.errors import InputError, UsageError
from citeproof.laboratory.measure.adapters import questions, row_file
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, Form
from citeproof.plumbing.output_files import append_output
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import convert_value
from citeproof.vocabulary import THREE_CLASSES, Label

UNSURE = "UNSURE"
LABELS = (*(label.value for label in THREE_CLASSES), UNSURE)
HEAD = "citeproof_labels"
_NAME = re.compile(r"[^\W_][\w .@-]{0,60}")
LONGEST = 5_000  # characters of a citation; what is longer is not a citation
_LINK = re.compile(r"\[[^\[\]]{5,2000}\]\(https?://[^\s()]{1,2000}\)\.?")
_HINT = 'write one {"key": …, "label": "EXACT" | "MINOR" | "MAJOR" | "UNSURE"} per line'


class LabelsHead(msgspec.Struct, frozen=True):
    by: str
    file: str
    sha256: str


class _LabelsFirstLine(msgspec.Struct, frozen=True):
    citeproof_labels: LabelsHead


class GivenLabel(msgspec.Struct, frozen=True):
    key: str
    label: str
    at: str = ""


class AnnotatorLabels:
    """One person's labels by key, and the file that new ones go to."""

    def __init__(self, head: LabelsHead | None, given: dict[str, str], out: BinaryIO | None = None) -> None:
        self.head = head
        self.given = given
        self._out = out

    def add(self, key: str, label: str, at: str) -> None:
        """Note a label; it is on disk when this returns."""
        self.given[key] = label
        if self._out is not None:
            self._out.write(msgspec.json.encode(GivenLabel(key, label, at)) + b"\n")
            self._out.flush()


def check_annotator_name(by: str) -> str:
    """Return the name of an annotator, which also is in the name of a file."""
    if not _NAME.fullmatch(by):
        raise UsageError("not a valid name", place="--by", hint="use letters, digits, spaces and . @ - _")
    return by


def read_labels(path: Path) -> AnnotatorLabels:
    """Return the labels in a file: one of ours, items of ours, or any with `key` and `label`."""
    loaded = row_file.load_rows(path)
    head = _read_head(loaded)
    if loaded.has("verdict"):
        hint = "give labels made by people; use `citeproof bench compare` for answers"
        raise InputError("contains answers of citeproof, not labels", place=str(path), hint=hint)
    given: dict[str, str] = {}
    for number, row in enumerate(loaded.rows, 1):
        if HEAD in row:
            continue
        key, label = get_text(row, "key", "index", "bibtex_key", "n"), get_text(row, "label").upper()
        if not key or label not in LABELS:
            raise InputError("has no key or no known label", place=f"{path}:{number}", hint=_HINT)
        given[key] = label  # a label given again takes the place of the first
    return AnnotatorLabels(head, given)


def _read_head(loaded: LoadedRows) -> LabelsHead | None:
    first: RowOf = loaded.rows[0] if loaded.rows else {}
    try:
        return convert_value(first[HEAD], type=LabelsHead) if HEAD in first else None
    except msgspec.ValidationError as error:
        raise InputError(f"has no label header: {error}", place=str(loaded.path), hint=_HINT) from error


@contextmanager
def open_labels(path: Path, head: LabelsHead) -> Iterator[AnnotatorLabels]:
    """Yield the labels of one person's file, begun or gone on with; another's is never opened."""
    before: dict[str, str] = {}
    new = not path.exists() or not path.stat().st_size
    if not new:
        earlier = read_labels(path)
        if earlier.head != head:
            raise UsageError(
                "contains the labels of another person or another file", place=str(path),
                hint="name another file with --out; labels are given blind",
            )  # fmt: skip
        before = earlier.given
    with append_output(path) as out:
        if new:
            out.write(msgspec.json.encode(_LabelsFirstLine(head)) + b"\n")
        yield AnnotatorLabels(head, before, out)


class UnlabelledCitation(msgspec.Struct, frozen=True, kw_only=True):
    """One citation as it is in a document, and nothing about whether it is right."""

    index: int
    form: Form
    citation: str
    collection: str  # the document

    @property
    def question(self) -> BenchmarkQuestion:
        return BenchmarkQuestion(str(self.index), self.form, self.citation, self.collection)


@dataclass(frozen=True, slots=True)
class LabellingTask:
    """A file to be labelled. `items` are those of ours, by key: what merging needs and no annotator sees."""

    path: Path
    sha256: str
    questions: tuple[BenchmarkQuestion, ...]
    items: dict[str, BenchmarkItem]


def read_task(path: Path) -> LabellingTask:
    """Return the citations of a file: lines of `citeproof extract`, an audit sample, or a benchmark."""
    loaded = row_file.load_rows(path)
    if unlabelled := list(_read_unlabelled(loaded)):
        return LabellingTask(path, loaded.sha256, tuple(row.question for row in unlabelled), {})
    benchmark = questions.read_benchmark(path)
    shown = tuple(case.question for case in benchmark.cases)
    known = {}
    if benchmark.shape == questions.ITEMS:
        made = [
            convert_value(row, type=BenchmarkItem)
            for row in loaded.rows
            if not isinstance(questions.read_item(row, 0), str)
        ]
        known = {question.key: item for question, item in zip(shown, made, strict=True)}
    return LabellingTask(path, loaded.sha256, shown, known)


def _read_unlabelled(loaded: LoadedRows) -> Iterator[UnlabelledCitation]:
    """Yield the citations of a file without labels; of one document each citation once."""
    if loaded.has("index", "form", "citation", "collection") and not loaded.has("label"):
        for number, row in enumerate(loaded.rows, 1):
            try:
                yield convert_value(row, type=UnlabelledCitation)
            except msgspec.ValidationError as error:
                place, hint = f"{loaded.path}:{number}", "draw the sample again with --merge --audit"
                raise InputError(f"not a citation to label: {error}", place=place, hint=hint) from error
    elif loaded.has("raw", "location"):
        seen: set[tuple[str, str]] = set()
        for index, row in enumerate(loaded.rows):
            form, text = _tidy_citation(get_text(row, "raw"))
            location = row.get("location")
            document = get_text(location, "file") if isinstance(location, dict) else ""
            if text and len(text) <= LONGEST and (document, text) not in seen:
                seen.add((document, text))
                yield UnlabelledCitation(index=index, form=form, citation=text, collection=document)


def _tidy_citation(raw: str) -> tuple[Form, str]:
    """Return a citation in one of the forms that benchmarks have: an entry, a link or a line of text."""
    if raw.startswith("@"):
        return "bibtex", raw
    flat = " ".join(raw.split())
    return ("link" if _LINK.fullmatch(flat) else "text"), flat


def shuffle_questions(asked: LabellingTask, by: str, seed: int) -> list[BenchmarkQuestion]:
    """Return the citations in an order of this annotator's own, the same every time."""
    shuffled = list(asked.questions)
    random.Random(f"{seed}/{by}").shuffle(shuffled)
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
