"""Measures the checks of the set: rings and self-citation in real lists, false findings, cost.

    python bench/reference_sets.py [../shared/data] [FOLDER of .bib files]...

1. Rings of invented people, and the works of real authors, are put into real lists, above and below the line.
2. Real bibliographies as they are: how many findings of each kind. `-v` shows each of them.
3. The time of the processor for lists of up to 100,000 references, and the memory.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import zstandard

from citeproof.errors import CiteproofError
from citeproof.judgement.checks import SET_CHECKS, examine_set
from citeproof.judgement.checks.cohort_concentrated import find_concentration
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.reading.extractors.base import extract
from citeproof.reading.parse import parse_all
from citeproof.text import names
from citeproof.vocabulary import NO_IDS, Claimed, Document, DocumentFacts, Kind, Name, Place, Reference

SETS = 300  # lists of each kind that are made
RING = [
    "Maria Ostrowska",
    "Pavel Dvorsky",
    "Ingrid Solheim",
    "Tomas Bergqvist",
    "Lena Hakkinen",
    "Oskar Nowicki",
]
PROLIFIC = 30  # works of an author whose survey is made
SHOWN = "-v" in sys.argv


def read_works(path: Path, limit: int = 400_000) -> list[SetMember]:
    """Return real works as references, in the order of the file."""
    found = []
    with zstandard.open(path, "rt", encoding="utf-8") as lines:
        for number, line in zip(range(limit), lines, strict=False):
            work = json.loads(line)
            if work.get("a"):
                people = tuple(names.parse(name) for name in work["a"][:50])
                found.append(make_member(f"w{number}", work["t"], people, (work["p"] or [[None]])[0][0]))
    return found


def make_member(key: str, title: str, authors: Sequence[Name], year: int | None) -> SetMember:
    claimed = Claimed(title=title, authors=tuple(authors), year=year)
    return SetMember.describe(Reference(key, "", Kind.ARTICLE, claimed, Place(file="made")))


def read_bibliographies(folders: Sequence[Path]) -> Iterator[tuple[str, tuple[SetMember, ...]]]:
    for path in sorted(one for folder in folders for one in folder.rglob("*.bib")):
        try:
            extraction = extract(Document(path.name, path.read_bytes()))
        except (CiteproofError, OSError):
            continue
        members = tuple(SetMember.describe(one) for one in parse_all(extraction.references))
        if members:
            yield f"{path.parent.name}/{path.name}", members


def find_kind(members: Sequence[SetMember], own: Sequence[Name] = ()) -> str:
    """Return the kind of concentration; empty: none is found."""
    evidence = SetEvidence("made", tuple(members), about=DocumentFacts(tuple(own)))
    return next((one.finding.kind for one in find_concentration(evidence)), "")


def make_ring(chance: random.Random, size: int, people: int) -> list[SetMember]:
    """Return references of which each two of the people wrote some, now and then with a third."""
    pairs = [list(pair) for pair in combinations(RING[:people], 2)]
    chance.shuffle(pairs)
    signed = [pairs[n % len(pairs)] for n in range(size)]
    return [
        make_member(f"ring{n}", f"Ring {n}", [names.parse(one) for one in each], 2020)
        for n, each in enumerate(signed)
    ]


def measure_made_lists(works: Sequence[SetMember]) -> None:
    """Print how many lists of each kind are on the right side of the line."""
    chance = random.Random(19)
    by_author: dict[str, list[SetMember]] = defaultdict(list)
    for one in works:
        for author in one.authors if len(one.authors) <= 20 else ():
            by_author[author.display].append(one)
    prolific = sorted(name for name, listed in by_author.items() if len(listed) >= PROLIFIC and len(name) > 8)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for _ in range(SETS):
        size = chance.randint(12, 80)
        start = chance.randrange(len(works) - size)  # neighbours in the file: of one venue and year, mostly
        normal = works[start : start + size]
        seen["normal list, one venue"][find_kind(normal)] += 1
        mixed = chance.sample(works, size)
        for share, word in ((0.5, "above"), (0.3, "below")):
            inside = max(5, round(size * share / (1 - share)))
            ring = make_ring(chance, inside, chance.randint(3, 6))
            seen[f"ring in a real list, {word}"][find_kind([*mixed, *ring], [names.parse("Ada Aalto")])] += 1
            author = chance.choice(prolific)
            own = chance.sample(by_author[author], min(inside, len(by_author[author])))
            rest = mixed[: round(len(own) * (1 - share) / share)]
            if len(own) + len(rest) < 10:
                continue
            found = find_kind([*rest, *own], [names.parse(author)])
            seen[f"survey of a real author, {word}"][found] += 1
    for name, kinds in sorted(seen.items()):
        told = ", ".join(f"{kind or 'no finding'} {count}" for kind, count in sorted(kinds.items()))
        print(f"{name:34} {told}")


def measure_bibliographies(folders: Sequence[Path]) -> list[SetMember]:
    """Print what is found in real bibliographies; return all their references."""
    files, long, every = 0, 0, []
    lists: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for name, members in read_bibliographies(folders):
        files, long = files + 1, long + (len(members) >= 10)
        every += members
        found = examine_set(SetEvidence(name, members))
        counted.update(f"{one.finding.name} {one.finding.kind}".strip() for one in found)
        lists.update({f"{one.finding.name} {one.finding.kind}".strip() for one in found})
        for one in found if SHOWN else ():
            print(f"  {name}: {one.finding.name} {one.finding.kind}: {one.finding.detail}")
            print(*(f"      {line}" for line in one.finding.evidence), sep="\n")
    print(f"{files} files, {long} of 10 references and more, {len(every)} references")
    for kind, count in sorted(counted.items()):
        print(f"  {kind:44} {count:6} findings in {lists[kind]} files")
    return every


def measure_cost(every: Sequence[SetMember]) -> None:
    """Print the time of the processor for each reference of long lists, and the memory."""
    for size in (1_000, 10_000, 100_000):
        members = tuple(
            replace(
                every[n % len(every)],
                key=f"k{n}",
                title=f"{every[n % len(every)].title} {n}",
                cited_ids=NO_IDS,
            )
            for n in range(size)
        )
        evidence = SetEvidence("made", members)
        told = []
        for check in SET_CHECKS:
            begin = time.process_time()
            for _ in check(evidence):
                pass
            told.append(
                f"{check.__module__.rpartition('.')[2]} {(time.process_time() - begin) / size * 1e6:.1f}"
            )
        print(f"{size:7} references, µs each: {', '.join(told)}")
    print(f"memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def main() -> None:
    given = [Path(one) for one in sys.argv[1:] if one != "-v"]
    shared = given[0] if given else Path("../shared/data")
    works = read_works(shared / "records" / "works.jsonl.zst")
    measure_made_lists(works)
    every = measure_bibliographies(given[1:] or [shared / "wild"])
    measure_cost(every)


if __name__ == "__main__":
    main()
