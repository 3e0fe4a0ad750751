"""How well references come out of other people's PDFs, compared with the `.bbl` file beside each.

    python bench/bbl_pairs.py FOLDER... [--misses]

For every `NAME.pdf` with a `NAME.bbl`: how many entries the `.bbl` has, how many of them the PDF gave (60 %
of the words of title, names and year in one reference), how many of those with the same title, and what else
the PDF gave. A PDF may be of another day than its `.bbl`: look at what is missed before you believe it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from citeproof.errors import InputError
from citeproof.reading.extractors.base import extract_here
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import Document, Reference

_WORD = re.compile(r"[^\W_]{3,}")
_FOUND = 0.6


@dataclass(slots=True)
class Counts:
    """Entries of a `.bbl`, those found in the PDF, those with the same title, other references."""

    listed: int = 0
    found: int = 0
    titles: int = 0
    others: int = 0


def read(path: Path) -> list[Reference]:
    """Return the references of a file."""
    return list(parse_all(extract_here(Document(path.name, path.read_bytes())).references))


def list_words(reference: Reference) -> set[str]:
    """Return the words that an entry is found by."""
    told = reference.claimed
    text = " ".join([told.title or "", *(name.family for name in told.authors), str(told.year or "")])
    return set(_WORD.findall(text.lower()))


def fold(title: str | None) -> str:
    """Return the letters of a title."""
    return "".join(_WORD.findall((title or "").lower()))


def compare(listed: list[Reference], given: list[Reference]) -> tuple[Counts, list[str]]:
    """Return what was found, and the titles of what was not."""
    counts, missed = Counts(len(listed)), list[str]()
    left = {at: (set(_WORD.findall(one.raw.lower())), one) for at, one in enumerate(given)}
    for entry in listed:
        words = list_words(entry)
        shares = [(len(words & held) / max(1, len(words)), at) for at, (held, _) in left.items()]
        share, at = max(shares, default=(0.0, -1))
        if share < _FOUND:
            missed.append(entry.claimed.title or entry.key)
            continue
        counts.found += 1
        counts.titles += fold(left.pop(at)[1].claimed.title) == fold(entry.claimed.title)
    counts.others = len(left)
    return counts, missed


def find_pairs(folders: list[Path]) -> Iterator[tuple[Path, Path]]:
    """Yield every PDF with its `.bbl`."""
    for folder in folders:
        for path in sorted(folder.rglob("*.pdf")):
            if (beside := path.with_suffix(".bbl")).exists():
                yield path, beside


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--misses", action="store_true", help="print the titles that were not found")
    chosen = parser.parse_args()
    total = Counts()
    for path, beside in find_pairs(chosen.folders):
        try:
            counts, missed = compare(read(beside), read(path))
        except InputError as error:
            print(f"{path.name}: {error}")
            continue
        print(f"{path.name:<70.70} {counts}")
        if chosen.misses:
            print("".join(f"    {title}\n" for title in missed), end="")
        total = Counts(*map(sum, zip(astuple(total), astuple(counts), strict=True)))
    print(f"{'all':<70} {total}")


if __name__ == "__main__":
    main()
