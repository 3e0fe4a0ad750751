"""The parts of an OpenDocument text that hold its words, as one manuscript."""

from __future__ import annotations

from citeproof.errors import InputError
from citeproof.extractors.manuscript import Manuscript
from citeproof.extractors.odt.styles import attribute, styles_of
from citeproof.extractors.odt.walk import Walk
from citeproof.extractors.officeparts import Parts, pieced
from citeproof.vocabulary import Document


def manuscript(document: Document) -> Manuscript:
    """Return the text of a document and the works cited by its marks; InputError if it has no content."""
    parts = Parts(document)
    content = parts.main("content.xml")
    body = content.find("body")
    if body is None:
        raise InputError(
            "content.xml inside it has no body", place=document.name, mend="save it as ODT again"
        )
    meta = parts.side("meta.xml")
    properties = (
        [(attribute(one, "name"), one.text or "") for one in meta.iter("user-defined")]
        if meta is not None
        else []
    )
    written = Manuscript(document.name, problems=parts.problems)
    Walk(written, styles_of(content, parts.side("styles.xml")), pieced(properties)).through(body)
    return written
