"""`citeproof fix`: documents in, their references corrected where a record passed the full match."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.fix import backups
from citeproof.answers.fix.corrected_files import CorrectedFile, FixOptions, suggest_bibliography
from citeproof.answers.fix.fix_results import build_fix_json
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import get_reporter
from citeproof.errors import UsageError, format_count
from citeproof.plumbing.output_files import write_file
from citeproof.service.exit_codes import Exit
from citeproof.service.fix_session import FixSession
from citeproof.service.input_kinds import STDIN, is_file_name
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, fix_words, report_output, run_notices, status_line
from citeproof.surfaces.cli.opened_documents import open_documents
from citeproof.vocabulary import Document

_STDOUT = Path("-")
_FORMATS = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}  # of a bibliography, by the end of its name


@click.command(short_help="Correct references in documents.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@command_options.add_options("fix")
def command(
    files: Sequence[str],
    *,
    diff: bool,
    write: bool,
    output: Path | None,
    safe: bool,
    interactive: bool,
    bibliography: Path | None,
    upgrade_preprints: bool,
    form: str,
    undo: bool,
    force: bool,
    explain_network: bool,
    **flags: object,
) -> int:
    """Correct the references of FILE…: BibTeX, RIS, CSL-JSON, Markdown, reStructuredText or plain text.

    References are checked as by `citeproof check`. A reference is changed only if one record matches it
    fully, and only in fields that are wrong or missing. No other byte changes. Without --write or -o,
    the changes are shown with their evidence and nothing is written. For a LaTeX document, the
    bibliography files that it uses are corrected. PDF, DOCX, HTML and others cannot be changed; for them
    --bibliography writes a corrected bibliography.

    \b
    citeproof fix refs.bib                     show the safe changes
    citeproof fix refs.bib --unsafe            include title, authors, year and venue
    citeproof fix refs.bib --write             make the safe changes, with a backup
    citeproof fix refs.bib -i --write          ask about one reference after the other
    citeproof fix refs.bib --diff              show the safe changes as a diff
    citeproof fix refs.bib -o fixed.bib        write a corrected copy
    citeproof fix paper.pdf --bibliography refs.bib
                                               write the references of a PDF, corrected
    citeproof fix --upgrade-preprints refs.bib cite published versions of preprints
    citeproof fix --undo refs.bib              undo the last --write

    \b
    Exit codes: 0 nothing left to fix, 1 problems remain, 2 wrong usage,
    3 nothing to check, 4 something could not be checked.
    """
    target = FixTarget(diff=diff, write=write, output=output, bibliography=bibliography, form=form)
    _refuse_fix_flags(files, target, undo=undo, force=force, interactive=interactive)
    if undo:
        return _undo_files(files, force=force)
    chosen = settings.load(command_options.collect_given_flags(**flags))
    watch = run_notices.LookupCounter()
    documents, verifier, checking = open_documents(files, chosen, watch, stage="fix")
    run_notices.print_warnings(wording.describe_overrides(checking.run))
    session = FixSession(documents, checking, writes=target.needs_writable)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        for _ in status_line.show_progress(session.watch(checking), checking.total, "checking", quiet=False):
            pass
    run_notices.print_problems(checking.run.problems, notes=False)
    elsewhere = bibliography is not None or bool(session.unwritable)
    wanted = FixOptions(
        unsafe=interactive or not safe, upgrade_preprints=upgrade_preprints, bibliography=elsewhere
    )
    ask = interactive and not session.empty
    return _ask_and_finish(session, wanted, target, chosen) if ask else finish_fix(session, wanted, target)


def _ask_and_finish(session: FixSession, wanted: FixOptions, target: FixTarget, chosen: Settings) -> Exit:
    """Ask about every change that could be made, make those that are wanted, and return the exit code."""
    from citeproof.surfaces.cli.fix_words import FixInterview  # noqa: PLC0415 - only -i needs it

    interview = FixInterview(session.correct_files(wanted), chosen.cache_dir)
    interview.ask_all()
    code = finish_fix(session, replace(wanted, ask=interview.find_objection), replace(target, brief=True))
    interview.keep_refusals()
    return code


@dataclass(frozen=True, slots=True)
class FixTarget:
    """What becomes of the changes: shown, or written somewhere."""

    diff: bool = False
    write: bool = False
    output: Path | None = None
    bibliography: Path | None = None
    form: str = "text"
    aside: bool = False  # standard output has something else to hold, such as a report
    brief: bool = False  # each change was shown already

    @property
    def written(self) -> bool:
        return self.write or self.output is not None or self.bibliography is not None

    @property
    def needs_writable(self) -> bool:
        """Whether the documents themselves must be in a format that can be written."""
        return self.write or self.diff or self.output is not None

    @property
    def words(self) -> TextIO:
        """Where the words for people go: not where a diff, an object or a document goes."""
        taken = self.aside or self.form == "json" or self.diff or _STDOUT in (self.output, self.bibliography)
        return sys.stderr if taken else sys.stdout


def finish_fix(session: FixSession, wanted: FixOptions, target: FixTarget) -> Exit:
    """Show or write the corrected files, say what was done, and return the exit code."""
    if session.empty:
        print("nothing to fix: no reference was found", file=sys.stderr)
        return Exit.NOTHING
    files = session.correct_files(wanted)
    to = target.words
    if target.form == "text" and not target.diff and not target.brief:
        fix_words.print_fix_report(files, to=to)
    if target.write:
        for fix in backups.write_fixes(files, undo="citeproof fix --undo FILE", copies=True):
            name, backup = wording.show_line(fix.name), wording.show_line(fix.backup.name)
            print(f"{name}: changed; the backup is {backup}", file=to)
    elif target.output is not None:
        _write_copy(files, session.documents, target.output)
    elif target.bibliography is not None:
        _write_bibliography(session, files, target.bibliography)
        count = format_count(sum(len(file.checked) for file in files), "reference")
        print(f"{wording.show_line(str(target.bibliography))}: {count} written", file=to)
    elif target.diff:
        for file in files:
            sys.stdout.writelines(file.diff())
    if target.form == "json":
        print(serializers.dump_printable(build_fix_json(files, written=target.written)))
    else:
        fix_words.print_fix_summary(files, written=target.written, to=to)
    if session.unwritable and not target.written:
        _offer_bibliography(session)
    return session.find_exit_code(files, written=target.written)


def _offer_bibliography(session: FixSession) -> None:
    """Say which documents cannot be changed, and the flag that writes a bibliography instead."""
    for name, form in session.unwritable.items():
        print(f"{wording.show_line(name)}: references in {form} are not written back", file=sys.stderr)
    flag = wording.show_line(suggest_bibliography(session.documents[0].name), 1000)
    print(f"  hint: to write a corrected bibliography instead, add: {flag}", file=sys.stderr)


def _write_bibliography(session: FixSession, files: Sequence[CorrectedFile], output: Path) -> None:
    """Write every reference, corrected, in the format of the file's name."""
    _refuse_source(output, [str(file.path) for file in files if file.path is not None])
    path = None if output == _STDOUT else output
    with report_output.open_destination(path, text=False) as write:
        for chunk in get_reporter(_get_bibliography_format(output)).report(session.make_bibliography(files)):
            write(chunk)


