"""`citeproof check`: documents in, a report out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.reporters import wording
from citeproof.reporters.base import Reporter, list_formats
from citeproof.reporters.csv import Csv
from citeproof.reporters.reference_report import ReferenceReport
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit, RunOutcome
from citeproof.surfaces.cli import (
    fix_flag,
    network_report,
    progress_bar,
    report_output,
    run_notices,
    setting_flags,
)
from citeproof.surfaces.cli.opened_documents import open_documents

if TYPE_CHECKING:
    from citeproof.service.fix_session import FixSession


@click.command(cls=fix_flag.FixFlagCommand, short_help="Check the references of documents.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@setting_flags.add_evidence_flags
@setting_flags.add_promise_flag
@setting_flags.add_audit_flags
@setting_flags.make_setting_flag("format", type=click.Choice(list_formats()))
@setting_flags.make_setting_flag("pdf_engine", type=click.Choice(["pdfium", "grobid"]))
@setting_flags.make_output_flag("the report")
@click.option(
    "--csv-raw",
    is_flag=True,
    help="With --format csv: do not escape formulas. Unsafe to open in a spreadsheet.",
)
@fix_flag.add_fix_flag
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

    Each reference is looked up in the snapshots, then in registries on the network. The network is not
    used if a snapshot decides or --offline is given. Each field is compared with the records found. The
    result is EXACT, MINOR or MAJOR, or "could not check" if no source could answer. To resume an
    interrupted run, run it again: answers are cached.

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
    chosen = settings.load(setting_flags.collect_given_flags(**flags))
    raw = csv_raw and chosen.format == "csv"
    reporter = Csv(raw=True) if raw else report_output.choose_reporter(chosen.format, output)
    watch = network_report.LookupCounter()
    documents, verifier, checking = open_documents(files, chosen, watch, stage="check")
    fixing = fix_flag.begin_fix(documents, checking) if fix else None
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        outcome = _write_report(checking, reporter, output, fixing)
    if ReferenceReport.kind in reporter.lists_only:
        run_notices.print_problems(checking.run.problems)
    if outcome.code() is Exit.NOTHING:
        print(f"nothing to check: no reference found in {wording.list_names(files)}", file=sys.stderr)
    return fix_flag.write_fix(fixing, fix) if fixing and fix else outcome.code()


def _write_report(
    checking: CheckSession, reporter: Reporter, output: Path | None, fixing: FixSession | None
) -> RunOutcome:
    outcome = RunOutcome(lost=checking.lost)
    on_screen = output is None and sys.stdout.isatty()  # the report itself shows how far it is
    watched = fixing.watch(outcome.watch(checking)) if fixing else outcome.watch(checking)
    checked = progress_bar.show_progress(watched, checking.total, "checking", quiet=on_screen)
    with report_output.open_destination(output, text=reporter.name == "terminal") as write:
        for chunk in reporter.report(ReferenceReport(checking.run, checked)):
            write(chunk)
    return outcome
