"""How long users wait at a terminal: for the first sign of life, for the prompt after Ctrl-C, for the end.

    python bench/journeys.py SNAPSHOT FILE… [--rounds 5] [--latency 2.0]

Each FILE is checked in a real terminal (tmux): offline against SNAPSHOT, and live, where every registry is
on loopback, has the works of SNAPSHOT and answers after so many seconds. The live run is interrupted once
its status line shows whom it waits for. "first sign" ends when anything stands below the command, "status"
when the status line does, "ctrl-c" when the prompt is back. The yardstick is `python -c pass` in the same
terminal; on a busy machine compare the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.journeys.tmux_terminal import TmuxTerminal

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import Latency, SnapshotHoldings, World

TARGETS = {"first sign": 1.0, "ctrl-c": 1.5}  # seconds
APIS = ("crossref", "openalex", "semantic_scholar", "arxiv", "dblp", "datacite", "doi")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latency", type=float, default=2.0, help="seconds a registry takes")
    wanted = parser.parse_args()
    with Snapshot.open(wanted.snapshot) as opened:
        latency = {name: Latency(wanted.latency) for name in APIS}
        with World(SnapshotHoldings(opened), latency=latency) as world:
            base = _time_yardstick(wanted.rounds)
            print(f"yardstick: python -c pass {base:.2f} s")
            for file in wanted.files:
                _print_times(file, _time_file(file.resolve(), wanted, world), base)


def _time_yardstick(rounds: int) -> float:
    with _make_folder() as folder, TmuxTerminal(Path(folder)) as terminal:
        return statistics.median(_measure(lambda: terminal.run("python -c pass")) for _ in range(rounds))


def _make_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # what was interrupted may still write


def _measure(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _time_file(file: Path, wanted: argparse.Namespace, world: World) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    snapshot = {"CITEPROOF_OFFLINE": "1", "CITEPROOF_SNAPSHOT": str(wanted.snapshot.resolve())}
    for _ in range(wanted.rounds):
        with _make_folder() as folder, TmuxTerminal(Path(folder), snapshot) as terminal:
            _time_run(terminal, f"citeproof check '{file}'", "offline", times)
        with _make_folder() as folder, TmuxTerminal(Path(folder), world.environment()) as terminal:
            _time_run(terminal, f"citeproof check '{file}'", "live", times)
    return times


def _time_run(terminal: TmuxTerminal, command: str, kind: str, times: dict[str, list[float]]) -> None:
    def note(name: str, since: float) -> None:
        times.setdefault(f"{kind}: {name}", []).append(time.perf_counter() - since)

    terminal.start(command)
    start = time.perf_counter()
    terminal.wait_for(lambda lines: not lines[-1].endswith(command))
    note("first sign", start)
    if kind == "live":
        terminal.wait_for(lambda lines: lines[-1].startswith("checking:"))
        note("status", start)
        terminal.wait_for(lambda lines: "waiting for" in lines[-1])
        pressed = time.perf_counter()
        terminal.press("C-c")
        terminal.wait_for_prompt()
        note("ctrl-c", pressed)
    else:
        ended = terminal.wait_for_prompt()
        note("end", start)
        times.setdefault("offline: lines", []).append(len(ended.lines))


def _print_times(file: Path, times: dict[str, list[float]], base: float) -> None:
    print(f"\n{file.name}")
    for name, each in times.items():
        middle, target = statistics.median(each), TARGETS.get(name.partition(": ")[2])
        if name.endswith("lines"):
            print(f"  {name:22} {middle:8.0f}")
            continue
        told = f"  target {target:.1f} s: {'met' if middle <= target else 'MISSED'}" if target else ""
        print(f"  {name:22} {middle:8.2f} s  (worst {max(each):.2f})  {middle / base:6.1f} yardsticks{told}")


if __name__ == "__main__":
    main()
