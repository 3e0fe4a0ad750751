"""How well citation strings are split, measured on tagged references.

    python bench/parse_quality.py DATA/parsing/dev.jsonl.zst [--misses 20] [--limit 2000]

DATA holds JSON lines with `tokens`, `space` ('1': a space stands before the token) and `labels`.
Fields are compared after lower-casing and dropping all but letters and digits.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from citeproof.parse import parse
from citeproof.text import dates, names
from citeproof.text.unicode import unmark
from citeproof.vocabulary import Claimed, Place, RawReference


def load(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the tagged references of a compressed JSON-lines file."""
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            yield json.loads(line)


def text_of(row: dict[str, Any], label: str | None = None) -> str:
    """Return the whole string, or the first unbroken stretch of one label."""
    parts: list[str] = []
    for token, space, found in zip(row["tokens"], row["space"], row["labels"], strict=True):
        if label is None or found == label:
            parts.append((" " if space == "1" else "") + token)
        elif parts:
            break
    return "".join(parts).strip()


def folded(text: str) -> str:
    """Return letters and digits only; markup such as <italic> is not part of a field."""
    return "".join(c for c in unmark(re.sub(r"</?[a-z]{1,10}>", "", text)).casefold() if c.isalnum())


def words_of(authors: str) -> Counter[str]:
    """Return the folded words of an author string, without initials and joining words."""
    found = re.findall(r"[^\W\d_]{3,}", unmark(authors).casefold())
    return Counter(word for word in found if word not in {"and", "und", "eds", "editor", "editors", "others"})


def first_family(authors: str) -> str:
    """Return the first family name of a tagged author string, by a rule the parser does not share."""
    one = re.split(r",|;|&|/|\band\b|\bet\b|\bund\b", unmark(authors), maxsplit=1)[0].strip()
    words = [w for w in one.split() if not re.fullmatch(r"(?:[A-Z]\.?-?){1,3}", w)]
    return folded(words[-1]) if words else ""


def score(row: dict[str, Any], got: Claimed, counts: Counter[str]) -> str:
    """Count agreement of one reference; return the name of the first field that is wrong."""
    wrong = ""
    gold = {
        label: text_of(row, label) for label in ("title", "author", "date", "container", "volume", "pages")
    }
    checks = {
        "title": (gold["title"], folded(got.title or "") == folded(gold["title"])),
        "year": (dates.year(gold["date"]), got.year == dates.year(gold["date"])),
        "venue": (gold["container"], folded(got.venue or "") == folded(gold["container"])),
        "volume": (gold["volume"], folded(got.volume or "") == folded(gold["volume"])),
        "first author": (gold["author"], _first_found(got, gold["author"])),
    }
    for name, (wanted, right) in checks.items():
        if wanted:
            counts[f"{name} of"] += 1
            counts[name] += right
            wrong = wrong or ("" if right else name)
    counts["no title of"] += not gold["title"]
    counts["no title"] += not gold["title"] and not got.title
    wanted_words = words_of(gold["author"])
    have = words_of(" ".join(f"{name.family} {name.given}" for name in got.authors))
    counts["author words of"] += sum(wanted_words.values())
    counts["author words"] += sum((wanted_words & have).values())
    return wrong


def _first_found(got: Claimed, gold: str) -> bool:
    if not got.authors:
        return False
    if got.authors[0].collective:
        return folded(got.authors[0].family) in folded(gold)
    first = got.authors[0]  # a hyphenated family name counts whole, a particle does not
    return first_family(gold) in (names.family_key(first), *names.family_words(first)[-1:])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--misses", type=int, default=0, help="print this many wrong readings")
    arguments.add_argument("--field", default="", help="only misses of this field")
    arguments.add_argument("--limit", type=int, default=10**9)
    options = arguments.parse_args()
    counts: Counter[str] = Counter()
    shown, spent, total = 0, 0.0, 0
    for total, row in enumerate(load(options.data), 1):
        raw = RawReference("k", text_of(row), Place())
        began = time.process_time()
        got = parse(raw).claimed
        spent += time.process_time() - began
        wrong = score(row, got, counts)
        if wrong and shown < options.misses and options.field in (wrong, ""):
            shown += 1
            print(
                f"{wrong}\n  raw    {raw.text}\n"
                f"  gold   {text_of(row, 'title')!r} in {text_of(row, 'container')!r}"
            )
            print(f"  got    {got.title!r} in {got.venue!r} {got.year} {[n.display for n in got.authors]}")
        if total >= options.limit:
            break
    for name in ("title", "no title", "year", "first author", "author words", "venue", "volume"):
        print(f"{name:14} {counts[name] / max(1, counts[name + ' of']):.3f}  of {counts[name + ' of']}")
    print(f"{total} references, {total / spent:.0f} per CPU-second")


if __name__ == "__main__":
    main()
