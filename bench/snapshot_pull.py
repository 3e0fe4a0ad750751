"""What the next edition of a snapshot costs who has the one before, and how fast publish and pull are.

    python bench/snapshot_pull.py works.jsonl.zst [--records 100000] [--share 0.01]

Builds a snapshot of the first works of the file and, for each kind of change, one in which a share of the
works changed; publishes both in turn and pulls them over loopback. `transfer` is everything that came over
the network for the second edition (note, manifest, chunks, deltas), as a share of the snapshot's bytes.

    edited     year, or the year and the venue's name, are others
    retitled   one word of the title is another
    appended   new works behind the old ones
    mixed      a third of each of these
    replaced   each changed work is a different one: every key and word of it changes
    shifted    works are removed in the middle, others appended: all behind get new numbers
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import random
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import zstandard

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.publication import publish_snapshot
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import SignerKey
from citeproof.service.snapshot_pins import SnapshotPins
from citeproof.service.snapshot_pull import PullOrder, PullOutcome, pull_snapshot
from citeproof.settings import Settings

Work = dict[str, object]
Works = list[Work]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--kinds", default=",".join(CHANGES))
    given = parser.parse_args()
    changed = round(given.records * given.share)
    works = read_works(given.works, given.records + changed)
    base, extra = works[: given.records], works[given.records :]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = build_works(folder / "old", base)
        print(f"{len(base):,} records, {changed:,} changed")
        heads = ("fetched MB", "transfer", "deltas MB", "publish MB/s", "again", "pull MB/s", "again")
        print(f"{'change':<10}{'MB':>8}" + "".join(f"{head:>13}" for head in heads))
        for kind in given.kinds.split(","):
            new = build_works(folder / kind, CHANGES[kind](base, extra, random.Random(1)), like=old)
            measure_edition(kind, old, new, folder / f"{kind}-run")


def read_works(path: Path, count: int) -> Works:
    """Return the first works of the file."""
    with path.open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
        return [json.loads(line) for line, _ in zip(lines, range(count), strict=False)]


def build_works(folder: Path, works: Works, like: Path | None = None) -> Path:
    """Return the folder of a snapshot of `works`."""
    dump = folder.with_suffix(".jsonl")
    with dump.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(work, ensure_ascii=False) + "\n" for work in works)
    build([BuildInput("works", (dump,))], folder, name="works", like=like)
    return folder


def edit_work(work: Work, rng: random.Random) -> Work:
    """Return the work with another year, and half the time in a venue by another name."""
    versions = [list(version) for version in work.get("p") or [[2000, ""]]]  # type: ignore[attr-defined]
    versions[0][0] = (versions[0][0] or 2000) + 1
    if rng.random() < 0.5 and len(versions[0]) > 1:
        versions[0][1] = f"Proceedings of {versions[0][1]}"
    return {**work, "p": versions}


def retitle_work(work: Work, rng: random.Random, pool: list[str]) -> Work:
    """Return the work with one word of its title replaced by one of another title."""
    words = str(work["t"]).split()
    words[rng.randrange(len(words))] = rng.choice(pool)
    return {**work, "t": " ".join(words)}


def change_some(base: Works, rng: random.Random, count: int, how: Callable[[Work], Work]) -> Works:
    """Return the works, `count` of them changed, all at their old places."""
    chosen = set(rng.sample(range(len(base)), count))
    return [how(work) if at in chosen else work for at, work in enumerate(base)]


def make_edited(base: Works, extra: Works, rng: random.Random) -> Works:
    return change_some(base, rng, len(extra), lambda work: edit_work(work, rng))


def make_retitled(base: Works, extra: Works, rng: random.Random) -> Works:
    pool = [word for work in rng.sample(base, 1000) for word in str(work["t"]).split()]
    return change_some(base, rng, len(extra), lambda work: retitle_work(work, rng, pool))


def make_mixed(base: Works, extra: Works, rng: random.Random) -> Works:
    third = len(extra) // 3
    retitled = make_retitled(base, extra[:third], rng)
    return make_edited(retitled, extra[:third], rng) + extra[: len(extra) - 2 * third]


def make_replaced(base: Works, extra: Works, rng: random.Random) -> Works:
    others = iter(extra)
    return change_some(base, rng, len(extra), lambda _: next(others))


def make_shifted(base: Works, extra: Works, rng: random.Random) -> Works:
    gone = set(rng.sample(range(len(base)), len(extra) // 2))
    return [work for at, work in enumerate(base) if at not in gone] + extra[: len(extra) // 2]


CHANGES: dict[str, Callable[[Works, Works, random.Random], Works]] = {
    "edited": make_edited,
    "retitled": make_retitled,
    "appended": lambda base, extra, _: base + extra,
    "mixed": make_mixed,
    "replaced": make_replaced,
    "shifted": make_shifted,
}


def measure_edition(kind: str, old: Path, new: Path, folder: Path) -> None:
    """Publish and pull the first edition, then the second, and print what each cost."""
    key = SignerKey.generate("example.org/bench")
    out = folder / "published"
    out.mkdir(parents=True)
    handler = functools.partial(QuietHandler, directory=str(out))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_address[1]}"
    settings = Settings(cache_dir=folder / "cache", private_hosts=(host,))
    order = PullOrder(f"http://{host}", key.verifier)
    seconds: list[float] = []
    outcomes: list[PullOutcome] = []
    deltas = 0
    for snapshot in (old, new):
        began = time.monotonic()
        deltas = publish_snapshot(snapshot, out, key, SystemClock()).delta_bytes
        seconds.append(time.monotonic() - began)
        began = time.monotonic()
        outcomes.append(pull_snapshot(order, settings, SystemClock(), pins=SnapshotPins(folder / "pins")))
        seconds.append(time.monotonic() - began)
    server.shutdown()
    server.server_close()
    size = outcomes[1].edition.bytes / 1e6
    fetched = outcomes[1].fetched / 1e6
    speeds = [size / seconds[at] for at in (0, 2, 1, 3)]
    columns = [
        f"{fetched:.2f}",
        f"{fetched / size:.1%}",
        f"{deltas / 1e6:.2f}",
        *(f"{one:.1f}" for one in speeds),
    ]
    print(f"{kind:<10}{size:>8.1f}" + "".join(f"{column:>13}" for column in columns), flush=True)


class QuietHandler(SimpleHTTPRequestHandler):
    """A plain static server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    main()
