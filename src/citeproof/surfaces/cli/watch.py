"""`citeproof watch`: what changed in a library since the last time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.markdown import escape_markdown
from citeproof.errors import CiteproofError, format_count
from citeproof.service.exit_codes import Exit
from citeproof.service.library_changes import (
    UNCHECKED,
    LibraryComparison,
    LibraryNews,
    NewsKind,
    WatchedFinding,
    WatchedLibrary,
)
from citeproof.surfaces.cli import acceptance_flags, command_options, report_output, run_notices
from citeproof.surfaces.cli.status_line import SIGN, StatusLine
from citeproof.vocabulary import FailOn, Label, Place

if TYPE_CHECKING:
    from citeproof.service.library_changes import LibraryComparison, WatchedLibrary
    from citeproof.service.watch_state import WatchedReport, WatchState
    from citeproof.settings import Settings

SCHEMA = "citeproof/watch-report/1"
_MOST_KEYS = 10  # that the first report names for a finding


@dataclass(frozen=True, slots=True)
class WatchedResult:
    """One library as it was compared; `since` is the time of its earlier report, empty on the first run."""

    library: str
    state: str
    since: str
    comparison: LibraryComparison

    def json(self) -> serializers.Json:
        """Return it for programs."""
        kept = self.comparison.kept
        return {
            "library": self.library,
            "state": self.state,
            "since": self.since or None,
            "checked": kept.checked,
            "first": not self.since,
            "references": len(kept.references),
            "labels": _count_labels(kept),
            "not_today": self.comparison.not_today,
            "changes": [news.json() for news in self.comparison.news],
        }


def format_results(results: Sequence[WatchedResult], form: str) -> Iterator[str]:
    """Yield the report in pieces; none where nothing changed, but for JSON."""
    if form == "json":
        whole = {"schema": SCHEMA, "citeproof": serializers.get_version()}
        yield serializers.dump_pretty({**whole, "libraries": [result.json() for result in results]}) + "\n"
        return
    write = _format_markdown if form == "md" else _format_text
    for result in results:
        if not result.since or result.comparison.news:
            yield from write(result)


def _format_text(result: WatchedResult) -> Iterator[str]:
    yield f"{wording.show_line(result.library)}: {_describe_head(result)}\n"
    for line in _describe_first(result) if not result.since else ():
        yield f"  {line}\n"
    for news in result.comparison.news:
        title = f"  {wording.show_line(news.title, 100)}" if news.title else ""
        yield f"  {'✗' if news.fails else '•'} {wording.show_line(news.key, 200)}{title}\n"
        yield f"      {_describe_news(news)}\n"
        if news.file:
            yield f"      {wording.format_place(Place(news.file, news.line))}\n"


def _format_markdown(result: WatchedResult) -> Iterator[str]:
    yield f"## {escape_markdown(result.library)}\n\n{escape_markdown(_describe_head(result))}\n\n"
    for line in _describe_first(result) if not result.since else ():
        yield f"- {escape_markdown(line, 2000)}\n"
    if result.comparison.news:
        yield "| | key | title | what changed |\n| --- | --- | --- | --- |\n"
    for news in result.comparison.news:
        cells = (news.key, wording.show_line(news.title, 160), _describe_news(news))
        row = " | ".join(escape_markdown(cell, 2000) for cell in cells)
        yield f"| {'❌' if news.fails else 'ℹ️'} | {row} |\n"
    yield "\n"


def _describe_head(result: WatchedResult) -> str:
    if result.since:
        count = format_count(len(result.comparison.news), "change")
        return f"{count} since {result.since}"
    counts = _count_labels(result.comparison.kept)
    total = format_count(sum(counts.values()), "reference")
    each = ", ".join(f"{count:,} {name.lower()}" for name, count in counts.items() if count)
    return f"first report stored: {total}" + (f" ({each})" if each else "")


def _describe_first(result: WatchedResult) -> Iterator[str]:
    """Yield what a first report already has: nothing of it is news later."""
    kept = result.comparison.kept
    named: dict[str, list[str]] = {}
    for reference in kept.references:
        for finding in reference.findings:
            named.setdefault(_name_finding(finding), []).append(reference.key)
    for finding in kept.findings:
        named.setdefault(_name_finding(finding), []).append(", ".join(finding.keys[:_MOST_KEYS]))
    for name, keys in named.items():
        more = f" and {len(keys) - _MOST_KEYS:,} more" if len(keys) > _MOST_KEYS else ""
        yield wording.show_line(f"{name}: {', '.join(keys[:_MOST_KEYS])}{more}", 2000)
    yield wording.show_line(f"saved in {result.state}", 2000)


def _name_finding(finding: WatchedFinding) -> str:
    words = finding.name if finding.kind in ("", finding.name) else f"{finding.name} ({finding.kind})"
    return words.replace("_", " ")


def _describe_news(news: LibraryNews) -> str:
    """Return what changed, on one line."""
    source = f" ({news.source})" if news.source else ""
    detail = f". {news.detail}" if news.detail else ""
    former = f"; its key was {news.former_key}" if news.former_key else ""
    match news.kind:
        case NewsKind.FINDING:
            change = f"{news.check.replace('_', ' ')}: {news.detail}{source}"
        case NewsKind.CLEARED:
            change = f"no longer reported: {news.before.replace('_', ' ')}"
        case NewsKind.FOUND:
            change = f"found now: {news.after}{detail}"
        case NewsKind.LABEL:
            change = f"was {_name_label(news.before)}, is now {_name_label(news.after)}{detail}"
        case NewsKind.ADDED:
            change = f"added: {_name_label(news.after)}{detail if news.fails else ''}"
        case NewsKind.REMOVED:
            change = "removed from the library"
    return wording.show_line(change + former, 2000)


def _name_label(label: str) -> str:
    return "not checked" if label == UNCHECKED else label.replace("_", " ")


def _count_labels(kept: WatchedLibrary) -> dict[str, int]:
    counts = dict.fromkeys([label.value for label in Label] + [UNCHECKED], 0)
    for reference in kept.references:
        counts[reference.label] = counts.get(reference.label, 0) + 1
    return counts


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

            counter = run_notices.LookupCounter()
            opened = open_documents([library], self.chosen, counter, stage="watch")
        accepting = acceptance_flags.AcceptanceSession(self.chosen, None)
        checking, waiting = opened.checking, run_notices.list_waiting(opened.verifier)
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
            count = format_count(missing, "reference")
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

    chunks = list(format_results(results, form))
    if output is None and not chunks:
        return
    with report_output.open_destination(output, text=form == "text") as write:
        for chunk in chunks:
            write(chunk)
