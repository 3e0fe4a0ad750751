"""Measures the checks of a cited work: findings on real works and bibliographies, and time per reference.

    python bench/work_checks.py --snapshot works.snapshot       # each work as if it were cited exactly
    python bench/work_checks.py --every 10 --show 20 FILE.bib … # entries as if no source had the work

Works that exist and entries that people wrote should yield (nearly) no findings; judge each by hand. Times
are those of the processor; the last column is a ratio to a fixed piece of work, the same on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.judgement.checks import WORK_CHECKS
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.reading.extractors.bibtex import EXTRACTOR
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import (
    Claimed,
    Compared,
    Document,
    Finding,
    Judgement,
    Label,
    Record,
    Reference,
    Verdict,
    Version,
)

DAY = date(2026, 11, 16)
NOT_FOUND = Judgement(Verdict.NOT_FOUND, Label.MAJOR, 0.0, 1.0, None, (), "")
YARDSTICK = ("a cited title of an ordinary length, " * 10, 20_000)  # text, how often it is split


def main() -> None:
    """Print findings and times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--snapshot", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take one work in so many")
    parser.add_argument("--show", type=int, default=50, help="findings to print")
    asked = parser.parse_args()
    if asked.snapshot:
        measure("works, cited exactly", list_works(asked.snapshot, asked.every), asked.show)
    if asked.files:
        measure("entries of .bib files", list_entries(asked.files, asked.every), asked.show)


def measure(title: str, cases: Iterable[WorkEvidence], show: int) -> None:
    """Print the findings on `cases`, and what a reference costs."""
    count, spent, kinds = 0, 0, Counter[str]()
    shown: list[tuple[Finding, Reference]] = []
    for case in cases:
        started = time.process_time_ns()
        found = [one for check in WORK_CHECKS if (one := check(case))]
        spent += time.process_time_ns() - started
        count += 1
        kinds.update(f"{one.name} {one.state.value} {one.level.value}" for one in found)
        shown += [(one, case.reference) for one in found] if len(shown) < show else []
    each = spent / max(count, 1) / 1000
    print(f"{title}: {count:,} references, {each:.1f} µs each, {each / time_yardstick():.1f} yardsticks")
    for kind, number in kinds.most_common():
        print(f"  {number:6,} {kind}")
    for one, reference in shown[:show]:
        print(f"  {reference.key}: {one.name} {one.kind}: {one.detail} | {reference.claimed.title}")


def time_yardstick() -> float:
    """Return the microseconds that splitting the same text takes now (about 1.5 on an idle machine)."""
    text, times = YARDSTICK
    started = time.process_time_ns()
    for _ in range(times):
        text.split()
    return (time.process_time_ns() - started) / times / 1000


def list_works(path: Path, every: int) -> Iterator[WorkEvidence]:
    """Yield the works of a snapshot, each with a citation that says what its record says."""
    with Snapshot.open(path) as snapshot:
        for ordinal in range(0, snapshot.manifest.records, every):
            yield cite_exactly(snapshot.record_at(ordinal))


def cite_exactly(record: Record) -> WorkEvidence:
    """Return a citation of `record` that is right in every field, and matched."""
    first = record.versions[0] if record.versions else Version()
    people = "; ".join(name.display for name in record.authors[:30])
    raw = f"{people}. {record.title}. {first.venue or ''}, {first.year or ''}."
    claimed = Claimed(record.title, record.authors, year=first.year, venue=first.venue, ids=record.ids)
    compared = Compared(record, (), ("title",), (record.source,))
    judgement = Judgement(Verdict.MATCHED, Label.EXACT, 10.0, 1.0, None, (), "", compared)
    reference = Reference(record.id, raw, record.kind, claimed)
    return WorkEvidence(reference, judgement, (compared,), (), DAY)


def list_entries(paths: Iterable[Path], every: int) -> Iterator[WorkEvidence]:
    """Yield the entries of .bib files, and of those in folders."""
    files = [file for path in paths for file in (path.rglob("*.bib") if path.is_dir() else [path])]
    for file in sorted(files):
        if file.is_file():
            found = EXTRACTOR.extract(Document(file.name, file.read_bytes())).references
            yield from (WorkEvidence(one, NOT_FOUND, (), (), DAY) for one in list(parse_all(found))[::every])


if __name__ == "__main__":
    main()
