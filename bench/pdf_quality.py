"""How well references come out of PDFs: found, false, titles exact, pages per CPU second.

    python bench/pdf_quality.py CORPUS... [--misses] [--only NAME]

A corpus is a folder of PDFs with their references as JSON beside each, as `bench/pdf_corpus.py`
writes them. A reference is found when it has a partner of its own with at least 90 % of its letters. The last
line counts compounds of the references found that lost their hyphen, and broken words that were given one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from citeproof.reading.extractors.pdf import EXTRACTOR
from citeproof.reading.parse import parse
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Document, RawReference

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
FOUND = 90.0  # per cent of likeness of two folded strings


@dataclass
class Score:
    """What came out of one document or of all documents of one style."""

    gold: int = 0
    out: int = 0
    found: int = 0
    titled: int = 0  # of the found, those that print their title
    exact: int = 0
    pages: int = 0
    seconds: float = 0.0
    documents: int = 0
    compounds: int = 0  # of the found, and how they came out
    lost: int = 0
    added: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name in (
            "gold",
            "out",
            "found",
            "titled",
            "exact",
            "pages",
            "seconds",
            "documents",
            "compounds",
            "lost",
            "added",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name: str) -> str:
        found = 100 * self.found / max(self.gold, 1)
        false = 100 * (self.out - self.found) / max(self.out, 1)
        exact = f"{100 * self.exact / self.titled:6.1f}" if self.titled else "     –"
        speed = self.pages / max(self.seconds, 1e-9)
        return (
            f"{name:32} {self.documents:4} {self.pages:5} {self.gold:5} {self.out:5} "
            f"{found:6.1f} {false:6.1f} {exact} {speed:7.1f}"
        )


def folded(text: str) -> str:
    """Return letters and digits only: hyphens and spaces are the typesetter's."""
    return re.sub(r"[\W_]+", "", strip_marks(text).lower())


def compare_hyphens(gold: str, out: str) -> tuple[int, int, int]:
    """Return how many compounds a reference has, how many lost their hyphen, how many words got one."""
    wanted, got = (set(WORD.findall(re.sub("[‐‑]", "-", text.lower()))) for text in (gold, out))
    compounds = {word for word in wanted if "-" in word}
    lost = sum(word.replace("-", "") in got for word in compounds - got)
    added = sum(word.replace("-", "") in wanted for word in got - wanted if "-" in word)
    return len(compounds), lost, added


def matched(gold: list[str], out: list[str]) -> list[tuple[int, int]]:
    """Return pairs of gold and output, best first, each used once."""
    if not gold or not out:
        return []
    likeness = process.cdist(gold, out, scorer=fuzz.ratio, score_cutoff=FOUND, dtype=np.float32)
    pairs = [(float(likeness[i, j]), int(i), int(j)) for i, j in zip(*np.nonzero(likeness), strict=True)]
    used_gold: set[int] = set()
    used_out: set[int] = set()
    chosen = []
    for _, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if i not in used_gold and j not in used_out:
            used_gold.add(i)
            used_out.add(j)
            chosen.append((i, j))
    return chosen


def title_of(raw: RawReference) -> str:
    return folded(parse(raw).claimed.title or "")


def score(path: Path, *, titles: bool = True) -> tuple[Score, dict[str, Any]]:
    """Return how one PDF was read, and its gold."""
    gold = json.loads(path.with_suffix(".json").read_text("utf-8"))
    data = path.read_bytes()
    before = time.process_time()
    extraction = EXTRACTOR.extract(Document(path.name, data))
    seconds = time.process_time() - before
    wanted = gold["references"]
    pairs = matched([folded(one["raw"]) for one in wanted], [folded(r.text) for r in extraction.references])
    result = Score(len(wanted), len(extraction.references), len(pairs), seconds=seconds, documents=1)
    result.pages = int(gold.get("pages") or 0)
    for i, j in pairs:
        told = compare_hyphens(wanted[i]["raw"], extraction.references[j].text)
        result.compounds, result.lost, result.added = (
            before + more
            for before, more in zip((result.compounds, result.lost, result.added), told, strict=True)
        )
    for i, j in pairs if titles else []:
        title = folded(wanted[i].get("title") or "")
        if not title or title not in folded(wanted[i]["raw"]):
            continue  # a style without titles
        result.titled += 1
        read = title_of(extraction.references[j])
        if read == title:
            result.exact += 1
        else:
            result.wrong.append((wanted[i]["title"], read, extraction.references[j].text))
    taken_gold, taken_out = {i for i, _ in pairs}, {j for _, j in pairs}
    result.missed = [one["raw"] for i, one in enumerate(wanted) if i not in taken_gold]
    result.false = [r.text for j, r in enumerate(extraction.references) if j not in taken_out]
    return result, gold


def documents(folders: list[Path], only: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted(folder.glob("*.pdf")):
            if path.with_suffix(".json").exists() and only in path.name:
                yield path


def main() -> None:
    """Print one row per document or style, and the misses if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="+", type=Path)
    parser.add_argument(
        "--misses", action="store_true", help="show what was missed, false, or wrongly titled"
    )
    parser.add_argument("--titles", action="store_true", help="show wrong titles too")
    parser.add_argument("--untitled", action="store_true", help="leave out the titles: no parsing")
    parser.add_argument("--only", default="", help="documents whose name holds this")
    parser.add_argument("--styles", action="store_true", help="one row per style, not per document")
    args = parser.parse_args()
    rows: dict[str, Score] = {}
    total = Score()
    for path in documents(args.corpus, args.only):
        result, gold = score(path, titles=not args.untitled)
        total.add(result)
        rows.setdefault(str(gold.get("style")) if args.styles else path.stem, Score()).add(result)
        if args.misses and (result.missed or result.false):
            print(f"== {path.name}")
            print("".join(f"   MISSED {text}\n" for text in result.missed), end="")
            print("".join(f"   FALSE  {text[:400]}\n" for text in result.false), end="")
        if args.titles:
            print(
                "".join(
                    f"   TITLE {want!r}\n     got {got!r}\n      of {raw}\n"
                    for want, got, raw in result.wrong
                ),
                end="",
            )
    print(f"{'':32} docs pages  gold   out found% false% title% pages/s")
    for name, one in sorted(rows.items()):
        print(one.row(name))
    print(total.row("all"))
    print(
        f"hyphens: {total.compounds} compounds, {total.lost} lost theirs, {total.added} words were given one"
    )


if __name__ == "__main__":
    sys.exit(main())
