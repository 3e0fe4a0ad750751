"""The Python door: `check`, `verify` and their async twins, with typed, frozen results."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from citeproof import serial, settings
from citeproof.assemble import assemble
from citeproof.errors import InputError
from citeproof.settings import Settings
from citeproof.surfaces.checking import begin
from citeproof.surfaces.citation import citation
from citeproof.surfaces.exits import Exit, Outcome
from citeproof.surfaces.reading import document
from citeproof.vocabulary import Checked, Document, Run

TEXT = "<text>"


@dataclass(frozen=True, slots=True)
class Report:
    """What `check` found out: the run, and every checked reference in document order."""

    run: Run
    references: tuple[Checked, ...]
    exit_code: Exit  # what the command line would have ended with

    def json(self) -> serial.Json:
        """Return the report as `citeproof check --format json` prints it."""
        return serial.report_json(self.run, self.references)


async def acheck(subject: Document | Path | str | bytes, *, settings: Settings | None = None) -> Report:
    """Return the report on one document: a `Path`, a file name, its text, or its bytes."""
    chosen = settings or _loaded()
    checking = begin(assemble(chosen), [_document(subject, chosen.max_document_bytes)])
    references = tuple([checked async for checked in checking.stream()])
    outcome = Outcome(lost=checking.lost)
    return Report(checking.run, tuple(outcome.watch(references)), outcome.code())


def check(subject: Document | Path | str | bytes, *, settings: Settings | None = None) -> Report:
    """Return the report on one document: a `Path`, a file name, its text, or its bytes."""
    return asyncio.run(acheck(subject, settings=settings))


class Fields(TypedDict, total=False):
    """What may be known of a citation besides its title; `author` is the first author's family name."""

    doi: str | None
    pmid: str | None
    pmcid: str | None
    arxiv: str | None
    ads: str | None
    isbn: str | None
    issn: str | None
    who_iris_url: str | None
    author: str | None
    year: int | None
    container: str | None


async def averify(title: str, *, settings: Settings | None = None, **fields: Unpack[Fields]) -> Checked:
    """Return one citation, checked: `averify("Deep learning", doi="10.1038/nature14539", year=2015)`."""
    raw = citation(
        title,
        _identifiers(fields),
        author=fields.get("author"),
        year=fields.get("year"),
        container=fields.get("container"),
    )
    verifier = assemble(settings or _loaded(), stage="verify")
    try:
        return await verifier.verify_one(raw)
    finally:
        await verifier.close()


def verify(title: str, *, settings: Settings | None = None, **fields: Unpack[Fields]) -> Checked:
    """Return one citation, checked: `verify("Deep learning", doi="10.1038/nature14539", year=2015)`."""
    return asyncio.run(averify(title, settings=settings, **fields))


def _identifiers(fields: Fields) -> dict[str, str | None]:
    return {
        "doi": fields.get("doi"),
        "pmid": fields.get("pmid"),
        "pmcid": fields.get("pmcid"),
        "arxiv": fields.get("arxiv"),
        "ads": fields.get("ads"),
        "isbn": fields.get("isbn"),
        "issn": fields.get("issn"),
        "who_iris": fields.get("who_iris_url"),
    }


def _loaded() -> Settings:
    return settings.load()


def _document(subject: Document | Path | str | bytes, limit: int) -> Document:
    """Return what was handed over as a document. A name without spaces can only mean a file."""
    if isinstance(subject, Document):
        return subject
    if isinstance(subject, Path):
        return document(subject, limit)
    if isinstance(subject, bytes):
        return Document(TEXT, subject)
    if "\n" not in subject and (" " not in subject.strip() or Path(subject).is_file()):
        if not subject.strip():
            raise InputError("is empty", place=TEXT, mend="hand over a file or the text of references")
        return document(Path(subject), limit)
    return Document(TEXT, subject.encode("utf-8", "replace"))
