"""How well citation strings are read, measured on tagged references through `citeproof.reading.parse`.

    python bench/parse_quality.py DATA/parsing/dev.jsonl.zst
    python bench/parse_quality.py DATA/parsing/train.jsonl.zst --split
    python bench/parse_quality.py FILE --misses 20 --field title

Ten fields; a value counts as right when its letters and digits, lower-cased, are those of the first
unbroken stretch that was tagged; of dates the year counts. People and pages are compared as they stand
in the string (`FieldOrigin.raw`), since the parser puts names apart and page ranges in full; a DOI as the
identifier found, wanted wherever the tagged string holds one. `--split` keeps to the references that
`bench/tagging/corpus.py` holds out: whole GROBID files, one in ten of each anystyle file.
`--sure` prints how often a field is right by how sure the parser said it was.

The speed is that of strings not seen before: every other block of them is parsed one by one, the others
together, and each string once. Loading the model is not part of it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from citeproof.reading.parse import BATCH, parse, parse_all
from citeproof.text import dates, ids
from citeproof.vocabulary import Claimed, Place, RawReference
from tagging.corpus import Tagged, held_out, load, tidied, value

# field: the label it is tagged with
FIELDS = {
    "title": "title", "author": "author", "year": "date", "venue": "container", "volume": "volume",
    "issue": "issue", "pages": "pages", "publisher": "publisher", "doi": "doi", "editor": "editor",
}  # fmt: skip
ALL_FOUR = ("title", "author", "year", "venue")
_RAW = {"author": "authors", "editor": "editors", "pages": "pages", "volume": "volume", "issue": "issue"}


def folded(text: str) -> str:
    """Return letters and digits only, lower-cased."""
    return "".join(c for c in text.lower() if c.isalnum())


def wanted(one: Tagged) -> dict[str, str]:
    """Return what was tagged, folded."""
    found = {field: folded(value(one, label)) for field, label in FIELDS.items()}
    found["year"] = str(dates.find_year(value(one, "date")) or "")
    found["doi"] = next((folded(v) for scheme, v, _, _ in ids.find_ids(one.text) if scheme == "doi"), "")
    return found


def read(claimed: Claimed) -> dict[str, str]:
    """Return what was read, folded."""
    raw = {origin.field: origin.raw for origin in claimed.origins}
    found = {field: folded(raw.get(name, "")) for field, name in _RAW.items()}
    for field in ("title", "venue", "publisher"):
        found[field] = folded(getattr(claimed, field) or "")
    found["year"] = str(claimed.year or "")
    found["doi"] = folded(claimed.ids.first("doi") or "")
    return found


class Score:
    """Counts of right, spurious and missed values."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()
        self.titled = self.exact = self.total = self.all_four = 0
        self.bands: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))

    def add(self, gold: dict[str, str], got: dict[str, str], claimed: Claimed) -> list[str]:
        """Count one reference; return the fields that are wrong."""
        bad = [field for field in FIELDS if gold[field] != got[field]]
        for field in FIELDS:
            self.right[field] += bool(gold[field]) and field not in bad
            self.wrong[field] += bool(got[field]) and field in bad
            self.missed[field] += bool(gold[field]) and field in bad
        self.total += 1
        self.titled += bool(gold["title"])
        self.exact += bool(gold["title"]) and "title" not in bad
        self.all_four += not set(ALL_FOUR) & set(bad)
        for origin in claimed.origins:
            field = {"authors": "author", "editors": "editor"}.get(origin.field, origin.field)
            if field in FIELDS and got[field]:
                self.bands[field][min(int(origin.confidence * 10), 9)].append(field not in bad)
        return bad

    def print(self) -> None:
        """Print precision, recall and F1 by field, and the sums."""
        for field in FIELDS:
            print(f"{field:10} {_line(self.right[field], self.wrong[field], self.missed[field])}")
        print(f"{'micro':10} {_line(*(sum(c.values()) for c in (self.right, self.wrong, self.missed)))}")
        print(f"exact title {self.exact / max(1, self.titled):.3f} of {self.titled}, ", end="")
        print(f"title, authors, year and venue {self.all_four / max(1, self.total):.3f} of {self.total}")

    def print_bands(self) -> None:
        """Print how often fields are right by the confidence stated."""
        total: dict[int, list[bool]] = defaultdict(list)
        for field, bands in self.bands.items():
            shown = "  ".join(f".{b}: {sum(v) / len(v):.2f} ({len(v)})" for b, v in sorted(bands.items()))
            print(f"{field:10} {shown}")
            for band, seen in bands.items():
                total[band] += seen
        print(
            "all        "
            + "  ".join(f".{b}: {sum(v) / len(v):.2f} ({len(v)})" for b, v in sorted(total.items()))
        )


def _line(right: int, wrong: int, missed: int) -> str:
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    f1 = 2 * right / max(1, 2 * right + wrong + missed)
    return f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  of {right + missed}"


class Pace:
    """References parsed and CPU-seconds spent, one by one and together."""

    def __init__(self) -> None:
        self.count = {"one by one": 0, "together": 0}
        self.spent = {"one by one": 0.0, "together": 0.0}

    def parsed(self, rows: Iterable[Tagged]) -> Iterator[tuple[Tagged, Claimed]]:
        """Yield each row with what was read from it."""
        for number, block in enumerate(batched(rows, BATCH)):
            raws = [RawReference("k", one.text, Place()) for one in block]
            way = "together" if number % 2 else "one by one"
            began = time.process_time()
            found = list(parse_all(raws)) if number % 2 else [parse(raw) for raw in raws]
            self.spent[way] += time.process_time() - began
            self.count[way] += len(raws)
            yield from zip(block, (reference.claimed for reference in found), strict=True)

    def print(self) -> None:
        """Print references per CPU-second of each way and of both."""
        paces = [f"{self.count[way] / max(self.spent[way], 1e-9):.0f} {way}" for way in self.count]
        both = sum(self.count.values()) / max(sum(self.spent.values()), 1e-9)
        print(f"references per CPU-second: {', '.join(paces)}, {both:.0f} both")


def batched(rows: Iterable[Tagged], size: int) -> Iterator[list[Tagged]]:
    """Yield lists of `size` rows, the last one may be shorter."""
    left = iter(rows)
    while block := list(islice(left, size)):
        yield block


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--split", action="store_true", help="only the references held out of training")
    arguments.add_argument("--only", default="", help="only references whose id begins so")
    arguments.add_argument("--misses", type=int, default=0, help="print this many wrong readings")
    arguments.add_argument("--field", default="", help="only misses of this field")
    arguments.add_argument("--sure", action="store_true", help="print how far confidences hold")
    options = arguments.parse_args()
    score, pace, shown = Score(), Pace(), 0
    parse(RawReference("k", "Warm up. 2001.", Place()))  # loads the model, which is not part of the speed
    rows = (one for one in load(options.data) if held_out(one) or not options.split)
    for one, claimed in pace.parsed(one for one in rows if one.id.startswith(options.only)):
        gold, got = wanted(tidied(one)), read(claimed)
        bad = score.add(gold, got, claimed)
        if shown < options.misses and (options.field in bad if options.field else bad):
            shown += 1
            print(f"{one.id}\n  {one.text}")
            for field in bad:
                print(f"    {field:9} {gold[field]!r} read as {got[field]!r}")
    score.print()
    if options.sure:
        score.print_bands()
    pace.print()


if __name__ == "__main__":
    main()
