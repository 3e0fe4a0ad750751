"""RIS, as databases, publishers and reference managers export it, and as it comes out of their mistakes.

One space too few, lower-case tags, a byte order mark in the middle, a missing `ER`, lines that continue:
all are read; each record is located, and what was wrong with it is reported.
"""

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
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Document, Extraction, Extractor, Kind

_STRICT = re.compile(r"^[ \t\ufeff]{0,9}([A-Z][A-Z0-9])  -(?:[ \t\r]([^\n]*))?$", re.MULTILINE)
# "TY - JOUR", "ty  - jour", "garbage TY  - JOUR". Only known tags: "is - as said -" also looks like one.
_TAGS = (
    "TY|ER|A[1-4BDNUV]|B[CT]|C[1-8AINPTY]|D[ABDIOPS]|E[DPT]|ID|IS|J[12AFO]|K[WY]|L[1-4ABIKO]|M[1-3]|N[12V]|OP"
    "|P[BMPTUY]|R[1-4INPTX]|S[ENOPT]|T[1-6AIT]|U[1-5R]|V[LO]|W[PT]|Y[12]"
)
_LOOSE = re.compile(
    r"^(?:[ \t\ufeff]{0,9}|[^\n]{1,200}?[ \t;>](?=TY[ \t]{1,3}-[ \t]{1,3}[A-Z]{3,7}[ \t\r]{0,9}$))"
    rf"({_TAGS})[ \t]{{1,3}}-[ \t]{{0,9}}([^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_ANY_TY = re.compile(
    r"[Tt][Yy](?<![A-Za-z][Tt][Yy])[ \t]{1,3}-[ \t]{0,9}[A-Za-z]{0,7}[ \t\r]{0,9}$", re.MULTILINE
)
_UNREAD = frozenset(("AB", "N2", "KW", "AD"))
_GOOD_TY = re.compile(r"^[ \t\ufeff]{0,9}TY  -(?:[ \t\r][^\n]*)?$", re.MULTILINE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:?\s{0,3})?10\.\d{4,9}/\S{1,500}", re.IGNORECASE)
_PMID = re.compile(r"(?:PMID:?\s{0,3}|MEDLINE:?\s{0,3})?(\d{5,8})", re.IGNORECASE)
_WHOLE_BOOKS = (Kind.BOOK,)


def _recognise_ris(document: Document) -> float:
    """Return how sure the content is RIS: it has the line that begins a record."""
    text = read_beginning(document)
    if not _ANY_TY.search(text):
        return 0.0
    return 0.98 if _GOOD_TY.search(text) or len(_LOOSE.findall(text[:20_000])) > 2 else 0.4


def _extract_ris(document: Document) -> Extraction:
    """Return one reference for each record."""
    return extract_records(document, EXTRACTOR.name, _choose_ris_syntax, _read_ris_record)


def _choose_ris_syntax(text: str) -> TagSyntax:
    """Return the strict syntax unless the file itself breaks it where its records begin."""
    good = sum(1 for _ in _GOOD_TY.finditer(text))
    loose = good != sum(1 for _ in _ANY_TY.finditer(text)) or not good
    return TagSyntax(_LOOSE if loose else _STRICT, "TY", "ER", unread=_UNREAD)


def _read_ris_record(entry: TaggedRecord) -> Read:
    kind = load_kinds("ris").get(entry.first("TY").lower(), None)
    authors, et_al = read_people(entry.all("AU", "A1"))
    editors, _ = read_people(entry.all("ED", "A2"))
    title = entry.first("TI", "T1", "CT") or (entry.first("BT") if kind in _WHOLE_BOOKS else "")
    containers = ("T2", "BT") if kind is Kind.CHAPTER else ("JF", "T2", "JO", "BT", "JA", "J2", "J1", "C3")
    venue = next((name for tag in containers if (name := entry.first(tag)) and name != title), "")
    if not title:
        title = entry.first("ST", "TT")
    fields = RecordFields(
        title=title,
        authors=authors,
        et_al=et_al or "the list of authors is cut (et al.)" in entry.all("N1"),  # as our own export says
        editors=editors,
        date=entry.first("PY", "Y1", "DA", "Y2"),
        venue=venue,
        series=entry.first("T3"),
        volume=entry.first("VL", "VO"),
        issue=entry.first("IS", "CP"),
        pages=_read_ris_pages(entry),
        publisher=entry.first("PB"),
        edition=entry.first("ET"),
        ids=_collect_ris_ids(entry),
        free=entry.all("UR", "L2", "LK", "L1", "M1", "N1")[:20],
    )
    return entry.first("ID"), kind, fields


def _read_ris_pages(entry: TaggedRecord) -> str:
    first, last = entry.first("SP"), entry.first("EP")
    if first and last and "-" not in first and "–" not in first:
        return f"{first}-{last}"
    return first or last or entry.first("C7")


def _collect_ris_ids(entry: TaggedRecord) -> list[tuple[str, str]]:
    pairs = [("doi", value) for value in entry.all("DO", "DI")]
    pairs += [("doi", value) for value in entry.all("M3", "L3", "N1") if _DOI.fullmatch(value)]
    for text in entry.all("SN"):
        pairs += find_serial_numbers(text)
    database = entry.first("DB", "DP").lower()
    from_pubmed = "pubmed" in database or "medline" in database
    for text in entry.all("AN", "PM"):
        if (match := _PMID.fullmatch(text)) and (from_pubmed or text[0] in "Pp"):
            pairs.append(("pmid", match[1]))
    pairs += [
        ("pmcid", text) for text in entry.all("C2") if text[:3] == "PMC" and ids.normalise_id("pmcid", text)
    ]
    return pairs


EXTRACTOR = Extractor("ris", (".ris",), _recognise_ris, _extract_ris)
