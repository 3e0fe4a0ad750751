"""`citeproof extract`: the references of documents, before anything is looked up."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from citeproof import serial, settings
from citeproof.extractors import base as extractors
from citeproof.parse import parse
from citeproof.reporters import words
from citeproof.surfaces import reading
from citeproof.surfaces.cli import fields, writing
from citeproof.surfaces.exits import Exit
from citeproof.vocabulary import Document, Extraction, Reference


@click.command(short_help="Show the references that a document holds.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl", "json"]),
    default="text",
    show_default=True,
    help="text for people, jsonl one reference a line, json with problems and counts.",
)
def command(files: Sequence[str], form: str) -> int:
    """Show every reference of FILE… (BibTeX, CSL-JSON, Markdown, plain text; - is standard input).

    Each reference comes with its raw text, its fields, how sure each field is, where it stands and
    which sentences cite it. What could not be read is told on standard error with line and mend.

    \b
    citeproof extract refs.bib
    citeproof extract paper.md --format jsonl
    """
    documents = reading.documents(files, settings.load({}).max_document_bytes)
    found = [(document, _extraction(document)) for document in documents]
    with writing.destination(None, text=form == "text") as write:
        if form == "json":
            write(serial.pretty({"documents": [_whole(d, e) for d, e in found]}) + "\n")
        for reference in (parse(raw) for _, extraction in found for raw in extraction.references):
            if form != "json":
                write(_one(reference, form))
    for problem in (problem for _, extraction in found for problem in extraction.problems):
        print(fields.complaint(problem), file=sys.stderr)
    if any(extraction.references for _, extraction in found):
        return Exit.CLEAN
    print(f"no reference was found in {words.listed(files)}", file=sys.stderr)
    return Exit.NOTHING


def _extraction(document: Document) -> Extraction:
    return extractors.extract(document)


def _one(reference: Reference, form: str) -> str:
    if form == "jsonl":
        return serial.dumps(fields.as_json(reference)).decode() + "\n"
    return "\n".join(fields.as_text(reference)) + "\n"


def _whole(document: Document, extraction: Extraction) -> serial.Json:
    return {
        "file": document.name,
        "format": extraction.format,
        "expected": extraction.expected,
        "extracted": len(extraction.references),
        "references": [fields.as_json(parse(raw)) for raw in extraction.references],
        "problems": [serial.problem_json(problem) for problem in extraction.problems],
    }
