"""Citations out of chat answers and other documents as items without labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from citeproof.answers.serializers.bibliography import build_bibtex_entry
from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion
from citeproof.laboratory.measure.makers.benchmark_items import Form
from citeproof.text.typed_decoding import convert_value
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import Extraction, RawReference

LONGEST = 5_000  # characters of a citation; what is longer is not a citation
_SENTENCE = 1_000  # of a sentence that cites it
_SENTENCES = 5
Lines = Iterator[str]
_LINK = re.compile(r"\[[^\[\]]{5,2000}\]\(https?://[^\s()]{1,2000}\)\.?")


class UnlabelledCitation(msgspec.Struct, frozen=True, kw_only=True):
    """One citation as it is in a document, and nothing about whether it is right."""

    index: int
    form: Form
    citation: str
    collection: str  # the document
    context: tuple[str, ...] = ()  # the sentences that cite it

    @property
    def question(self) -> BenchmarkQuestion:
        return BenchmarkQuestion(str(self.index), self.form, self.citation, self.collection)


def collect_citations(extractions: Iterable[tuple[str, Extraction]]) -> list[UnlabelledCitation]:
    """Return the citations of documents, given with their names; one that a document repeats, once."""
    citations: list[UnlabelledCitation] = []
    for name, extraction in extractions:
        seen: set[str] = set()
        for raw in extraction.references:
            form, text = _format_reference(raw)
            if not text or len(text) > LONGEST or text in seen:
                continue
            seen.add(text)
            citations.append(
                UnlabelledCitation(
                    index=len(citations), form=form, citation=text, collection=name,
                    context=tuple(show_controls(said)[:_SENTENCE] for said in raw.citing[:_SENTENCES]),
                )
            )  # fmt: skip
    return citations


def _format_reference(raw: RawReference) -> tuple[Form, str]:
    """Return a reference in one of the forms that benchmarks have: an entry, a link or a line of text."""
    text = raw.text.strip()
    if text.startswith("@"):
        return "bibtex", text
    if raw.claimed is not None:  # fields of another format: a record of RIS is no line of a reference list
        return "bibtex", build_bibtex_entry(raw.key, raw.kind, raw.claimed)
    flat = " ".join(text.split())
    return ("link" if _LINK.fullmatch(flat) else "text"), flat


def encode_json_lines(items: Iterable[msgspec.Struct]) -> Lines:
    for item in items:
        yield msgspec.json.encode(item).decode() + "\n"


def is_unlabelled_file(loaded: LoadedRows) -> bool:
    """Return whether the rows of a file are citations without labels."""
    return loaded.has("index", "form", "citation", "collection") and not loaded.has("label")


def parse_unlabelled_row(row: RowOf, path: Path, number: int) -> UnlabelledCitation:
    try:
        return convert_value(row, type=UnlabelledCitation)
    except msgspec.ValidationError as error:
        hint = "make the file with `citeproof bench import-natural`"
        raise InputError(f"not a citation to label: {error}", place=f"{path}:{number}", hint=hint) from error
