"""The memory: does it change a verdict, and what does a lookup cost?

    python bench/memory.py verdicts --snapshot DIR FILE…   benchmark files (.jsonl) and bibliographies (.bib)
    python bench/memory.py speed [--entries 1000000] [--vectors VECTORS.npy] [--folder DIR]

verdicts  Each FILE is checked offline four times: without a memory, with an empty one that fills, with the
          same one filled, and with one that holds every candidate of every reference, as if each had been
          matched before. Counts the references whose verdict, label, score or findings differ from the first.
speed     CPU time of a lookup by identifier, by title key, and by embedding, among that many works. The
          vectors of invented works lie between two of VECTORS (of real titles); one title is embedded apart.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from citeproof import settings
from citeproof.answers.serializers.remembered_work import RememberedWork
from citeproof.evidence.embedding import DIMENSIONS, MODEL, embed_texts
from citeproof.evidence.embedding.title_vectors import (
    TitleVectors,
    list_near_cells,
    pack_vector,
    rank_similar,
)
from citeproof.evidence.sources.memory import MemorySource
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.engine_run import answer_questions
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.plumbing.stores.memory_database import MemoryDatabase
from citeproof.service.assemble import assemble
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    MEMORY,
    Checked,
    Claimed,
    Document,
    Ids,
    Kind,
    Name,
    Question,
    Record,
    Reference,
    Version,
)

SEED = 21


# --- verdicts ----------------------------------------------------------------------------------------


def check_file(path: Path, chosen: settings.Settings) -> list[Checked]:
    """Return every reference of a benchmark or a bibliography, checked."""
    data = b"" if path.suffix == ".jsonl" else path.read_bytes()
    return asyncio.run(_check_file(assemble(chosen, stage=None), path, data))


async def _check_file(verifier: ReferenceVerifier, path: Path, data: bytes) -> list[Checked]:
    try:
        if path.suffix == ".jsonl":
            asked = [case.question for case in questions.read_benchmark(path).cases]
            return [answer.checked for answer in await answer_questions(verifier, asked)]
        extraction = verifier.extract(Document(path.name, data))
        return [checked async for checked in verifier.verify(extraction)]
    finally:
        await verifier.close()


def describe_outcome(checked: Checked) -> tuple[object, ...]:
    """Return what may not change."""
    judged = checked.judgement
    findings = sorted((f.name, f.state.value) for f in checked.findings)
    return judged.verdict, judged.label, judged.score, judged.confidence, tuple(findings)


def fill_with_candidates(folder: Path, checked: Iterable[Checked]) -> int:
    """Put every candidate of every reference into a memory, as if it had been matched; return how many."""
    clock = SystemClock()
    memory = MemorySource(MemoryDatabase(folder, model=MODEL), clock, vectors=TitleVectors())
    works = {
        (c.record.source, c.record.id): RememberedWork(
            (c.record,), format_timestamp(clock), "EXACT", 10.0, "bench", "bench"
        )
        for one in checked
        for c in one.compared
        if c.record.title
    }
    memory.store.put([memory.make_entry(work) for work in works.values()], 0)
    memory.close()
    return len(works)


def compare_runs(path: Path, chosen: settings.Settings) -> None:
    """Print how the runs of one file differ."""
    plain = check_file(path, chosen)
    print(f"{path.name}: {len(plain)} references", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        filled, hostile = Path(folder, "filled"), Path(folder, "candidates")
        runs = [("empty, fills", filled), ("filled", filled), ("every candidate", hostile)]
        for name, place in runs:
            if place is hostile:
                name = f"{name} ({fill_with_candidates(hostile, plain)} works)"  # noqa: PLW2901
            began = time.process_time()
            seen = check_file(path, replace(chosen, memory=place))
            took = time.process_time() - began
            _print_changes(name, plain, seen, took)


def _print_changes(name: str, plain: Sequence[Checked], seen: Sequence[Checked], took: float) -> None:
    pairs = list(zip(plain, seen, strict=True))
    recalled = sum(any(x.source == MEMORY for x in one.retrieved.lookups) for one in seen)
    changed = [(a, b) for a, b in pairs if describe_outcome(a)[:3] != describe_outcome(b)[:3]]
    sure = sum(describe_outcome(a)[3] != describe_outcome(b)[3] for a, b in pairs)
    found = [(a, b) for a, b in pairs if describe_outcome(a)[4] != describe_outcome(b)[4]]
    print(
        f"  memory {name}: {recalled} recalled; changed: {len(changed)} verdict, label or score, "
        f"{sure} confidence, {len(found)} findings; {took:.1f} CPU s",
        flush=True,
    )
    for a, b in (changed + found)[:5]:
        print(f"    {a.key}: {describe_outcome(a)} -> {describe_outcome(b)}")


# --- speed -------------------------------------------------------------------------------------------


def make_work(number: int, at: str = "") -> RememberedWork:
    """Return an invented work with its own DOI, title, author and year."""
    record = Record(
        "crossref",
        f"10.5555/bench.{number}",
        (f"On the measurement of quantity {number} in systems of kind {number % 997}",),
        (Name(f"Author{number % 5003}", "Ada"), Name("Second", "Bo")),
        versions=(Version(1970 + number % 55, "Journal of Benchmarks", volume="1", pages="1-9"),),
        ids=Ids((("doi", f"10.5555/bench.{number}"),)),
        read_at=at,
        content_hash="0" * 64,
    )
    return RememberedWork((record,), at, "EXACT", 10.0, "bench", "bench")


def make_vectors(count: int, real: np.ndarray) -> np.ndarray:
    """Return vectors between two of real titles, nearer to the first."""
    chance = np.random.default_rng(SEED)
    first, second = real[chance.integers(len(real), size=count)], real[chance.integers(len(real), size=count)]
    share = chance.uniform(0.15, 0.5, (count, 1)).astype(np.float32)
    mixed = first * (1 - share) + second * share
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)


def fill_store(store: MemoryDatabase, count: int, real: np.ndarray) -> None:
    """Put that many works and vectors into a store."""
    clock = SystemClock()
    plain, at = MemorySource(store, clock), format_timestamp(clock)
    for start in range(0, count, 20_000):
        numbers = range(start, min(start + 20_000, count))
        vectors = make_vectors(len(numbers), np.roll(real, start // 20_000, axis=0))
        entries = [
            replace(plain.make_entry(make_work(n, at)), vector=pack_vector(v), cell=list_near_cells(v)[0])
            for n, v in zip(numbers, vectors, strict=True)
        ]
        store.put(entries, 1)
        print(f"  {numbers.stop:,} works", flush=True)


def measure_speed(folder: Path, count: int, real: np.ndarray) -> None:
    """Print the CPU time of lookups."""
    store = MemoryDatabase(folder, model=MODEL)
    have = store.measure().entries
    if have < count:
        fill_store(store, count, real)
    figures = store.measure()
    print(f"{figures.entries:,} works, {figures.vectors:,} vectors, {figures.size / 1e6:,.0f} MB")
    chance = np.random.default_rng(SEED + 1)
    picked = [int(n) for n in chance.integers(count, size=1000)]
    source = MemorySource(store, SystemClock())
    _print_cost("identifier, found", _time_lookups(source, [_ask(n, "doi") for n in picked]))
    _print_cost("identifier, not there", _time_lookups(source, [_ask(n + count, "doi") for n in picked]))
    _print_cost("title key, found", _time_lookups(source, [_ask(n, "title") for n in picked]))
    _print_cost("title key, not there", _time_lookups(source, [_ask(n + count, "title") for n in picked]))
    asked = make_vectors(1000, np.roll(real, 7, axis=0))
    _print_cost("embedding, without the embedding itself", _time_searches(store, asked))
    titles = [f"A study of {word} in large networks of agents" for word in ("trust", "noise", "heat", "loss")]
    embed_texts(titles)
    _print_cost("the embedding of one title", [_time_call(lambda t=t: embed_texts([t])) for t in titles * 10])
    _print_recall(store, chance)
    source.close()


def _ask(number: int, by: str) -> Question:
    record = make_work(number).records[0]
    claimed = Claimed(title=record.title, authors=record.authors, year=record.versions[0].year)
    return Question(by, record.id if by == "doi" else record.title, Reference("x", "", Kind.ARTICLE, claimed))


def _time_lookups(source: MemorySource, asked: Sequence[Question]) -> list[float]:
    async def run() -> list[float]:
        times = []
        for question in asked:
            began = time.process_time()
            await source.lookup(question)
            times.append(time.process_time() - began)
        return times

    return asyncio.run(run())


def _time_searches(store: MemoryDatabase, asked: np.ndarray) -> list[float]:
    return [_time_call(lambda v=v: store.get(rank_similar(v, store.list_near)[:5])) for v in asked]


def _time_call(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def _print_recall(store: MemoryDatabase, chance: np.random.Generator) -> None:
    """Print how many vectors are found again after a change that leaves a cosine just above 0.92."""
    stored = store.list_near(range(0, 65_536, 131))
    rows = [stored[int(n)] for n in chance.integers(len(stored), size=1000)]
    for cosine in (0.93, 0.95, 0.98):
        found = 0
        for number, packed in rows:
            vector = np.frombuffer(packed, np.int8).astype(np.float32)
            vector /= np.linalg.norm(vector)
            noise = chance.normal(size=DIMENSIONS).astype(np.float32)
            noise -= vector * (noise @ vector)
            noise /= np.linalg.norm(noise)
            moved = vector * cosine + noise * np.float32(np.sqrt(1 - cosine**2))
            found += number in rank_similar(moved, store.list_near)
        print(f"  found again at cosine {cosine}: {found / len(rows):.1%}")


def _print_cost(name: str, times: Sequence[float]) -> None:
    ordered = np.sort(np.array(times)) * 1e3
    print(
        f"  {name}: mean {ordered.mean():.3f} ms, median {np.median(ordered):.3f} ms, "
        f"99 % within {ordered[int(len(ordered) * 0.99) - 1]:.3f} ms",
        flush=True,
    )


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = flags.add_subparsers(dest="part", required=True)
    verdicts = parts.add_parser("verdicts")
    verdicts.add_argument("files", nargs="+", type=Path)
    verdicts.add_argument("--snapshot", type=Path, required=True)
    speed = parts.add_parser("speed")
    speed.add_argument("--entries", type=int, default=1_000_000)
    speed.add_argument("--vectors", type=Path)
    speed.add_argument("--folder", type=Path)
    given = flags.parse_args()
    if given.part == "verdicts":
        chosen = settings.load({"offline": True, "snapshots": (given.snapshot,)})
        for path in given.files:
            compare_runs(path, chosen)
        return
    chance = np.random.default_rng(SEED)
    real = np.load(given.vectors) if given.vectors else chance.normal(size=(5000, DIMENSIONS))
    with tempfile.TemporaryDirectory() as folder:
        measure_speed(given.folder or Path(folder), given.entries, real.astype(np.float32))


if __name__ == "__main__":
    main()
