"""The figures and tables of a JATS or NLM article, with the files that hold their images."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from citeproof.extractors.exhibits.labelled_captions import MAX_CAPTION, MAX_CONTENT, read_printed_label
from citeproof.extractors.xml.xml_tree import read_plain_text
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

if TYPE_CHECKING:
    from lxml import etree

MAX_EXHIBITS = 500  # of one work
_HOLDERS = {
    "fig": ExhibitKind.FIGURE, "table-wrap": ExhibitKind.TABLE, "supplementary-material": ExhibitKind.FIGURE,
}  # fmt: skip
_OTHER_WORKS = frozenset(("sub-article", "response"))
_HREF = "{http://www.w3.org/1999/xlink}href"
_MOST_ROWS = 500


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
    rows: list[str] = []
    size = 0
    for row in islice(element.iter("tr", "row"), _MOST_ROWS):
        rows.append("\t".join(read_plain_text(cell, 500) for cell in row.iterchildren("td", "th", "entry")))
        size += len(rows[-1]) + 1
        if size > MAX_CONTENT:
            break
    return Exhibit(
        label.kind,
        label.number,
        label.text,
        text.removeprefix(label.text).strip(),
        content="\n".join(rows)[:MAX_CONTENT].strip(),
        graphic=str(graphic.get(_HREF) or "")[:500] if graphic is not None and not supplement else "",
    )
