"""`citeproof audit replay`: a recorded run, judged again from its evidence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from citeproof import serial, settings
from citeproof.assemble import judge_of
from citeproof.audit import reading
from citeproof.replay import Replay, Replayed, State, telling
from citeproof.surfaces.cli import progress, writing
from citeproof.surfaces.cli.audit import absent
from citeproof.surfaces.exits import Exit


@click.command(short_help="Judge a recorded run again from its evidence.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("run", metavar="RUN")
@click.option("--ref", type=click.IntRange(min=1), metavar="N", help="Only the reference with this number.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True,
    help="text: what differs. json: the same, whole. jsonl: the report lines of the run, made again.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="Write the outcome to this file."
)
@click.option(
    "--judge", type=click.Choice(["then", "now"]), default="then", show_default=True,
    help="now: judge with today's judge, to see what it would change.",
)  # fmt: skip
def command(folder: Path, run: str, *, ref: int | None, form: str, output: Path | None, judge: str) -> int:
    """Judge the references of RUN again from what the log in DIR kept, without the network.

    Every judgement must come out byte for byte as it was recorded. Where one does not, what differs is
    named, and why: a stored answer that was changed, an answer or a request that this version of
    citeproof reads or makes otherwise, another judge. The log itself is proved by `audit verify`.

    \b
    citeproof audit replay audit 20261115T142750Z-1f3a9c
    citeproof audit replay audit h_abc123 --ref 3
    citeproof audit replay audit h_abc123 --format jsonl > report.jsonl
    citeproof audit replay audit h_abc123 --judge now

    \b
    Exit codes: 0 all identical, 1 drift or tampering, 2 wrong usage, 3 no such run,
    4 something is no longer there (erased, pruned, missing), 5 the log cannot be read.
    """
    if not reading.present(folder):
        return absent.told(f"there is no audit log in {folder}", "name the folder of a log")
    model = judge_of(settings.load()).model if judge == "now" else None
    replay = Replay.open(folder, run, judge=model)
    if replay is None:
        return _nothing(folder, run)
    tally = telling.Tally()
    with replay, writing.destination(output, text=form == "text") as write:
        total = len(replay.recording.entries) if ref is None else 1
        on_screen = output is None and sys.stdout.isatty()  # what is found shows how far it is
        found = progress.shown(tally.watch(replay.references(ref)), total, "replaying", quiet=on_screen)
        for chunk in _FORMATS[form](replay, found, tally):
            write(chunk)
    if not tally.states:
        mend = f"name one of those that `citeproof audit show DIR {run}` lists"
        return absent.told(f"the run {run} has no reference {ref}", mend)
    if form != "text":
        print(tally.sentence(), file=sys.stderr)
    if tally.differs:
        return Exit.PROBLEMS
    return Exit.UNCHECKED if tally.incomplete else Exit.CLEAN


def _text(replay: Replay, found: Iterable[Replayed], tally: telling.Tally) -> Iterator[str]:
    yield from telling.head(replay.recording)
    for one in found:
        if one.state is not State.IDENTICAL:
            yield from telling.text(one)
    if tally.states:
        yield f"\n{tally.sentence()}\n"


def _json(replay: Replay, found: Iterable[Replayed], tally: telling.Tally) -> Iterator[str]:  # noqa: ARG001 - one shape
    yield serial.pretty(telling.replay_json(replay.recording, list(found))) + "\n"


def _jsonl(replay: Replay, found: Iterable[Replayed], tally: telling.Tally) -> Iterator[str]:  # noqa: ARG001 - same
    """Yield the report of the run, a line for each reference that could be judged; others are told aside."""
    for one in found:
        if one.checked is not None:
            yield serial.dump_printable(serial.checked_json(one.checked)) + "\n"
        if one.state is not State.IDENTICAL:
            print("".join(telling.text(one)).strip(), file=sys.stderr)


_FORMATS = {"text": _text, "json": _json, "jsonl": _jsonl}


def _nothing(folder: Path, run: str) -> int:
    """Tell that there is no such run, and which there are."""
    if told := reading.elsewhere(reading.closed(folder, run), run):
        return absent.told(*told)
    known = [head.run for head in reading.runs(folder) if head.references][-10:]
    names = f"name one of the latest: {', '.join(reversed(known))}" if known else "check something first"
    return absent.told(f"the log has no run {run} with references", names)
