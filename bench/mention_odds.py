"""How likely a work must be for people and a year to mean it: real mentions against invented ones.

    python bench/mention_odds.py WORKS.jsonl.zst SNAPSHOT [--most 1500] [--seed 1]

Mentions are made from works of the snapshot: as they are, with a year three to six off, with another second
author, with the names of other works; in a sentence that says something else, and in one with some words of
the title. Printed is the share of which the two likeliest works together reach a confidence: what
`claims/citation_settling.py::MEANT` lets pass.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import zstandard

from citeproof.claims.mention_search import MentionSearch
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources.snapshot import SnapshotSource
from citeproof.reading.extractors.prose.mention_finder import find_mentions
from citeproof.vocabulary import Lookup, Question

LEVELS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
SHARE = 0.01  # of the works that are read
ELSEWHERE = (
    "Sleep improves recall",
    "The effect is robust",
    "It depends on the dose",
    "Such models scale well",
)

Work = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--most", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    works = [work for work in choose_works(given.works, chance) if work["a"]]
    chance.shuffle(works)
    with Snapshot.open(given.snapshot) as snapshot:
        shares = asyncio.run(weigh_mentions(works[: given.most], snapshot, chance))
    print(f"{'mention':<34} {'made':>5} " + " ".join(f"≥ {level:<4}" for level in LEVELS))
    for kind in sorted(shares):
        reached = [sum(odds >= level for odds in shares[kind]) / len(shares[kind]) for level in LEVELS]
        print(f"{kind:<34} {len(shares[kind]):>5} " + " ".join(f"{share:<6.3f}" for share in reached))


def choose_works(path: Path, chance: random.Random) -> Iterator[Work]:
    """Yield some works with a year whose people have plain family names."""
    packed = zstandard.ZstdDecompressor().stream_reader(path.open("rb"))
    for line in io.TextIOWrapper(packed, encoding="utf-8"):
        if chance.random() < SHARE:
            work = json.loads(line)
            people = [read_family(name) for name in work.get("a", ())]
            plain = all(name.replace("-", "").isalpha() and name.istitle() for name in people[:3])
            if people and plain and work.get("p") and work["p"][0][0]:
                yield {"title": work["t"], "a": people, "year": work["p"][0][0]}


def read_family(name: str) -> str:
    return name.partition(",")[0].strip() if "," in name else name.rsplit(maxsplit=1)[-1]


async def weigh_mentions(
    works: Sequence[Work], snapshot: Snapshot, chance: random.Random
) -> dict[str, list[float]]:
    source = SnapshotSource(snapshot)

    async def ask(question: Question) -> Sequence[Lookup]:
        return [await source.lookup(question)]

    search = MentionSearch([ask])
    names = [name for work in works for name in work["a"]]
    shares: dict[str, list[float]] = defaultdict(list)
    for work in works:
        for kind, people, year in vary_mention(work, names, chance):
            said = " ".join(word for word in work["title"].lower().split() if chance.random() < 0.3)
            for topic, sentence in (
                ("", chance.choice(ELSEWHERE)),
                (", on topic", f"It is shown that {said}"),
            ):
                text = f"{sentence} ({join_people(people)}, {year})."
                for mention in list(find_mentions(text))[:1]:
                    answer = await search.search(mention, text)
                    odds = sum(work.confidence for work in answer.candidates[:2])
                    number = "et al." if mention.et_al else f"{len(mention.names)} named"
                    shares[f"{kind}, {number}{topic}"].append(odds)
    return shares


def vary_mention(
    work: Work, names: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, list[str], int]]:
    people, year = work["a"], work["year"]
    yield "real", people, year
    yield "other year", people, year + chance.choice((-6, -5, -4, -3, 3, 4, 5, 6))
    yield "other names", [chance.choice(names) for _ in people], year
    if len(people) in (2, 3):
        yield "other second author", [people[0], chance.choice(names), *people[2:]], year


def join_people(people: Sequence[str]) -> str:
    if len(people) > 3:
        return f"{people[0]} et al."
    return " & ".join([", ".join(people[:-1]), people[-1]]) if len(people) > 1 else people[0]


if __name__ == "__main__":
    main()
