"""The figures and tables of a web page, with the addresses of their images."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from citeproof.extractors.exhibits.labelled_captions import MAX_CAPTION, MAX_CONTENT, read_printed_label
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_EXHIBITS = 500  # of one work
_CAPTIONS = (
    "figcaption, caption, .caption, .fig-caption, .figure-caption, .table-caption, .c-article-table__caption"
)
_HIGHEST = 4  # elements above a caption that may hold its image
_MOST_ROWS = 500


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
        exhibits[label.kind, label.number] = Exhibit(
            label.kind,
            label.number,
            label.text,
            text.removeprefix(label.text).strip(),
            content=_read_rows(table) if table is not None else "",
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


def _read_rows(table: LexborNode) -> str:
    rows = []
    size = 0
    for row in islice(table.css("tr"), _MOST_ROWS):
        rows.append("\t".join(_read_text(cell)[:500] for cell in islice(row.css("td, th"), 200)))
        size += len(rows[-1]) + 1
        if size > MAX_CONTENT:
            break
    return "\n".join(rows)[:MAX_CONTENT].strip()
