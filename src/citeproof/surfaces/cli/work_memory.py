"""`citeproof memory`: what is remembered, as a file of JSON lines; and forgotten."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers.remembered_work import VERSION
from citeproof.errors import InputError, UsageError
from citeproof.evidence.sources.memory import MemorySource
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.plumbing.stores.memory_database import FILE
from citeproof.service.assemble import open_memory
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output


@click.group(short_help="Show, export or clear the memory of verified works.")
@command_options.add_options("memory")
@click.pass_context
def command(ctx: click.Context, *, memory: str | None) -> None:
    """Manage the memory: works that runs with --memory DIR judged matched.

    \b
    citeproof memory --memory DIR info
    citeproof memory --memory DIR export -o works.jsonl
    citeproof memory --memory DIR clear
    """
    ctx.obj = settings.load({"memory": memory})


@command.command(short_help="Show how much is remembered.")
@command_options.add_options("memory info")
@click.pass_obj
def info(chosen: settings.Settings, *, form: str) -> int:
    """Show how many works are remembered, since when, and how large the file is."""
    with closing(_open_chosen(chosen)) as memory:
        figures = memory.store.measure()
        _raise_trouble(memory)
    if form == "json":
        facts = {
            "folder": str(chosen.memory), "works": figures.entries, "titles_embedded": figures.vectors,
            "bytes": figures.size, "oldest": figures.oldest or None, "newest": figures.newest or None,
            "days": chosen.memory_days, "maximum": chosen.memory_entries,
        }  # fmt: skip
        print(serializers.dump_pretty(facts))
        return Exit.CLEAN
    print(f"{show_line(str(chosen.memory))}: {figures.entries:,} works, {figures.size / 1e6:,.1f} MB")
    if figures.entries:
        print(f"judged from {figures.oldest[:10]} to {figures.newest[:10]}")
    print(f"{figures.vectors:,} of them are found by similar titles too; at most {chosen.memory_entries:,}")
    print(f"works judged more than {chosen.memory_days} days ago are looked up anew")
    return Exit.CLEAN


@command.command(short_help="Write all works as JSON lines.")
@command_options.add_options("memory export")
@click.pass_obj
def export(chosen: settings.Settings, *, output: Path | None) -> int:
    """Write all that is remembered: bibliographic records, and when and by what they were judged.

    The first line says what the file is; each further one is a work.
    """
    with closing(_open_chosen(chosen)) as memory, report_output.open_destination(output, text=False) as write:
        head = {"citeproof_memory": VERSION, "exported": format_timestamp(SystemClock())}
        write(serializers.dumps(head).decode() + "\n")
        for entry in memory.store.list_all():
            write(entry.body.decode() + "\n")
        _raise_trouble(memory)
    return Exit.CLEAN


@command.command(short_help="Forget everything.")
@command_options.add_options("memory clear")
@click.pass_obj
def clear(chosen: settings.Settings, *, yes: bool) -> int:
    """Remove every work from the memory."""
    with closing(_open_chosen(chosen)) as memory:
        count = memory.store.measure().entries
        if not yes:
            click.confirm(f"Forget {count:,} works?", abort=True)
        memory.store.clear()
        _raise_trouble(memory)
    print(f"{count:,} works forgotten")
    return Exit.CLEAN


def _open_chosen(chosen: settings.Settings) -> MemorySource:
    """Return the memory; its file must be there."""
    memory = open_memory(chosen, SystemClock())
    if memory is None or chosen.memory is None:
        hint = "name it with --memory DIR, CITEPROOF_MEMORY or the setting memory"
        raise UsageError("no memory is set", place="memory", hint=hint)
    if isinstance(chosen.memory, Path) and not os.path.lexists(chosen.memory / FILE):
        what = "has no memory in it" if chosen.memory.is_dir() else "does not exist"
        hint = "check the name; a run with --memory DIR makes one"
        raise UsageError(what, place=str(chosen.memory), hint=hint)
    return memory


def _raise_trouble(memory: MemorySource) -> None:
    if memory.store.trouble:
        hint = "a damaged file was set aside, a database may be back soon; try again"
        raise InputError(memory.store.trouble, hint=hint)
