"""Measure other open tools and citeproof on the same items, in the same loopback world, in one run.

    python -m bench.peers --snapshot DIR --hallmark FILE [--bib FILE.bib ...] [--only a,b] [--redraw]

Each tool is installed from the package registry into an environment of its own below --folder. Nothing of
it is changed: `shim/sitecustomize.py`, put on its PYTHONPATH, sends its requests to the world. Accuracy,
requests and CPU come from runs without latency in which the pauses that tools make between requests pass 20
times as fast, for citeproof too. Wall time comes from a run of its own, at the real pace, with every answer
delayed alike.

What comes out: FOLDER/results.json, docs/images/peers.svg, and the parts between comments of
docs/comparison.md and README.md.
`--redraw` writes those again from results.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.peers import peer_chart, peer_figures, peer_items, peer_runs, peer_venues, peer_world
from bench.peers.peer_answers import find_noted, read_answers
from bench.peers.peer_items import PeerItem
from bench.peers.peer_runs import OURS, PeerTool

import citeproof
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import World
from citeproof.plumbing.clock import SystemClock

WorldMaker = Callable[..., World]
ROOT = Path(__file__).parents[2]
README, PAGE, CHART = ROOT / "README.md", ROOT / "docs/comparison.md", ROOT / "docs/images/peers.svg"
PACE = 20.0  # how much faster pauses pass in the runs that are not timed
LATENCY = 0.3  # seconds an answer takes in the run that is timed
TIMED = 30  # references of that run
SETS = {
    "hallmark": "HALLMARK, {count} entries: development data of citeproof and of others",
    "bibliographies": "{count} entries of real bibliographies, an error planted into half of them",
}
_PART = re.compile(r"(<!-- peers: (\w+) -->\n).*?(<!-- peers end -->)", re.DOTALL)


def measure(wanted: argparse.Namespace) -> dict[str, Any]:
    """Run every tool over every set; return all figures."""
    with Snapshot.open(wanted.snapshot) as snapshot:
        venues = peer_venues.load_register(snapshot, wanted.folder)
        make_world = partial(peer_world.make_world, snapshot, venues=venues)
        sets = {"hallmark": peer_items.load_hallmark(wanted.hallmark, snapshot, wanted.count)}
        if wanted.bib:
            sets["bibliographies"] = peer_items.load_bibliographies(wanted.bib, snapshot)
        results: dict[str, Any] = {
            "date": SystemClock().now().date().isoformat(), "python": platform.python_version(),
            "machine": platform.machine(), "works": snapshot.manifest.records,
            "kinds": {name: dict(Counter(i.kind for i in items)) for name, items in sets.items()},
            "latency": LATENCY, "timed": TIMED, "tools": [], "not_run": _load_not_run(),
        }  # fmt: skip
        for tool in [OURS, *peer_runs.load_tools()]:
            if wanted.only and tool.name not in wanted.only.split(","):
                continue
            programs, version = (
                (Path(), citeproof.__version__) if tool is OURS else peer_runs.install(tool, wanted.folder)
            )
            if programs is None:
                results["not_run"].append({"name": tool.name, "reason": version})
                continue
            print(f"{tool.name} {version}", flush=True)
            row = {"name": tool.name, "version": version, "licence": tool.licence, "better": tool.better}
            results["tools"].append(row | _measure_tool(tool, programs, sets, make_world, wanted.folder))
    return results


def _measure_tool(
    tool: PeerTool, programs: Path, sets: dict[str, list[PeerItem]], make_world: WorldMaker, folder: Path
) -> dict[str, Any]:
    """Return the figures of one tool: each set, then the timed run."""
    found: dict[str, Any] = {"sets": {}}
    for name, items in sets.items():
        run, answers = _run_items(
            tool, programs, items, make_world, folder / "runs" / tool.name / name, PACE, 0.0
        )
        noted = find_noted(tool.reader, run)
        figures = peer_figures.compute_figures(items, answers, run) | {
            "noted_bad": sum(item.key in noted for item in items if item.bad),
            "noted_good": sum(item.key in noted for item in items if not item.bad),
        }
        found["sets"][name] = figures
        print("  " + name, {k: v for k, v in figures.items() if not isinstance(v, dict | list)}, flush=True)
    timed = [item for item in sets["hallmark"] if not item.bad][:TIMED]
    place = folder / "runs" / tool.name / "timed"
    run, _ = _run_items(tool, programs, timed, make_world, place, 1.0, LATENCY)
    found["timed"] = {"seconds": round(run.seconds, 1), "requests": sum(run.requests.values())}
    print("  timed", found["timed"], flush=True)
    return found


def _run_items(
    tool: PeerTool, programs: Path, items: Sequence[PeerItem], make_world: WorldMaker, folder: Path,
    pace: float, latency: float,
) -> tuple[peer_runs.PeerRun, dict[str, Any]]:  # fmt: skip
    bib = peer_runs.write_items([item.text for item in items], folder.with_suffix(".bib"))
    with make_world(latency=latency) as world:
        run = peer_runs.run_tool(tool, programs, bib, world, folder, pace=pace)
    try:
        return run, read_answers(tool.reader, run, [item.key for item in items])
    except ValueError as error:
        raise SystemExit(
            f"{tool.name}: its report cannot be read ({error}); exit code {run.code}\n{run.printed[-2000:]}"
        ) from error


def _load_not_run() -> list[dict[str, str]]:
    return [dict(row) for row in peer_runs.load_table()["not_run"]]


def write_page(results: dict[str, Any]) -> None:
    """Write the generated parts of the page, and the chart."""
    tools, sets = results["tools"], [name for name in SETS if name in results["kinds"]]
    parts = {
        "when": _format_when(results),
        "summary": peer_figures.format_summary(tools, sets),
        **{name: peer_figures.format_table(tools, name) for name in sets},
        **{f"kinds_{name}": peer_figures.format_kinds(tools, name, results["kinds"][name]) for name in sets},
        **{f"notes_{name}": peer_figures.format_notes(tools, name) for name in sets},
        "times": peer_figures.format_times(tools, results["timed"], results["latency"]),
        "measured": "\n".join(peer_figures.list_better(tools, sets)),
        "better": "\n".join(f"- **{tool['name']}**: {tool['better']}." for tool in tools if tool["better"]),
        "absent": "\n".join(f"- **{row['name']}**: {row['reason']}." for row in results["not_run"]),
    }  # fmt: skip
    for path in (PAGE, README):
        page = path.read_text(encoding="utf-8")
        page = _PART.sub(lambda found: f"{found[1]}{parts.get(found[2], '')}\n{found[3]}", page)
        path.write_text(page, encoding="utf-8")
    sections = {name: SETS[name].format(count=sum(results["kinds"][name].values())) for name in sets}
    caption = f"All tools in the same loopback world in one run, {results['date']}: make peers"
    CHART.write_text(peer_chart.draw_chart(tools, sections, caption), encoding="utf-8")


def _format_when(results: dict[str, Any]) -> str:
    return (
        f"Measured on {results['date']}, Python {results['python']} on {results['machine']}, in a world of"
        f" {results['works']:,} works."
    )


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--snapshot", type=Path, help="the works that the world knows")
    parser.add_argument("--hallmark", type=Path)
    parser.add_argument("--bib", type=Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=400, help="entries of the HALLMARK file")
    parser.add_argument("--only", default="", help="names of tools, with commas")
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache/peers")
    parser.add_argument("--redraw", action="store_true")
    return parser.parse_args()


def main() -> None:
    wanted = read_options()
    wanted.folder = wanted.folder.resolve()
    kept = wanted.folder / "results.json"
    if not wanted.redraw:
        wanted.folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(measure(wanted), indent=1) + "\n", encoding="utf-8")
    results = json.loads(kept.read_text(encoding="utf-8"))
    if not wanted.only:
        write_page(results)


if __name__ == "__main__":
    main()