def _get_bibliography_format(output: Path) -> str:
    form = "bibtex" if output == _STDOUT else _FORMATS.get(output.suffix.lower())
    if form is None:
        message = f"cannot tell the format from the name {output.name!r}"
        raise UsageError(message, place="--bibliography", hint=f"end it in {', '.join(_FORMATS)}")
    return form


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
    files: Sequence[str], target: FixTarget, *, undo: bool, force: bool, interactive: bool
) -> None:
    """Raise a UsageError for flags that contradict each other."""
    output, bibliography = target.output, target.bibliography
    given = {"--diff": target.diff, "--write": target.write, "-o": output, "--bibliography": bibliography}
    command_options.refuse_together("fix", {**given, "--undo": undo})
    command_options.refuse_alone("--force", force, "--undo", undo)
    if output is not None and len(files) > 1:
        raise UsageError(
            "cannot write several documents to one file", place="-o", hint="name one FILE, or use --write"
        )
    if output is not None:
        _refuse_source(output, files)
    if bibliography is not None:
        _get_bibliography_format(bibliography)
        _refuse_source(bibliography, files)
    if STDIN in files and (target.write or undo):
        raise UsageError("standard input cannot be changed", place="-", hint="use -o OUT, or name a file")
    for name in files if target.write or undo else ():
        if not is_file_name(name):
            raise UsageError("only a file can be changed", place=name, hint="use -o OUT, or name a file")
    if STDIN in files and interactive:
        hint = "save the document as a file"
        raise UsageError("standard input holds the document, not the answers", place="-i", hint=hint)
    if target.form == "json" and (target.diff or _STDOUT in (output, bibliography)):
        hint = "give a file, or leave --format out"
        raise UsageError("standard output cannot hold both", place="--format json", hint=hint)


def _refuse_source(output: Path, files: Sequence[str]) -> None:
    """Raise a UsageError for a copy that would take the place of a file it is made of."""
    named = [Path(name) for name in files if name != STDIN]
    if output != _STDOUT and output.exists() and any(p.exists() and output.samefile(p) for p in named):
        message = "the output is the document itself or its bibliography"
        raise UsageError(message, place="-o", hint="use --write, which keeps a backup")
