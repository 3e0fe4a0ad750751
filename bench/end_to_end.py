"""References a CPU-second from a .bib file to judgements, and how the cost grows with the snapshot.

    python bench/end_to_end.py WORKS.jsonl[.zst] [--sizes 10000,50000,200000,0] [--references 1000]

The same .bib is checked against snapshots of growing size: works of the smallest one, cited as
people cite (initials, abbreviated venues, typos, changed words), and one in eight that does not
exist. Size 0 means all records. CPU time of this process, page cache warm; ratios against 50,000.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import zstandard

from citeproof.answers.serializers import build_checked_json, dumps
from citeproof.evidence.index.build import BuildInput, build
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.vocabulary import Document

SEED = 42
BASE = 50_000
ROUNDS = 4


def lines(path: Path) -> Iterator[str]:
    if path.suffix == ".zst":
        with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
            yield from io.TextIOWrapper(stream, "utf-8")
    else:
        with path.open(encoding="utf-8") as stream:
            yield from stream


def sample(path: Path, sizes: list[int], folder: Path) -> dict[int, Path]:
    """Write nested samples: every record of a smaller file is in each larger one."""
    rng = random.Random(SEED)
    ranked = [(rng.random(), line) for line in lines(path)]
    files = {}
    for size in sizes:
        chosen = len(ranked) if size == 0 else size
        cut = sorted(rank for rank, _ in ranked)[chosen - 1]
        files[chosen] = folder / f"works-{chosen}.jsonl"
        with files[chosen].open("w", encoding="utf-8") as out:
            out.writelines(line for rank, line in ranked if rank <= cut)
    return files


def cite(work: dict[str, object], rng: random.Random, number: int) -> str:
    """Return one work as somebody's BibTeX entry, sometimes damaged, sometimes invented."""
    title, authors = str(work["t"]), [str(a) for a in work.get("a", [])]  # type: ignore[attr-defined]
    year, venue = work["p"][0] if work.get("p") else (2000, "")  # type: ignore[index]
    kind = rng.random()
    words = title.split()
    if kind < 0.125:
        rng.shuffle(words)
        title = "Towards " + " ".join(words[: max(3, len(words) // 2)]) + " revisited"
    elif kind < 0.25 and len(words) > 3:
        words[rng.randrange(len(words))] = "robust"
        title = " ".join(words)
    elif kind < 0.4:
        at = rng.randrange(max(1, len(title) - 1))
        title = title[:at] + title[at + 1 :]
    doi = work.get("d")
    fields = {
        "title": title,
        "author": " and ".join(authors),
        "year": str(year),
        "booktitle": str(venue or ""),
    }
    if isinstance(doi, str) and rng.random() < 0.5:
        fields["doi"] = doi
    body = ",\n".join(f"  {k} = {{{v}}}" for k, v in fields.items() if v)
    return f"@inproceedings{{ref{number},\n{body}\n}}\n"


async def measure(snapshot: Path, bib: bytes) -> tuple[float, list[float]]:
    """Return (references a CPU-second over the whole file, CPU milliseconds of each reference)."""
    verifier = assemble(Settings(snapshots=(snapshot,), offline=True))
    document = Document("bench.bib", bib)
    for raw in verifier.extract(document).references[:50]:
        await verifier.verify_one(raw)  # warm the page cache and the imports
    start = time.process_time()
    extraction = verifier.extract(document)
    async for checked in verifier.verify(extraction):
        dumps(build_checked_json(checked))
    whole = time.process_time() - start
    single = []
    for raw in extraction.references:
        before = time.process_time_ns()
        await verifier.verify_one(raw)
        single.append((time.process_time_ns() - before) / 1e6)
    return len(extraction.references) / whole, sorted(single)


def interleaved(folder: Path, sizes: list[int], bib: bytes) -> dict[int, tuple[float, list[float]]]:
    """Return the best of several rounds for each size; sizes take turns, because machines change pace."""
    best: dict[int, tuple[float, list[float]]] = {}
    for _ in range(ROUNDS):
        for size in sizes:
            found = asyncio.run(measure(folder / f"snapshot-{size}", bib))
            best[size] = max(best.get(size, found), found, key=lambda pair: pair[0])
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("--sizes", default="10000,50000,200000,0")
    parser.add_argument("--references", type=int, default=1000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citeproof-bench-") as name:
        folder = Path(name)
        files = sample(wanted.works, [int(s) for s in wanted.sizes.split(",")], folder)
        rng = random.Random(SEED)
        smallest = [json.loads(line) for line in lines(files[min(files)])]
        works = rng.sample([w for w in smallest if w.get("a") and w.get("p")], wanted.references)
        bib = "\n".join(cite(work, rng, i) for i, work in enumerate(works)).encode()
        for size, path in sorted(files.items()):
            build([BuildInput("works", (path,))], folder / f"snapshot-{size}")
        costs: dict[int, float] = {}
        for size, (rate, single) in interleaved(folder, sorted(files), bib).items():
            costs[size] = 1000 / rate
            p50, p99 = statistics.median(single), single[int(len(single) * 0.99)]
            print(f"{size:8} records  {rate:7.0f} references/CPU-s  p50 {p50:.2f} ms  p99 {p99:.2f} ms")
        if BASE in costs:
            ratio = costs[max(costs)] / costs[BASE]
            print(f"cost per reference, {max(costs)} against {BASE} records: {ratio:.2f}")


if __name__ == "__main__":
    main()
