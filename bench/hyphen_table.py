"""Which compounds keep their hyphen at a line end: a table learnt from titles, measured on other titles.

    python bench/hyphen_table.py DATA/records/works.jsonl.zst
    python bench/hyphen_table.py DATA/records/works.jsonl.zst --write FILE  # prose/hyphens.toml

A title that writes "human-computer" says so; one that writes "network" says that "net-" and "work" are one
word. One title in twenty is held out. Kept: the share of their compounds that get the hyphen back when they
are cut at it. Split: the share of their plain words that get one by mistake, over all places to cut a word.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import textwrap
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import zstandard

from citeproof.reading.extractors.prose import hyphenated_words

WORD = re.compile(r"[^\W\d_]+(?:[-‐‑][^\W\d_]+)*")
HELD_OUT = 20
FEWEST = 5  # times a compound is written with its hyphen
PARTNERS = 15  # compounds that a half is part of before it says by itself that there is a hyphen
SURE = 8  # times as many compounds as closed words
USUAL = 20  # times a half stands alone as a word

Pair = tuple[str, str]


@dataclass
class Counts:
    """Plain words and compounds of titles."""

    words: Counter[str] = field(default_factory=Counter)
    pairs: Counter[Pair] = field(default_factory=Counter)

    def add(self, title: str) -> None:
        for token in WORD.findall(title.lower()):
            parts = re.split("[-‐‑]", token)
            if len(parts) == 1:
                self.words[token] += 1
            self.pairs.update(pairwise(parts))


def read_counts(path: Path) -> tuple[Counts, Counts]:
    """Return the counts of the titles to learn from and of those held out."""
    learnt, held = Counts(), Counts()
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8"):
            title = str(json.loads(line).get("t") or "")
            (learnt if zlib.crc32(title.encode()) % HELD_OUT else held).add(title)
    return learnt, held


def find_halves(seen: Counts) -> tuple[set[str], set[str]]:
    """Return the words that make compounds with many others: as second half, as first half."""
    partners: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
    usual = {word for word, count in seen.words.items() if count >= USUAL}
    for pair, count in seen.pairs.items():
        if min(map(len, pair)) > 2:
            for side in (0, 1):
                partners[side, pair[side]][count <= seen.words["".join(pair)]] += 1
    for word, count in seen.words.items():
        for at in range(3, len(word) - 2) if count > 2 else ():
            pair = word[:at], word[at:]
            if usual.issuperset(pair) and seen.pairs[pair] < count:
                for side in (0, 1):
                    partners[side, pair[side]][1] += 1
    sure = {half for half, (yes, no) in partners.items() if yes >= PARTNERS and yes >= SURE * no}
    return {word for side, word in sure if side}, {word for side, word in sure if not side}


def learn_table(seen: Counts) -> dict[str, list[str]]:
    """Return the table: second halves, first halves, single compounds, and words that are none."""
    second, first = find_halves(seen)
    pairs = {
        pair
        for pair, count in seen.pairs.items()
        if count >= FEWEST and count > seen.words["".join(pair)] and min(map(len, pair)) > 1
    }
    behind = {b for _, b in pairs} | second
    rule = hyphenated_words.HyphenTable(
        frozenset(second), frozenset(first), frozenset(), frozenset(), frozenset(behind)
    )
    extra = {pair for pair in pairs if not rule.has_hyphen(*pair)}
    closed = {
        word
        for word, count in seen.words.items()
        if count > 1
        for at in range(2, len(word) - 2)
        if (word[:at], word[at:]) not in pairs and rule.has_hyphen(word[:at], word[at:])
    }
    return {
        "second": sorted(second),
        "first": sorted(first),
        "compounds": sorted("-".join(pair) for pair in extra),
        "behind": sorted(behind - second - {b for _, b in extra}),
        "closed": sorted(closed),
    }


def format_table(table: dict[str, list[str]]) -> str:
    told = {
        "second": 'Second halves of compounds: "knowledge-based", "context-aware".',
        "first": 'First halves: "human-centred", "single-cell".',
        "compounds": "Other compounds.",
        "behind": "Words that follow first halves.",
        "closed": "Words that the halves above would cut though they are written as one.",
    }
    parts = ["# Made by bench/hyphen_table.py from titles of works: what keeps its hyphen at a line end."]
    for name, words in table.items():
        lines = textwrap.fill(" ".join(words), 118, break_on_hyphens=False, break_long_words=False)
        parts.append(f'# {told[name]}\n{name} = """\n{lines}\n"""')
    return "\n".join(parts) + "\n"


def measure(held: Counts) -> str:
    """Return how the table that is shipped does on titles held out."""
    table = hyphenated_words.load_hyphen_table()
    pairs = {pair: count for pair, count in held.pairs.items() if min(map(len, pair)) > 1}
    kept = sum(count for pair, count in pairs.items() if table.has_hyphen(*pair))
    places = split = 0
    for word, count in held.words.items():
        for at in range(2, len(word) - 2):
            places += count
            split += count * table.has_hyphen(word[:at], word[at:])
    total = sum(pairs.values())
    return f"kept {kept / total:.3f} of {total} compounds, split {split / places:.5f} of {places} places"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--write", type=Path, help="write the table here")
    asked = parser.parse_args()
    learnt, held = read_counts(asked.records)
    if asked.write:
        asked.write.write_text(format_table(learn_table(learnt)), "utf-8")
        hyphenated_words.load_hyphen_table.cache_clear()
    print(measure(held))


if __name__ == "__main__":
    main()
