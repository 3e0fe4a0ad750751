"""`citeproof corpus`: Markdown documents in, a report on their citations out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from citeproof.corpus.corpus_types import DocumentResult, Mode, shorten_result
from citeproof.corpus.reports import report_file
from citeproof.corpus.reports.report_rows import CorpusRunReport
from citeproof.reporters import base, wording
from citeproof.reporters.base import Reporter
from citeproof.service.corpus_project import Project, ProjectOptions, load_project_settings
from citeproof.service.corpus_report import CorpusOutcome, make_report_head
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import (
    garbage_collection,
    network_report,
    progress_bar,
    report_output,
    run_notices,
    setting_flags,
)
from citeproof.surfaces.cli.corpus import cite, corpus_fix, watch_loop

_SETTINGS = ("snapshots", "offline", "sources", "contact", "format", "corpus_root")
_NOT_WATCHED = (("--fix", "--watch"), ("--undo", "--watch"), ("--output", "--watch"))
BESIDE = {"cite": cite.command}  # words that are commands of their own when they stand first


class CorpusCommand(click.Command):
    """`corpus cite …` is a separate command; everything else is a path or a flag of this one."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any  # noqa: ANN401 - click's shape
    ) -> click.Context:  # fmt: skip
        if args and args[0] in BESIDE:
            return BESIDE[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=CorpusCommand, short_help="Verify Markdown documents against a research corpus and files.")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--strict", is_flag=True, help="Treat every warning as an error.")
@click.option("--fix", is_flag=True, help="Fix the documents and keep a backup of each.")
@click.option(
    "--diff", "diff", is_flag=True, help="With --fix: show what would change without changing anything."
)
@click.option("--undo", is_flag=True, help="Restore the documents as they were before the last --fix.")
@click.option("--force", is_flag=True, help="With --undo: restore a document even if it was edited since.")
@click.option("--report", is_flag=True, help="Also save the report below the root.  [corpus_report]")
@click.option("--corpus-only", is_flag=True, help="Check only @-mentions of sources and findings.")
@click.option(
    "--rlm", is_flag=True, help="Check only code citations, like [src/a.py@0123456789abcdef, L1-9]."
)
@click.option("-r", "--recursive", is_flag=True, help="Without PATH: include subfolders.")
@click.option(
    "--include", multiple=True, metavar="GLOB", help="Only documents whose path below the root matches."
)
@click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Skip documents whose path below the root matches."
)
@setting_flags.make_setting_flag("corpus_root", metavar="DIR", type=click.Path(path_type=Path))
@setting_flags.make_setting_flag("format", type=click.Choice(base.list_formats()))
@setting_flags.make_output_flag("the report")
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 64), metavar="N", help="Number of processes that read documents."
)
@click.option("--no-cache", is_flag=True, help="Do not use or store cached results.")
@click.option("--watch", is_flag=True, help="Keep running and verify again when something changes.")
@setting_flags.add_evidence_flags
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
    watch = network_report.LookupCounter()
    if flags["watch"]:
        watch_loop.watch_documents(lambda: CorpusRequest(paths, flags), paths)
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
        given = setting_flags.collect_given_flags(**{name: flags[name] for name in _SETTINGS})
        self.root, self.settings = load_project_settings(paths, given)

    def project(self, watch: network_report.LookupCounter) -> Project:
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
        garbage_collection.freeze_loaded_objects()
        if self.flags["undo"]:
            return corpus_fix.undo_fixes(documents, force=self.flags["force"])
        if not documents:
            where = wording.list_names(self.paths) if self.paths else "the current folder"
            print(f"nothing to check: no Markdown document in {where}", file=sys.stderr)
            return Exit.NOTHING
        reporter = report_output.choose_reporter(self.settings.format, self.flags["output"])
        aside = reporter.name != "terminal" or self.flags["output"] is not None
        fixed = corpus_fix.CorpusFixResult()
        if self.flags["fix"]:
            fixed = corpus_fix.fix_documents(project, documents, dry=self.flags["diff"], aside=aside)
        return self._report(project, documents, reporter, fixed)

    def _report(
        self,
        project: Project,
        documents: Sequence[Path],
        reporter: Reporter,
        fixed: corpus_fix.CorpusFixResult,
    ) -> Exit:
        head = make_report_head(project, documents, fixed.changes)
        network_report.print_warnings(head.troubles if CorpusRunReport.kind in reporter.lists_only else ())
        kept: list[DocumentResult] | None = [] if self.flags["report"] else None
        outcome = CorpusOutcome()
        quiet = self.flags["output"] is None and sys.stdout.isatty() and reporter.name != "terminal"

        def load(citations: bool) -> Iterator[DocumentResult]:
            known = None if citations else fixed.seen
            results = project.results(documents, citations=citations) if known is None else known
            shown = progress_bar.show_progress(results, len(documents), "verifying", quiet=quiet)
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
    for one, other in (("--rlm", "--corpus-only"), ("--fix", "--undo"), *_NOT_WATCHED):
        pair = {name: flags[name[2:].replace("-", "_")] for name in (one, other)}
        setting_flags.refuse_together("corpus", pair)
    setting_flags.refuse_alone("--diff", flags["diff"], "--fix", flags["fix"])
    setting_flags.refuse_alone("--force", flags["force"], "--undo", flags["undo"])
