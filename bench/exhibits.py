"""Figures and tables of real papers: are they found, with the right number, caption and an image?

    python bench/exhibits.py FOLDER [--show 5] [--skip 0] [--papers 50] [--images DIR]

Below FOLDER are papers as PDF with their LaTeX source beside (`paper.pdf`, `paper.tex`) and articles in JATS.
The captions of the source are the gold for the PDF, as far as the PDF prints them: it may be older than its
source. Of JATS, the elements with a label are the gold. A false exhibit begins with other words of it.
A false alarm says that the work does not have a figure whose number and caption the PDF prints.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from citeproof.claims.support import index_passages
from citeproof.claims.support.exhibit_evidence import check_exhibits, find_exhibit_alarms
from citeproof.errors import InputError
from citeproof.reading.extractors.body.manuscript_body import find_jats_exhibits
from citeproof.reading.extractors.body.text_body import find_latex_exhibits
from citeproof.reading.extractors.exhibits.exhibit_images import cut_images
from citeproof.reading.extractors.exhibits.pdf_exhibits import find_pdf_exhibits
from citeproof.reading.extractors.latex.cite_commands import find_cites
from citeproof.reading.extractors.latex.latex_source import LatexSource
from citeproof.reading.extractors.pdf.pdf_pages import open_pdf, read_pages
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.reading.extractors.source_reader import read_source_text
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

_BEGIN = 18  # letters of a caption that must agree
_MAIN = re.compile(r"\\documentclass(?![^\n]{0,200}(?:beamer|standalone|poster))")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=0, help="misses of each kind that are shown")
    parser.add_argument("--papers", type=int, default=10_000, help="how many PDFs are read")
    parser.add_argument("--skip", type=int, default=0, help="how many PDFs are left out before")
    parser.add_argument("--images", type=Path, help="where the images are written")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    shown: dict[str, list[str]] = {}
    for path in sorted(given.folder.rglob("*.nxml")):
        measure_jats(path, tally, shown)
    for pdf, tex in list(find_pairs(given.folder))[given.skip : given.skip + given.papers]:
        try:
            measure_pdf(pdf, tex, tally, shown, given.images)
        except (InputError, OSError) as error:
            tally["PDFs not read"] += 1
            shown.setdefault("not read", []).append(f"{pdf.name}: {error}")
    print_tally(tally)
    for kind, lines in shown.items():
        for line in lines[: given.show]:
            print(f"{kind}: {line}")


def find_pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each PDF with the main file of its source."""
    for pdf in sorted(folder.rglob("*.pdf")):
        tex = pdf.with_suffix(".tex")
        if tex.exists() and _MAIN.search(tex.read_text("utf-8", "replace")[:20_000]):
            yield pdf, tex


def measure_jats(path: Path, tally: Counter[str], shown: dict[str, list[str]]) -> None:
    root = parse_xml(Document(path.name, path.read_bytes()))
    found = {(one.kind.value, one.number) for one in find_jats_exhibits(root)}
    for element in root.iter("fig", "table-wrap"):
        label = "".join(element.find("label").itertext()) if element.find("label") is not None else ""
        number = re.search(r"[A-Z]?\d+$", label.strip(" .:"))
        if number is None:
            continue
        tally["JATS exhibits"] += 1
        kind = "figure" if element.tag == "fig" else "table"
        if (kind, number[0]) in found:
            tally["JATS found"] += 1
        else:
            shown.setdefault("JATS missed", []).append(f"{path.name}: {label}")


def measure_pdf(
    pdf: Path, tex: Path, tally: Counter[str], shown: dict[str, list[str]], images: Path | None
) -> None:
    source = LatexSource(Document(tex.name, tex.read_bytes(), FolderFiles(tex.parent)))
    _, text, macros = find_cites(source.text)
    gold = find_latex_exhibits(text, macros)
    data = pdf.read_bytes()
    opened = open_pdf(Document(pdf.name, data))
    pages, _ = read_pages(opened, pdf.name)
    began = time.process_time()
    found = find_pdf_exhibits(opened, pages)
    tally["milliseconds"] += int(1000 * (time.process_time() - began))
    tally["pages"] += len(pages)
    printed = keep_letters(" ".join(line.text for page in pages for line in page.lines))
    expected = [one for one in gold if is_printed(one, printed)]
    if not expected:
        tally["PDFs without a caption of their source"] += 1
        return
    tally["PDFs"] += 1
    drawn = cut_images(data, [(one.page or 1, one.box) for one in found if one.box])
    drawings = iter(drawn)
    images_of = {id(one): next(drawings) if one.box else b"" for one in found}
    left = list(found)
    for one in expected:
        tally[f"{one.kind.value}s"] += 1
        mine = next((other for other in left if is_same(one, other)), None)
        if mine is None:
            shown.setdefault("missed", []).append(f"{pdf}: {one.label} {one.caption[:80]}")
            continue
        left.remove(mine)
        image = images_of[id(mine)]
        compare_exhibit(f"{pdf} p.{mine.page}: {mine.label}", one, mine, tally, shown)
        compare_ends(f"{pdf} p.{mine.page}: {mine.label}", one, mine, printed, tally, shown)
        tally[f"{one.kind.value}s with an image"] += bool(image)
        if not image:
            shown.setdefault("no image", []).append(f"{pdf} p.{mine.page}: {mine.label} {mine.box}")
        elif images is not None:
            images.mkdir(parents=True, exist_ok=True)
            name = f"{pdf.parent.name}-{pdf.stem}-{one.kind.value}{mine.number}.png"
            (images / name).write_bytes(image)
    count_others(pdf, left, gold, keep_letters(text), tally, shown)
    joined = keep_letters(" ".join(line.text for page in pages for line in page.lines), digits=True)
    count_alarms(pdf, data, [one for one in expected if is_numbered(one, joined)], tally, shown)


