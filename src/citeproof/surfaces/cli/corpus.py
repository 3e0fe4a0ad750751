"""`citeproof corpus`: Markdown documents in, a report on their citations out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from citeproof.answers.fix import backups
from citeproof.answers.reporters import base, wording
from citeproof.answers.reporters.base import Reporter
from citeproof.corpus.code.citation_writer import write_code_citation
from citeproof.corpus.corpus_types import DocumentResult, Mode, shorten_result
from citeproof.corpus.project_root import ProjectRoot
from citeproof.corpus.reports import report_file
from citeproof.corpus.reports.report_rows import CorpusRunReport
from citeproof.errors import CiteproofError, UsageError
from citeproof.service.corpus_project import (
    CorpusFixes,
    CorpusOutcome,
    Project,
    ProjectOptions,
    find_corpus_fixes,
    load_project_settings,
    make_report_head,
    shorten_path,
)
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, main, report_output, run_notices, status_line
from citeproof.text import lazy_patterns as re

_LINKED = "was one file with another name (a hard link); the other keeps the old text"
_SAID = 1000  # characters of an error, with its place and hint


@dataclass(frozen=True, slots=True)
class CorpusFixResult:
    """What became of the documents."""

    changes: tuple[tuple[str, int], ...] = ()  # (document, how many) for each that was written
    seen: list[DocumentResult] | None = None  # results of all documents; None if they may be others now


def fix_documents(project: Project, documents: Sequence[Path], *, dry: bool, aside: bool) -> CorpusFixResult:
    """Fix documents, show the diff, and return what was written.

    `aside`: standard output has something else to hold, such as a report for programs.
    """
    to = sys.stderr if aside else sys.stdout
    results = project.results(documents, citations=False)
    seen = list(status_line.show_progress(results, len(documents), "looking for fixes", quiet=False))
    fixes = find_corpus_fixes(project, documents, seen)
    _print_unfixed(fixes)
    files = fixes.files
    for file in files:
        to.writelines(file.diff())
    if files:
        print(file=to)
    if dry:
        count = f"{len(files)} document{'' if len(files) == 1 else 's'}"
        print(f"{count} would change; nothing was written", file=sys.stderr)
        return CorpusFixResult(seen=seen)
    for fix in backups.write_fixes(files, undo="citeproof corpus --undo FILE", copies=False):
        if fix.linked:
            _print_about(fix.name, _LINKED)
        _print_about(fix.name, f"changed; the backup is {fix.backup.name}")
    changes = tuple((file.name, len(file.edits)) for file in files)
    return CorpusFixResult(changes, None if changes else seen)  # a document may cite one that was written


def undo_fixes(documents: Sequence[Path], *, force: bool) -> Exit:
    """Put back what the last --fix replaced, and return the exit code."""
    refused: list[UsageError] = []
    done = False
    for path, backup in backups.undo_changes(documents, force=force):
        if isinstance(backup, UsageError):
            refused.append(backup)
            continue
        done = True
        print(f"{wording.show_line(str(path))}: restored from {wording.show_line(backup.name)}", flush=True)
    for other in refused[1:]:
        _print_error(other)
    if refused:
        raise refused[0]
    if not done:
        print("nothing to restore: no document here has a backup of `corpus --fix`", file=sys.stderr)
    return Exit.CLEAN if done else Exit.NOTHING


def _print_unfixed(fixes: CorpusFixes) -> None:
    """Print which documents are not the project's to write, and which could not be read."""
    for path in fixes.chosen.outside:
        _print_about(shorten_path(path), "a link points outside the root; it is not fixed")
    if count := fixes.chosen.evidence.total():
        what = "1 file is" if count == 1 else f"{count} files are"
        below = wording.list_names(sorted(fixes.chosen.evidence))
        print(f"not fixed: {what} evidence, below {below}", file=sys.stderr)
    for name, error in fixes.failed:
        if isinstance(error, CiteproofError):
            _print_error(error)
        else:
            _print_about(name, f"{error}; it was not changed")


def _print_about(name: str, what: str) -> None:
    print(f"{wording.show_line(name)}: {wording.show_line(what)}", file=sys.stderr)


def _print_error(error: CiteproofError) -> None:
    """Print an error, and its hint on the next line."""
    message = f"{error.place}: {error.message}" if error.place else error.message
    print(wording.show_line(message, _SAID), file=sys.stderr)
    if error.hint:
        print(f"  hint: {wording.show_line(error.hint, _SAID)}", file=sys.stderr)


_SETTINGS = ("snapshots", "offline", "sources", "contact", "format", "corpus_root")
_LINES = re.compile(r"^(.*):L?([0-9]{1,9})(?:-L?([0-9]{1,9}))?$", re.DOTALL)


@click.command(short_help="Print a code citation to paste.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH[:L1-9]…", type=click.Path())
@command_options.add_options("corpus cite")
def cite_command(paths: Sequence[str], *, corpus_root: Path | None, footer: bool) -> int:
    """Print a citation of the current file, with the hash that `citeproof corpus` checks.

    \b
    citeproof corpus cite src/auth/login.ts:L42-58
    citeproof corpus cite src/auth/login.ts --footer
    """
    folder, chosen = load_project_settings([], {"corpus_root": corpus_root})
    root = ProjectRoot(folder, chosen.corpus_max_bytes)
    for given in paths:
        path, lines = _split_line_range(given)
        made = write_code_citation(root, Path(path).absolute(), lines, footer=footer)
        print(wording.show_line(made, 2000))
    return 0


def _split_line_range(given: str) -> tuple[str, str]:
    """Return path and lines; if a file has the whole text as its name, that file."""
    match = _LINES.match(given)
    if match is None or Path(given).exists():
        return given, ""
    path, first, last = match.groups()
    return path, f"L{first}-{last}" if last else f"L{first}"


