"""`citeproof bench latency`: how long retrieval takes, on the user's own documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from citeproof import settings
from citeproof.errors import InputError
from citeproof.laboratory.measure.retrieval_latency import Stopwatch, build_latency_tables, format_tables
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, run_notices, status_line
from citeproof.surfaces.cli.opened_documents import read_named_documents
from citeproof.text.typed_decoding import decode_json


@click.command("latency", short_help="Measure retrieval times by source and by class.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@command_options.add_options("bench latency")
def command(files: Sequence[str], classes: Path | None, *, explain_network: bool, **flags: object) -> int:
    """Check FILE… and print how long each source took, like the tables of the CITECHECK paper.

    The route with its early exits; mean, median, 95th and 99th percentile, maximum and standard deviation for
    the whole cascade and for structured sources alone; how many references reached each source and what it
    cost; times by class; and which source the chosen records came from. Cached answers take no time: use an
    empty CITEPROOF_CACHE_DIR to measure the network.
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    clock = SystemClock()
    watch = Stopwatch(clock)
    documents = read_named_documents(files, chosen)
    verifier = assemble(chosen, clock=clock, observer=watch, stage=None)
    checking = begin_check(verifier, documents)
    started = clock.elapsed()
    for _ in status_line.show_progress(checking, checking.total, "checking", quiet=False):
        pass
    seconds = clock.elapsed() - started
    timed = list(watch.timed.values())
    if not timed:
        print("nothing to measure: no reference was found")
        return Exit.NOTHING
    run_notices.print_network_report(verifier, run_notices.LookupCounter(), explain=explain_network)
    print(format_tables(build_latency_tables(timed, _read_classes(classes))))
    print(f"\n{len(timed)} references in {seconds:.2f} s, {seconds / len(timed):.3f} s a reference")
    return Exit.CLEAN


def _read_classes(path: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    try:
        return decode_json(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(
            f"cannot be read as classes: {error}", place=str(path), hint='write {"key": "EXACT", …}'
        ) from error
