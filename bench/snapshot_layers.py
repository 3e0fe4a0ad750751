"""What a day's changes cost as a layer, against a full build; and whether the answers are the same.

    python bench/snapshot_layers.py works.jsonl.zst [--records 100000] [--share 0.01] [--queries 400]
                                                    [--processes 2] [--pull] [--costs]

Builds a snapshot of the first works of the file, then applies a share of changes as a layer (a third each:
another year or venue, another word in the title, new works; as many as a third are removed), and builds the
same records in one go. All in one run, so that the ratios hold on a machine that is busy. `update` is CPU
seconds of the update over those of the full build. `lookup` is the mean CPU time of a query in five ways.
`different` counts queries whose best candidate, or any of its five, is another.
With `--processes N` it also builds with N processes: seconds of CPU and of the wall over those of one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from citeproof.index.build import BuildInput, build
from citeproof.index.build_order import BuildOrder
from citeproof.index.compaction import compact_snapshot
from citeproof.index.layer_update import update_snapshot
from citeproof.index.sharded_build import build_in_processes
from citeproof.index.snapshot import Snapshot
from citeproof.text.ids import normalise_id
from noise import KINDS
from retrieval import draw
from snapshot_pull import Work, Works, edit_work, measure_edition, read_works, retitle_work

MIX = ("clean", "typo", "substituted", "truncated", "raw")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--queries", type=int, default=400, help="records drawn; each is asked in five ways")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--costs", action="store_true", help="only the costs of build and update")
    parser.add_argument("--pull", action="store_true", help="publish and pull both over loopback")
    given = parser.parse_args()
    third = round(given.records * given.share / 3)
    works = read_works(given.works, given.records + third)
    base, extra = works[: given.records], works[given.records :]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changes = Changes(base, extra, third, random.Random(3))
        inputs = write_inputs(folder / "base.jsonl", base)
        whole = measure(lambda: build(inputs, folder / "base", name="works"))
        print(f"{len(base):,} records; full build {whole[0]:.1f} s CPU, {whole[1]:.1f} s wall")
        delta = write_inputs(folder / "delta.jsonl", changes.delta)
        cost = measure(
            lambda: update_snapshot(folder / "base", delta, folder / "layered", withdrawn=changes.withdrawn)
        )
        print(
            f"update with {len(changes.delta):,} records, {len(changes.withdrawn):,} removed: "
            f"{cost[0]:.2f} s CPU, {cost[1]:.2f} s wall; {cost[0] / whole[0]:.2%} of the full build"
        )
        if not given.costs:
            cost = measure(lambda: compact_snapshot(folder / "layered", folder / "compact"))
            print(f"compact: {cost[0]:.1f} s CPU, {cost[0] / whole[0]:.2f} of the full build")
            after = write_inputs(folder / "after.jsonl", changes.after)
            build(after, folder / "fresh", name="works")
            compare_answers(folder, given.queries)
        if given.processes > 1:
            order = BuildOrder(inputs, folder / "many", name="works")
            many = measure(lambda: build_in_processes(order, given.processes))
            print(
                f"{given.processes} processes: {many[0]:.1f} s CPU ({many[0] / whole[0]:.2f}), "
                f"{many[1]:.1f} s wall; rate {whole[1] / many[1]:.2f} times that of one"
            )
        if given.pull:
            print("kind, MB, fetched MB, transfer, deltas MB, publish MB/s, again, pull MB/s, again")
            measure_edition("layer", folder / "base", folder / "layered", folder / "run")


class Changes:
    """What changed, and the works that are then left, in the order of a layered snapshot."""

    def __init__(self, base: Works, extra: Works, third: int, rng: random.Random) -> None:
        named = [at for at, work in enumerate(base) if find_doi(work)]
        chosen = rng.sample(named, 3 * third)
        pool = [word for work in rng.sample(base, 1000) for word in str(work["t"]).split()]
        edited = [edit_work(base[at], rng) for at in chosen[:third]]
        retitled = [retitle_work(base[at], rng, pool) for at in chosen[third : 2 * third]]
        self.delta = [*edited, *retitled, *extra]
        self.withdrawn = [("doi", find_doi(base[at])) for at in chosen[2 * third :]]
        gone = {find_doi(base[at]) for at in chosen} | {find_doi(work) for work in extra} - {""}
        self.after = [work for work in base if find_doi(work) not in gone] + self.delta


def find_doi(work: Work) -> str:
    """Return the only DOI of a work in its normal form; empty for any other work."""
    doi = work.get("d")
    plain = isinstance(doi, str) and not work.get("i")
    return normalise_id("doi", str(doi)) or "" if plain else ""


def write_inputs(path: Path, works: Works) -> list[BuildInput]:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(work, ensure_ascii=False) + "\n" for work in works)
    return [BuildInput("works", (path,))]


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU seconds, those of child processes included, and the seconds of the clock."""
    began, cpu = time.monotonic(), read_cpu()
    work()
    return read_cpu() - cpu, time.monotonic() - began


def read_cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def compare_answers(folder: Path, count: int) -> None:
    """Print what lookups cost in each form, and how many answers are not those of a fresh build."""
    names = ("base", "layered", "compact", "fresh")
    opened = {name: Snapshot.open(folder / name) for name in names}
    records = draw(opened["fresh"], count, 4, random.Random(5))
    last = opened["fresh"].manifest.records
    records += [opened["fresh"].record_at(last - 1 - at) for at in range(count // 4)]
    rng = random.Random(9)
    queries = [KINDS[kind](record, rng) for record in records for kind in MIX]
    answers = {name: [list_candidates(one, query) for query in queries] for name, one in opened.items()}
    for name in names:
        took = []
        for query in queries:
            cpu = time.process_time()
            opened[name].search(query)
            took.append(1000 * (time.process_time() - cpu))
        cuts = statistics.quantiles(took, n=100)
        pairs = list(zip(answers[name], answers["fresh"], strict=True))
        best = sum(ours[:1] != theirs[:1] for ours, theirs in pairs)
        other = sum(ours != theirs for ours, theirs in pairs)
        print(
            f"{name:<8} lookup mean {statistics.fmean(took):.2f} ms, p50 {cuts[49]:.2f}, p99 {cuts[98]:.2f}; "
            f"different: best {best}, any {other} of {len(queries)}"
        )
    for one in opened.values():
        one.close()


def list_candidates(snapshot: Snapshot, query: str) -> list[tuple[object, ...]]:
    found = snapshot.search(query)
    return [(c.record.titles, c.record.ids, c.record.versions, round(c.score, 4)) for c in found]


if __name__ == "__main__":
    main()
