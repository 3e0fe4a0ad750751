"""Do registries agree with each other? Recorded records of one source, cited, and checked with the others.

    python bench/cross_sources.py RECORDINGS/title_lookups_refchecker.tar.zst [--show SOURCE CHECKED_WITH]

Every paper that two or more of Crossref, OpenAlex, Semantic Scholar and DBLP were recorded with is cited as
one of them has it, and judged against another alone, and against all others together. What is then not EXACT
is a difference between registries, not a fault of an author: it says how far one source alone can be trusted
to convict, and what asking a second one is worth.
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import zstandard

from citeproof.evidence.sources import base as sources
from citeproof.evidence.sources import semantic_scholar
from citeproof.evidence.upstream_records import crossref, dblp, openalex
from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Claimed, Found, Kind, Label, Reach, Record, Reference, Retrieval

TODAY = date(2026, 11, 15)
LONG = 20  # letters of a title that names one work
Shape = Callable[[object], Record | None]


def items(archive: Path, folder: str) -> Iterator[object]:
    """Yield the recorded hits of one source."""
    data = zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile() and fnmatch.fnmatch(member.name, f"*/api_cache/{folder}/*.json"):
                file = tar.extractfile(member)
                assert file is not None
                found = msgspec.json.decode(file.read())
                yield from found if isinstance(found, list) else [found]


def _dblp(item: object) -> Record | None:
    info = item.get("info") if isinstance(item, dict) else None
    return dblp.make_record(info)


SHAPES: dict[str, Shape] = {
    "crossref": crossref.make_record,
    "openalex": openalex.make_record,
    "semantic_scholar": semantic_scholar.make_record,
    "dblp": _dblp,
}


def held(archive: Path) -> dict[str, dict[str, list[Record]]]:
    """Return, for each title, the records of each source."""
    by_title: dict[str, dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
    for source, shape in SHAPES.items():
        complete = not sources.find_source(source).profile.misses_appearances
        for item in items(archive, source):
            record = shape(item)
            if record and record.authors and record.versions and len(make_title_key(record.title)) >= LONG:
                by_title[make_title_key(record.title)][source][record.id] = replace(
                    record, source=source, versions_complete=complete
                )
    return {t: {s: list(r.values()) for s, r in kinds.items()} for t, kinds in by_title.items()}


def cite(record: Record) -> Reference:
    first = record.versions[0]
    claimed = Claimed(
        title=record.title, authors=record.authors, year=first.year, venue=first.venue,
        volume=first.volume, issue=first.issue, pages=first.pages,
    )  # fmt: skip
    return Reference("k", "", record.kind if record.kind is not Kind.UNKNOWN else Kind.ARTICLE, claimed)


def judged(
    record: Record, kinds: dict[str, list[Record]], others: tuple[str, ...]
) -> tuple[Label | None, str]:
    """Return the label of `record`, cited, against what `others` have."""
    lookups = tuple(Found(name, "title", tuple(kinds[name]), Reach.COVERS) for name in others)
    reference, retrieved = cite(record), Retrieval(lookups)
    judgement = judge(reference, retrieved, compare(reference, retrieved, TODAY))
    return judgement.label, judgement.explanation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--show", nargs=2, default=("", ""))
    options = parser.parse_args()
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for kinds in held(options.archive).values():
        for source, records in kinds.items():
            others = tuple(name for name in kinds if name != source)
            groups = {name: (name,) for name in others} | ({"all others": others} if len(others) > 1 else {})
            for name, group in groups.items():
                label, told = judged(records[0], kinds, group)
                counts[source, name][str(label or "unchecked")] += 1
                if label is not Label.EXACT and (source, name) == tuple(options.show):
                    print(f"  {told}")
    print("cited as          checked with        exact  noted  minor  major  unchecked")
    for (source, name), row in sorted(counts.items()):
        cells = "".join(f"{row[label]:7}" for label in ("EXACT", "NOTED", "MINOR", "MAJOR", "unchecked"))
        print(f"{source:17} {name:17} {cells}  {row['EXACT'] / row.total():.0%}")


if __name__ == "__main__":
    main()
