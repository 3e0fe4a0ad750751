"""PDF: the reference lists of the text layer, column by column, and citations in footnotes."""

from __future__ import annotations

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Extraction, Extractor

_HEAD = 1024  # bytes in which the signature must stand


def _recognise_pdf(document: Document) -> float:
    """Return certainty for the signature, which may be behind some debris."""
    if document.data.startswith(b"%PDF-"):
        return 1.0
    return 0.9 if b"%PDF-" in document.data[:_HEAD] else 0.0


def _extract_pdf(document: Document) -> Extraction:
    """Return the entries of all reference lists; of the footnotes where there is no list."""
    if not _recognise_pdf(document):
        raise InputError("no PDF", place=document.name, hint="pass a PDF file")
    # pdfium is loaded only when a PDF is read: detection imports every module of this folder
    from citeproof.reading.extractors.pdf.pdf_document import extract_pdf  # noqa: PLC0415

    return extract_pdf(document)


EXTRACTOR = Extractor("pdf", (".pdf",), _recognise_pdf, _extract_pdf, hostile=True)
