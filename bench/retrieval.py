"""Retrieval by kind of noise: is the right record among the first one, the first five?

    python bench/retrieval.py SNAPSHOT [--queries 2000] [--seed 7] [--show-misses 3]

Records are drawn evenly from the snapshot. A record with the same normalised title counts as right.
Titles of fewer than four words are left out: what is left of them says too little.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Record
from noise import KINDS

FLOORS = {"substituted": 0.97, "truncated": 0.95}


def draw(snapshot: Snapshot, count: int, words: int, rng: random.Random) -> list[Record]:
    """Return `count` records with authors and at least `words` words of title."""
    chosen: list[Record] = []
    while len(chosen) < count:
        record = snapshot.record_at(rng.randrange(snapshot.manifest.records))
        if len(record.title.split()) >= words and record.authors:
            chosen.append(record)
    return chosen


def rank(record: Record, found: Sequence[Record]) -> int | None:
    """Return the place of the right record, from 0; None when it is not there."""
    whole = make_title_key(record.title)
    return next(
        (i for i, r in enumerate(found) if r.id == record.id or whole in map(make_title_key, r.titles)), None
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--words", type=int, default=4, help="fewest words of a title that is drawn")
    parser.add_argument("--mixed", action="store_true", help="ask as `index search` does, kind unknown")
    parser.add_argument("--show-misses", type=int, default=0)
    given = parser.parse_args()
    with Snapshot.open(given.snapshot) as snapshot:
        records = draw(snapshot, given.queries, given.words, random.Random(given.seed))
        print(f"{snapshot.id}: {snapshot.manifest.records:,} records, {len(records)} queries a kind")
        print(f"{'noise':<12} {'@1':>7} {'@5':>7} {'floor':>6} {'p50 ms':>7} {'p99 ms':>7} {'mean':>6}")
        for kind, noise in KINDS.items():
            rng = random.Random(f"{given.seed}/{kind}")
            queries = [(r, noise(r, rng)) for r in records]
            measure(kind, queries, asker(snapshot, kind, mixed=given.mixed), given.show_misses)


def asker(snapshot: Snapshot, kind: str, *, mixed: bool) -> Callable[[str], list[Record]]:
    """Return how a query of this kind is asked."""
    if mixed:
        return lambda query: [candidate.record for candidate in snapshot.search(query)]
    return snapshot.by_raw if kind == "raw" else snapshot.by_title


def measure(
    kind: str, queries: Sequence[tuple[Record, str]], ask: Callable[[str], list[Record]], show: int
) -> None:
    """Print recall and CPU time of one kind of noise."""
    ranks, times = [], []
    for record, query in queries:
        began = time.process_time()
        found = ask(query)
        times.append((time.process_time() - began) * 1e3)
        place = rank(record, found[:5])
        ranks.append(place)
        if place is None and show > 0:
            show -= 1
            print(f"    missed {query!r}\n        is {record.title!r}, got {[r.title for r in found[:2]]}")
    first = sum(place == 0 for place in ranks) / len(ranks)
    five = sum(place is not None for place in ranks) / len(ranks)
    cuts = statistics.quantiles(times, n=100)
    floor = FLOORS.get(kind, 0.99)
    print(
        f"{kind:<12} {first:>7.4f} {five:>7.4f} {floor:>6.2f} {cuts[49]:>7.3f} {cuts[98]:>7.3f} "
        f"{statistics.fmean(times):>6.3f}{'' if five >= floor else '  BELOW'}"
    )


if __name__ == "__main__":
    main()
