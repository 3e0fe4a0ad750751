"""What is said of cited web pages: a confusion table over pages of all kinds, with an archive.

    python bench/links.py SNAPSHOT [--pages 500] [--seed 1]

A web on loopback has pages of works of SNAPSHOT. They are cited by title, year and address: pages that live,
that say "not found" with status 200, whose domain is for sale, that lead to the first page of the site, that
wall robots off, that were taken down and archived, and addresses that never existed. Rows are what became
of the page, columns what `dead_link` says and the label. Living pages that are called gone are counted.
The limits are the real ones, one request a second: 500 pages take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from citeproof import settings
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.vocabulary import Checked, Document, FindingState, Record

LIVING = ("alive", "structured")
KINDS = (*LIVING, "soft_404", "parked", "home", "wall", "gone", "never")
STYLES = {
    "alive": "plain",
    "structured": "jsonld",
    "soft_404": "missing",
    "parked": "parked",
    "home": "home",
    "wall": "wall",
}


def choose_records(snapshot: Snapshot, count: int, rng: random.Random) -> list[Record]:
    """Return works with a dated title long enough to be found by it."""
    chosen: dict[str, Record] = {}
    while len(chosen) < count:
        record = snapshot.record_at(rng.randrange(snapshot.manifest.records))
        if len(record.title) > 30 and record.title.isascii() and record.versions and record.versions[0].year:
            chosen.setdefault(record.title, record)
    return list(chosen.values())


def build_entry(number: int, kind: str, record: Record, base: str) -> str:
    """Return a BibTeX entry that cites the page of a work."""
    name = quote(record.title, safe="")
    path = {"gone": f"/gone/title/{name}", "never": f"/reports/{number}/summary.html"}.get(kind)
    address = base + (path or f"/page/title/{name}?style={STYLES[kind]}")
    return (
        f"@online{{{kind}-{number}, title = {{{record.title}}}, year = {{{record.versions[0].year}}},\n"
        f"  url = {{{address}}}}}\n"
    )


def describe(checked: Checked) -> str:
    """Return what was found out about the link, and the label."""
    finding = next((each for each in checked.findings if each.name == "dead_link"), None)
    said = "none"
    if finding is not None:
        said = finding.kind if finding.state is FindingState.FINDING else finding.state.value
    return f"{said}/{checked.judgement.label or 'unchecked'}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("snapshot", type=Path)
    options.add_argument("--pages", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    with (
        Snapshot.open(asked.snapshot) as snapshot,
        tempfile.TemporaryDirectory() as folder,
        World(SnapshotHoldings(snapshot), apis=["url", "wayback"]) as world,
    ):
        records = choose_records(snapshot, asked.pages, random.Random(asked.seed))
        kinds = [KINDS[number % len(KINDS)] for number in range(len(records))]
        entries = [
            build_entry(number, kind, record, world.urls["url"])
            for number, (kind, record) in enumerate(zip(kinds, records, strict=True))
        ]
        chosen = settings.load(
            environment={
                **world.environment(),
                "CITEPROOF_CACHE_DIR": f"{folder}/cache",
                "CITEPROOF_LIMITS_DIR": f"{folder}/limits",
                "CITEPROOF_SOURCES": "url",
            },
            folder=Path(folder),
        )
        checked = list(begin_check(assemble(chosen), [Document("links.bib", "\n".join(entries).encode())]))
        requests = Counter(seen.api for seen in world.log)
    table = Counter(zip(kinds, map(describe, checked), strict=True))
    for kind in KINDS:
        row = {said: count for (of, said), count in sorted(table.items()) if of == kind}
        print(f"{kind:12}", ", ".join(f"{said} {count}" for said, count in row.items()))
    wrong = sum(
        count
        for (kind, said), count in table.items()
        if kind in LIVING and said.split("/")[0] in ("no_copy", "archived")
    )
    print(f"living pages called gone: {wrong} of {sum(kind in LIVING for kind in kinds)}")
    print(f"requests: {dict(requests)}")


if __name__ == "__main__":
    main()
