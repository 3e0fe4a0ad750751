"""EndNote's XML export, as EndNote, Zotero and others write it; `<style>` tags inside fields fall away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from citeproof.extractors.decode import refuse_flood
from citeproof.extractors.recordfields import (
    Told,
    claimed_of,
    kind_of,
    kinds,
    people,
    says_something,
    serials,
)
from citeproof.extractors.xmltree import opening, place, plain, tree
from citeproof.vocabulary import Document, Extraction, Kind, Name, Problem, RawReference

if TYPE_CHECKING:
    from lxml import etree

_RECORD = re.compile(r"<(?:records|record|ref-type|rec-number|titles|contributors)[\s>]")
_NUMBER = re.compile(r"(?:PMID:?\s{0,3})?(\d{5,8})", re.IGNORECASE)
_MAX_TEXT = 20_000
# What is shown of a record as its text, in the order in which a citation has it.
_SHOWN = (
    "authors", "author", "title", "secondary-title", "full-title", "volume", "number", "pages", "year",
    "publisher", "electronic-resource-num", "url",
)  # fmt: skip


class EndNoteXml:
    """Reads EndNote XML."""

    name: ClassVar[str] = "endnote_xml"
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)
    hostile: ClassVar[bool] = True

    def recognises(self, document: Document) -> float:
        """Return how sure the content is EndNote XML: a root that only it has, and its records."""
        root, head = opening(document)
        if root not in ("xml", "records", "record", "EndNote"):
            return 0.0
        return 0.97 if len(set(_RECORD.findall(head))) > 2 else 0.4 if root == "xml" else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference for each record."""
        root = tree(document)
        found = list(root.iter("record"))
        refuse_flood(len(found), document.name)
        references: list[RawReference] = []
        problems: list[Problem] = []
        for number, record in enumerate(found, 1):
            key, spot = _key(record) or f"ref-{number}", place(document, record)
            fields, stated = told(record)
            claimed, flags = claimed_of(fields)
            problems += [Problem(spot, f"record {key!r}: {message}", mend) for _, message, mend in flags]
            if not says_something(claimed):
                message = f"record {key!r} has no title, authors or identifier"
                problems.append(Problem(spot, message, "complete it, or delete it", plain(record, 500)))
                continue
            codes = tuple(dict.fromkeys(code for code, _, _ in flags))
            kind = kind_of(stated, claimed)
            references.append(RawReference(key, _text(record), spot, kind, claimed, suspicious=codes))
        return Extraction(tuple(references), tuple(problems), len(found), self.name)


def told(record: etree._Element) -> tuple[Told, Kind | None]:
    """Return what one `record` says, and the kind of work it is said to be."""
    kind = _kind(record)
    authors, et_al = _people(record, "authors")
    editors, _ = _people(record, "secondary-authors")
    journal = _first(
        record, "periodical/full-title", "titles/secondary-title", "titles/alt-title", "periodical/abbr-1"
    )
    fields = Told(
        title=_first(record, "titles/title", "title", "titles/short-title"),
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=_first(record, "dates/year", "year", "dates/pub-dates/date"),
        venue=journal,
        series=_first(record, "titles/tertiary-title"),
        volume=_first(record, "volume"),
        issue=_first(record, "number", "issue"),
        pages=_first(record, "pages", "electronic-article-number"),
        publisher=_first(record, "publisher"),
        edition=_first(record, "edition") if kind in (Kind.BOOK, Kind.CHAPTER) else "",
        ids=_ids(record),
        free=[plain(url, 2000) for url in record.iterfind(".//url")][:20],
    )
    return fields, kind


def _first(record: etree._Element, *paths: str) -> str:
    return next((text for path in paths if (text := plain(record.find(path), 4000))), "")


def _people(record: etree._Element, group: str) -> tuple[tuple[Name, ...], bool]:
    """Return the people of one group; some writers put authors straight into `contributors`."""
    listed = record.findall(f"contributors/{group}/author")
    if not listed and group == "authors":
        listed = record.findall("contributors/author") or record.findall("authors/author")
    return people(plain(one, 500) for one in listed)


def _kind(record: etree._Element) -> Kind | None:
    stated = record.find("ref-type")
    if stated is None:
        return None
    named = kinds("endnote").get((stated.get("name") or "").strip().lower())
    return named or kinds("endnote_number").get(plain(stated, 20))


def _key(record: etree._Element) -> str:
    return _first(record, "label")[:200] or _first(record, "rec-number", "foreign-keys/key")[:200]


def _ids(record: etree._Element) -> list[tuple[str, str]]:
    found = [("doi", text) for text in _first(record, "electronic-resource-num").split() if "10." in text]
    for element in record.iterfind("isbn"):
        found += serials(plain(element, 500))
    accession, database = _first(record, "accession-num"), _first(record, "remote-database-name").lower()
    match = _NUMBER.fullmatch(accession)
    if match and ("medline" in database or "pubmed" in database or accession[0] in "Pp"):
        found.append(("pmid", match[1]))
    if (custom := _first(record, "custom2")).upper().startswith("PMC"):
        found.append(("pmcid", custom))
    return found


def _text(record: etree._Element) -> str:
    """Return the fields of a record that a citation has, one behind the other."""
    parts = []
    for name in _SHOWN:
        if name == "authors":
            parts.append("; ".join(plain(one, 500) for one in record.iterfind("contributors/authors/author")))
        else:
            parts += [plain(one) for one in list(record.iter(name))[:1] if name != "author"]
    return ". ".join(part.rstrip(".") for part in parts if part)[:_MAX_TEXT]


EXTRACTOR = EndNoteXml()
