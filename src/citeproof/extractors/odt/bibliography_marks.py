"""The fields of LibreOffice's own bibliography marks as a CSL-JSON item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citeproof.extractors.office.csl_types import load_csl_types

if TYPE_CHECKING:
    from lxml import etree


_NOTES = ("note", "howpublished", "custom1", "custom2")


def build_mark_item(mark: etree._Element) -> dict[str, Any]:
    """Return the work a `text:bibliography-mark` describes by its attributes."""
    said = {name.rpartition("}")[2]: str(value)[:4000].strip() for name, value in mark.items()}
    kind = said.get("bibliography-type") or said.get("bibiliographic-type", "")
    authors = said.get("author", "")
    if ";" in authors:
        authors = " and ".join(part.strip() for part in authors.split(";"))
    return {
        "type": load_csl_types("libreoffice").get(kind, ""),
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
        "note": " ".join(said.get(name, "") for name in _NOTES).strip(),
    }
