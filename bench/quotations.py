"""Quotations cut from real texts and damaged: verbatim, altered or absent, and where.

    python bench/quotations.py [--seed 20] [--count 500] [--wrong] [FILE|FOLDER …]

Without files: the papers of ../shared/data/documents and the passages of ../shared/data/claims. Files may
be .txt, .nxml, .xml, .html, .tex, .pdf or .rst. Prints the confusion matrix, how often the place was right,
and the time of 1,000 quotations in a text of 1 MB.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import re
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import zstandard
from lxml import etree

from citeproof.claims.quotes import QuotationMatch, index_source, locate_quotation
from made_claims.quotation_damage import (
    EXPECTED,
    DamagedQuotation,
    QuotableText,
    make_quotation,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
STATUSES = ("verbatim", "altered", "absent")
LEAST = 3_000  # characters of a text that is quoted from


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--count", type=int, default=500, help="damaged quotations, besides 60 undamaged ones"
    )
    parser.add_argument("--wrong", action="store_true", help="print what was judged wrongly")
    given = parser.parse_args()
    texts = list(read_files(given.files) if given.files else read_shared())
    print(f"seed {given.seed}, {len(texts)} texts, {sum(len(text.text) for text in texts):,} characters")
    rng = random.Random(given.seed)
    kinds = [kind for kind in EXPECTED if kind != "clean"]
    wanted = [kinds[at % len(kinds)] for at in range(given.count)] + ["clean"] * 60
    quotations = [make_quotation(kind, texts, rng) for kind in wanted]
    indexes = {id(text): index_source(text.text) for text in texts}
    found = [(one, locate_quotation(one.quote, indexes[id(one.source)])) for one in quotations]
    print_outcome(found)
    if given.wrong:
        print_wrong(found)
    print_speed(texts, rng)


def read_shared() -> Iterator[QuotableText]:
    """Yield the papers and the passages of the shared folder."""
    for path in sorted((SHARED / "documents").iterdir()):
        if path.suffix == ".pdf":
            yield from keep_long(path.name, read_bytes(path.name, path.read_bytes()))
            continue
        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(path.read_bytes())).read()
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None and not member.name.endswith((".json", ".tei.xml")):
                    yield from keep_long(member.name, read_bytes(member.name, file.read()))
    raw = (SHARED / "claims" / "citation_integrity_corpus.jsonl.zst").read_bytes()
    lines = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)).read().decode().splitlines()
    passages = [" ".join(json.loads(line)["abstract"]) for line in lines]
    for at in range(0, len(passages), 150):
        yield from keep_long(f"claims {at}", "\n".join(passages[at : at + 150]))


def read_files(paths: list[Path]) -> Iterator[QuotableText]:
    for path in paths:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in files:
            yield from keep_long(file.name, read_bytes(file.name, file.read_bytes()))


def keep_long(name: str, text: str) -> Iterator[QuotableText]:
    if len(text) >= LEAST:
        yield QuotableText(name, text)


def read_bytes(name: str, data: bytes) -> str:
    """Return the running text of a file; empty if its kind is not known."""
    if name.endswith(".gz"):
        data = gzip.decompress(data)
        if data[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                members = [one for one in archive if one.name.endswith(".tex")]
                return "\n".join(read_bytes(m.name, archive.extractfile(m).read()) for m in members)  # type: ignore[union-attr]
        name = name.removesuffix(".gz")
    if name.endswith(".pdf"):
        document = pypdfium2.PdfDocument(data)
        return "\f".join(page.get_textpage().get_text_range() for page in document)
    if name.endswith((".xml", ".nxml", ".html", ".htm", ".xhtml")):
        return read_markup(data, html=not name.endswith("xml"))
    text = data.decode("utf-8", "replace")
    if name.endswith(".tex"):
        body = text.partition("\\begin{document}")[2] or text
        return re.sub(
            r"(?<!\\)%.*|\\(?:cite|ref|label)\w*\*?(?:\[[^\]]*\])?\{[^}]*\}|\\[a-zA-Z]+\*?|[{}$~]", " ", body
        )
    return text if name.endswith((".txt", ".rst", ".md", ".text")) else ""


def read_markup(data: bytes, *, html: bool) -> str:
    parser = (
        etree.HTMLParser() if html else etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    )
    root = etree.fromstring(data, parser)
    if root is None:
        return ""
    bodies = [
        one
        for one in root.iter()
        if isinstance(one.tag, str) and etree.QName(one).localname in {"abstract", "body"}
    ]
    paragraphs = [
        "".join(one.itertext())
        for body in bodies
        for one in body.iter()
        if isinstance(one.tag, str) and etree.QName(one).localname == "p"
    ]
    return "\n\n".join(paragraphs)


def print_outcome(found: list[tuple[DamagedQuotation, QuotationMatch]]) -> None:
    matrix = Counter((one.kind, match.status.value) for one, match in found)
    print(
        f"{'damage':<12} {'expected':<9}"
        + "".join(f"{status:>9}" for status in STATUSES)
        + "    grave  placed"
    )
    for kind, expected in EXPECTED.items():
        rows = [(one, match) for one, match in found if one.kind == kind]
        grave = sum(match.grave for _, match in rows)
        placed = sum(is_placed(one, match) for one, match in rows)
        counts = "".join(f"{matrix[kind, status]:>9}" for status in STATUSES)
        print(f"{kind:<12} {expected:<9}{counts} {grave:>8} {placed:>7}")
    damaged = [(one, match) for one, match in found if one.kind != "clean"]
    right = sum(match.status.value == EXPECTED[one.kind] for one, match in damaged)
    passed = sum(match.status == "verbatim" for one, match in damaged if one.kind in {"number", "negation"})
    light = sum(not match.grave for one, match in damaged if one.kind in {"number", "negation"})
    print(f"right: {right} of {len(damaged)} = {right / len(damaged):.3f}")
    print(f"changed numbers and negations passed as verbatim: {passed}; not called grave: {light}")


def is_placed(one: DamagedQuotation, match: QuotationMatch) -> bool:
    """Return whether the spans are where the quotation was cut, or have the same words."""
    if not one.places:
        return True
    text = one.source.text
    same = {" ".join(text[start:end].split()) for start, end in one.places}
    return all(
        any(span.start < end and start < span.end for start, end in one.places)
        or " ".join(text[span.start : span.end].split()) in " ".join(same)
        for span in match.spans
    ) and bool(match.spans)


def print_wrong(found: list[tuple[DamagedQuotation, QuotationMatch]]) -> None:
    for one, match in found:
        grave = one.kind not in {"number", "negation"} or match.grave
        if match.status.value == EXPECTED[one.kind] and grave and is_placed(one, match):
            continue
        print(
            f"--- {one.kind}: {match.status.value} {match.ratio} in {one.source.name}\n  quoted: {one.quote}"
        )
        for start, end in one.places:
            print(f"  source: {' '.join(one.source.text[start:end].split())}")
        for difference in match.differences:
            print(
                f"  {difference.op} {difference.quoted!r} for {difference.source!r}:"
                f" {difference.weight.value}"
            )


def print_speed(texts: list[QuotableText], rng: random.Random) -> None:
    """Print the time of 1,000 quotations, half of them damaged, in a text of 1 MB."""
    text = "\n".join(one.text for one in texts)[:1_000_000]
    whole = QuotableText("all", text)
    quotations = [
        make_quotation(
            rng.choice(["clean", "number", "swapped", "invented", "merged", "clean"]), [whole], rng
        )
        for _ in range(1000)
    ]
    began = time.process_time()
    index = index_source(text)
    indexed = time.process_time()
    for one in quotations:
        locate_quotation(one.quote, index)
    done = time.process_time()
    print(
        f"{len(text):,} characters indexed in {indexed - began:.2f} s, "
        f"1,000 quotations located in {done - indexed:.2f} s of CPU"
    )


if __name__ == "__main__":
    main()
