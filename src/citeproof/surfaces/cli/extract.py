"""`citeproof extract`: the references of documents, before anything is looked up."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from citeproof import serial, settings
from citeproof.assemble import reader
from citeproof.clock import SystemClock
from citeproof.parse import parse_all
from citeproof.reporters import words
from citeproof.surfaces import reading
from citeproof.surfaces.checking import extracted
from citeproof.surfaces.cli import entries, fields, options, progress, writing
from citeproof.surfaces.exits import Exit
from citeproof.vocabulary import Document, Extraction

NO_LIST = "put the references under a heading such as References, or give the list alone"


@click.command(short_help="Show the references that a document holds.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--format",
    "form",
    type=click.Choice(entries.FORMATS),
    default="text",
    show_default=True,
    help="text for people, jsonl one reference a line, json with problems and counts; bibtex, csl, ris.",
)
@options.setting("pdf_engine", type=click.Choice(["pdfium", "grobid"]))
def command(files: Sequence[str], form: str, **flags: object) -> int:
    """Show every reference of FILE… (PDF, LaTeX, DOCX, BibTeX and more; - is standard input).

    Each reference comes with its raw text, its fields, how sure each field is, where it stands and
    which sentences cite it. What could not be read is told on standard error with line and mend.

    \b
    citeproof extract refs.bib
    citeproof extract paper.pdf --format jsonl
    citeproof extract thesis/main.tex --format bibtex > cited.bib
    """
    chosen = settings.load(options.given(**flags))
    read = reader(chosen, SystemClock())
    documents = reading.documents(files, chosen.max_document_bytes)
    with progress.reading():
        found = list(zip(documents, extracted(read, documents), strict=True))
    with writing.destination(None, text=form == "text") as write:
        for chunk in _written(found, form):
            write(chunk)
    for problem in (problem for _, extraction in found for problem in extraction.problems):
        print(fields.complaint(problem), file=sys.stderr)
    unread = any(not extraction.format for _, extraction in found)  # no extractor could read it
    if any(extraction.references for _, extraction in found):
        return Exit.UNCHECKED if unread else Exit.CLEAN
    print(f"no reference was found in {words.listed(files)}", file=sys.stderr)
    if not any(extraction.problems for _, extraction in found):  # they say more
        print(f"  hint: {NO_LIST}", file=sys.stderr)
    return Exit.NOTHING


def _written(found: Sequence[tuple[Document, Extraction]], form: str) -> Iterator[str]:
    if form == "json":
        yield serial.pretty({"documents": [_whole(document, read) for document, read in found]}) + "\n"
        return
    yield from entries.written(parse_all(raw for _, read in found for raw in read.references), form)


def _whole(document: Document, extraction: Extraction) -> serial.Json:
    return {
        "file": document.name,
        "format": extraction.format,
        "expected": extraction.expected,
        "extracted": len(extraction.references),
        "references": [fields.as_json(one) for one in parse_all(extraction.references)],
        "problems": [serial.problem_json(problem) for problem in extraction.problems],
    }
