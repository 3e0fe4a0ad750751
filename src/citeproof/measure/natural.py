"""Citations out of chat answers and other documents as items that nobody has labelled yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from citeproof.errors import InputError
from citeproof.measure.adapters.loading import Loaded, RowOf
from citeproof.measure.makers.items import Form
from citeproof.measure.rows import Question
from citeproof.serial.bibtex import bibtex_entry
from citeproof.text.unicode import visible
from citeproof.vocabulary import Extraction, RawReference

LONGEST = 5_000  # characters of a citation; what is longer is no citation
_SENTENCE = 1_000  # of a sentence that cites it
_SENTENCES = 5
Lines = Iterator[str]
_LINK = re.compile(r"\[[^\[\]]{5,2000}\]\(https?://[^\s()]{1,2000}\)\.?")


class Unlabelled(msgspec.Struct, frozen=True, kw_only=True):
    """One citation as it stands in a document, and nothing about whether it is right."""

    index: int
    form: Form
    citation: str
    collection: str  # the document
    context: tuple[str, ...] = ()  # the sentences that cite it

    @property
    def question(self) -> Question:
        return Question(str(self.index), self.form, self.citation, self.collection)


def unlabelled(extractions: Iterable[tuple[str, Extraction]]) -> list[Unlabelled]:
    """Return the citations of documents, given with their names; one that a document repeats, once."""
    found: list[Unlabelled] = []
    for name, extraction in extractions:
        seen: set[str] = set()
        for raw in extraction.references:
            form, text = _cited(raw)
            if not text or len(text) > LONGEST or text in seen:
                continue
            seen.add(text)
            found.append(
                Unlabelled(
                    index=len(found), form=form, citation=text, collection=name,
                    context=tuple(visible(one)[:_SENTENCE] for one in raw.citing[:_SENTENCES]),
                )
            )  # fmt: skip
    return found


def _cited(raw: RawReference) -> tuple[Form, str]:
    """Return a reference in one of the forms that benchmarks have: an entry, a link or a line of text."""
    text = raw.text.strip()
    if text.startswith("@"):
        return "bibtex", text
    if raw.claimed is not None:  # fields of another format: a record of RIS is no line of a reference list
        return "bibtex", bibtex_entry(raw.key, raw.kind, raw.claimed)
    flat = " ".join(text.split())
    return ("link" if _LINK.fullmatch(flat) else "text"), flat


def lines(items: Iterable[msgspec.Struct]) -> Lines:
    """Yield the items as JSON lines."""
    for item in items:
        yield msgspec.json.encode(item).decode() + "\n"


def recognises(loaded: Loaded) -> bool:
    """Return whether the rows of a file are citations without labels."""
    return loaded.has("index", "form", "citation", "collection") and not loaded.has("label")


def item(row: RowOf, path: Path, number: int) -> Unlabelled:
    """Return one row of such a file."""
    try:
        return msgspec.convert(row, type=Unlabelled)
    except msgspec.ValidationError as error:
        mend = "make the file with `citeproof bench import-natural`"
        raise InputError(f"is no citation to label: {error}", place=f"{path}:{number}", mend=mend) from error
