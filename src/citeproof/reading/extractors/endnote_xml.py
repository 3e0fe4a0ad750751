"""EndNote's XML export, as EndNote, Zotero and others write it; `<style>` tags inside fields fall away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.records.record_fields import (
    RecordFields,
    build_record_reference,
    find_serial_numbers,
    read_people,
)
from citeproof.reading.extractors.xml.xml_tree import (
    locate_element,
    parse_xml,
    read_plain_text,
    read_xml_opening,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Document, Extraction, Extractor, Kind, Name, Problem, RawReference

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


def _recognise_endnote_xml(document: Document) -> float:
    """Return how sure the content is EndNote XML: a root that only it has, and its records."""
    root, head = read_xml_opening(document)
    if root not in ("xml", "records", "record", "EndNote"):
        return 0.0
    return 0.97 if len(set(_RECORD.findall(head))) > 2 else 0.4 if root == "xml" else 0.0


def _extract_endnote_xml(document: Document) -> Extraction:
    """Return one reference for each record."""
    root = parse_xml(document)
    records = list(root.iter("record"))
    refuse_flood(len(records), document.name)
    references: list[RawReference] = []
    problems: list[Problem] = []
    for number, record in enumerate(records, 1):
        key = _find_first_text(record, "label", "rec-number", "foreign-keys/key")[:200] or f"ref-{number}"
        spot, read = locate_element(document, record), read_endnote_record(record)
        reference, wrong = build_record_reference(key, _join_record_text(record), spot, read, word="record")
        problems += wrong
        if reference is None:
            message = f"record {key!r} has no title, authors or identifier"
            problems.append(Problem(spot, message, "complete it, or delete it", read_plain_text(record, 500)))
        else:
            references.append(reference)
    return Extraction(tuple(references), tuple(problems), len(records), EXTRACTOR.name)


def read_endnote_record(record: etree._Element) -> tuple[RecordFields, Kind | None]:
    """Return what one `record` says, and the kind of work it is said to be."""
    kind = _read_endnote_kind(record)
    authors, et_al = _read_endnote_people(record, "authors")
    editors, _ = _read_endnote_people(record, "secondary-authors")
    journal = _find_first_text(
        record, "periodical/full-title", "titles/secondary-title", "titles/alt-title", "periodical/abbr-1"
    )
    fields = RecordFields(
        title=_find_first_text(record, "titles/title", "title", "titles/short-title"),
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=_find_first_text(record, "dates/year", "year", "dates/pub-dates/date"),
        venue=journal,
        series=_find_first_text(record, "titles/tertiary-title"),
        volume=_find_first_text(record, "volume"),
        issue=_find_first_text(record, "number", "issue"),
        pages=_find_first_text(record, "pages", "electronic-article-number"),
        publisher=_find_first_text(record, "publisher"),
        edition=_find_first_text(record, "edition") if kind in (Kind.BOOK, Kind.CHAPTER) else "",
        ids=_collect_endnote_ids(record),
        free=[read_plain_text(url, 2000) for url in record.iterfind(".//url")][:20],
    )
    return fields, kind


def _find_first_text(record: etree._Element, *paths: str) -> str:
    return next((text for path in paths if (text := read_plain_text(record.find(path), 4000))), "")


def _read_endnote_people(record: etree._Element, group: str) -> tuple[tuple[Name, ...], bool]:
    """Return the people of one group; some writers put authors straight into `contributors`."""
    listed = record.findall(f"contributors/{group}/author")
    if not listed and group == "authors":
        listed = record.findall("contributors/author") or record.findall("authors/author")
    return read_people(read_plain_text(entry, 500) for entry in listed)


def _read_endnote_kind(record: etree._Element) -> Kind | None:
    stated = record.find("ref-type")
    if stated is None:
        return None
    named = load_kinds("endnote").get((stated.get("name") or "").strip().lower())
    return named or load_kinds("endnote_number").get(read_plain_text(stated, 20))


def _collect_endnote_ids(record: etree._Element) -> list[tuple[str, str]]:
    ids = [
        ("doi", text) for text in _find_first_text(record, "electronic-resource-num").split() if "10." in text
    ]
    for element in record.iterfind("isbn"):
        ids += find_serial_numbers(read_plain_text(element, 500))
    accession = _find_first_text(record, "accession-num")
    database = _find_first_text(record, "remote-database-name").lower()
    match = _NUMBER.fullmatch(accession)
    if match and ("medline" in database or "pubmed" in database or accession[0] in "Pp"):
        ids.append(("pmid", match[1]))
    if (custom := _find_first_text(record, "custom2")).upper().startswith("PMC"):
        ids.append(("pmcid", custom))
    return ids


def _join_record_text(record: etree._Element) -> str:
    parts = []
    for name in _SHOWN:
        if name == "authors":
            parts.append(
                "; ".join(
                    read_plain_text(author, 500) for author in record.iterfind("contributors/authors/author")
                )
            )
        else:
            parts += [read_plain_text(element) for element in list(record.iter(name))[:1] if name != "author"]
    return ". ".join(part.rstrip(".") for part in parts if part)[:_MAX_TEXT]


EXTRACTOR = Extractor("endnote_xml", (".xml",), _recognise_endnote_xml, _extract_endnote_xml, hostile=True)
