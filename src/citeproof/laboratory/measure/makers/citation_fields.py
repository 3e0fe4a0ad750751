"""A work as somebody cites it: the fields that a citation is printed from, and that edits change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from citeproof.text import title as titles
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

LINKS = {
    "arxiv": "https://arxiv.org/abs/{}",
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "acl": "https://aclanthology.org/{}",
    "openreview": "https://openreview.net/forum?id={}",
}


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
