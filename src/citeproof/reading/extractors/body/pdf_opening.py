"""What the first page and the properties of a PDF say of the work in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from citeproof.reading.extractors.pdf import pdf_pages
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine
from citeproof.text import names
from citeproof.vocabulary import Document

_PAGES = 2  # a cover sheet may come first
_FEW = 400  # characters; a page with fewer does not count as the first
_LARGEST = 6  # blocks in large print that may be the title
_MOST_LINES = 6  # of a title
_PACKETS = 20  # XMP packets that are read: figures may have their own
_PACKET = 200_000  # bytes
_KEYS = ("doi", "DOI", "WPS-ARTICLEDOI", "Doi", "prism:doi")
_XMP_DOI = re.compile(
    rb"<(?:prism|pdfx|pdfxid|crossmark|dc|jav):(?:doi|DOI|identifier)[^>]{0,200}>\s{0,20}(?:doi:\s{0,5}|https?://(?:dx\.)?doi\.org/)?"
    rb"(10\.\d{4,9}/[^<\s]{1,200})"
)
_JUNK = re.compile(
    r"(?i)untitled|microsoft word|\.(?:docx?|tex|dvi|indd|pdf|qxd|fm|ps|rtf|pages)\b|^\W*$|^[\w-]{1,20}$"
)


@dataclass(slots=True)
class PdfOpening:
    """What was found."""

    stated: list[tuple[str, str]] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    opening: str = ""
    page: str = ""  # all letters of the first page


def read_pdf_opening(document: Document) -> PdfOpening:
    """Return what a PDF says of itself; only its first pages are read."""
    opening = PdfOpening(stated=[("doi", value) for value in _find_packet_dois(document.data)])
    pdf = pdf_pages.open_pdf(document)
    try:
        for key in _KEYS:
            if value := pdf.get_metadata_value(key):
                opening.stated.append(("doi", value))
        subject = f"{pdf.get_metadata_value('Subject')} {pdf.get_metadata_value('Keywords')}"[:2_000]
        title, author = pdf.get_metadata_value("Title"), pdf.get_metadata_value("Author")
        pages, letters = pdf_pages.read_opening_pages(pdf, _PAGES)
    finally:
        pdf.close()
    if title and not _JUNK.search(title[:500]):
        opening.titles.append(title)
    if author:
        opening.people += [
            person.family for person in names.split_names(author[:5_000].replace(";", " and "))[0]
        ]
    first = next((page for page in pages if page.characters >= _FEW), pages[0] if pages else None)
    if first is not None:
        opening.titles += find_large_lines(first)
        opening.opening = " ".join(line.text for line in first.lines).replace("\x02", "")
        opening.page = f"{subject} {letters[first.number - 1]}"
    return opening


def find_large_lines(page: PageText) -> list[str]:
    """Return what is in the largest print, the largest first: one of them is the title."""
    blocks: list[list[PdfLine]] = []
    for line in page.lines:
        before = blocks[-1][-1] if blocks else None
        alike = before is not None and abs(line.size - before.size) <= 0.08 * before.size
        near = before is not None and 0 <= line.base - before.base < 2.2 * max(line.size, before.size)
        if alike and near and len(blocks[-1]) < _MOST_LINES:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    ranked = sorted(range(len(blocks)), key=lambda i: (-blocks[i][0].size, blocks[i][0].base))
    titles: list[str] = []
    for index in ranked[:_LARGEST]:
        text = _join_title(blocks[index])
        titles.append(text)
        if index + 1 < len(blocks) and len(blocks[index + 1]) < 3:  # the subtitle is smaller
            titles.append(f"{text}: {_join_title(blocks[index + 1])}")
    return [text for text in titles if sum(map(str.isalpha, text)) > 7]


def _join_title(lines: Sequence[PdfLine]) -> str:
    whole = ""
    for line in lines:
        whole = f"{whole[:-1]}{line.text}" if whole.endswith("\x02") else f"{whole} {line.text}"
    return whole.replace("\x02", "").strip()


def _find_packet_dois(data: bytes) -> list[str]:
    """Return the DOIs that XMP packets state; those that are compressed are not seen."""
    dois: list[str] = []
    at = -1
    for _ in range(_PACKETS):
        at = data.find(b"<x:xmpmeta", at + 1)
        if at < 0:
            break
        end = data.find(b"</x:xmpmeta", at, at + _PACKET)
        packet = data[at : end if end > 0 else at + _PACKET]
        dois += [unescape(match[1].decode("utf-8", "replace")) for match in _XMP_DOI.finditer(packet)]
    return list(dict.fromkeys(dois))[:5]
