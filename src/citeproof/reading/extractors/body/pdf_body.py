"""The body of a PDF: paragraphs over line, column and page ends; no reference lists, heads or cited notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from citeproof.reading.extractors.body.body_writer import BodyText, BodyWriter, add_exhibits
from citeproof.reading.extractors.exhibits.pdf_exhibits import find_pdf_exhibits
from citeproof.reading.extractors.pdf import pdf_pages
from citeproof.reading.extractors.pdf.line_joining import DocumentWords, append_line
from citeproof.reading.extractors.pdf.page_layout import PageText, PdfLine, measure_usual_size
from citeproof.reading.extractors.pdf.pdf_document import find_listed_lines
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.vocabulary import Document

LONGEST_HEADING = 120  # characters
_LONGEST_BLOCK = 400  # lines
_CAPTION = re.compile(
    r"(?:(?i:table|figure|fig\.|tabelle|abbildung|abb\.|tab\.|tableau|tabla|figura|scheme|algorithm|listing|box"
    r"|supplementary (?:fig|tab)\w{0,4}\.?|extended data (?:fig|tab)\w{0,4}\.?))"
    r" (?:[A-Z]?\.?\d{1,3}[A-Za-z]?|[IVX]{1,5})\b"
)
_ABSTRACT = re.compile(
    r"(?:abstract|summary|a b s t r a c t|zusammenfassung|résumé|resumen)(?:[.:—–-]{1,2}|$|\s(?=[A-Z]))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z](?:\.\d{1,2}){0,3}\.?) {1,4}[^\W\d_a-z]"
)
_KNOWN = re.compile(
    r"(?i)(?:\d{1,2}\.? )?(?:abstract|introduction|background|(?:materials? and )?methods?|methodology"
    r"|results?|(?:results and )?discussion|conclusions?|related work|acknowledge?ments?|appendix(?: [a-z])?"
    r"|experiments?|evaluation|limitations|preliminaries|einleitung|ergebnisse|diskussion|fazit|zusammenfassung)[.:]?$"
)
_ENDED = re.compile(r"[.!?:;…][\"”’»)\]]{0,3}(?:\s?\[?\d{1,3}(?:[,–-]\d{1,3}){0,9}\]?)?$")
_HELD_BACK = 8  # blocks that may stand between the halves of a paragraph: figures, notes, tables
_GAP = 1.45  # times the usual distance of lines ends a paragraph
_SAME_SIZE = 0.06  # of the size of letters
_SMALL = 0.93  # of the size of the text: captions, notes, tables
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
class _PdfBlock:
    """Lines that belong together."""

    lines: list[PdfLine] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines[:6])

    @property
    def size(self) -> float:
        return self.lines[0].size


def read_pdf_body(document: Document) -> BodyText:
    """Return the body of a PDF that has a text layer."""
    pdf = pdf_pages.open_pdf(document)
    try:
        pages, _ = pdf_pages.read_pages(pdf, document.name)
        exhibits = find_pdf_exhibits(pdf, pages)
    finally:
        pdf.close()
    return add_exhibits(write_pdf_body(pages), exhibits)


def read_page_texts(document: Document) -> list[PageText]:
    """Return the pages of a PDF, running heads left out."""
    pdf = pdf_pages.open_pdf(document)
    try:
        pages, _ = pdf_pages.read_pages(pdf, document.name)
    finally:
        pdf.close()
    return pages


def write_pdf_body(pages: Sequence[PageText]) -> BodyText:
    """Return the paragraphs of the pages that are no reference list."""
    lines, left_out = find_listed_lines(pages)
    words = DocumentWords(lines)
    shown = [line for index, line in enumerate(lines) if index not in left_out and line.text.strip()]
    usual = measure_usual_size(shown)
    leading = {page.number: page.leading for page in pages}
    blocks = _join_halves(_split_blocks(shown, leading), usual)
    writer = _PageWriter(len(pages), words)
    for block in blocks:
        _write_block(writer, block, usual)
    writer.reach_page(len(pages), writer.size)  # pages without a word of text
    return writer.make_body()


class _PageWriter(BodyWriter):
    """Writes blocks of lines, and notes where each page begins."""

    def __init__(self, pages: int, words: DocumentWords) -> None:
        super().__init__()
        self._pages, self._words = pages, words
        self._page = 0

    def reach_page(self, number: int, at: int | None = None) -> None:
        """Note that the pages up to `number` have begun."""
        while self._page < min(number, self._pages):
            self._page += 1
            self.begin_page(at)

    def add_lines(self, lines: Sequence[PdfLine]) -> None:
        """Add a paragraph; a page may begin inside it."""
        whole, starts = "", list[tuple[int, int]]()
        self.reach_page(lines[0].page)
        page = lines[0].page
        for line in lines:
            if line.page > page:
                page = line.page
                starts.append((page, len(whole.rstrip("\x02"))))
            whole = append_line(whole, line.marked or line.text, self._words)
        start = self.add_paragraph(" ".join(whole.replace("\x02", "").split()))
        for number, at in starts:
            self.reach_page(number, min(start + at + 1, self.size) if start >= 0 else None)


def _split_blocks(lines: Sequence[PdfLine], leading: dict[int, float]) -> list[_PdfBlock]:
    """Return the lines in blocks: paragraphs, headings, captions; a column's end ends one, too."""
    blocks: list[_PdfBlock] = []
    for line in lines:
        before = blocks[-1].lines[-1] if blocks else None
        full = before is None or len(blocks[-1].lines) > _LONGEST_BLOCK
        if full or _is_block_end(blocks[-1].lines, line, leading.get(line.page, 0.0)):
            blocks.append(_PdfBlock([line]))
        else:
            blocks[-1].lines.append(line)
    return blocks


