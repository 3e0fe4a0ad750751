"""What is said of a work that the snapshot lacks, when it holds another one of the same people.

    python bench/siblings.py DATA/records/works.jsonl.zst [--seed 1] [--pairs 2000] [--show LABEL]

Takes pairs of works with nearly the same title, the same first and last author, and two DOIs. One of each
pair goes into a snapshot, the other is cited as it is: without an identifier, and with its DOI. All citations
are right, and none of the works is held, so that every decision is false: EXACT verifies it with the record
of its sibling, MINOR and MAJOR accuse it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import zstandard
from rapidfuzz.distance import Levenshtein

from citeproof import Verifier
from citeproof.evidence.index.build import BuildInput, build
from citeproof.text import title as titles
from citeproof.vocabulary import Document

_NEAR, _SAME = (
    0.72,
    0.97,
)  # how alike the titles of two works are; from there on it may be one work, held twice
_PEOPLE = 60  # works of two people that are compared with each other

_BROKEN = re.compile(r"\\|subtitle =")  # titles that a list did not read well

Work = dict[str, Any]


def read_pairs(path: Path) -> Iterator[tuple[Work, Work]]:
    """Yield works of the same people with nearly the same title, each work at most once."""
    groups: dict[tuple[str, str], list[tuple[str, Work]]] = defaultdict(list)
    with zstandard.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            work = json.loads(line)
            people = work.get("a") or []
            if people and work.get("p") and isinstance(work.get("d"), str) and not _BROKEN.search(work["t"]):
                ends = (people[0].split()[-1].lower(), people[-1].split()[-1].lower())
                groups[ends].append((titles.make_title_key(work["t"]), work))
    for works in groups.values():
        used: set[int] = set()
        for one in range(len(works)) if len(works) <= _PEOPLE else ():
            for other in range(one + 1, len(works)):
                alike = Levenshtein.normalized_similarity(works[one][0], works[other][0], score_cutoff=_NEAR)
                apart = works[one][1]["d"].lower() != works[other][1]["d"].lower()
                if _NEAR <= alike < _SAME and apart and used.isdisjoint((one, other)):
                    used |= {one, other}
                    yield works[one][1], works[other][1]


def write_entry(key: str, work: Work, *, doi: bool) -> str:
    """Return a work as a BibTeX entry."""
    year, venue = work["p"][0]
    fields = {
        "title": f"{{{work['t']}}}",
        "author": " and ".join(work["a"]),
        "booktitle": venue or "",
        "year": str(year or ""),
        "doi": work["d"] if doi else "",
    }
    told = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@inproceedings{{{key},\n{told}\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("works", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="which pairs are drawn [1]")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument(
        "--show", metavar="LABEL", default="", help="print the pairs that were given this label"
    )
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    every = list(read_pairs(chosen.works))
    pairs = [pair[:: chance.choice((1, -1))] for pair in chance.sample(every, min(chosen.pairs, len(every)))]
    with TemporaryDirectory() as name:
        held, snapshot = Path(name, "held.jsonl"), Path(name, "snapshot")
        held.write_text("".join(json.dumps(record) + "\n" for _, record in pairs), encoding="utf-8")
        build([BuildInput("works", (held,))], snapshot)
        verifier = Verifier(offline=True, snapshots=(snapshot,))
        print(f"{len(pairs)} of {len(every)} pairs of works, seed {chosen.seed}")
        for doi in (False, True):
            text = "\n".join(write_entry(f"p{n}", work, doi=doi) for n, (work, _) in enumerate(pairs))
            results = verifier.check(Document("cited.bib", text.encode())).references
            counts = Counter(str(one.label or "not decided") for one in results)
            print(f"{'with its DOI' if doi else 'no identifier':<14} {dict(sorted(counts.items()))}")
            for one in results:
                if chosen.show and str(one.label) == chosen.show:
                    cited, record = pairs[int(one.key[1:])]
                    print(f"  {cited['t']} {cited['p'][0]} | {record['t']} {record['p'][0]}")


if __name__ == "__main__":
    main()
