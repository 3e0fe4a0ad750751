"""The sources a Word document keeps for its own citations (`b:Sources`) as works by their tag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from citeproof.extractors.office.csl_types import load_csl_types
from citeproof.extractors.office.field_codes import CodedWork, build_csl_work
from citeproof.text import ids

if TYPE_CHECKING:
    from lxml import etree

MAX_SOURCES = 20_000

_VENUES = (
    "JournalName", "BookTitle", "ConferenceName", "PeriodicalTitle", "InternetSiteTitle", "PublicationTitle",
)  # fmt: skip
_PUBLISHERS = ("Publisher", "Institution", "Department", "ProductionCompany")


def read_word_sources(root: etree._Element) -> dict[str, CodedWork]:
    """Return the sources of one custom XML part by tag; none if it is something else."""
    if root.tag != "Sources":
        return {}
    found: dict[str, CodedWork] = {}
    for source in root[:MAX_SOURCES]:
        fields = {_get_tag(child): (child.text or "").strip()[:4000] for child in source if _get_tag(child)}
        tag = fields.get("Tag", "")
        if tag and tag not in found:
            found[tag] = build_csl_work(_build_source_item(source, fields), (tag,))
    return found


def _build_source_item(source: etree._Element, fields: dict[str, str]) -> dict[str, Any]:
    people = {
        _get_tag(role): list(_list_source_people(role))
        for group in source
        if _get_tag(group) == "Author"
        for role in group
    }
    first = next((fields[name] for name in _VENUES if fields.get(name)), "")
    thesis = any(word in fields.get("ThesisType", "").lower() for word in ("thesis", "dissertation"))
    number = fields.get("StandardNumber", "")
    return {
        "type": "thesis" if thesis else load_csl_types("word").get(fields.get("SourceType", ""), ""),
        "title": fields.get("Title") or fields.get("Comments", ""),
        "author": people.get("Author") or people.get("Inventor", []),
        "editor": people.get("Editor") or people.get("BookAuthor", []),
        "issued": fields.get("Year", ""),
        "container-title": first,
        "volume": fields.get("Volume", ""),
        "issue": fields.get("Issue", ""),
        "page": fields.get("Pages", ""),
        "publisher": next((fields[name] for name in _PUBLISHERS if fields.get(name)), ""),
        "edition": fields.get("Edition", ""),
        "DOI": fields.get("DOI", ""),
        "URL": fields.get("URL", ""),
        "ISBN" if ids.normalise_id("isbn", number) else "note": number,
    }


def _list_source_people(role: etree._Element) -> Iterator[dict[str, str]]:
    for one in role.iter():
        if _get_tag(one) == "Corporate" and one.text:
            yield {"literal": one.text[:1000]}
        elif _get_tag(one) == "Person":
            named = {_get_tag(part): (part.text or "").strip()[:300] for part in one}
            given = " ".join(filter(None, (named.get("First"), named.get("Middle"))))
            yield {"family": named.get("Last", ""), "given": given}


def _get_tag(element: etree._Element) -> str:
    return element.tag if isinstance(element.tag, str) else ""
