"""`citeproof check`: documents in, a report out."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from citeproof import settings
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter, list_formats
from citeproof.answers.reporters.csv import Csv
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.errors import UsageError
from citeproof.service.check_session import CheckSession, RepositoryPaths
from citeproof.service.exit_codes import Exit
from citeproof.service.input_kinds import STDIN, is_single_work
from citeproof.surfaces.cli import (
    acceptance_flags,
    command_options,
    first_snapshot,
    report_output,
    run_notices,
)
from citeproof.surfaces.cli.status_line import SIGN, StatusLine
from citeproof.vocabulary import Checked, Document

if TYPE_CHECKING:
    from citeproof.service.fix_session import FixSession
    from citeproof.settings import Settings
    from citeproof.surfaces.cli.opened_documents import OpenedDocuments


Thing = TypeVar("Thing")
_STREAMED = ("text", "jsonl")  # formats that show each reference by itself


class FixFlagCommand(click.Command):
    """A command whose `--fix` needs no value: click would take the next file as its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        last = args.index("--") if "--" in args else len(args)
        words = ["--fix=safe" if word == "--fix" else word for word in args[:last]]
        return super().parse_args(ctx, [*words, *args[last:]])


def begin_fix(documents: Sequence[Document], checking: CheckSession) -> FixSession:
    """Return what keeps the checked references until the report is done."""
    from citeproof.service.fix_session import FixSession  # noqa: PLC0415 - a check that fixes nothing need not load it

    if any(document.name == "<stdin>" for document in documents):
        raise UsageError("standard input cannot be changed", place="--fix", hint="name a file")
    for document in documents:
        if document.beside is None:  # an identifier, an address, a text
            raise UsageError(
                f"only a file can be changed, not {document.name}", place="--fix", hint="name a file"
            )
    return FixSession(documents, checking)


def write_fix(session: FixSession, level: str) -> Exit:
    """Correct the files and return the exit code."""
    from citeproof.answers.fix.corrected_files import FixOptions  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.fix import FixTarget, finish_fix  # noqa: PLC0415 - same

    return finish_fix(session, FixOptions(unsafe=level == "unsafe"), FixTarget(write=True, aside=True))


@click.command(cls=FixFlagCommand, short_help="Check the references of documents.")
@command_options.add_inputs
@command_options.add_options("check", formats=list_formats())
def command(
    files: Sequence[str],
    *,
    outputs: Sequence[str],
    write_baseline: Path | None,
    explain_network: bool,
    csv_raw: bool,
    fix: str | None,
    unordered: bool,
    verbose: bool,
    **flags: Any,  # noqa: ANN401 - each by its option
) -> int:
    """Check every reference of INPUT….

    An INPUT is a file or folder (PDF, LaTeX, DOCX, BibTeX and more), - for standard input, a DOI, an arXiv
    number, pmid:…, isbn:…, a web address, zotero:COLLECTION, or a reference as quoted text. What exists on
    disk is a file; else, what is none of those and has a space in it is text. See docs/inputs.md.

    Each reference is looked up in the snapshots and, unless one decides, in registries on the network.
    Each field is compared with the records found. The result is EXACT, NOTED (a field differs, and the
    citation may still be right), MINOR or MAJOR, or "could not check" if no source could answer. To
    resume an interrupted run, run it again: answers are cached.

    \b
    citeproof check refs.bib
    citeproof check refs.bib --only unchecked
    citeproof check refs.bib --notes
    citeproof check paper.pdf --format html -o report.html
    citeproof check paper.md notes.txt --format md -o report.md
    citeproof check paper --output sarif=out.sarif --output html=out.html
    citeproof check refs.bib --write-baseline known.json
    citeproof check refs.bib --baseline known.json --fail-on major
    citeproof check - --format jsonl < answer.md
    citeproof check refs.bib --format jsonl --unordered
    citeproof check 10.1038/nature14539 arXiv:1706.03762
    citeproof check "Vaswani et al. 2017, Attention is all you need"
    citeproof check https://example.org/paper.pdf
    citeproof check zotero:Thesis
    citeproof check --clipboard
    citeproof check refs.bib --offline
    citeproof check refs.bib --contact you@example.org --explain-network
    citeproof check refs.bib --fix
    citeproof check refs.bib --max-false-accusations 0.01
    citeproof check refs.bib --audit audit
    citeproof check refs.bib --llm openai:gpt-5-mini --llm-max-dollars 1
    """
    shown = {name: flags.pop(name) for name in ("only", "notes", "quiet", "summary")}
    chosen = settings.load(command_options.collect_given_flags(**flags))
    reports = _choose_reports(files, outputs, chosen, shown, csv_raw=csv_raw, verbose=verbose)
    if unordered:
        _require_stream([target for target, _ in reports], chosen)
    accepting = acceptance_flags.AcceptanceSession(chosen, write_baseline)
    own = [path for path in (write_baseline, *(target.path for target, _ in reports)) if path]
    opened = _open_documents(files, chosen, watch := run_notices.LookupCounter(), own, unordered=unordered)
    fixing = begin_fix(opened.documents, opened.checking) if fix else None
    with run_notices.print_notices_afterwards(opened.verifier, watch, explain=explain_network):
        _write_reports(opened, reports, accepting, fixing, watch, verbose=verbose)
    code = accepting.finish()
    _print_remarks(files, chosen, opened, reports, accepting, code)
    return write_fix(fixing, fix) if fixing and fix else code


