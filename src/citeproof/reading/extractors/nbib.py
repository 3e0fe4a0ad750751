"""PubMed's `.nbib` files: MEDLINE records with one tag a line, as "Cite" and "Save" give them."""

from __future__ import annotations

from citeproof.reading.extractors.records.record_fields import (
    Read,
    RecordFields,
    TaggedRecord,
    TagSyntax,
    extract_records,
    find_serial_numbers,
    read_beginning,
    read_people,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Document, Extraction, Extractor, Kind

_SYNTAX = TagSyntax(
    re.compile(r"^\ufeff?([A-Z][A-Z0-9]{1,3}) {0,3}- ?([^\n]*)$", re.MULTILINE),
    opens="PMID",
    blank_ends=True,
    unread=frozenset(("AB", "MH", "OT", "AD", "GR", "RN", "NM", "CIN", "COIS")),
)
_PMID = re.compile(r"^\ufeff?PMID {0,3}- ?\d{1,9}[ \t\r]{0,9}$", re.MULTILINE)
_TAGGED = re.compile(r"^(?:OWN|STAT|TI|FAU|DP|JT|TA|PT|LID|AID|SO|BTI|CTI) {0,3}- \S", re.MULTILINE)
_MARKED = re.compile(r"(.{1,2000}?)\s{1,3}\[(doi|pii|bookaccession)\]\s{0,9}", re.IGNORECASE)
_SPECIAL = (Kind.PREPRINT, Kind.DATASET, Kind.CHAPTER, Kind.BOOK, Kind.REPORT, Kind.THESIS)


def _recognise_nbib(document: Document) -> float:
    """Return how sure the content is a MEDLINE file: it has its tags, with a PMID or several without."""
    text = read_beginning(document)
    tags = len({match[0][:3] for match in _TAGGED.finditer(text[:20_000])})
    if _PMID.search(text):
        return 0.97 if tags else 0.5
    return 0.8 if tags > 3 else 0.0


def _extract_nbib(document: Document) -> Extraction:
    """Return one reference for each record, keyed by its PMID."""
    return extract_records(document, EXTRACTOR.name, lambda _: _SYNTAX, _read_nbib_record)


def _read_nbib_record(entry: TaggedRecord) -> Read:
    groups = [f"{name.rstrip(',')}," if " " in name else name for name in entry.all("CN")]  # organisations
    authors, et_al = read_people([*(entry.all("FAU") or entry.all("AU")), *groups])
    editors, _ = read_people(entry.all("FED") or entry.all("ED"))
    named = [
        known_kind for name in entry.all("PT") if (known_kind := load_kinds("medline").get(name.lower()))
    ]
    kind = next((kind for kind in named if kind in _SPECIAL), named[0] if named else None)
    title, book = entry.first("TI"), entry.first("BTI", "CTI")
    ids = [("pmid", value) for value in entry.all("PMID")[:1]]
    for value in entry.all("LID", "AID"):
        match = _MARKED.fullmatch(value)
        if match and match[2].lower() == "doi":
            ids.append(("doi", match[1]))
    ids += [("pmcid", value) for value in entry.all("PMC")]
    for value in entry.all("IS", "ISBN"):
        ids += find_serial_numbers(value)
    fields = RecordFields(
        title=title or book or entry.first("TT"),
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=entry.first("DP", "DEP"),
        venue=entry.first("JT", "TA") or (book if title else ""),
        series=entry.first("CTI") if entry.first("BTI") else "",
        volume=entry.first("VI"),
        issue=entry.first("IP"),
        pages=entry.first("PG") or _find_article_number(entry),
        publisher=entry.first("PB"),
        edition=entry.first("EN"),
        ids=ids,
    )
    if kind is None and book:
        kind = Kind.CHAPTER if title else Kind.BOOK
    return entry.first("PMID"), kind, fields


def _find_article_number(entry: TaggedRecord) -> str:
    """Return the article number: the publisher's identifier where it is nothing but such a number."""
    marked = [match for value in entry.all("LID") if (match := _MARKED.fullmatch(value))]
    return next((m[1] for m in marked if m[2].lower() == "pii" and re.fullmatch(r"e?\d{1,8}", m[1])), "")


EXTRACTOR = Extractor("nbib", (".nbib", ".medline"), _recognise_nbib, _extract_nbib)
