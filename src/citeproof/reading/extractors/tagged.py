"""Two more exports with one tag a line: EndNote's (`%0 Journal Article`) and Web of Science's (`PT J`)."""

from __future__ import annotations

import re
from typing import ClassVar

from citeproof.reading.extractors.records.record_fields import RecordFields, find_serial_numbers, read_people
from citeproof.reading.extractors.records.tagged_records import (
    Read,
    TaggedRecord,
    TagSyntax,
    extract_records,
    read_beginning,
)
from citeproof.text.kind_words import load_kinds
from citeproof.vocabulary import Document, Extraction, Kind

_ENDNOTE = TagSyntax(
    re.compile(r"^\ufeff?%([0-9A-Za-z@!#$&()*+<>?\[\]^~=])[ \t]{1,9}([^\n]*)$", re.MULTILINE),
    opens="0",
    blank_ends=True,
    unread=frozenset("XK"),
)
_WOS = TagSyntax(
    re.compile(r"^\ufeff?([A-Z][A-Z0-9])(?:[ \t\r]([^\n]*))?$", re.MULTILINE),
    opens="PT",
    closes="ER",
    alone=frozenset(("FN", "VR", "EF")),
    unread=frozenset(("AB", "CR", "C1", "DE", "ID", "FX", "FU")),
)
_ENDNOTE_TYPE = re.compile(r"^\ufeff?%0[ \t]{1,9}[A-Z][A-Za-z ]{2,40}[ \t\r]{0,9}$", re.MULTILINE)
_ENDNOTE_LINE = re.compile(r"^%[ATDJ][ \t]{1,9}\S", re.MULTILINE)
_WOS_TYPE = re.compile(r"^\ufeff?PT [JSBCP][ \t\r]{0,9}$", re.MULTILINE)
_WOS_LINE = re.compile(r"^(?:AU|TI|SO|PY) \S", re.MULTILINE)


class TaggedExtractor:
    """Reads EndNote's and Web of Science's tagged exports."""

    name: ClassVar[str] = "tagged"
    suffixes: ClassVar[tuple[str, ...]] = (".enw", ".ciw", ".isi")
    hostile: ClassVar[bool] = False

    def recognises(self, document: Document) -> float:
        """Return how sure the content is one of the two: the line that begins a record, and its tags."""
        text = read_beginning(document)
        if _WOS_TYPE.search(text) and len(_WOS_LINE.findall(text[:20_000])) > 1:
            return 0.96
        if _ENDNOTE_TYPE.search(text):
            return 0.96 if _ENDNOTE_LINE.search(text) else 0.5
        return 0.6 if len({m[0][:2] for m in _ENDNOTE_LINE.finditer(text[:20_000])}) > 2 else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference for each record of either format."""
        return extract_records(document, self.name, _choose_tagged_syntax, _read_tagged_record)


def _choose_tagged_syntax(text: str) -> TagSyntax:
    return _WOS if _WOS_TYPE.search(text) and not _ENDNOTE_TYPE.search(text) else _ENDNOTE


def _read_tagged_record(entry: TaggedRecord) -> Read:
    wos = "PT" in entry.fields or "UT" in entry.fields
    return _read_wos_tags(entry) if wos else _read_endnote_tags(entry)


def _read_endnote_tags(entry: TaggedRecord) -> Read:
    kind = load_kinds("endnote").get(entry.first("0").lower())
    authors, et_al = read_people(entry.all("A"))
    editors, _ = read_people(entry.all("E"))
    book = entry.first("B")
    numbers = [pair for text in entry.all("@") for pair in find_serial_numbers(text)]
    fields = RecordFields(
        title=entry.first("T", "!"),
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=entry.first("D", "8"),
        venue=entry.first("J") or book,
        series=entry.first("S"),
        volume=entry.first("V"),
        issue=entry.first("N"),
        pages=entry.first("P", "]"),
        publisher=entry.first("I"),
        edition=entry.first("7") if kind in (Kind.BOOK, Kind.CHAPTER) else "",
        ids=[*(("doi", doi) for doi in entry.all("R")), *numbers],
        free=entry.all("U", "2", "Z")[:20],
    )
    return entry.first("F"), kind, fields


def _read_wos_tags(entry: TaggedRecord) -> Read:
    """Return a record of Web of Science: people stand one per line, in full under `AF`."""
    kind = load_kinds("wos").get(entry.first("PT").lower())
    authors, et_al = read_people(entry.lines("AF") or entry.lines("AU"))
    groups, _ = read_people(f"{group}," for group in entry.lines("CA"))
    editors, _ = read_people(entry.lines("BE") or entry.lines("ED"))
    pages = "-".join(page for page in (entry.first("BP"), entry.first("EP")) if page) or entry.first("AR")
    numbers = [pair for text in entry.all("SN", "EI", "BN") for pair in find_serial_numbers(text)]
    fields = RecordFields(
        title=entry.first("TI"),
        authors=(*authors, *groups),
        et_al=et_al,
        editors=editors,
        date=entry.first("PY", "EY", "PD"),
        venue=entry.first("SO", "CT"),
        series=entry.first("SE"),
        volume=entry.first("VL"),
        issue=entry.first("IS"),
        pages=pages,
        publisher=entry.first("PU"),
        ids=[
            *(("doi", doi) for doi in entry.all("DI", "D2")),
            *(("pmid", pmid) for pmid in entry.all("PM")),
            *numbers,
        ],
    )
    if kind is Kind.BOOK and fields.venue and "chapter" in entry.first("DT").lower():
        kind = Kind.CHAPTER
    return entry.first("UT"), kind, fields


EXTRACTOR = TaggedExtractor()
