"""The parts of a Word document that hold text or what its text refers to, as one manuscript."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from citeproof.extractors.docx.styles import attribute, styles_of
from citeproof.extractors.docx.walk import Outside, Walk
from citeproof.extractors.manuscript import Manuscript
from citeproof.extractors.officeparts import Parts, pieced
from citeproof.extractors.wordsources import works
from citeproof.vocabulary import Document

if TYPE_CHECKING:
    from citeproof.extractors.fieldcodes import Work

_BODY = "word/document.xml"
_CUSTOM = re.compile(r"customXml/item\d{1,4}\.xml")
_MAX_CUSTOM = 50  # custom parts that are looked at


def manuscript(document: Document) -> Manuscript:
    """Return the text of body and notes, and the works cited by codes; InputError if there is no body."""
    parts = Parts(document)
    body = parts.main(_BODY)
    styles = styles_of(parts.side("word/styles.xml"), parts.side("word/numbering.xml"))
    outside = Outside(_links(parts, _BODY), _bookmarks(parts))
    written = Manuscript(document.name, problems=parts.problems)
    Walk(written, styles, outside).through(body)
    for kind, name in (("", "footnote"), ("e", "endnote")):
        member = f"word/{name}s.xml"
        notes = parts.side(member)
        within = Outside(_links(parts, member), outside.bookmarks, dict(outside.notes))
        for note in notes.findall(name) if notes is not None else ():
            mark = outside.notes.get((kind, attribute(note, "id")))
            if mark and attribute(note, "type") in ("", "normal"):
                Walk(written, styles, within).through(note, mark)
    written.sources = _sources(parts)
    return written


def _links(parts: Parts, part: str) -> dict[str, str]:
    """Return the addresses a part links to by id. They are read as text, never opened."""
    folder, _, name = part.rpartition("/")
    root = parts.side(posixpath.join(folder, "_rels", f"{name}.rels"))
    return {
        one.get("Id", ""): one.get("Target", "")
        for one in (root.iter("Relationship") if root is not None else ())
        if one.get("Type", "").endswith("/hyperlink") and one.get("TargetMode") == "External"
    }


def _bookmarks(parts: Parts) -> dict[str, str]:
    root = parts.side("docProps/custom.xml")
    named = root.iter("property") if root is not None else ()
    return pieced((one.get("name", ""), "".join(one.itertext())) for one in named)


def _sources(parts: Parts) -> dict[str, Work]:
    """Return the sources Word itself keeps, by tag."""
    found: dict[str, Work] = {}
    for name in [name for name in parts.names if _CUSTOM.fullmatch(name)][:_MAX_CUSTOM]:
        root = parts.side(name)
        found |= works(root) if root is not None else {}
    return found