def _open_documents(
    files: Sequence[str],
    chosen: Settings,
    watch: run_notices.LookupCounter,
    own: Sequence[Path],
    *,
    unordered: bool,
) -> OpenedDocuments:
    """Return the documents, read; a sign stands on the screen meanwhile. First offer the starter snapshot."""
    first_snapshot.offer_starter(chosen)
    with SIGN.show(files):
        from citeproof.surfaces.cli.opened_documents import open_documents  # noqa: PLC0415 - takes its time

        opened = open_documents(files, chosen, watch, stage="check", own=own)
    return opened._replace(checking=replace(opened.checking, unordered=unordered))


def _print_remarks(
    files: Sequence[str],
    chosen: Settings,
    opened: OpenedDocuments,
    reports: Sequence[tuple[report_output.ReportTarget, Reporter]],
    accepting: acceptance_flags.AcceptanceSession,
    code: Exit,
) -> None:
    """Print on standard error what the report has no place for, or why there is none."""
    first_snapshot.print_starter_hint(chosen, accepting.outcome.labels[None])
    problems = opened.checking.run.problems
    target, reporter = reports[0]
    if ReferenceReport.kind in reporter.lists_only:
        run_notices.print_problems(problems)
        problems = ()
    if target.path is not None and sys.stderr.isatty():  # or the screen would be empty
        written = [str(target.path) for target, _ in reports if target.path]
        run_notices.print_written_reports(problems, accepting.outcome, written)
    if code is Exit.NOTHING:
        named = ["standard input" if name == STDIN else name for name in files]
        print(f"nothing to check: no reference found in {wording.list_names(named)}", file=sys.stderr)


def _choose_reports(
    files: Sequence[str],
    outputs: Sequence[str],
    chosen: Settings,
    shown: dict[str, Any],
    *,
    csv_raw: bool,
    verbose: bool,
) -> list[tuple[report_output.ReportTarget, Reporter]]:
    """Return each target with its reporter; what is shown is chosen for the first alone."""
    targets = report_output.parse_targets(outputs, chosen.format if "format" in chosen.origins else None)
    every = verbose or (targets[0].form == "text" and all(map(is_single_work, files)))
    selections = [_choose_selection(**shown, verbose=every), *[Selection.BRIEF] * (len(targets) - 1)]
    return [
        (target, Csv(raw=True)) if csv_raw and target.form == "csv"
        else (target, report_output.choose_reporter(target.form, target.path, each, verbose=verbose))
        for target, each in zip(targets, selections, strict=True)
    ]  # fmt: skip


def _require_stream(targets: Sequence[report_output.ReportTarget], chosen: Settings) -> None:
    """Raise UsageError unless the one report shows each reference by itself, and no log needs their order."""
    if len(targets) > 1 or targets[0].form not in _STREAMED or chosen.audit_dir:
        hint = "leave it out: other reports and the audit log are in document order"
        raise UsageError(
            "needs --format text or jsonl alone, without --audit", place="--unordered", hint=hint
        )


