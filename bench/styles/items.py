"""A work to be cited, with all its fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from bench.styles.people import Person

_CSL_TYPES = {
    "article": "article-journal", "paper": "paper-conference", "book": "book", "chapter": "chapter",
    "thesis": "thesis", "report": "report", "web": "webpage", "preprint": "article",
    "news": "article-newspaper",
    "physics": "article-journal",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A work with all its fields; empty where it has none."""

    kind: str
    language: str
    title: str
    authors: tuple[Person, ...]
    year: int
    month: int = 0
    day: int = 0
    container: str = ""
    short: str = ""
    volume: str = ""
    issue: str = ""
    pages: tuple[str, str] = ("", "")
    count: int = 0
    publisher: str = ""
    place: str = ""
    editors: tuple[Person, ...] = ()
    series: str = ""
    series_number: str = ""
    edition: str = ""
    genre: str = ""
    number: str = ""
    note: str = ""
    doi: str = ""
    url: str = ""
    arxiv: str = ""
    pmid: str = ""
    isbn: str = ""
    accessed: tuple[int, int, int] = (0, 0, 0)
    extras: dict[str, str] = field(default_factory=dict)

    def csl(self) -> dict[str, Any]:
        """The item in CSL-JSON; what is empty is left out."""
        out: dict[str, Any] = {
            "id": "x",
            "type": _CSL_TYPES[self.kind],
            "title": self.title,
            "language": self.language,
        }
        plain = {
            "container-title": self.container, "container-title-short": self.short, "volume": self.volume,
            "issue": self.issue, "publisher": self.publisher, "publisher-place": self.place,
            "collection-title": self.series, "collection-number": self.series_number, "genre": self.genre,
            "number": self.number, "note": self.note, "DOI": self.doi, "URL": self.url, "PMID": self.pmid,
            "ISBN": self.isbn, "edition": re.sub(r"\D.*", "", self.edition),
            "page": "-".join(one for one in self.pages if one),
        }  # fmt: skip
        out.update({key: value for key, value in plain.items() if value})
        if self.kind == "preprint":
            out["publisher"] = "arXiv"
            out["number"] = f"arXiv:{self.arxiv}"
        for role, people in (("author", self.authors), ("editor", self.editors)):
            if people:
                out[role] = [
                    {"family": who.family, "given": who.given} if who.given else {"literal": who.family}
                    for who in people
                ]
        out["issued"] = {"date-parts": [[part for part in (self.year, self.month, self.day) if part]]}
        if self.accessed[0] and self.url:
            out["accessed"] = {"date-parts": [list(self.accessed)]}
        return out
