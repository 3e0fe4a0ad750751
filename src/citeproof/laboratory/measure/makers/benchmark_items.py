"""The items of a made benchmark, one JSON object a line, and the citations they are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from citeproof.plumbing.output_files import replace_output
from citeproof.text import title as titles
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

Form = Literal["link", "text", "bibtex"]
LINKS = {
    "arxiv": "https://arxiv.org/abs/{}",
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "acl": "https://aclanthology.org/{}",
    "openreview": "https://openreview.net/forum?id={}",
}


class BenchmarkEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One change that was made to a true citation."""

    kind: str  # e.g. "year_shift", "author_swap"; the slug of the rule that made it
    field: str
    before: str
    after: str


class BenchmarkItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One citation with its true label and how it came about."""

    index: int
    label: Literal["EXACT", "MINOR", "MAJOR"]
    kind: str  # "valid", or the family of the error: "minor", "major", "title:keyword", "swapped_authors" …
    form: Form
    original: str  # the true citation in the same style
    corrupted: str  # what is to be checked; a valid item is `original` itself
    description: str  # the edits in words
    edits: tuple[BenchmarkEdit, ...] = ()
    collection: str = ""  # the document or topic it is in: splits and intervals go by it
    subdomain: str = ""
    split: Literal["dev", "test"] = "test"
    work: str = ""  # the work it was made of
    style: str = ""
    seed: int | None = None  # of the benchmark it belongs to


def write_items(path: Path, items: Iterable[BenchmarkItem]) -> int:
    """Write the items to `path`, one per line; return how many there are."""
    count = 0
    with replace_output(path) as out:
        for item in items:
            out.write(msgspec.json.encode(item) + b"\n")
            count += 1
    return count


@dataclass(frozen=True, slots=True)
class CitationFields:
    """The fields of one citation; empty where it has none."""

    work: str  # the true work: items made of one work belong to one fold
    kind: Kind
    title: str
    people: tuple[Name, ...]
    year: int | None
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    ids: Ids = field(default_factory=Ids)
    url: str = ""  # the link it is cited with, in forms that have one


def cite_record(record: Record, version: Version | None = None) -> CitationFields:
    """Return a record as it may be cited: one of its appearances, with its identifiers."""
    cited = version or (record.versions[0] if record.versions else Version())
    kind = cited.kind if cited.kind is not Kind.UNKNOWN else record.kind
    fields = CitationFields(
        work=titles.make_title_key(record.title),
        kind=kind,
        title=record.title,
        people=record.authors,
        year=cited.year,
        venue=cited.venue or "",
        volume=cited.volume or "",
        issue=cited.issue or "",
        pages=cited.pages or "",
        publisher=record.publisher or "",
        ids=record.ids,
    )
    return replace(fields, url=build_link(fields.ids))


def list_citable_versions(record: Record) -> tuple[Version, ...]:
    """Return the appearances of a work that one would cite: not a submission that came to nothing."""
    return tuple(v for v in record.versions if "submission" not in (v.venue or "").lower())


def build_link(ids: Ids) -> str:
    """Return the address that a citation of these identifiers would give."""
    for scheme, address in LINKS.items():
        if value := ids.first(scheme):
            return address.format(value)
    return ""
