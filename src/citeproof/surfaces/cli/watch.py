"""`citeproof watch`: what changed in a library since the last time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers.reporters import wording
from citeproof.errors import CiteproofError
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import (
    acceptance_flags,
    command_options,
    network_report,
    report_output,
    run_notices,
)
from citeproof.surfaces.cli.reading_sign import SIGN
from citeproof.surfaces.cli.status_line import StatusLine
from citeproof.vocabulary import FailOn

if TYPE_CHECKING:
    from citeproof.service.library_changes import LibraryComparison, WatchedLibrary
    from citeproof.service.watch_state import WatchedReport, WatchState
    from citeproof.settings import Settings
    from citeproof.surfaces.cli.watch_report import WatchedResult

FRESH_HOURS = 12  # older answers of registries are asked for again: a retraction may have come since


@click.command(short_help="Report what changed in a library since the last run.")
@click.argument("libraries", nargs=-1, required=True, metavar="LIBRARY…", type=click.Path())
@command_options.add_options("watch")
def command(
    libraries: Sequence[str],
    *,
    state: Path | None,
    reset: bool,
    form: str,
    output: Path | None,
    explain_network: bool,
    **flags: object,
) -> int:
    """Check LIBRARY… (BibTeX or any document) and print only what changed since the last run.

    Reported are: a new finding, such as a retraction or a published version of a preprint; a finding that is
    gone; a reference that was not found and now is; another label; an entry that was added or removed.
    An entry is known again when its key changes. Where nothing changed, nothing is printed.

    The first run stores a report and says so. The stored report is signed; one that was changed since is
    refused. It is replaced after the changes were printed, so that none is lost if a run is killed.
    A reference that cannot be checked today keeps its earlier result.

    \b
    citeproof watch library.bib
    citeproof lists update && citeproof watch library.bib
    citeproof watch library.bib --offline --snapshot works
    citeproof watch thesis.bib papers.bib --format json
    citeproof watch library.bib --state .citeproof/watch.json --format md -o changes.md
    citeproof watch library.bib --fail-on retracted,predatory_source

    \b
    Exit codes: 0 nothing new or nothing that fails, 1 a change that fails (--fail-on),
    2 wrong usage or an earlier report that cannot be trusted, 3 no references,
    4 some references could be checked before and not today.
    """
    chosen = _ask_again(settings.load(command_options.collect_given_flags(**flags)))
    watching = LibraryWatch(chosen, libraries, state, reset=reset, explain=explain_network)
    with ExitStack() as held:
        watching.open(held)
        results = watching.compare()
        _print_results(results, form, output)
        watching.store()
    return watching.finish(results)


def _ask_again(chosen: Settings) -> Settings:
    """Return the settings with answers of registries no older than a daily run needs them."""
    names = ("keep_found_hours", "keep_absent_hours", "keep_notice_hours")
    hours = {name: min(getattr(chosen, name), FRESH_HOURS) for name in names}
    return replace(chosen, **hours)


@dataclass(slots=True)
class LibraryWatch:
    """The libraries of one run, their earlier reports, and what is to be stored."""

    chosen: Settings
    libraries: Sequence[str]
    state: Path | None
    reset: bool
    explain: bool
    _states: dict[Path, WatchState] = field(default_factory=dict)
    _former: dict[Path, WatchedReport | None] = field(default_factory=dict)
    _kept: dict[Path, dict[str, WatchedLibrary]] = field(default_factory=dict)
    _failed: list[CiteproofError] = field(default_factory=list)

    def open(self, held: ExitStack) -> None:
        """Lock and read every earlier report before anything is checked."""
        from citeproof.service.watch_state import WatchState  # noqa: PLC0415 - --help does without keys

        for library in self.libraries:
            state = WatchState(self.chosen, self.state, library)
            if state.path not in self._states:
                held.enter_context(state.hold())
                self._states[state.path] = state
                self._former[state.path] = None if self.reset else state.read()

    def compare(self) -> list[WatchedResult]:
        """Return each library, checked and compared; one that cannot be read does not cost the others."""
        from citeproof.service.watch_state import WatchState, name_library  # noqa: PLC0415 - same
        from citeproof.surfaces.cli.watch_report import WatchedResult  # noqa: PLC0415 - same

        results = []
        for library in dict.fromkeys(self.libraries):
            path, name = WatchState(self.chosen, self.state, library).path, name_library(library, self.state)
            report = self._former[path]
            former = report.libraries.get(name) if report else None
            try:
                compared = self._compare_library(library, former)
            except CiteproofError as error:
                self._failed.append(error)
                continue
            self._kept.setdefault(path, {})[name] = compared.kept
            results.append(WatchedResult(library, str(path), former.checked if former else "", compared))
        return results

    def _compare_library(self, library: str, former: WatchedLibrary | None) -> LibraryComparison:
        with SIGN.show([library]):
            from citeproof.service.library_changes import compare_libraries  # noqa: PLC0415 - takes its time
            from citeproof.surfaces.cli.opened_documents import open_documents  # noqa: PLC0415 - same

            counter = network_report.LookupCounter()
            opened = open_documents([library], self.chosen, counter, stage="watch")
        accepting = acceptance_flags.AcceptanceSession(self.chosen, None)
        checking, waiting = opened.checking, network_report.list_waiting(opened.verifier)
        with (
            run_notices.print_notices_afterwards(opened.verifier, counter, explain=self.explain),
            StatusLine(checking.total, counter.labels, waiting, shown=True),
        ):
            checked = list(accepting.watch(counter.watch(checking), checking.lost, checking.set_findings))
        if former is None or checking.lost > former.lost:
            run_notices.print_problems(checking.run.problems, notes=False)
        return compare_libraries(
            former,
            checked,
            accepting.set_findings,
            accepting.fail_on,
            started=checking.run.started,
            lost=checking.lost,
        )

    def store(self) -> None:
        """Replace the earlier reports; called once the changes are out."""
        from citeproof.service.watch_state import merge_reports  # noqa: PLC0415 - same

        for path, libraries in self._kept.items():
            self._states[path].write(merge_reports(self._former[path], libraries))

    def finish(self, results: Sequence[WatchedResult]) -> Exit:
        """Say what could not be done, and return the exit code."""
        for error in self._failed[:-1]:
            print(f"error: {wording.show_line(f'{error.place}: {error.message}', 2000)}", file=sys.stderr)
        if self._failed:
            raise self._failed[-1]
        missing = sum(result.comparison.not_today for result in results)
        if missing:
            count = wording.format_count(missing, "reference")
            message = f"{count} could be checked before and not today; the earlier results stand"
            print(f"warning: {message}", file=sys.stderr)
        if any(news.fails for result in results for news in result.comparison.news):
            return Exit.PROBLEMS
        all_missing = missing == sum(len(result.comparison.kept.references) for result in results)
        if missing and (all_missing or FailOn.UNCHECKED in self.chosen.fail_on):
            return Exit.UNCHECKED
        known = any(result.since or result.comparison.kept.references for result in results)
        return Exit.CLEAN if known else Exit.NOTHING


def _print_results(results: Sequence[WatchedResult], form: str, output: Path | None) -> None:
    """Write the report, whole, before anything is stored."""
    from citeproof.surfaces.cli.watch_report import format_results  # noqa: PLC0415 - same

    chunks = list(format_results(results, form))
    if output is None and not chunks:
        return
    with report_output.open_destination(output, text=form == "text") as write:
        for chunk in chunks:
            write(chunk)
