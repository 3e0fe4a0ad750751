"""Measure venue equality on real names and print how often it is right, in both directions.

    python bench/venue_equality.py [--data DIR] [--list N]

DIR is the folder of development data (default: ../shared/data). Four figures and a speed:
abbreviations of journals against their titles (called differs = wrong), titles against the
abbreviation of a near other title (called equal = wrong), the spellings of one work's venue in one
year, and the venue of HALLMARK entries whose title is in the works file, by type.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from citeproof.judgement.compare.venue import compare_venue
from citeproof.text.title import make_title_key
from citeproof.text.venue_match import match_venues, parse_venue
from citeproof.vocabulary import Version

EQUAL = ("same", "variant")
NEAR = 25  # a negative is one of so many neighbours in the alphabet
MACROS = "ieee_strings"  # a list of BibTeX macros, no abbreviations


@dataclass
class Works:
    """What the works file says: venues by title for the titles asked for, and pairs of spellings."""

    by_title: dict[str, list[Version]] = field(default_factory=lambda: defaultdict(list))
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a zstandard file."""
    with path.open("rb") as raw:
        yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(raw), "utf-8", newline="")


def journals(folder: Path) -> list[tuple[str, str, str]]:
    """Return (list, title, abbreviation) of every line of the abbreviation lists."""
    found = []
    for path in sorted(folder.glob("*.csv.zst")):
        name = path.name.removeprefix("journal_abbreviations_").removesuffix(".csv.zst")
        if name != MACROS:
            rows = csv.reader(lines(path))
            found += [(name, row[0], row[1]) for row in rows if len(row) > 1 and row[0] and row[1]]
    return found


def abbreviations(pairs: list[tuple[str, str, str]], show: int) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for name, title, short in pairs:
        found = match_venues(short, title)
        outcomes[name][found.outcome] += 1
        outcomes["all"][found.outcome] += 1
        if found.outcome == "differs":
            wrong.append((name, short, title))
    print(f"\nabbreviation against title, {len(pairs)} pairs")
    for name, counts in sorted(outcomes.items(), key=lambda row: row[0] == "all"):
        print(f"  {name:28} {shares(counts)}")
    listed(wrong, show)


def negatives(pairs: list[tuple[str, str, str]], rng: random.Random, count: int, show: int) -> None:
    short = {title: abbreviation for _, title, abbreviation in pairs}
    titles = sorted({make_title_key(t): t for t in short}.values(), key=str.casefold)
    outcomes: Counter[str] = Counter()
    wrong = []
    for _ in range(count):
        at = rng.randrange(len(titles) - NEAR)
        a, b = titles[at], titles[at + rng.randint(1, NEAR)]
        if make_title_key(short[a]) == make_title_key(short[b]) or make_title_key(b).startswith(
            make_title_key(a)
        ):
            continue  # one journal in two spellings, or its title with and without a subtitle
        found = match_venues(short[a], b)
        outcomes[found.outcome] += 1
        if found.outcome in EQUAL:
            wrong.append((short[a], a, b, found.reason))
    print(f"\nabbreviation against a near other title: {shares(outcomes)}")
    listed(wrong, show)


def works(path: Path, wanted: set[str]) -> Works:
    """Return what the works file says about the wanted titles, and all pairs of spellings of one year."""
    found = Works()
    for line in lines(path):
        row = json.loads(line)
        versions = [(year, venue) for year, venue in row.get("p", []) if venue]
        title = make_title_key(row["t"])
        if title in wanted:
            found.by_title[title] += [Version(year, venue) for year, venue in versions]
        for i, (year, venue) in enumerate(versions):
            for other_year, other in versions[:i]:
                if year == other_year and venue != other:
                    found.pairs[venue, other] += 1
    return found


def spellings(pairs: Counter[tuple[str, str]], show: int) -> None:
    outcomes: Counter[str] = Counter()
    wrong = []
    for (a, b), count in pairs.items():
        if any(v.preprint or v.submission for v in (parse_venue(a), parse_venue(b))):
            continue
        found = match_venues(a, b)
        outcomes[found.outcome] += count
        if found.outcome == "differs":
            wrong.append((count, a, b, found.reason))
    print(f"\nspellings of one work's venue in one year (true differences among them): {shares(outcomes)}")
    listed(sorted(wrong, reverse=True), show)


def hallmark(entries: list[dict[str, Any]], by_title: dict[str, list[Version]], show: int) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for entry in entries:
        fields = entry["fields"]
        cited = fields.get("booktitle") or fields.get("journal")
        versions = by_title.get(make_title_key(fields.get("title", "")))
        kind = entry.get("hallucination_type") or "valid"
        if cited and versions:
            found = compare_venue(cited, versions)
            outcomes[kind][found.outcome.value] += 1
            if (found.outcome.value == "differs") == (kind == "valid"):
                wrong.append((kind, found.outcome.value, found.reason, cited, found.resolved))
    print("\nHALLMARK, entries whose title is in the works file")
    for kind, counts in sorted(outcomes.items()):
        print(f"  {kind:28} {shares(counts)}")
    venue_types = {"valid", "wrong_venue", "nonexistent_venue", "preprint_as_published"}
    listed([row for row in wrong if row[0] in venue_types], show)


def speed(pairs: list[tuple[str, str]]) -> None:
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    parse_venue.cache_clear()
    match_venues.cache_clear()
    started = time.process_time()
    for name in names:
        parse_venue(name)
    read = time.process_time()
    for a, b in pairs:
        match_venues(a, b)
    compared = time.process_time()
    print(f"\nspeed: normal {1e6 * (read - started) / len(names):.0f} us a new name,", end=" ")
    print(f"same {1e6 * (compared - read) / len(pairs):.0f} us a new pair of read names")


def shares(counts: Counter[str]) -> str:
    total = max(sum(counts.values()), 1)
    return f"n={total} " + " ".join(f"{name} {count / total:.4f}" for name, count in sorted(counts.items()))


def listed(rows: list[tuple[Any, ...]], show: int) -> None:
    for row in rows[:show]:
        print("    ", *row, sep=" | ")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--list", type=int, default=0, help="print so many mistakes of each kind")
    parser.add_argument("--sample", type=int, default=20000, help="pairs of the abbreviation lists")
    args = parser.parse_args()
    rng = random.Random(7)
    pairs = journals(args.data / "integrity" / "abbreviations")
    sample = rng.sample(pairs, min(args.sample, len(pairs)))
    abbreviations(sample, args.list)
    negatives(pairs, rng, args.sample, args.list)
    bench = (args.data / "bench" / "hallmark_dev_public.jsonl").read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in bench]
    wanted = {make_title_key(entry["fields"].get("title", "")) for entry in entries}
    known = works(args.data / "records" / "works.jsonl.zst", wanted)
    spellings(known.pairs, args.list)
    hallmark(entries, known.by_title, args.list)
    speed(rng.sample(sorted(known.pairs), min(3000, len(known.pairs))))


if __name__ == "__main__":
    main()
