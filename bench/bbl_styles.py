"""How well compiled bibliographies are read: the same eleven works in every BibTeX style there is.

    python bench/bbl_styles.py FOLDER... [--misses] [--snapshot DIR]

Runs `bibtex` with each `.bst` file below the folders and reads the `.bbl` that it writes; `bbl_styles.bib` is
the truth. Counts entries, those found by their key, and those with the same title (none where the style
prints none), the same authors (the first, where the style cuts the list) and the same year. Debian's packages
texlive-publishers, texlive-bibtex-extra and others hold some 350 styles. With a snapshot the entries are
checked, too: all of these works exist as cited, so every accusation is false.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from citeproof import Verifier
from citeproof.reading.extractors.base import extract_here
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import Document, Reference

WORKS = Path(__file__).with_suffix(".bib")
_LISTS = re.compile(rb"\\(?:bibitem|harvarditem|bib|entry)\b")  # what is not LaTeX has none


def read(name: str, data: bytes) -> dict[str, Reference]:
    """Return the references of a file by their keys."""
    return {one.key: one for one in parse_all(extract_here(Document(name, data)).references)}


def compile_list(style: Path, keys: list[str]) -> bytes:
    """Return what BibTeX makes of the works in one style."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(WORKS, folder / "works.bib")
        cited = "".join(f"\\citation{{{key}}}\n" for key in keys)
        told = f"{cited}\\bibstyle{{{style.stem}}}\n\\bibdata{{works}}\n"
        (folder / "x.aux").write_text(told, encoding="utf-8")
        shutil.copy(style, folder)
        subprocess.run(["bibtex", "x"], cwd=folder, capture_output=True, check=False, timeout=60)
        made = folder / "x.bbl"
        return made.read_bytes() if made.exists() else b""


def fold(title: str | None) -> str:
    """Return the letters of a title."""
    return "".join(re.findall(r"[^\W_]{2,}", (title or "").lower()))


def compare(true: Reference, given: Reference | None) -> Counter[str]:
    """Return what is right about one entry."""
    if given is None:
        return Counter()
    told, wanted = given.claimed, true.claimed
    printed = fold(wanted.title) in fold(given.raw) or given.raw.startswith("\\")
    title = fold(told.title) == fold(wanted.title) if printed else not told.title
    families = [name.family.lower() for name in told.authors]
    people = [name.family.lower() for name in wanted.authors]
    authors = families == people or (told.et_al and families[:1] == people[:1])
    return Counter(found=1, title=title, authors=authors, year=told.year == wanted.year)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--misses", action="store_true", help="print the entries with something wrong")
    parser.add_argument("--snapshot", type=Path, help="count the accusations against this snapshot")
    chosen = parser.parse_args()
    verifier = Verifier(offline=True, snapshots=(chosen.snapshot,)) if chosen.snapshot else None
    works = read(WORKS.name, WORKS.read_bytes())
    styles = {path.stem: path for folder in chosen.folders for path in sorted(folder.rglob("*.bst"))}
    total: Counter[str] = Counter()
    for name, style in sorted(styles.items()):
        made = compile_list(style, list(works))
        if not _LISTS.search(made):
            continue
        given = read(f"{name}.bbl", made)
        marks = {key: compare(true, given.get(key)) for key, true in works.items()}
        counts: Counter[str] = sum(marks.values(), Counter())
        total += Counter(styles=1, listed=len(works)) + counts
        if verifier:
            labels = Counter(
                str(one.label) for one in verifier.check(Document(f"{name}.bbl", made)).references
            )
            total += Counter(decided=sum(labels.values()) - labels["None"])
            counts += Counter(accused=labels["MINOR"] + labels["MAJOR"])
            total += Counter(accused=counts["accused"])
        print(f"{name:<30} {dict(counts)}")
        for key, mark in marks.items() if chosen.misses else ():
            if sum(mark.values()) < 4:
                print(f"    {key}: {given[key].raw[:200] if key in given else 'not found'}")
    print(f"{'all':<30} {dict(total)}")


if __name__ == "__main__":
    main()
