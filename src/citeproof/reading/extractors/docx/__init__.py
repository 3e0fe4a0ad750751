"""Word documents (DOCX): the works their citations hold as field codes, and what the list prints.

Codes come first, because they carry the fields of a work: those of Zotero, Mendeley, EndNote and Citavi,
and Word's own. What is printed but not coded is read as text. Insertions count, deletions do not; text
boxes and tables count, comments do not. A place is the number of the paragraph. Links to the outside
(templates, pictures) are never followed.
"""

from __future__ import annotations

from citeproof.reading.extractors.office.zip_members import has_zip_member
from citeproof.vocabulary import Document, Extraction, Extractor


def _recognise_docx(document: Document) -> float:
    """Return how sure the zip is a Word document: members of that name are in its directory."""
    return 0.95 if has_zip_member(document, b"word/document.xml") else 0.0


def _extract_docx(document: Document) -> Extraction:
    """Return the works its codes cite in order of citation, then what only the printed list has."""
    from citeproof.reading.extractors.docx.docx_parts import read_docx_manuscript  # noqa: PLC0415  lxml is slow to load
    from citeproof.reading.extractors.office.office_document import extract_office_document  # noqa: PLC0415  goes with it

    return extract_office_document(read_docx_manuscript(document), EXTRACTOR.name)


EXTRACTOR = Extractor("docx", (".docx", ".docm", ".dotx"), _recognise_docx, _extract_docx, hostile=True)
