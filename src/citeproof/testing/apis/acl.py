"""The ACL Anthology's MODS files: `/{id}.xml` and `/volumes/{id}.xml`, for works with an Anthology id.

Named quirks: static files, so an unknown id is a 404 page in HTML; names come split into given and family.
"""

from __future__ import annotations

from lxml import etree

from citeproof.testing.base import Call, Holdings, Reply, text_reply
from citeproof.text import ids
from citeproof.vocabulary import Kind, Record, Version

_SPACE = "http://www.loc.gov/mods/v3"
_NOT_FOUND = "<!doctype html><html><head><title>404 Not Found</title></head><body>Not Found</body></html>"


def answer(call: Call, holdings: Holdings) -> Reply:
    where = call.parts[1:] if call.parts[:1] == ("volumes",) else call.parts
    name = where[0] if len(where) == 1 else ""
    number = ids.normal("acl", name.removesuffix(".xml")) if name.endswith(".xml") else None
    known = holdings.by_id("acl", number) if number else ()
    if not known or not number:
        return text_reply(_NOT_FOUND, 404, "text/html; charset=iso-8859-1")
    root = etree.Element(f"{{{_SPACE}}}modsCollection", nsmap={None: _SPACE})
    root.append(description(known[0], number))
    body = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return Reply(200, body, "application/xml")


def description(record: Record, number: str) -> etree._Element:
    """Return a record as the `mods` element of its file."""
    version = record.versions[0] if record.versions else Version()
    root = etree.Element(f"{{{_SPACE}}}mods", ID="key", nsmap={None: _SPACE})
    _add(_add(root, "titleInfo"), "title", record.title)
    volume = record.kind is Kind.BOOK
    for name in record.authors:
        person = _add(root, "name", type="corporate" if name.collective else "personal")
        if name.given:
            _add(person, "namePart", name.given, type="given")
        kind = {} if name.collective else {"type": "family"}
        _add(person, "namePart", name.family, **kind)
        role = _add(person, "role")
        _add(role, "roleTerm", "editor" if volume else "author", authority="marcrelator", type="text")
    origin = _add(root, "originInfo")
    _add(origin, "dateIssued", f"{version.year}-07" if version.year else "")
    _add(root, "typeOfResource", "text")
    if volume:
        _add(origin, "publisher", record.publisher or "")
        _add(root, "genre", "conference publication", authority="marcgt")
    else:
        _host(root, record, version)
    _add(root, "identifier", "key", type="citekey")
    for doi in record.ids.all("doi"):
        _add(root, "identifier", doi, type="doi")
    _add(_add(root, "location"), "url", f"https://aclanthology.org/{number}/")
    if version.pages:
        part = _add(root, "part")
        _add(part, "date", f"{version.year}-07")
        extent = _add(part, "extent", unit="page")
        first, _, last = version.pages.partition("-")
        _add(extent, "start", first)
        _add(extent, "end", last or first)
    return root


def _host(root: etree._Element, record: Record, version: Version) -> None:
    host = _add(root, "relatedItem", type="host")
    _add(_add(host, "titleInfo"), "title", version.venue or "")
    _add(_add(host, "originInfo"), "publisher", record.publisher or "")
    _add(host, "genre", "conference publication", authority="marcgt")


def _add(parent: etree._Element, tag: str, text: str = "", **attributes: str) -> etree._Element:
    child = etree.SubElement(parent, f"{{{_SPACE}}}{tag}", attributes)
    child.text = text or None
    return child
