"""`citeproof lists`: the lists that runs ask, their age, and how they are refreshed and pinned."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.errors import UsageError, format_count
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.lists.list_store import MISSING
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble.list_choice import open_named_pin
from citeproof.service.exit_codes import Exit
from citeproof.service.list_import import ListStatus, PinResult, import_files, list_status, pin_lists
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, report_output
from citeproof.text.url import get_host

HEAD = ("name", "date", "age", "entries", "licence", "state", "home")
WIDTHS = (21, 10, 9, 7, 26, 36)


@click.group(invoke_without_command=True, short_help="Show, import, update or pin the lists.")
@command_options.add_options("lists")
@click.pass_context
def command(ctx: click.Context, *, lists_pin: str | None, form: str) -> None:
    """Show the lists that `check` and `verify` ask: date, age, entries, licence and home.

    There are lists of retracted works, of journals and their abbreviations, of journals that DOAJ has or
    took out, and of predatory and hijacked journals (2018, disputed). Only the list of retractions is
    expected; of the others, runs ask what is installed. A list that is older than its limit
    (`retraction_list_days` for retractions) still yields findings, but no work is reported as clear.
    This command does not use the network; `update` does.

    \b
    citeproof lists
    citeproof lists update
    citeproof lists import retraction_watch.csv
    citeproof lists pin lists-2026-08.pin
    citeproof lists --lists-pin lists-2026-08.pin
    """
    ctx.obj = settings.load({"lists_pin": lists_pin})
    if ctx.invoked_subcommand is None:
        if ctx.obj.lists_pin:
            _print_pin(PinResult(open_named_pin(ctx.obj, ctx.obj.lists_pin)), form)
        else:
            _print_lists(list_status(ctx.obj, SystemClock()), form)


@command.command(name="import", short_help="Install a local copy of a list.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@command_options.add_options("lists import", lists=sorted(LISTS))
@click.pass_obj
def import_file(
    chosen: Settings, *, files: tuple[Path, ...], name: str | None, day: datetime | None, form: str
) -> None:
    """Install FILES as the current lists. They may be packed (.gz, .zst, .zip), or folders of such files.

    The name and the columns of a file say which list it is; --as says it for others. Without --date
    a list has the date in its file name, else that of its edition or its newest entry.

    \b
    citeproof lists import retraction_watch.csv --date 2026-08-17
    citeproof lists import journal_abbreviations_*.csv LTWA_20210702.csv
    citeproof lists import journals.csv publishers.csv hijacked.csv
    citeproof lists import withdrawn.csv --as doaj_withdrawn
    """
    _print_lists(
        import_files(chosen, SystemClock(), files, day=day.date() if day else None, name=name or ""), form
    )


@command.command(short_help="Freeze the installed lists in one file.")
@click.argument("target", metavar="FILE_OR_NAME")
@command_options.add_options("lists pin", lists=sorted(LISTS))
@click.pass_obj
def pin(chosen: Settings, *, target: str, names: tuple[str, ...], form: str) -> None:
    """Write the installed lists, each with its date, digest, source and licence, into FILE (.pin).

    A NAME keeps the file in the cache folder. `--lists-pin` or CITEPROOF_LISTS_PIN makes a run ask these
    lists and judge as of their dates: they never get stale, and the run can be repeated later. The set is
    named by its SHA-256, which reports and the audit log show. FILE@sha256:DIGEST accepts only that set.

    \b
    citeproof lists pin lists-2026-08.pin
    citeproof check refs.bib --lists-pin lists-2026-08.pin
    """
    _print_pin(pin_lists(chosen, SystemClock(), target, names), form)


@command.command(short_help="Fetch the lists from their homes.")
@click.argument("names", nargs=-1, metavar="[LIST]…")
@command_options.add_options("lists update")
@click.pass_obj
def update(chosen: Settings, *, names: tuple[str, ...], everything: bool, form: str) -> int:
    """Fetch lists from their homes and install them: the named ones, else retractions and what is installed.

    A list that has not changed is not fetched again. A download that broke off goes on where it was. The
    current list stays in place until the new one is whole and verified. CITEPROOF_<LIST>_URL names
    another home, such as CITEPROOF_RETRACTION_WATCH_URL.

    \b
    citeproof lists update
    citeproof lists update doaj journal_abbreviations
    """
    from citeproof.service import list_update  # noqa: PLC0415 - needs the network

    homes = list_update.choose_refreshed(chosen, names, every=everything)
    outcomes = list_update.refresh_lists(chosen, SystemClock(), homes)
    _print_lists([outcome.status for outcome in outcomes if outcome.status], form)
    errors = [outcome.error for outcome in outcomes if outcome.error]
    for error in errors:
        click.echo(f"error: {error}", err=True)
    wrong = any(isinstance(error, UsageError) for error in errors)
    return Exit.USAGE if wrong else Exit.UNCHECKED if errors else Exit.CLEAN


def _print_lists(rows: Sequence[ListStatus], form: str) -> None:
    if form == "json":
        print(serializers.dump_pretty({"lists": [row.json() for row in rows]}))
        return
    for text in (
        report_output.format_text_table(HEAD, [_make_cells(row) for row in rows], WIDTHS) if rows else ()
    ):
        print(text)


def _print_pin(result: PinResult, form: str) -> None:
    if form == "json":
        print(serializers.dump_pretty(result.json()))
        return
    pinned, lists = result.pinned, format_count(len(result.pinned.manifest.lists), "list")
    print(f"{pinned.path}: {lists}, newest of {pinned.manifest.day or 'no date'}")
    print(f"sha256 {pinned.digest}")
    rows = [
        (entry.name, entry.day or "none", f"{entry.entries:,}", entry.licence, entry.sha256[:16])
        for entry in pinned.manifest.lists
    ]
    head = ("name", "date", "entries", "licence", "sha256")
    for text in report_output.format_text_table(head, rows, (21, 10, 7, 40)):
        print(text)
    for note in result.notes:
        print(f"note: {note}")


def _make_cells(row: ListStatus) -> tuple[str, ...]:
    head = row.head
    age = "" if row.age is None else f"{row.age} days"
    entries = f"{head.entries:,}" if head else ""
    fresh = f"fresh (limit: {row.limit} days)" if row.limit else "installed"
    state = row.trouble or fresh
    if row.home.optional and row.trouble == MISSING:
        state = "optional, not installed"
    day = (head.day or "none") if head else ""
    return row.home.name, day, age, entries, row.home.licence, state, get_host(row.home.url)
