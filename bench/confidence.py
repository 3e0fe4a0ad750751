"""How often a label is right, by its confidence: planted errors, HALLMARK, judged bibliographies.

    python -m bench.confidence SNAPSHOT FILE.bib... --hallmark FILE --wild DIR [--count 400] [--seed 1]

FILE.bib get planted errors (`bench.planted`, live in the loopback world). Entries that nobody touched and
that are flagged are left out: some are errors of the bibliography. Of WILD only what people judged counts.
Printed for each bin of confidence: how many labels, and which share of them is right.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bench.planted import check_items, make_items
from bench.wild import check_files, check_singles, load_judgements

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.measure import engine_run
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.benchmark_rows import BAD, get_true_label
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.vocabulary import Label

BINS = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.01)
SURE = 0.95
Row = tuple[str, bool, float, bool]  # population, whether it accuses, confidence, whether it is right


def rate_planted(files: Sequence[Path], folder: Path, count: int, seed: int) -> Iterator[Row]:
    """Yield what was said of planted errors, and of untouched entries that pass."""
    with Snapshot.open(folder) as snapshot:
        items = make_items(files, snapshot, count, seed)
        with World(SnapshotHoldings(snapshot)) as world:
            checked, _ = check_items(items, world, folder)
    for item in items:
        one = checked.get(item.key)
        if one is None or one.label is None or (not item.kind and not one.label.passes):
            continue
        passes, sure = one.label.passes, one.judgement.confidence or 0.0
        yield "planted", not passes, sure, passes != bool(item.kind)


def rate_hallmark(path: Path, folder: Path) -> Iterator[Row]:
    """Yield what was said of HALLMARK's entries."""
    cases = questions.read_benchmark(path).cases
    verifier = assemble(Settings(snapshots=(folder,), offline=True))
    answers = asyncio.run(engine_run.answer_questions(verifier, [case.question for case in cases]))
    for case, answer in zip(cases, answers, strict=True):
        judgement = answer.checked.judgement if answer.checked else None
        if judgement is not None and judgement.label is not None:
            bad = get_true_label(case) in (BAD, Label.MINOR.value, Label.MAJOR.value)
            accuses = not judgement.label.passes
            yield "HALLMARK", accuses, judgement.confidence or 0.0, accuses == bad


def rate_wild(folder: Path, snapshot: Path) -> Iterator[Row]:
    """Yield what was said of entries that a person judged."""
    settings, judged = Settings(snapshots=(snapshot,), offline=True), load_judgements(folder)
    for one in (*check_files(folder, settings, judged), *check_singles(settings, judged)):
        if one.label != "unchecked" and one.kept not in ("unjudged", "unsure", "wrong-parse"):
            yield "wild", one.accused, one.confidence, one.accused == (one.kept == "right")


def print_bins(rows: Iterable[Row], what: str) -> None:
    """Print, by confidence, how many labels there are and which share is right."""
    rows = list(rows)
    print(f"{what}: {len(rows)} labels")
    for low, high in itertools.pairwise(BINS):
        part = [row for row in rows if low <= row[2] < high]
        if part:
            mean = sum(row[2] for row in part) / len(part)
            share = sum(row[3] for row in part) / len(part)
            print(f"  {low:.2f} to {min(high, 1.0):.2f}  {len(part):5}  said {mean:.3f}  right {share:.3f}")
    sure = [row for row in rows if row[2] >= SURE]
    if sure:
        wrong = sum(not row[3] for row in sure)
        print(f"  from {SURE} on: {wrong} of {len(sure)} wrong ({100 * wrong / len(sure):.1f} %)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--hallmark", type=Path, required=True)
    parser.add_argument("--wild", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    rows = [
        *rate_planted(wanted.files, wanted.snapshot, wanted.count, wanted.seed),
        *rate_hallmark(wanted.hallmark, wanted.snapshot),
        *rate_wild(wanted.wild, wanted.snapshot),
    ]
    for population in dict.fromkeys(row[0] for row in rows):
        for accuses, word in ((True, "accused"), (False, "passed")):
            print_bins((r for r in rows if r[:2] == (population, accuses)), f"{population}, {word}")
    for accuses, word in ((True, "accused"), (False, "passed")):
        print_bins((r for r in rows if r[1] is accuses), f"all, {word}")


if __name__ == "__main__":
    main()
