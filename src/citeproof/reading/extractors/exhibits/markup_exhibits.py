"""The figures and tables of web pages and of JATS or NLM articles, with where their images are."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from citeproof.reading.extractors.body.body_writer import (
    MAX_CAPTION,
    MAX_CONTENT,
    read_printed_label,
)
from citeproof.reading.extractors.xml.xml_tree import read_plain_text
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

if TYPE_CHECKING:
    from lxml import etree
    from selectolax.lexbor import LexborHTMLParser, LexborNode

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
