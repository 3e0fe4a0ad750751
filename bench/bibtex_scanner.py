"""Our BibTeX scanner against bibtexparser 2: damaged entries and speed.

    pip install bibtexparser==2.1.0
    python bench/bibtex_scanner.py [FILE.bib ...]

Speed is measured on the files, or on 5,000 made entries when none is given; CPU time, best of three.
"""

from __future__ import annotations

import logging
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bibtexparser

from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries

NEXT = "\n@book{b, title = {Beta}}\n"
DAMAGED = {
    "missing comma": "@article{k, title = {Alpha} year = 2001}",
    "missing comma, quoted": '@article{k, title = "Alpha"\n year = "2001"}',
    "unclosed brace": "@article{k, title = {Alpha, year = 2001,\n author = {Bob}\n}",
    "unclosed inner brace": "@article{k,\n title = {Alpha {N},\n year = 2001\n}",
    "unclosed quote": '@article{k, title = "Alpha,\n year = 2001\n}',
    "brace too many": "@article{k,\n title = {Alpha}},\n year = {2001}\n}",
    "entry not closed": "@article{k,\n title = {Alpha},\n year = {2001},\n",
    "no key": "@article{title = {Alpha}, year = 2001}",
    "empty key": "@article{, title = {Alpha}, year = 2001}",
    "no comma after key": "@article{k\n title = {Alpha}, year = 2001}",
    "field twice": "@article{k, title = {Alpha}, title = {Gamma}, year = 2001}",
    "duplicate key": "@article{b, title = {Alpha}, year = 2001}",
    "parentheses": "@article(k, title = {Alpha}, year = 2001)",
    "undefined macro": "@article{k, title = {Alpha}, year = 2001, journal = jacm}",
}
ENTRY = r"""@inproceedings{key%d,
  title     = {Learning {Deep} Representations of {\"U}bung %d},
  author    = {Okafor, Amara and Lindqvist, Bj{\"o}rn and Marchetti, Chiara and Tanaka, Daisuke},
  booktitle = {Proceedings of the 12th International Conference on Examples},
  pages     = {5998--6008},
  year      = {2017},
  volume    = 30,
  doi       = {10.5555/3295222.%d},
  url       = {https://example.org/%d},
}

"""
Fields = dict[str, str]


def ours(text: str) -> tuple[list[Fields], int]:
    """Return the fields of each entry, and how many problems were told."""
    items = list(scan_entries(text))
    entries = [item for item in items if isinstance(item, BibtexEntry)]
    return [e.fields for e in entries], sum(len(e.problems) for e in entries) + len(items) - len(entries)


def theirs(text: str) -> tuple[list[Fields], int]:
    """Return the same for bibtexparser: `.entries`, and its failed blocks as problems."""
    library = bibtexparser.parse_string(text)
    return [{f.key.lower(): str(f.value) for f in e.fields} for e in library.entries], len(
        library.failed_blocks
    )


READERS: dict[str, Callable[[str], tuple[list[Fields], int]]] = {"citeproof": ours, "bibtexparser": theirs}


def damage() -> None:
    """Print what each reader saves of each damaged text."""
    print(f"{'':24}" + "".join(f"{name:>44}" for name in READERS))
    totals = {name: [0, 0, 0, 0] for name in READERS}
    for name, text in DAMAGED.items():
        row = f"{name:24}"
        for reader, read in READERS.items():
            entries, told = read(text + NEXT)
            titles = [fields.get("title") for fields in entries]
            seen = [
                "Beta" in titles,
                any((title or "").startswith("Alpha") and len(title or "") < 10 for title in titles),
                any(fields.get("year") == "2001" for fields in entries),
                bool(told),
            ]
            totals[reader] = [total + one for total, one in zip(totals[reader], seen, strict=True)]
            words = ("next", "title", "year", "told")
            row += f"{' '.join(w if s else '-' * len(w) for w, s in zip(words, seen, strict=True)):>44}"
        print(row)
    for reader, (following, title, year, told) in totals.items():
        print(
            f"{reader:14} next entry {following}, title {title}, year {year}, told {told} of {len(DAMAGED)}"
        )


def speed(texts: list[str]) -> None:
    """Print entries per CPU-second of each reader."""
    for name, read in READERS.items():
        best, count = float("inf"), 0
        for _ in range(3):
            began = time.process_time()
            count = sum(len(read(text)[0]) for text in texts)
            best = min(best, time.process_time() - began)
        print(f"{name:14} {count} entries, {count / best:,.0f} per CPU-second")


def accidents(texts: list[str], count: int = 2000) -> None:
    """Print what survives when one brace, quote, comma or equals sign is deleted at random.

    The snippets above were known while the scanner was written; the place of an accident is not.
    """
    chance = random.Random(11)
    entries = [item.raw for text in texts for item in scan_entries(text) if isinstance(item, BibtexEntry)]
    kept = {name: [0, 0, 0] for name in READERS}
    for _ in range(count):
        at = chance.randrange(len(entries) - 2)
        before, victim, after = entries[at : at + 3]
        spot = chance.choice([m.start() for m in re.finditer(r'[{}",=]', victim)])
        hurt = "\n".join([before, victim[:spot] + victim[spot + 1 :], after])
        wanted = [ours(one)[0][0].get("title", "") for one in (before, victim, after)]
        for name, read in READERS.items():
            found, told = read(hurt)
            titles = [_bare(fields.get("title", "")) for fields in found]
            neighbours = _bare(wanted[0]) in titles and _bare(wanted[2]) in titles
            saved = (neighbours, _bare(wanted[1]) in titles, bool(told))
            kept[name] = [total + one for total, one in zip(kept[name], saved, strict=True)]
    for name, (neighbours, title, told) in kept.items():
        print(f"{name:14} {count} accidents: neighbours {neighbours}, its own title {title}, told {told}")


def _bare(title: str) -> str:
    return " ".join(re.sub(r"[{}\",=]", "", title).split())


def main() -> None:
    logging.disable(logging.CRITICAL)
    damage()
    made = "".join(ENTRY % (i, i, i, i) for i in range(5000))
    texts = [Path(name).read_text("utf-8") for name in sys.argv[1:]] or [made]
    accidents(texts)
    speed(texts)


if __name__ == "__main__":
    main()
