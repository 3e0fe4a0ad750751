"""`citeproof check`: documents in, a report out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import settings
from citeproof.assemble import assemble, judge_of
from citeproof.reporters import base, words
from citeproof.reporters.base import formats
from citeproof.reporters.csv import Csv
from citeproof.settings import Settings
from citeproof.surfaces import reading
from citeproof.surfaces.checking import Checking, begin
from citeproof.surfaces.cli import auditing, fields, fixflag, memory, network, options, progress, writing
from citeproof.surfaces.exits import Exit, Outcome
from citeproof.vocabulary import Reporter, Run

_NO_PLACE = frozenset(["jsonl", "csv", "bibtex", "csl", "ris"])  # formats of references alone


@click.command(cls=fixflag.WithFix, short_help="Check the references of documents.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@options.evidence
@options.promise
@options.audited
@options.setting("format", type=click.Choice(formats()))
@options.setting("pdf_engine", type=click.Choice(["pdfium", "grobid"]))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the report to this file."
)
@click.option(
    "--csv-raw",
    is_flag=True,
    help="With --format csv: do not disarm formulas. Unsafe to open in a spreadsheet.",
)
@fixflag.flag
def command(
    files: Sequence[str],
    *,
    output: Path | None,
    explain_network: bool,
    csv_raw: bool,
    fix: str | None,
    **flags: object,
) -> int:
    """Check every reference of FILE… (PDF, LaTeX, DOCX, BibTeX and more; - is standard input).

    Each reference is looked up in the snapshots and then, unless they decide or --offline is given, at
    registries on the network; compared field by field; and judged: EXACT, MINOR or MAJOR, or "could
    not check" where nothing that was asked could know. A run that was broken off or slowed down is
    resumed by running it again: what was answered is not asked again.

    \b
    citeproof check refs.bib
    citeproof check paper.pdf --format html -o report.html
    citeproof check paper.md notes.txt --format md -o report.md
    citeproof check - --format jsonl < answer.md
    citeproof check refs.bib --offline
    citeproof check refs.bib --contact you@example.org --explain-network
    citeproof check refs.bib --fix
    citeproof check refs.bib --max-false-accusations 0.01
    citeproof check refs.bib --audit audit
    """
    chosen = settings.load(options.given(**flags))
    reporter = Csv(raw=True) if csv_raw and chosen.format == "csv" else _reporter(chosen, output)
    documents = reading.documents(files, chosen.max_document_bytes)
    watch = network.Watch()
    verifier = assemble(chosen, observer=watch)
    network.warn(judge_of(chosen).trouble)
    memory.settle()
    with progress.reading():
        checking = begin(verifier, documents)
    kept = fixflag.Keeping(documents, checking) if fix else None
    try:
        outcome = _report(checking, reporter, output, kept)
    finally:  # what has left the machine is told however the run ends
        network.tell(verifier, watch, explain=explain_network)
        auditing.tell(verifier)
    if reporter.name in _NO_PLACE:
        _tell_problems(checking.run)
    if outcome.code() is Exit.NOTHING:
        print(f"nothing to check: no reference was found in {words.listed(files)}", file=sys.stderr)
    return kept.fix(outcome, fix) if kept and fix else outcome.code()


def _report(
    checking: Checking, reporter: Reporter, output: Path | None, kept: fixflag.Keeping | None
) -> Outcome:
    outcome = Outcome(lost=checking.lost)
    on_screen = output is None and sys.stdout.isatty()  # the report itself shows how far it is
    watched = kept.watch(outcome.watch(checking)) if kept else outcome.watch(checking)
    checked = progress.shown(watched, checking.total, "checking", quiet=on_screen)
    with writing.destination(output, text=reporter.name == "terminal") as write:
        for chunk in reporter.report(checking.run, checked):
            write(chunk)
    return outcome


def _reporter(chosen: Settings, output: Path | None) -> Reporter:
    """Return the reporter of the settings; the one for terminals knows the width and colours of ours."""
    if chosen.format != "text" or output is not None or not sys.stdout.isatty():
        return base.get(chosen.format)
    from citeproof.reporters.terminal import Terminal  # noqa: PLC0415 - only a terminal pays for it

    return Terminal(*writing.screen())


def _tell_problems(run: Run) -> None:
    """Print what could not be read on standard error, because this format has no place for it."""
    for problem in run.problems:
        print(fields.complaint(problem), file=sys.stderr)
