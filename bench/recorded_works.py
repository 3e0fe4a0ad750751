"""Works out of recorded answers of registries, cited exactly and with one error, judged by their own record.

    python bench/recorded_works.py RECORDINGS [--show KIND]

RECORDINGS holds `upstreams.jsonl.zst` and archives of other recorded answers. Every work of them that has a
title, people and a year is cited as its record has it: that should be EXACT. Then with an author more,
another last word of the title (in brackets, too), a year six before, and other pages: none may be EXACT.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import zstandard
from lxml import etree

from citeproof.evidence.sources import ads, europe_pmc, inspire, semantic_scholar
from citeproof.evidence.upstream_records import arxiv, crossref, datacite, dblp, marc, medline, openalex
from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.vocabulary import Claimed, Found, Judgement, Name, Reach, Record, Reference, Retrieval

TODAY = date(2026, 11, 18)
STRANGER = Name("Bergstrand", "Philippa")
OTHER_WORD = "Marmalade"
Shape = Callable[[object], Record | None]
JSON_SHAPES: dict[str, Shape] = {
    "ads": ads.make_record, "crossref": crossref.make_record, "datacite": datacite.make_record,
    "dblp": dblp.make_record, "europe_pmc": europe_pmc.make_record, "inspire": inspire.make_record,
    "openalex": openalex.make_record, "semantic_scholar": semantic_scholar.make_record,
}  # fmt: skip
XML_SHAPES: dict[str, tuple[str, Shape]] = {
    "arxiv": ("{http://www.w3.org/2005/Atom}entry", arxiv.make_record),
    "pubmed": ("PubmedArticle", medline.make_record),
    "sru": ("{http://www.loc.gov/MARC21/slim}record", marc.make_record),
}
UPSTREAMS = {"doi": "crossref", "doi_content": "crossref", "europepmc": "europe_pmc", "k10plus": "sru"}
ARCHIVES = {"crossref_habanero": "crossref", "datacite_bolognese": "datacite", "inspire": "inspire",
            "semantic_scholar": "semantic_scholar", "arxiv": "arxiv"}  # fmt: skip
_LAST_WORD = re.compile(r"[^\W\d_]{3,}(?=[^\w]*$)")


def read_bodies(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of a registry and the text of one of its recorded answers."""
    with zstandard.open(folder / "upstreams.jsonl.zst", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield UPSTREAMS.get(row["upstream"], row["upstream"]), str(row["body"])
    for name, registry in (*ARCHIVES.items(), ("title_lookups_refchecker", "")):
        path = folder / f"{name}.tar.zst"
        if not path.exists():
            continue  # a folder of `record.py` has none
        data = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                asked = registry or next((known for known in JSON_SHAPES if f"/{known}/" in member.name), "")
                file = tar.extractfile(member) if member.isfile() and asked else None
                if file is not None:
                    yield asked, file.read().decode("utf-8", "replace")


def read_records(registry: str, body: str) -> Iterator[Record]:
    """Yield the records of one answer, wherever they are in it."""
    if registry in XML_SHAPES:
        tag, shape = XML_SHAPES[registry]
        parts = re.findall(r"<\?xml.*?(?=<\?xml|\Z)", body, re.DOTALL) or [body]
        for part in parts:
            try:
                root = etree.fromstring(part.encode(), etree.XMLParser(recover=True, huge_tree=False))
            except (etree.XMLSyntaxError, ValueError):
                continue
            elements = [root, *root.iter(tag)] if root is not None else []
            yield from _shape_all((one for one in elements if one.tag == tag), shape)
    elif registry in JSON_SHAPES:
        start = re.search(r"[\[{]", body)
        try:
            read, _ = json.JSONDecoder().raw_decode(body[start.start() :]) if start else (None, 0)
        except ValueError:
            return
        yield from _shape_all(_walk_tables(read, 0), JSON_SHAPES[registry])


def _walk_tables(value: object, depth: int) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        inner: Iterable[object] = value.values()
    else:
        inner = value if isinstance(value, list) else ()
    for one in inner if depth < 6 else ():
        yield from _walk_tables(one, depth + 1)


def _shape_all(items: Iterable[object], shape: Shape) -> Iterator[Record]:
    for item in items:
        try:
            record = shape(item)
        except (AttributeError, TypeError, KeyError, ValueError):
            continue  # a part of an answer that is no work
        if record and record.title and record.authors and any(v.year for v in record.versions):
            yield record


def cite_record(record: Record) -> Claimed:
    """Return the fields of a record as a citation has them: its first dated version with a venue, if any."""
    dated = [version for version in record.versions if version.year]
    version = next((one for one in dated if one.venue), dated[0])
    people = tuple(name for name in record.authors if not name.collective) or record.authors
    return Claimed(
        title=record.title, authors=people, year=version.year, venue=version.venue, volume=version.volume,
        issue=version.issue, pages=version.pages, ids=record.ids, et_al=not record.authors_complete,
    )  # fmt: skip


def change_pages(cited: Claimed) -> Claimed | None:
    numbers = re.findall(r"\d+", cited.pages or "")
    return replace(cited, pages=f"{int(numbers[0]) + 317}") if numbers else None


def change_last_word(cited: Claimed) -> Claimed | None:
    title = cited.title or ""
    found = _LAST_WORD.search(title)
    if found is None or len(title.split()) < 3:
        return None
    return replace(cited, title=f"{title[: found.start()]}{OTHER_WORD}{title[found.end() :]}")


CHANGES: dict[str, Callable[[Claimed], Claimed | None]] = {
    "as it is": lambda cited: cited,
    "author appended": lambda c: None if c.et_al else replace(c, authors=(*c.authors, STRANGER)),
    "last word changed": change_last_word,
    "year - 6": lambda cited: replace(cited, year=(cited.year or 0) - 6),
    "pages changed": change_pages,
}


def judge_alone(record: Record, cited: Claimed) -> Judgement:
    """Return the judgement of a citation by this record alone, found by its own identifier or title."""
    by = next((scheme for scheme in ("doi", "pmid", "arxiv") if record.ids.all(scheme)), "title")
    reference = Reference("key", "", record.kind, cited)
    retrieved = Retrieval((Found(record.source, by, (record,), Reach.PARTIAL),))
    return judge(reference, retrieved, compare(reference, retrieved, TODAY))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--show", default="", help="a change whose surprises are printed")
    wanted = parser.parse_args()
    works: dict[tuple[str, str], Record] = {}
    for registry, body in read_bodies(wanted.recordings):
        for record in read_records(registry, body):
            works.setdefault((registry, record.id), record)
    table: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for (registry, _), record in works.items():
        cited = cite_record(record)
        for change, make in CHANGES.items():
            changed = make(cited)
            if changed is None:
                continue
            judgement = judge_alone(record, changed)
            label = str(judgement.label or "none")
            table[registry][change, label] += 1
            table["all"][change, label] += 1
            if change == wanted.show and (label == "EXACT") is (change != "as it is"):
                print(f"{label} {registry} {record.id}: {record.title[:100]} {judgement.explanation[:300]}")
    for registry, row in sorted(table.items()):
        print(f"{registry}: {sum(n for (change, _), n in row.items() if change == 'as it is')} works")
        for change in CHANGES:
            labels = {label: n for (what, label), n in sorted(row.items()) if what == change}
            total = sum(labels.values())
            if total:
                print(f"  {change:18} EXACT {labels.get('EXACT', 0) / total:6.3f} of {total:5}  {labels}")


if __name__ == "__main__":
    main()