def compare_exhibit(
    place: str, one: Exhibit, mine: Exhibit, tally: Counter[str], shown: dict[str, list[str]]
) -> None:
    kind = one.kind.value
    tally[f"{kind}s found"] += 1
    if one.number.isdecimal() and mine.number.isdecimal():  # not by chapter, not in an appendix
        tally[f"{kind}s whose number is compared"] += 1
        tally[f"{kind}s with the number of the source"] += one.number == mine.number
        if one.number != mine.number:
            shown.setdefault("number", []).append(f"{place} for {one.number}: {mine.caption[:60]}")


def compare_ends(
    place: str, one: Exhibit, mine: Exhibit, printed: str, tally: Counter[str], shown: dict[str, list[str]]
) -> None:
    end, wanted = keep_letters(mine.caption)[-12:], keep_letters(one.caption)[-12:]
    if "$" in one.caption or wanted not in printed:
        return
    tally["captions whose end is known"] += 1
    tally["captions that end right"] += end == wanted
    if end != wanted:
        shown.setdefault("end", []).append(f"{place} …{mine.caption[-50:]!r} for …{one.caption[-50:]!r}")


def count_others(
    pdf: Path, left: list[Exhibit], gold: tuple[Exhibit, ...], known: str, tally: Counter[str],
    shown: dict[str, list[str]],
) -> None:  # fmt: skip
    """Count what was found and is no caption of the source, or of another source than this."""
    for other in left:
        place = f"{pdf} p.{other.page}: {other.label} {other.caption[:80]}"
        if keep_letters(other.caption)[:_BEGIN] not in known or not other.caption:
            tally["found, but not in the source"] += 1
            shown.setdefault("not in source", []).append(place)
        elif not any(is_same(one, other) for one in gold):
            tally["false: no caption of the source"] += 1
            shown.setdefault("false", []).append(place)


def count_alarms(
    pdf: Path, data: bytes, expected: list[Exhibit], tally: Counter[str], shown: dict[str, list[str]]
) -> None:
    """Count claims that cite an exhibit of the paper, and those of them that are an alarm."""
    index = index_passages(read_source_text(Document(pdf.name, data)))
    for one in expected:
        tally["claims that cite one"] += 1
        found = check_exhibits(f"It rises [1, {one.kind.value.title()} {one.number}].", index)
        for alarm in find_exhibit_alarms(found):
            tally["false alarms"] += 1
            shown.setdefault("alarm", []).append(f"{pdf}: {alarm.detail}; {one.caption[:80]}")


def is_printed(one: Exhibit, printed: str) -> bool:
    letters = keep_letters(one.caption)
    return len(letters) > 6 and letters[:_BEGIN] in printed


def is_numbered(one: Exhibit, printed: str) -> bool:
    """Return whether a PDF has the number of the source right before the caption."""
    begin = keep_letters(one.caption, digits=True)[:_BEGIN]
    names = ("figure", "fig") if one.kind is ExhibitKind.FIGURE else ("table", "tab")
    return one.number.isdecimal() and any(f"{name}{one.number}{begin}" in printed for name in names)


def is_same(one: Exhibit, other: Exhibit) -> bool:
    begin = keep_letters(one.caption)[:_BEGIN]
    return one.kind is other.kind and keep_letters(other.caption).startswith(begin[: max(7, len(begin) - 3)])


def keep_letters(text: str, *, digits: bool = False) -> str:
    text = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff")
    return "".join(
        letter
        for letter in text.lower()
        if letter.isascii() and (letter.isalnum() if digits else letter.isalpha())
    )


def print_tally(tally: Counter[str]) -> None:
    for name, count in sorted(tally.items()):
        print(f"{name:45} {count:6,}")
    for kind in ("figure", "table"):
        total = tally[f"{kind}s"]
        if not total:
            continue
        for what in ("found", "with an image"):
            print(f"{kind}s {what}: {tally[f'{kind}s {what}'] / total:.1%} of {total}")
        compared = max(tally[f"{kind}s whose number is compared"], 1)
        right = tally[f"{kind}s with the number of the source"]
        print(f"{kind}s with the right number: {right / compared:.1%} of {compared}")
    if ends := tally["captions whose end is known"]:
        print(f"captions that end right: {tally['captions that end right'] / ends:.1%} of {ends}")


if __name__ == "__main__":
    main()
