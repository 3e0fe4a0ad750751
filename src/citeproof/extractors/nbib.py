"""PubMed's `.nbib` files: MEDLINE records with one tag a line, as "Cite" and "Save" give them."""

from __future__ import annotations

import re
from typing import ClassVar

from citeproof.extractors.recordfields import Told, kinds, people, serials
from citeproof.extractors.records import Entry, Read, Syntax, beginning, extraction
from citeproof.vocabulary import Document, Extraction, Kind

_SYNTAX = Syntax(
    re.compile(r"^\ufeff?([A-Z][A-Z0-9]{1,3}) {0,3}- ?([^\n]*)$", re.MULTILINE),
    opens="PMID",
    blank_ends=True,
    unread=frozenset(("AB", "MH", "OT", "AD", "GR", "RN", "NM", "CIN", "COIS")),
)
_PMID = re.compile(r"^\ufeff?PMID {0,3}- ?\d{1,9}[ \t\r]{0,9}$", re.MULTILINE)
_TAGGED = re.compile(r"^(?:OWN|STAT|TI|FAU|DP|JT|TA|PT|LID|AID|SO|BTI|CTI) {0,3}- \S", re.MULTILINE)
_MARKED = re.compile(r"(.{1,2000}?)\s{1,3}\[(doi|pii|bookaccession)\]\s{0,9}", re.IGNORECASE)
_SPECIAL = (Kind.PREPRINT, Kind.DATASET, Kind.CHAPTER, Kind.BOOK, Kind.REPORT, Kind.THESIS)


class Nbib:
    """Reads PubMed's MEDLINE format."""

    name: ClassVar[str] = "nbib"
    suffixes: ClassVar[tuple[str, ...]] = (".nbib", ".medline")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how sure the content is a MEDLINE file: it has its tags, with a PMID or several without."""
        text = beginning(document)
        tags = len({match[0][:3] for match in _TAGGED.finditer(text[:20_000])})
        if _PMID.search(text):
            return 0.97 if tags else 0.5
        return 0.8 if tags > 3 else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference for each record, keyed by its PMID."""
        return extraction(document, self.name, lambda _: _SYNTAX, _read)


def _read(entry: Entry) -> Read:
    authors, et_al = people([*(entry.all("FAU") or entry.all("AU")), *_groups(entry)])
    editors, _ = people(entry.all("FED") or entry.all("ED"))
    kind = _kind(entry)
    title, book = entry.first("TI"), entry.first("BTI", "CTI")
    told = Told(
        title=title or book or entry.first("TT"),
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=entry.first("DP", "DEP"),
        venue=entry.first("JT", "TA") or (book if title else ""),
        series=entry.first("CTI") if entry.first("BTI") else "",
        volume=entry.first("VI"),
        issue=entry.first("IP"),
        pages=entry.first("PG") or _electronic_page(entry),
        publisher=entry.first("PB"),
        edition=entry.first("EN"),
        ids=_ids(entry),
    )
    if kind is None and book:
        kind = Kind.CHAPTER if title else Kind.BOOK
    return entry.first("PMID"), kind, told


def _groups(entry: Entry) -> list[str]:
    """Return corporate authors, marked by a comma as organisations."""
    return [f"{name.rstrip(',')}," if " " in name else name for name in entry.all("CN")]


def _kind(entry: Entry) -> Kind | None:
    """Return the kind that the publication types name; a special one counts more than "Journal Article"."""
    named = [found for one in entry.all("PT") if (found := kinds("medline").get(one.lower()))]
    return next((kind for kind in named if kind in _SPECIAL), named[0] if named else None)


def _electronic_page(entry: Entry) -> str:
    """Return the article number: the publisher's identifier where it is nothing but such a number."""
    marked = [match for one in entry.all("LID") if (match := _MARKED.fullmatch(one))]
    return next((m[1] for m in marked if m[2].lower() == "pii" and re.fullmatch(r"e?\d{1,8}", m[1])), "")


def _ids(entry: Entry) -> list[tuple[str, str]]:
    found = [("pmid", value) for value in entry.all("PMID")[:1]]
    for value in entry.all("LID", "AID"):
        match = _MARKED.fullmatch(value)
        if match and match[2].lower() == "doi":
            found.append(("doi", match[1]))
    found += [("pmcid", value) for value in entry.all("PMC")]
    for value in entry.all("IS", "ISBN"):
        found += serials(value)
    return found


EXTRACTOR = Nbib()
