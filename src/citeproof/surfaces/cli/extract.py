"""`citeproof extract`: the references of documents, before anything is looked up."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.reading.parse import parse_all
from citeproof.service import reference_formats
from citeproof.service.assemble import make_reader
from citeproof.service.check_session import extract_documents
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output, run_notices, status_line
from citeproof.surfaces.cli.opened_documents import read_named_documents
from citeproof.vocabulary import Document, Extraction

NO_LIST = "put the references under a heading such as References, or give the list alone"


@click.command(short_help="Show the references in a document.")
@command_options.add_inputs
@command_options.add_options("extract", reference_formats=reference_formats.FORMATS)
def command(files: Sequence[str], form: str, **flags: object) -> int:
    """Show every reference of INPUT…: PDF, LaTeX, DOCX, BibTeX and all else that `citeproof check` takes.

    For each reference: raw text, fields, the confidence of each field, location, and the sentences that
    cite it. Reading problems are printed on standard error with the line and a hint.

    \b
    citeproof extract refs.bib
    citeproof extract paper.pdf --format jsonl
    citeproof extract thesis/main.tex --format bibtex > cited.bib
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    read = make_reader(chosen)
    documents = read_named_documents(files, chosen)
    with status_line.show_reading_progress():
        extractions = list(zip(documents, extract_documents(read, documents), strict=True))
    with report_output.open_destination(None, text=form == "text") as write:
        for chunk in _format_extractions(extractions, form):
            write(chunk)
    run_notices.print_problems(problem for _, extraction in extractions for problem in extraction.problems)
    unread = any(not extraction.format for _, extraction in extractions)  # no extractor could read it
    if any(extraction.references for _, extraction in extractions):
        return Exit.UNCHECKED if unread else Exit.CLEAN
    print(f"no reference found in {wording.list_names(files)}", file=sys.stderr)
    if not any(extraction.problems for _, extraction in extractions):  # they say more
        print(f"  hint: {NO_LIST}", file=sys.stderr)
    return Exit.NOTHING


def _format_extractions(extractions: Sequence[tuple[Document, Extraction]], form: str) -> Iterator[str]:
    if form == "json":
        made = [reference_formats.build_extraction_json(document, read) for document, read in extractions]
        yield serializers.dump_pretty({"documents": made}) + "\n"
        return
    yield from reference_formats.format_references(
        parse_all(raw for _, read in extractions for raw in read.references), form
    )
