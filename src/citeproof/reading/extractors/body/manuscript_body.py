"""The body of a document that is read as paragraphs: DOCX, ODT, RTF, web pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from citeproof.reading.extractors.body.body_writer import (
    MAX_CAPTION,
    MAX_CONTENT,
    BodyText,
    BodyWriter,
    add_exhibits,
    read_printed_label,
)
from citeproof.reading.extractors.html.html_blocks import HtmlBlocks, HtmlWalker
from citeproof.reading.extractors.html.html_page import decode_page, mark_list_items, parse_page
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.office.printed_lists import read_printed_lists
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.reading.extractors.xml.xml_tree import read_plain_text
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

if TYPE_CHECKING:
    from lxml import etree
    from selectolax.lexbor import LexborHTMLParser, LexborNode

LONGEST_HEADING = 120  # characters of a heading that is only bold
_MAIN = ("article", "main", "[role=main]", "#main-content", "#content", ".ltx_page_content")
_MOSTLY = 0.5  # of a page's words are in its main part
_ABSTRACT = re.compile(
    r"(?i)\W{0,3}(?:abstract|summary|zusammenfassung|résumé|resumen|riassunto|resumo)\W{0,3}$"
)
_CONTENTS = frozenset(("contents", "table of contents", "inhaltsverzeichnis", "inhalt", "sommaire", "índice"))
_SHORT_PAGE = 2_500  # characters outside of its abstract: a page that only presents a work
MAX_EXHIBITS = 500  # of one work
_CAPTIONS = (
    "figcaption, caption, .caption, .fig-caption, .figure-caption, .table-caption, .c-article-table__caption"
)
_HIGHEST = 4  # elements above a caption that may hold its image
_MOST_ROWS = 500
_HOLDERS = {
    "fig": ExhibitKind.FIGURE, "table-wrap": ExhibitKind.TABLE, "supplementary-material": ExhibitKind.FIGURE,
}  # fmt: skip
_OTHER_WORKS = frozenset(("sub-article", "response"))
_HREF = "{http://www.w3.org/1999/xlink}href"


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


def find_html_exhibits(parser: LexborHTMLParser) -> tuple[Exhibit, ...]:
    """Return the figures and tables whose captions begin with a number, in order."""
    exhibits: dict[tuple[ExhibitKind, str], Exhibit] = {}
    for node in islice(parser.css(_CAPTIONS), 5 * MAX_EXHIBITS):
        text = _read_text(node)
        label = read_printed_label(text, None)
        if label is None or len(exhibits) >= MAX_EXHIBITS or (label.kind, label.number) in exhibits:
            continue
        holder = _find_holder(node, label.kind)
        image = holder.css_first("img") if holder is not None else None
        table = None
        if holder is not None and label.kind is ExhibitKind.TABLE:
            table = holder if holder.tag == "table" else holder.css_first("table")
        rows = (
            (_read_text(cell)[:500] for cell in islice(row.css("td, th"), 200))
            for row in (table.css("tr") if table is not None else ())
        )
        exhibits[label.kind, label.number] = Exhibit(
            label.kind,
            label.number,
            label.text,
            text.removeprefix(label.text).strip(),
            content=_join_rows(rows),
            graphic=((image.attributes.get("src") or "") if image is not None else "")[:500],
        )
    return tuple(exhibits.values())


def _read_text(node: LexborNode) -> str:
    return " ".join(node.text(deep=True, separator=" ")[: 4 * MAX_CAPTION].split())[:MAX_CAPTION]


def _find_holder(caption: LexborNode, kind: ExhibitKind) -> LexborNode | None:
    """Return the nearest element around a caption that holds its image or rows and no other caption."""
    wanted = "img" if kind is ExhibitKind.FIGURE else "table, img"
    above = caption.parent
    for _ in range(_HIGHEST):
        if above is None or above.tag in ("body", "html", "article", "main"):
            return None
        if above.tag == "table" or (above.css_first(wanted) is not None and len(above.css(_CAPTIONS)) <= 2):
            return above
        above = above.parent
    return None


def _join_rows(rows: Iterable[Iterable[str]]) -> str:
    """Return the rows of a table, a line each, its cells apart by tabs."""
    lines: list[str] = []
    size = 0
    for cells in islice(rows, _MOST_ROWS):
        lines.append("\t".join(cells))
        size += len(lines[-1]) + 1
        if size > MAX_CONTENT:
            break
    return "\n".join(lines)[:MAX_CONTENT].strip()


def find_jats_exhibits(root: etree._Element) -> tuple[Exhibit, ...]:
    """Return the figures and tables that have a number, in order."""
    article = root if root.tag == "article" else next(iter(root.iter("article")), root)
    exhibits: dict[tuple[ExhibitKind, str], Exhibit] = {}
    for element in islice(article.iter(*_HOLDERS), 5 * MAX_EXHIBITS):
        if any(above.tag in _OTHER_WORKS for above in element.iterancestors()):
            continue
        exhibit = _read_exhibit(element)
        if exhibit is not None and len(exhibits) < MAX_EXHIBITS:
            exhibits.setdefault((exhibit.kind, exhibit.number), exhibit)
    return tuple(exhibits.values())


def _read_exhibit(element: etree._Element) -> Exhibit | None:
    supplement = element.tag == "supplementary-material"
    caption = element.find("caption")
    text = read_plain_text(caption, MAX_CAPTION)
    printed = read_plain_text(element.find("label"), 100)
    label = read_printed_label(printed or text, None if supplement else _HOLDERS[element.tag])
    if label is None:
        return None
    graphic = next(iter(element.iter("graphic")), None)
    rows = (
        (read_plain_text(cell, 500) for cell in row.iterchildren("td", "th", "entry"))
        for row in element.iter("tr", "row")
    )
    return Exhibit(
        label.kind,
        label.number,
        label.text,
        text.removeprefix(label.text).strip(),
        content=_join_rows(rows),
        graphic=str(graphic.get(_HREF) or "")[:500] if graphic is not None and not supplement else "",
    )
