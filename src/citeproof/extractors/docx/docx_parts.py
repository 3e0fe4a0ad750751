"""The parts of a Word document that hold text or what its text refers to, as one manuscript."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from citeproof.extractors.docx.docx_styles import get_word_attribute, read_docx_styles
from citeproof.extractors.docx.docx_walker import DocxTargets, DocxWalker
from citeproof.extractors.file_properties import read_saved_by
from citeproof.extractors.office.manuscript import Manuscript
from citeproof.extractors.office.office_parts import OfficeParts, join_zotero_pieces
from citeproof.extractors.office.word_sources import read_word_sources
from citeproof.text.dates import find_day
from citeproof.vocabulary import Document

if TYPE_CHECKING:
    from citeproof.extractors.office.field_codes import CodedWork

_BODY = "word/document.xml"
_CUSTOM = re.compile(r"customXml/item\d{1,4}\.xml")
_MAX_CUSTOM = 50  # custom parts that are examined


def read_docx_manuscript(document: Document) -> Manuscript:
    """Return the text of body and notes, and the works cited by codes; InputError if there is no body."""
    parts = OfficeParts(document)
    body = parts.main(_BODY)
    styles = read_docx_styles(parts.side("word/styles.xml"), parts.side("word/numbering.xml"))
    outside = DocxTargets(_read_links(parts, _BODY), _read_bookmarks(parts))
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
        one.get("Id", ""): one.get("Target", "")
        for one in (root.iter("Relationship") if root is not None else ())
        if one.get("Type", "").endswith("/hyperlink") and one.get("TargetMode") == "External"
    }


def _read_bookmarks(parts: OfficeParts) -> dict[str, str]:
    root = parts.side("docProps/custom.xml")
    named = root.iter("property") if root is not None else ()
    return join_zotero_pieces((one.get("name", ""), "".join(one.itertext())) for one in named)


def _read_kept_sources(parts: OfficeParts) -> dict[str, CodedWork]:
    """Return the sources Word itself keeps, by tag."""
    found: dict[str, CodedWork] = {}
    for name in [name for name in parts.names if _CUSTOM.fullmatch(name)][:_MAX_CUSTOM]:
        root = parts.side(name)
        found |= read_word_sources(root) if root is not None else {}
    return found
