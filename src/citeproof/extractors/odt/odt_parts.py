"""The parts of an OpenDocument text that hold its words, as one manuscript."""

from __future__ import annotations

from citeproof.errors import InputError
from citeproof.extractors.odt.odt_styles import get_local_attribute, read_odt_styles
from citeproof.extractors.odt.odt_walker import OdtWalker
from citeproof.extractors.office.manuscript import Manuscript
from citeproof.extractors.office.office_parts import OfficeParts, join_zotero_pieces
from citeproof.vocabulary import Document


def read_odt_manuscript(document: Document) -> Manuscript:
    """Return the text of a document and the works cited by its marks; InputError if it has no content."""
    parts = OfficeParts(document)
    content = parts.main("content.xml")
    body = content.find("body")
    if body is None:
        raise InputError(
            "content.xml inside it has no body", place=document.name, hint="save it as ODT again"
        )
    meta = parts.side("meta.xml")
    properties = (
        [(get_local_attribute(one, "name"), one.text or "") for one in meta.iter("user-defined")]
        if meta is not None
        else []
    )
    written = Manuscript(document.name, problems=parts.problems)
    OdtWalker(
        written, read_odt_styles(content, parts.side("styles.xml")), join_zotero_pieces(properties)
    ).walk_body(body)
    return written
