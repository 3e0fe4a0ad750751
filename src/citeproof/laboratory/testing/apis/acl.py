"""The ACL Anthology's MODS files: `/{id}.xml` and `/volumes/{id}.xml`, for works with an Anthology id.

Named quirks: static files, so an unknown id is a 404 page in HTML; names come split into given and family.
"""

from __future__ import annotations

from lxml import etree

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.text import ids
from citeproof.vocabulary import Kind, Record, Version

_SPACE = "http://www.loc.gov/mods/v3"
_NOT_FOUND = "<!doctype html><html><head><title>404 Not Found</title></head><body>Not Found</body></html>"


def answer(call: Call, holdings: Holdings) -> Reply:
    where = call.parts[1:] if call.parts[:1] == ("volumes",) else call.parts
    name = where[0] if len(where) == 1 else ""
    number = ids.normalise_id("acl", name.removesuffix(".xml")) if name.endswith(".xml") else None
    known = holdings.by_id("acl", number) if number else ()
    if not known or not number:
        return make_text_reply(_NOT_FOUND, 404, "text/html; charset=iso-8859-1")
    root = etree.Element(f"{{{_SPACE}}}modsCollection", nsmap={None: _SPACE})
    root.append(build_mods(known[0], number))
    body = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return Reply(200, body, "application/xml")


def build_mods(record: Record, number: str) -> etree._Element:
    """Return a record as the `mods` element of its file."""
    version = record.versions[0] if record.versions else Version()
    root = etree.Element(f"{{{_SPACE}}}mods", ID="key", nsmap={None: _SPACE})
    _add_element(_add_element(root, "titleInfo"), "title", record.title)
    volume = record.kind is Kind.BOOK
    for name in record.authors:
        person = _add_element(root, "name", type="corporate" if name.collective else "personal")
        if name.given:
            _add_element(person, "namePart", name.given, type="given")
        kind = {} if name.collective else {"type": "family"}
        _add_element(person, "namePart", name.family, **kind)
        role = _add_element(person, "role")
        _add_element(role, "roleTerm", "editor" if volume else "author", authority="marcrelator", type="text")
    origin = _add_element(root, "originInfo")
    _add_element(origin, "dateIssued", f"{version.year}-07" if version.year else "")
    _add_element(root, "typeOfResource", "text")
    if volume:
        _add_element(origin, "publisher", record.publisher or "")
        _add_element(root, "genre", "conference publication", authority="marcgt")
    else:
        host = _add_element(root, "relatedItem", type="host")
        _add_element(_add_element(host, "titleInfo"), "title", version.venue or "")
        _add_element(_add_element(host, "originInfo"), "publisher", record.publisher or "")
        _add_element(host, "genre", "conference publication", authority="marcgt")
    _add_element(root, "identifier", "key", type="citekey")
    for doi in record.ids.all("doi"):
        _add_element(root, "identifier", doi, type="doi")
    _add_element(_add_element(root, "location"), "url", f"https://aclanthology.org/{number}/")
    if version.pages:
        part = _add_element(root, "part")
        _add_element(part, "date", f"{version.year}-07")
        extent = _add_element(part, "extent", unit="page")
        first, _, last = version.pages.partition("-")
        _add_element(extent, "start", first)
        _add_element(extent, "end", last or first)
    return root


def _add_element(parent: etree._Element, tag: str, text: str = "", **attributes: str) -> etree._Element:
    child = etree.SubElement(parent, f"{{{_SPACE}}}{tag}", attributes)
    child.text = text or None
    return child