def _is_block_end(lines: Sequence[PdfLine], line: PdfLine, leading: float) -> bool:
    before = lines[-1]
    if line.page != before.page or line.column != before.column or line.note != before.note:
        return True
    step = line.base - before.base
    if step < 0 or (leading and step > _GAP * max(leading, before.size)):
        return True
    if abs(line.size - before.size) > _SAME_SIZE * max(line.size, before.size) and (
        len(lines) < 3 or line.size > 1.08 * before.size or line.size < 0.92 * before.size
    ):
        return True
    if line.bold != before.bold and (before.bold or _NUMBERED.match(line.text)) and len(lines) < 4:
        return not before.bold or not (
            not _NUMBERED.match(before.text)
            and (_ENDED.search(before.text) is None and line.text[:1].islower())
        )
    if _CAPTION.match(line.text) and _ENDED.search(before.text):
        return True
    if _ABSTRACT.match(line.text) and len(line.text) < 20:
        return True
    ended = bool(_ENDED.search(before.text))
    indented = line.left - before.left > 0.7 * line.size
    return ended and indented and step >= 0 and (len(lines) == 1 or abs(before.left - lines[-2].left) < 40)


def _join_halves(blocks: Sequence[_PdfBlock], usual: float) -> list[_PdfBlock]:
    """Return the blocks; a paragraph that continues behind a column, a page or a figure is one again.

    What stands between its halves comes before it if it is on the page where the paragraph begins, else
    behind it: pages stay in order.
    """
    joined: list[_PdfBlock] = []
    index = 0
    while index < len(blocks):
        block = blocks[index]
        index += 1
        if not _is_running(block, usual) or block.lines[-1].note:
            joined.append(block)
            continue
        behind: list[_PdfBlock] = []
        while (other := _find_second_half(blocks, index, block, usual)) is not None:
            between = blocks[index:other]
            first = block.lines[0].page
            joined += [candidate for candidate in between if candidate.lines[0].page == first]
            behind += [candidate for candidate in between if candidate.lines[0].page != first]
            block = _PdfBlock([*block.lines, *blocks[other].lines])
            index = other + 1
        joined += [block, *behind]
    return joined


def _find_second_half(blocks: Sequence[_PdfBlock], start: int, block: _PdfBlock, usual: float) -> int | None:
    """Return which block continues the paragraph `block`, which is not over; None if none does."""
    last = block.lines[-1]
    if _ENDED.search(last.text) or len(block.lines) > _LONGEST_BLOCK:
        return None
    for at in range(start, min(start + _HELD_BACK, len(blocks))):
        other = blocks[at]
        line = other.lines[0]
        if line.page - last.page > 1:
            return None
        if _is_running(other, usual):
            elsewhere = (line.page, line.column) != (last.page, last.column)
            goes_on = line.text[:1].islower() or last.text[-1:] in "\x02-,(" or not line.text[:1].isalpha()
            same = abs(line.size - last.size) <= _SAME_SIZE * last.size
            fits = elsewhere and same and (goes_on or at == start) and not line.bold
            return at if fits else None
        if _is_heading(other, usual):
            return None
    return None


def _is_running(block: _PdfBlock, usual: float) -> bool:
    """Return whether a block is running text, not a caption, note, table or heading."""
    line = block.lines[0]
    if line.note or _CAPTION.match(line.text) or not _SMALL * usual <= line.size <= 1.08 * usual:
        return False
    letters = sum(map(str.isalpha, block.text))
    return letters > 0.6 * len(block.text) and not _is_heading(block, usual)


def _is_heading(block: _PdfBlock, usual: float) -> bool:
    """Return whether a block is a heading: few words, set apart by font, number or what they are."""
    text = block.text
    if len(block.lines) > 3 or len(text) > LONGEST_HEADING or sum(map(str.isalpha, text)) < 3:
        return False
    line = block.lines[0]
    if _KNOWN.match(text):
        return True
    if (
        _CAPTION.match(text)
        or text[-1:] in ",;"
        or line.note
        or (text[-1:] == "." and not _NUMBERED.match(text))
    ):
        return False
    bold = all(line.bold for line in block.lines)
    large = line.size > 1.1 * usual
    capitals = text.isupper() and sum(map(str.isalpha, text)) > 6 and len(text) < 80
    return (bold and line.size > 0.95 * usual) or large or capitals


def _write_block(writer: _PageWriter, block: _PdfBlock, usual: float) -> None:
    text = block.text.replace("\x02", "")
    first = block.lines[0]
    writer.reach_page(first.page)
    if first.page <= 3 and (match := _ABSTRACT.match(text)) and not first.note:
        writer.begin_section("Abstract", printed=False)
        if len(block.lines) == 1 and match.end() >= len(text.rstrip(".: ")):
            writer.add_paragraph(text)
            return
    elif _is_heading(block, usual):
        writer.begin_section(text)
        return
    writer.add_lines(block.lines)


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
