"""Rich Text (RTF): the works that field codes cite, and what the printed list or the notes say.

Read are Unicode and code pages, styles, numbered lists, tables, foot- and endnotes, links, and the codes of
Zotero, Mendeley, EndNote and Word. Hidden and deleted text, comments, headers and pictures are left out.
A place is the number of the paragraph.
"""

from __future__ import annotations

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Extraction, Extractor

_SIGNATURE = b"{\\rtf"


def _recognise_rtf(document: Document) -> float:
    """Return certainty for the signature; programs save RTF under `.doc` too."""
    head = document.data[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    return 1.0 if head.startswith(_SIGNATURE) else 0.0


def _extract_rtf(document: Document) -> Extraction:
    """Return the works its codes cite in order of citation, then what only the printed list has."""
    if not _recognise_rtf(document):
        raise InputError("no RTF", place=document.name, hint="give a file that a word processor saved as RTF")
    # the readers of field codes load lxml, which is slow, and detection imports every extractor
    from citeproof.reading.extractors.office.office_document import extract_office_document  # noqa: PLC0415
    from citeproof.reading.extractors.rtf.rtf_walker import read_rtf_manuscript  # noqa: PLC0415

    return extract_office_document(read_rtf_manuscript(document), EXTRACTOR.name)


EXTRACTOR = Extractor("rtf", (".rtf",), _recognise_rtf, _extract_rtf, hostile=True)
