"""OpenDocument texts (ODT): the works their citations hold, and what the list prints.

Read first are the reference marks and bookmarks of Zotero and Mendeley, LibreOffice's own bibliography
marks, and Word's fields as LibreOffice keeps them. Footnotes, lists and tables count; deleted text and
comments do not. A place is the number of the paragraph. Links to the outside are never followed.
"""

from __future__ import annotations

from citeproof.reading.extractors.office.zip_members import has_zip_member
from citeproof.vocabulary import Document, Extraction, Extractor


def _recognise_odt(document: Document) -> float:
    """Return how sure the zip is an OpenDocument text: its first member says so."""
    if b"mimetypeapplication/vnd.oasis.opendocument.text" in document.data[:200]:
        return 0.95
    if has_zip_member(document, b"content.xml") and b"opendocument.text" in document.data[:2000]:
        return 0.6
    return 0.0


def _extract_odt(document: Document) -> Extraction:
    """Return the works its codes cite in order of citation, then what only the printed list has."""
    from citeproof.reading.extractors.odt.odt_walker import read_odt_manuscript  # noqa: PLC0415  lxml is slow to load
    from citeproof.reading.extractors.office.office_document import extract_office_document  # noqa: PLC0415  goes with it

    return extract_office_document(read_odt_manuscript(document), EXTRACTOR.name)


EXTRACTOR = Extractor("odt", (".odt", ".ott"), _recognise_odt, _extract_odt, hostile=True)
