"""One cited work as a RIS record, for EndNote, Mendeley and library systems."""

from __future__ import annotations

import re

from citeproof.answers.serializers.venue_kind import is_proceedings
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import Claimed, Kind, Name

_TYPES = {
    Kind.ARTICLE: "JOUR", Kind.PREPRINT: "UNPB", Kind.BOOK: "BOOK", Kind.CHAPTER: "CHAP", Kind.THESIS: "THES",
    Kind.REPORT: "RPRT", Kind.STANDARD: "STAND", Kind.DATASET: "DATA", Kind.SOFTWARE: "COMP",
    Kind.WEB_PAGE: "ELEC", Kind.LEGAL: "CASE", Kind.PERSONAL_COMMUNICATION: "PCOMM", Kind.UNKNOWN: "GEN",
}  # fmt: skip


def build_ris_record(
    key: str, kind: Kind, claimed: Claimed, notes: tuple[str, ...] = (), tags: tuple[str, ...] = ()
) -> str:
    """Return the record, one line a field, closed by `ER`; `tags` are its keywords."""
    paper = kind is Kind.ARTICLE and is_proceedings(claimed)
    rows = [("TY", "CPAPER" if paper else _TYPES[kind]), ("ID", key), ("TI", claimed.title)]
    rows += [("AU", _format_ris_person(name)) for name in claimed.authors]
    rows += [("A2", _format_ris_person(name)) for name in claimed.editors]
    rows += [("PY", str(claimed.year or "")), ("T2", claimed.venue), ("T3", claimed.series)]
    rows += [("VL", claimed.volume), ("IS", claimed.issue), *_split_ris_pages(claimed.pages or "")]
    rows += [("PB", claimed.publisher), ("ET", claimed.edition), ("DO", claimed.ids.first("doi"))]
    rows += [("SN", claimed.ids.first("isbn") or claimed.ids.first("issn"))]
    arxiv, pmid = claimed.ids.first("arxiv"), claimed.ids.first("pmid")
    rows += [("M1", f"arXiv:{arxiv}" if arxiv else ""), ("AN", f"PMID:{pmid}" if pmid else "")]
    rows += [("UR", claimed.ids.first("url")), *(("N1", note) for note in notes)]
    rows += [("KW", tag) for tag in tags]
    rows += [("N1", "the list of authors is cut (et al.)")] if claimed.authors and claimed.et_al else []
    return "".join(f"{tag}  - {_join_ris_line(value)}\r\n" for tag, value in rows if value) + "ER  - \r\n"


def _format_ris_person(name: Name) -> str:
    return ", ".join(part for part in (name.family, name.given, name.suffix) if part)


def _split_ris_pages(pages: str) -> list[tuple[str, str | None]]:
    first, _, last = re.sub(r"[-–—]+", "-", pages).partition("-")
    return [("SP", first.strip()), ("EP", last.strip())]


def _join_ris_line(value: str) -> str:
    """Return a value on one line: a line break in it could begin a forged tag."""
    return show_controls(" ".join(value.split()))
