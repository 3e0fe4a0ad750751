"""`citeproof fix`: documents in, their references corrected where a record passed the full match."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import serializers, settings
from citeproof.errors import UsageError
from citeproof.fix import backups
from citeproof.fix.corrected_files import CorrectedFile, FixOptions
from citeproof.fix.fix_summary import build_fix_json
from citeproof.output_files import write_file
from citeproof.reporters import wording
from citeproof.service.exit_codes import Exit
from citeproof.service.fix_session import FixSession
from citeproof.service.input_kinds import STDIN, is_file_name
from citeproof.surfaces.cli import (
    fix_words,
    network_report,
    progress_bar,
    run_notices,
    setting_flags,
)
from citeproof.surfaces.cli.opened_documents import open_documents
from citeproof.vocabulary import Document

_STDOUT = Path("-")


@click.command(short_help="Correct references in documents.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@setting_flags.add_evidence_flags
@setting_flags.add_audit_flags
@click.option(
    "--diff", "diff", is_flag=True, help="Show what would change without changing anything. The default."
)
@click.option("-w", "--write", is_flag=True, help="Change the files in place and keep a backup of each.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT",
    help="Write the corrected document to this file (- is standard output).",
)  # fmt: skip
@click.option(
    "--safe/--unsafe", "safe", default=True,
    help="Make only safe changes (a missing DOI, a wrong page), or all changes that the record "
    "supports: title, authors, year, venue, identifiers.  [default: safe]",
)  # fmt: skip
@click.option("-i", "--interactive", is_flag=True, help="Ask about each change: yes, no, all, quit.")
@click.option("--upgrade-preprints", is_flag=True, help="Cite the published version of a cited preprint.")
@setting_flags.make_format_flag(
    "text", "json", about="Output format: a diff with a summary, or one JSON object."
)
@click.option("--undo", is_flag=True, help="Restore the files as they were before the last --write.")
@click.option("--force", is_flag=True, help="With --undo: restore the file even if it was edited since.")
def command(
    files: Sequence[str],
    *,
    diff: bool,
    write: bool,
    output: Path | None,
    safe: bool,
    interactive: bool,
    upgrade_preprints: bool,
    form: str,
    undo: bool,
    force: bool,
    explain_network: bool,
    **flags: object,
) -> int:
    """Correct the references of FILE…: BibTeX, RIS, CSL-JSON, Markdown or plain text.

    References are checked as by `citeproof check`. A reference is changed only if one record matches it
    fully, and only in fields that are wrong or missing. No other byte changes. Without --write or -o,
    the changes are shown as a diff and nothing is written. For a LaTeX document, the bibliography files
    that it uses are corrected.

    \b
    citeproof fix refs.bib                     show the safe changes as a diff
    citeproof fix refs.bib --unsafe            include title, authors, year and venue
    citeproof fix refs.bib --write             make the safe changes, with a backup
    citeproof fix refs.bib --unsafe -i --write ask about each change
    citeproof fix refs.bib -o fixed.bib        write a corrected copy
    citeproof fix --upgrade-preprints refs.bib cite published versions of preprints
    citeproof fix --undo refs.bib              undo the last --write

    \b
    Exit codes: 0 nothing left to fix, 1 problems remain, 2 wrong usage,
    3 nothing to check, 4 something could not be checked.
    """
    _refuse_fix_flags(files, diff=diff, write=write, output=output, form=form, undo=undo, force=force)
    if undo:
        return _undo_files(files, force=force)
    chosen = settings.load(setting_flags.collect_given_flags(**flags))
    watch = network_report.LookupCounter()
    documents, verifier, checking = open_documents(files, chosen, watch, stage="fix")
    network_report.print_warnings(wording.describe_overrides(checking.run))
    session = FixSession(documents, checking)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        for _ in progress_bar.show_progress(session.watch(checking), checking.total, "checking", quiet=False):
            pass
    run_notices.print_problems(checking.run.problems, notes=False)
    ask = fix_words.ChangePrompt() if interactive else None
    wanted = FixOptions(unsafe=interactive or not safe, upgrade_preprints=upgrade_preprints, ask=ask)
    return finish_fix(session, wanted, write=write, output=output, form=form)


def finish_fix(
    session: FixSession,
    wanted: FixOptions,
    *,
    write: bool,
    output: Path | None = None,
    form: str = "text",
    aside: bool = False,
) -> Exit:
    """Show or write the corrected files, say what was done, and return the exit code.

    `aside`: standard output has something else to hold, such as a report.
    """
    if session.empty:
        print("nothing to fix: no reference was found", file=sys.stderr)
        return Exit.NOTHING
    files = session.correct_files(wanted)
    written = write or output is not None
    quiet = aside or form == "json" or not (write or (output is not None and output != _STDOUT))
    to = sys.stderr if quiet else sys.stdout
    if write:
        for one in backups.write_fixes(files, undo="citeproof fix --undo FILE", copies=True):
            name, backup = wording.show_line(one.name), wording.show_line(one.backup.name)
            print(f"{name}: changed; the backup is {backup}", file=to)
    elif output is not None:
        _write_copy(files, session.documents, output)
    elif form == "text":
        for file in files:
            sys.stdout.writelines(file.diff())
    if form == "json":
        print(serializers.dump_printable(build_fix_json(files, written=written)))
    else:
        fix_words.print_fix_summary(files, written=written, to=to)
    return session.find_exit_code(files, written=written)


def _write_copy(files: Sequence[CorrectedFile], documents: Sequence[Document], output: Path) -> None:
    """Write the one corrected document elsewhere, also when nothing was to be changed."""
    if len(files) > 1:
        hint = "use --write, or name the bibliographies one by one"
        raise UsageError("the references are in several files", place="-o", hint=hint)
    _refuse_source(output, [str(file.path) for file in files if file.path is not None])
    data = files[0].new if files else documents[0].data
    if output == _STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        write_file(output, data)


def _undo_files(files: Sequence[str], *, force: bool) -> Exit:
    for name in files:
        backup = backups.undo_change(Path(name), force=force)
        print(f"{wording.show_line(name)}: restored from {wording.show_line(backup.name)}")
    return Exit.CLEAN


def _refuse_fix_flags(
    files: Sequence[str],
    *,
    diff: bool,
    write: bool,
    output: Path | None,
    form: str,
    undo: bool,
    force: bool,
) -> None:
    """Raise a UsageError for flags that contradict each other."""
    setting_flags.refuse_together("fix", {"--diff": diff, "--write": write, "-o": output, "--undo": undo})
    setting_flags.refuse_alone("--force", force, "--undo", undo)
    if output is not None and len(files) > 1:
        raise UsageError(
            "cannot write several documents to one file", place="-o", hint="name one FILE, or use --write"
        )
    if output is not None:
        _refuse_source(output, files)
    for name in files if write or undo else ():
        if name == STDIN:
            raise UsageError("standard input cannot be changed", place="-", hint="use -o OUT, or name a file")
        if not is_file_name(name):
            raise UsageError("only a file can be changed", place=name, hint="use -o OUT, or name a file")
    if form == "json" and output == _STDOUT:
        hint = "give -o a file, or leave --format out"
        raise UsageError("standard output cannot hold both", place="--format json", hint=hint)


def _refuse_source(output: Path, files: Sequence[str]) -> None:
    """Raise a UsageError for a copy that would take the place of a file it is made of."""
    named = [Path(name) for name in files if name != STDIN]
    if output != _STDOUT and output.exists() and any(p.exists() and output.samefile(p) for p in named):
        message = "the output is the document itself or its bibliography"
        raise UsageError(message, place="-o", hint="use --write, which keeps a backup")
