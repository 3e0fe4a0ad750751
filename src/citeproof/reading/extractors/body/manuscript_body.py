"""The body of a document that is read as paragraphs: DOCX, ODT, RTF, web pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from citeproof.reading.extractors.body.body_writer import BodyText, BodyWriter, add_exhibits
from citeproof.reading.extractors.exhibits.markup_exhibits import find_html_exhibits
from citeproof.reading.extractors.html.html_blocks import HtmlBlocks, HtmlWalker
from citeproof.reading.extractors.html.html_page import decode_page, mark_list_items, parse_page
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.office.printed_lists import read_printed_lists
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.vocabulary import Document

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

LONGEST_HEADING = 120  # characters of a heading that is only bold
_MAIN = ("article", "main", "[role=main]", "#main-content", "#content", ".ltx_page_content")
_MOSTLY = 0.5  # of a page's words are in its main part
_ABSTRACT = re.compile(
    r"(?i)\W{0,3}(?:abstract|summary|zusammenfassung|résumé|resumen|riassunto|resumo)\W{0,3}$"
)
_CONTENTS = frozenset(("contents", "table of contents", "inhaltsverzeichnis", "inhalt", "sommaire", "índice"))
_SHORT_PAGE = 2_500  # characters outside of its abstract: a page that only presents a work


def read_html_body(document: Document) -> BodyText:
    """Return the body of a web page: its main part, without navigation and what is hidden."""
    parser = parse_page(document, decode_page(document).text)
    main = find_main_part(parser)
    blocks = HtmlWalker().walk_blocks(main) if main is not None else HtmlBlocks()
    mark_list_items(blocks)
    body = write_manuscript(Manuscript(document.name, blocks.paragraphs), page=True)
    return add_exhibits(body, find_html_exhibits(parser))


def find_main_part(parser: LexborHTMLParser) -> LexborNode | None:
    """Return the one element that has most of a page's words; the whole page if there is none."""
    whole = parser.body if parser.body is not None else parser.root
    if whole is None:
        return None
    size = len(whole.text(deep=True))
    for selector in _MAIN:
        parts = parser.css(selector)
        if len(parts) == 1 and len(parts[0].text(deep=True)) >= _MOSTLY * size:
            return parts[0]
    return whole


def write_manuscript(written: Manuscript, *, page: bool = False) -> BodyText:
    """Return the paragraphs that are no reference list; headings begin sections."""
    used = read_printed_lists(written).used
    paragraphs = [
        paragraph
        for paragraph in written.paragraphs
        if paragraph.number not in used and not (paragraph.note and is_likely_reference(paragraph.text))
    ]
    writer = BodyWriter()
    about = outside = 0
    in_abstract = False
    for paragraph, text in _list_texts(paragraphs, used):
        if is_heading(paragraph, text):
            in_abstract = bool(_ABSTRACT.match(text)) or (in_abstract and paragraph.level > 3)
            writer.begin_section(text)
            continue
        writer.add_paragraph(text)
        about += in_abstract * len(text)
        outside += (not in_abstract) * len(text)
    return writer.make_body(abstract_only=page and about > 0 and outside < _SHORT_PAGE)


def is_heading(paragraph: Paragraph, text: str) -> bool:
    """Return whether a paragraph is a heading: by its level, or since all of it is bold and short."""
    if paragraph.level:
        return True
    return paragraph.bold and not paragraph.label and len(text) < LONGEST_HEADING and text[-1:] not in ".,;"


def _list_texts(paragraphs: Sequence[Paragraph], used: frozenset[int]) -> Iterator[tuple[Paragraph, str]]:
    """Yield the paragraphs with their words; the heading over a list that was left out goes with it."""
    for paragraph in paragraphs:
        text = " ".join(strip_marks(paragraph.text).split())
        if not text or text.lower() in _CONTENTS or (used and is_reference_heading(text)):
            continue
        label = f"{paragraph.label}. " if paragraph.label and not paragraph.level else ""
        yield paragraph, f"{label}{text}"
