"""The fields of LibreOffice's own bibliography marks as a CSL-JSON item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml import etree

_TYPES = {
    "article": "article-journal",
    "book": "book",
    "booklet": "book",
    "conference": "paper-conference",
    "inproceedings": "paper-conference",
    "inbook": "chapter",
    "incollection": "chapter",
    "journal": "article-journal",
    "manual": "report",
    "mastersthesis": "thesis",
    "phdthesis": "thesis",
    "proceedings": "book",
    "techreport": "report",
    "unpublished": "manuscript",
    "www": "webpage",
    "email": "personal_communication",
}


def build_mark_item(mark: etree._Element) -> dict[str, Any]:
    """Return the work a `text:bibliography-mark` describes by its attributes."""
    said = {name.rpartition("}")[2]: str(value)[:4000].strip() for name, value in mark.items()}
    kind = said.get("bibliography-type") or said.get("bibiliographic-type", "")
    authors = said.get("author", "")
    if ";" in authors:
        authors = " and ".join(part.strip() for part in authors.split(";"))
    return {
        "type": _TYPES.get(kind, ""),
        "title": said.get("title", ""),
        "author": authors,
        "editor": said.get("editor", ""),
        "issued": said.get("year", ""),
        "container-title": said.get("journal") or said.get("booktitle", ""),
        "collection-title": said.get("series", ""),
        "volume": said.get("volume", ""),
        "issue": said.get("number", ""),
        "page": said.get("pages", ""),
        "publisher": said.get("publisher") or said.get("institution") or said.get("school", ""),
        "edition": said.get("edition", ""),
        "ISBN": said.get("isbn", ""),
        "URL": said.get("url", ""),
        "note": " ".join(
            said.get(name, "") for name in ("note", "howpublished", "custom1", "custom2")
        ).strip(),
    }