def _choose_selection(
    only: str | None, *, notes: bool, quiet: bool, summary: bool, verbose: bool
) -> Selection:
    """Return which references to show; UsageError where two flags contradict each other."""
    every = {"--only": bool(only), "--notes": notes, "--quiet": quiet, "--summary": summary}
    given = [flag for flag, is_given in every.items() if is_given]
    if len(given) > 1:
        raise UsageError("cannot be given together", place=" and ".join(given), hint="give one of them")
    if quiet:
        return Selection.QUIET
    if summary:
        return Selection.SUMMARY
    if notes and not verbose:
        return Selection.NOTES
    return Selection(only) if only else Selection.ALL if verbose else Selection.BRIEF


def _write_reports(
    opened: OpenedDocuments,
    targets: Sequence[tuple[report_output.ReportTarget, Reporter]],
    accepting: acceptance_flags.AcceptanceSession,
    fixing: FixSession | None,
    watch: run_notices.LookupCounter,
    *,
    verbose: bool,
) -> None:
    """Write the first report as it comes, then the others from memory; each reference is checked once.

    After Ctrl-C the first ends with what is done, unless it goes to a file.
    """
    checking, interruption = opened.checking, Interruption()
    logged = opened.verifier.keeper is not None  # then only what is in the audit log may be shown
    checked = _generate_checked(checking, interruption, watch, ordered=logged)
    passing = accepting.watch(
        fixing.watch(checked) if fixing else checked, checking.lost, checking.set_findings
    )
    kept: list[Checked] = []
    passing = _keep_references(passing, kept) if len(targets) > 1 else passing
    waiting = run_notices.list_waiting(opened.verifier)
    (form, path), reporter = targets[0]
    paths = RepositoryPaths()
    free = path is not None or not sys.stdout.isatty() or form == "text"

    def make_report(checked: Iterable[Checked]) -> ReferenceReport:
        return ReferenceReport(
            checking.run,
            checked,
            fail_on=accepting.fail_on,
            policy=accepting.policy,
            lost=checking.lost,
            locate=paths.locate_file,
            set_findings=lambda: accepting.set_findings,
        )

    with (
        interruption,
        StatusLine(checking.total, watch.labels, waiting, shown=free) as status,
        report_output.open_targets([target for target, _ in targets]) as writers,
    ):
        watch.tell = status.print_above if verbose else None
        show = status.write_around(writers[0])
        for chunk in reporter.report(make_report(passing)):
            show(chunk)
        if interruption.asked:  # and half a report does not replace a whole one
            done = f"interrupted after {accepting.outcome.labels.total():,} of {checking.total:,} references"
            raise KeyboardInterrupt(f"{done}: run again to continue, answers are saved")
        for (_, other), write in zip(targets[1:], writers[1:], strict=True):
            for chunk in other.report(make_report(kept)):
                write(chunk)


def _generate_checked(
    checking: CheckSession, interruption: Interruption, watch: run_notices.LookupCounter, *, ordered: bool
) -> Iterator[Checked]:
    """Yield what is checked in document order; after Ctrl-C, what is done though an earlier one is not."""
    yield from watch.watch(interruption.watch(checking))
    if interruption.asked and not ordered:
        yield from watch.take_finished()


def _keep_references(checked: Iterable[Checked], kept: list[Checked]) -> Iterator[Checked]:
    for reference in checked:
        kept.append(reference)
        yield reference


class Interruption:
    """Whether somebody asked the run to end; as a context it takes Ctrl-C until its end."""

    def __init__(self) -> None:
        self.asked = False
        self._waiting = False
        self._before: object = None

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def watch(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """Yield the things until somebody asks to end."""
        iterator = iter(things)
        try:
            while not self.asked:
                try:
                    self._waiting = True
                    thing = next(iterator)
                except StopIteration:
                    return
                except KeyboardInterrupt:
                    self.asked = True
                    return
                finally:
                    self._waiting = False
                yield thing
        finally:
            if isinstance(iterator, Iterator) and hasattr(iterator, "close"):
                iterator.close()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._waiting or self.asked:
            raise KeyboardInterrupt
        self.asked = True
