"""`citeproof audit replay`: a recorded run, judged again from its evidence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.errors import NothingFoundError
from citeproof.proof.audit import log_reader
from citeproof.proof.replay import Replay, ReplayedReference, ReplayState, replay_report
from citeproof.service.assemble import choose_judge
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output, status_line
from citeproof.surfaces.cli.audit import log_argument


@click.command(short_help="Judge a recorded run again from its evidence.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("run", metavar="RUN")
@command_options.add_options("audit replay")
def command(folder: Path, run: str, *, ref: int | None, form: str, output: Path | None, judge: str) -> int:
    """Judge the references of RUN again from the evidence in DIR, without the network.

    Every judgement must be identical to the recorded one; only the wording of explanations may differ.
    Each difference is printed with its cause: a stored answer was changed, this version of citeproof
    reads answers or makes requests differently, or the judge is different. To verify the log itself,
    use `audit verify`.

    \b
    citeproof audit replay audit 20261115T142750Z-1f3a9c
    citeproof audit replay audit h_abc123 --ref 3
    citeproof audit replay audit h_abc123 --format jsonl > report.jsonl
    citeproof audit replay audit h_abc123 --judge now

    \b
    Exit codes: 0 all identical, 1 drift or tampering, 2 wrong usage, 3 no such run,
    4 something is no longer there (erased, pruned, missing), 5 the log cannot be read.
    """
    log_argument.check_log(folder)
    model = choose_judge(settings.load()).model if judge == "now" else None
    replay = Replay.open(folder, run, judge=model)
    if replay is None:
        raise _make_missing_run_error(folder, run)
    tally = replay_report.ReplayTally()
    with replay, report_output.open_destination(output, text=form == "text") as write:
        total = len(replay.recording.entries) if ref is None else 1
        on_screen = output is None and sys.stdout.isatty()  # what is found shows how far it is
        every = chain(replay.references(ref), replay.further() if ref is None else ())
        replayed = status_line.show_progress(tally.watch(every), total, "replaying", quiet=on_screen)
        for chunk in _format_outcome(form, replay, replayed, tally):
            write(chunk)
    if ref is not None and not tally.states:
        hint = f"name one of those that `citeproof audit show DIR {run}` lists"
        raise NothingFoundError(f"the run {run} has no reference {ref}", hint=hint)
    if form != "text":
        print(tally.sentence(), file=sys.stderr)
    if tally.differs:
        return Exit.PROBLEMS
    return Exit.UNCHECKED if tally.incomplete else Exit.CLEAN


def _format_outcome(
    form: str, replay: Replay, replayed: Iterable[ReplayedReference], tally: replay_report.ReplayTally
) -> Iterator[str]:
    """Yield the outcome; as JSON lines the report of the run, and what is not identical on standard error."""
    if form == "json":
        yield (
            serializers.dump_pretty(replay_report.build_replay_json(replay.recording, list(replayed))) + "\n"
        )
        return
    if form == "text":
        yield from replay_report.format_run_head(replay.recording)
    for reference in replayed:
        if form == "jsonl" and reference.checked is not None:
            yield serializers.dump_printable(serializers.build_checked_json(reference.checked)) + "\n"
        if reference.state is not ReplayState.IDENTICAL and form == "text":
            yield from replay_report.format_replayed(reference)
        elif reference.state is not ReplayState.IDENTICAL:
            print("".join(replay_report.format_replayed(reference)).strip(), file=sys.stderr)
    if form == "text":
        yield f"\n{tally.sentence()}\n"


def _make_missing_run_error(folder: Path, run: str) -> NothingFoundError:
    """Return the error that there is no such run; it says which there are."""
    if reason := log_reader.explain_closed_logs(log_reader.list_closed_logs(folder, run), run):
        return NothingFoundError(reason[0], hint=reason[1])
    known = [head.run for head in log_reader.list_runs(folder) if head.references][-10:]
    names = f"name one of the latest: {', '.join(reversed(known))}" if known else "check something first"
    return NothingFoundError(f"the log has no run {run} with references", hint=names)
