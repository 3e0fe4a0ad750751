"""What the audit log costs `check`: the same .bib with and without a log, in turns, in one run.

    python bench/audit_overhead.py SNAPSHOT [--references 1500] [--rounds 7] [--text | --bib FILE ...]

Works of the snapshot cited in BibTeX (--text: as a list of references in running text; --bib: these files),
checked offline in this process from documents to the bytes of the JSON lines; with the log, every reference
is durable (strict) before it is shown, the run's events signed and anchored at the end. Wall time and CPU
time of this process and its children, best and median of the rounds, and their ratios.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from citeproof.answers.serializers import build_bibtex_entry, build_checked_json, dumps
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import Settings
from citeproof.surfaces.cli.main import freeze_loaded_objects
from citeproof.vocabulary import Claimed, Document, Ids, Record, Version


def cited(folder: Path, count: int, *, text: bool = False) -> bytes:
    """Return a .bib, or a list, of works out of the snapshot."""
    with Snapshot.open(folder) as snapshot:
        places = random.Random(7).sample(range(snapshot.manifest.records), count)
        if text:
            lines = (f"[{n}] {line(snapshot.record_at(at))}" for n, at in enumerate(places, 1))
            return "\n".join(("References", "", *lines)).encode()
        return "\n".join(entry(f"ref{at}", snapshot.record_at(at)) for at in places).encode()


def line(record: Record) -> str:
    """Return one work as a list of references has it."""
    first = record.versions[0] if record.versions else Version()
    people = ", ".join(name.display for name in record.authors[:6])
    return f"{people}. {record.title}. {first.venue or ''}, {first.year or ''}."


def entry(key: str, record: Record) -> str:
    """Return one work as it would be cited, every second one with its identifiers."""
    first = record.versions[0] if record.versions else Version()
    ids = record.ids if len(record.title) % 2 == 0 else Ids()
    claimed = Claimed(title=record.title, authors=record.authors, year=first.year, venue=first.venue, ids=ids)
    return build_bibtex_entry(key, record.kind, claimed)


def measured(chosen: Settings, documents: list[Document]) -> tuple[float, float, int]:
    """Return wall and CPU seconds of one whole check, and how many references it had."""
    freeze_loaded_objects()  # as the command does
    wall, cpu, count = time.perf_counter(), spent(), 0
    for checked in begin_check(assemble(chosen), documents):
        dumps(build_checked_json(checked))
        count += 1
    return time.perf_counter() - wall, spent() - cpu, count


def spent() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--references", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--bib", type=Path, nargs="+", default=())
    wanted = parser.parse_args()
    documents = [Document(path.name, path.read_bytes()) for path in wanted.bib]
    if not documents:
        made = cited(wanted.snapshot, wanted.references, text=wanted.text)
        documents = [Document("bench.txt" if wanted.text else "bench.bib", made)]
    folder = Path(tempfile.mkdtemp(prefix="citeproof-bench-", dir="."))
    plain = Settings(snapshots=(wanted.snapshot,), offline=True)
    logged = replace(plain, audit_dir=folder / "log", audit_key=folder / "keys")
    try:
        count = measured(plain, documents)[2]  # imports, page cache
        measured(logged, documents)
        rounds = [(measured(plain, documents), measured(logged, documents)) for _ in range(wanted.rounds)]
        size = sum(path.stat().st_size for path in (folder / "log").rglob("*") if path.is_file())
    finally:
        shutil.rmtree(folder)
    for clock, at in (("wall", 0), ("CPU", 1)):
        without, with_log = [r[0][at] for r in rounds], [r[1][at] for r in rounds]
        for word, pick in (("best", min), ("median", statistics.median)):
            one, two = pick(without), pick(with_log)
            each = 1e6 / count
            print(
                f"{clock:4} {word:6}  {one * each:6.0f} µs a reference without, {two * each:6.0f} with"
                f"  ratio {two / one:.3f}"
            )
    print(f"{count} references; log: {size / (wanted.rounds + 1) / count:,.0f} bytes a reference")


if __name__ == "__main__":
    main()