class CorpusCommand(click.Command):
    """`corpus cite …` is a separate command; everything else is a path or a flag of this one."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any  # noqa: ANN401 - click's shape
    ) -> click.Context:  # fmt: skip
        if args and args[0] == "cite":
            return cite_command.make_context(f"{info_name} cite", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=CorpusCommand, short_help="Verify Markdown documents against a research corpus and files.")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path())
@command_options.add_options("corpus", formats=base.list_formats())
def command(paths: Sequence[str], **flags: Any) -> int:  # noqa: ANN401 - each by its option
    """Verify the citations of Markdown documents against a research corpus, and code citations against files.

    PATH… are documents, folders or patterns; default: all .md files of the current folder. The command
    checks @-mentions of sources and findings, REF ids, DOIs, author–year mentions, quotations and pages,
    statistics, code citations, and whether the language fits the GRADE level of the source.

    \b
    citeproof corpus docs
    citeproof corpus docs --strict --format sarif -o corpus.sarif
    citeproof corpus answer.md --rlm
    citeproof corpus docs --fix --diff
    citeproof corpus docs --fix
    citeproof corpus docs --undo
    citeproof corpus cite src/auth/login.ts:L42-58

    \b
    Exit codes: 0 PASS, 1 FAIL (an error), 2 wrong usage, 3 no documents,
    4 PASS, but something could not be checked.
    """
    wanted = CorpusRequest(paths, flags)
    watch = run_notices.LookupCounter()
    project = wanted.project(watch)
    try:
        return wanted.run(project)
    finally:
        project.close()
        if project.dois.verifier is not None:
            run_notices.print_run_notices(project.dois.verifier, watch, explain=flags["explain_network"])


class CorpusRequest:
    """What the command line asks for."""

    def __init__(self, paths: Sequence[str], flags: dict[str, Any]) -> None:
        _refuse_corpus_flags(flags)
        self.paths, self.flags = paths, flags
        given = command_options.collect_given_flags(**{name: flags[name] for name in _SETTINGS})
        self.root, self.settings = load_project_settings(paths, given)

    def project(self, watch: run_notices.LookupCounter) -> Project:
        """Return the project, opened."""
        flags = self.flags
        choice = ProjectOptions(
            recursive=flags["recursive"],
            include=flags["include"],
            exclude=flags["exclude"],
            jobs=flags["jobs"] or 0,
            strict=flags["strict"],
            cached=not flags["no_cache"],
        )
        mode = Mode(corpus_only=flags["corpus_only"], code_only=flags["rlm"])
        return Project(self.settings, self.root, mode, choice, observer=watch)

    def run(self, project: Project) -> Exit:
        """Verify (and fix) the documents once, report, and return the exit code."""
        documents = project.documents(self.paths)
        main.freeze_loaded_objects()
        if self.flags["undo"]:
            return undo_fixes(documents, force=self.flags["force"])
        if not documents:
            where = wording.list_names(self.paths) if self.paths else "the current folder"
            print(f"nothing to check: no Markdown document in {where}", file=sys.stderr)
            return Exit.NOTHING
        reporter = report_output.choose_reporter(self.settings.format, self.flags["output"])
        aside = reporter.name != "terminal" or self.flags["output"] is not None
        fixed = CorpusFixResult()
        if self.flags["fix"]:
            fixed = fix_documents(project, documents, dry=self.flags["diff"], aside=aside)
        return self._report(project, documents, reporter, fixed)

    def _report(
        self, project: Project, documents: Sequence[Path], reporter: Reporter, fixed: CorpusFixResult
    ) -> Exit:
        head = make_report_head(project, documents, fixed.changes)
        run_notices.print_warnings(head.troubles if CorpusRunReport.kind in reporter.lists_only else ())
        kept: list[DocumentResult] | None = [] if self.flags["report"] else None
        outcome = CorpusOutcome()
        quiet = self.flags["output"] is None and sys.stdout.isatty() and reporter.name != "terminal"

        def load(citations: bool) -> Iterator[DocumentResult]:
            known = None if citations else fixed.seen
            results = project.results(documents, citations=citations) if known is None else known
            shown = status_line.show_progress(results, len(documents), "verifying", quiet=quiet)
            for result in outcome.watch(shown):
                if kept is not None:
                    kept.append(shorten_result(result))
                yield result

        # A lambda, because the corpus is read by formats that name its works, and by no other.
        report = CorpusRunReport(head, load, lambda path: project.ground.library.find_entry(path))  # noqa: PLW0108
        with report_output.open_destination(self.flags["output"], text=reporter.name == "terminal") as write:
            for chunk in reporter.report(report):
                write(chunk)
        if kept is not None:
            text = "".join(base.get_reporter("md").report(CorpusRunReport(head, lambda _: kept)))
            saved = report_file.save_report(project.root, project.layout.report, text)
            print(f"report saved to {wording.show_line(str(saved), 1000)}", file=sys.stderr)
        if project.keeping is not None and project.keeping.trouble:
            print(f"warning: {wording.show_line(project.keeping.trouble)}", file=sys.stderr)
        return outcome.code()


def _refuse_corpus_flags(flags: dict[str, Any]) -> None:
    """Raise a UsageError for flags that contradict each other."""
    for flag, other in (("--rlm", "--corpus-only"), ("--fix", "--undo")):
        pair = {name: flags[name[2:].replace("-", "_")] for name in (flag, other)}
        command_options.refuse_together("corpus", pair)
    command_options.refuse_alone("--diff", flags["diff"], "--fix", flags["fix"])
    command_options.refuse_alone("--force", flags["force"], "--undo", flags["undo"])
