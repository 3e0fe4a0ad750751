"""The loopback world from the command line.

    python -m citeproof.laboratory.testing.serve --snapshot FOLDER \\
        --latency crossref=2.2 --fault arxiv=status_503

It prints the variables that make citeproof ask this world, one `NAME=value` a line, and serves until it
is interrupted.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable
from pathlib import Path

import click

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing.faults import ALL_FAULTS, Fault
from citeproof.laboratory.testing.holdings import SnapshotHoldings
from citeproof.laboratory.testing.world import Latency, World, list_api_names


@click.command()
@click.option("--snapshot", required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--latency", multiple=True, metavar="API=SECONDS[/P95]", help="How long an API's answers take.")
@click.option("--fault", multiple=True, metavar="API=FAULT[*N]", help="What goes wrong, for the first N.")
@click.option("--rate", multiple=True, metavar="API=N/SECONDS", help="Answer 429 beyond this rate.")
@click.option("--port", default=0, help="Port to listen on; 0 takes a free one.")
def serve(
    snapshot: Path, latency: tuple[str, ...], fault: tuple[str, ...], rate: tuple[str, ...], port: int
) -> None:
    """Serve every upstream on 127.0.0.1 from the records of a snapshot."""
    faults: dict[str, list[Fault]] = {}
    for api, value in _split_pairs(fault):
        faults.setdefault(api, []).append(_parse_fault(value))
    latencies = {api: _parse_latency(value) for api, value in _split_pairs(latency)}
    rates = {api: _parse_rate(value) for api, value in _split_pairs(rate)}
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    with Snapshot.open(snapshot) as opened:
        world = World(SnapshotHoldings(opened), latency=latencies, faults=faults, rates=rates, port=port)
        with world:
            for name, url in world.environment().items():
                click.echo(f"{name}={url}")
            while not stop.wait(1.0):
                pass


def _split_pairs(values: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield (API, value) for each `api=value`."""
    for text in values:
        api, equals, value = text.partition("=")
        if not equals or api not in list_api_names():
            raise click.BadParameter(
                f"{text!r} does not begin with an API and '='; APIs: {', '.join(list_api_names())}"
            )
        yield api, value


def _parse_fault(text: str) -> Fault:
    name, _, first = text.partition("*")
    if name not in ALL_FAULTS or (first and not first.isdigit()):
        raise click.BadParameter(f"{text!r} is no fault; there are: {', '.join(ALL_FAULTS)}")
    return ALL_FAULTS[name].first(int(first)) if first else ALL_FAULTS[name]


def _parse_latency(text: str) -> Latency:
    median, _, p95 = text.partition("/")
    return Latency(_parse_number(median), _parse_number(p95) if p95 else None)


def _parse_rate(text: str) -> tuple[float, float]:
    requests, _, seconds = text.partition("/")
    return _parse_number(requests), _parse_number(seconds or "1")


def _parse_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 86_400:
        raise click.BadParameter(f"{text!r} is not a number from 0 up to a day's seconds")
    return value


if __name__ == "__main__":
    serve()
