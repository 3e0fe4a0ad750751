"""Word documents (DOCX): the works their citations hold as field codes, and what the list prints.

Codes come first, because they carry the fields of a work: those of Zotero, Mendeley, EndNote and Citavi,
and Word's own. What is printed but not coded is read as text. Insertions count, deletions do not; text
boxes and tables count, comments do not. A place is the number of the paragraph. Links to the outside
(templates, pictures) are never followed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from citeproof.reading.extractors.docx.docx_walker import (
    DocxTargets,
    DocxWalker,
    get_word_attribute,
    read_docx_styles,
)
from citeproof.reading.extractors.office.field_codes import (
    CodedWork,
    build_csl_work,
    load_csl_types,
    map_csl_fields,
)
from citeproof.reading.extractors.office.manuscript import Manuscript
from citeproof.reading.extractors.office.zip_members import OfficeParts, has_zip_member, join_zotero_pieces
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import find_day
from citeproof.text.names import read_saved_by
from citeproof.vocabulary import Document, Extraction, Extractor

if TYPE_CHECKING:
    from lxml import etree

_BODY = "word/document.xml"
_CUSTOM = re.compile(r"customXml/item\d{1,4}\.xml")
_MAX_CUSTOM = 50  # custom parts that are examined

MAX_SOURCES = 20_000


def _recognise_docx(document: Document) -> float:
    """Return how sure the zip is a Word document: members of that name are in its directory."""
    return 0.95 if has_zip_member(document, b"word/document.xml") else 0.0


def _extract_docx(document: Document) -> Extraction:
    """Return the works its codes cite in order of citation, then what only the printed list has."""
    from citeproof.reading.extractors.office.office_document import extract_office_document  # noqa: PLC0415  goes with it

    return extract_office_document(read_docx_manuscript(document), EXTRACTOR.name)


EXTRACTOR = Extractor("docx", (".docx", ".docm", ".dotx"), _recognise_docx, _extract_docx, hostile=True)


def read_docx_manuscript(document: Document) -> Manuscript:
    """Return the text of body and notes, and the works cited by codes; InputError if there is no body."""
    parts = OfficeParts(document)
    body = parts.main(_BODY)
    styles = read_docx_styles(parts.side("word/styles.xml"), parts.side("word/numbering.xml"))
    root = parts.side("docProps/custom.xml")
    named = root.iter("property") if root is not None else ()
    outside = DocxTargets(
        _read_links(parts, _BODY),
        join_zotero_pieces((bookmark.get("name", ""), "".join(bookmark.itertext())) for bookmark in named),
    )
    written = Manuscript(document.name, problems=parts.problems)
    DocxWalker(written, styles, outside).walk_part(body)
    for kind, name in (("", "footnote"), ("e", "endnote")):
        member = f"word/{name}s.xml"
        notes = parts.side(member)
        within = DocxTargets(_read_links(parts, member), outside.bookmarks, dict(outside.notes))
        for note in notes.findall(name) if notes is not None else ():
            mark = outside.notes.get((kind, get_word_attribute(note, "id")))
            if mark and get_word_attribute(note, "type") in ("", "normal"):
                DocxWalker(written, styles, within).walk_part(note, mark)
    written.sources = _read_kept_sources(parts)
    facts = parts.side("docProps/core.xml")
    written.saved_by = read_saved_by(facts.findtext("creator") if facts is not None else "")
    written.dated = find_day((facts.findtext("modified") or "") if facts is not None else "")
    return written


def _read_links(parts: OfficeParts, part: str) -> dict[str, str]:
    """Return the addresses a part links to by id. They are read as text, never opened."""
    folder, _, name = part.rpartition("/")
    root = parts.side(posixpath.join(folder, "_rels", f"{name}.rels"))
    return {
        link.get("Id", ""): link.get("Target", "")
        for link in (root.iter("Relationship") if root is not None else ())
        if link.get("Type", "").endswith("/hyperlink") and link.get("TargetMode") == "External"
    }


def _read_kept_sources(parts: OfficeParts) -> dict[str, CodedWork]:
    works: dict[str, CodedWork] = {}
    for name in [name for name in parts.names if _CUSTOM.fullmatch(name)][:_MAX_CUSTOM]:
        root = parts.side(name)
        works |= read_word_sources(root) if root is not None else {}
    return works


def read_word_sources(root: etree._Element) -> dict[str, CodedWork]:
    """Return the sources of one custom XML part by tag; none if it is something else."""
    if root.tag != "Sources":
        return {}
    works: dict[str, CodedWork] = {}
    for source in root[:MAX_SOURCES]:
        fields = {_get_tag(child): (child.text or "").strip()[:4000] for child in source if _get_tag(child)}
        tag = fields.get("Tag", "")
        if tag and tag not in works:
            works[tag] = build_csl_work(_build_source_item(source, fields), (tag,))
    return works


def _build_source_item(source: etree._Element, fields: dict[str, str]) -> dict[str, Any]:
    people = {
        _get_tag(role): list(_list_source_people(role))
        for group in source
        if _get_tag(group) == "Author"
        for role in group
    }
    thesis = any(word in fields.get("ThesisType", "").lower() for word in ("thesis", "dissertation"))
    number = fields.get("StandardNumber", "")

    def first(*names: str) -> str:
        return next((fields[name] for name in names if fields.get(name)), "")

    return map_csl_fields("word", first) | {
        "type": "thesis" if thesis else load_csl_types("word").get(fields.get("SourceType", ""), ""),
        "author": people.get("Author") or people.get("Inventor", []),
        "editor": people.get("Editor") or people.get("BookAuthor", []),
        "ISBN" if ids.normalise_id("isbn", number) else "note": number,
    }


def _list_source_people(role: etree._Element) -> Iterator[dict[str, str]]:
    for element in role.iter():
        if _get_tag(element) == "Corporate" and element.text:
            yield {"literal": element.text[:1000]}
        elif _get_tag(element) == "Person":
            named = {_get_tag(part): (part.text or "").strip()[:300] for part in element}
            given = " ".join(filter(None, (named.get("First"), named.get("Middle"))))
            yield {"family": named.get("Last", ""), "given": given}


def _get_tag(element: etree._Element) -> str:
    return element.tag if isinstance(element.tag, str) else ""
