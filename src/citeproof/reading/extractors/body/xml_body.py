"""The body of a JATS, NLM or TEI article: abstract, sections, captions, tables, notes; no reference lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from citeproof.reading.extractors.body.body_writer import BodyText, BodyWriter
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.reading.extractors.xml.xml_citations import find_printed_elements
from citeproof.reading.extractors.xml.xml_tree import read_plain_text, render_tex
from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    from lxml import etree

MAX_PARAGRAPH = 200_000  # characters of one paragraph that are stored

_SECTIONS = frozenset(("sec", "app", "ack", "notes", "boxed-text", "glossary", "div", "div1", "div2", "div3"))
_PARTS = frozenset(
    ("body", "back", "app-group", "floats-group", "text", "group", "fn-group", "book-part", "front")
)
_LISTS = frozenset(
    ("ref-list", "listBibl", "biblStruct", "citation", "element-citation", "mixed-citation", "nlm-citation")
)
_OTHER_WORKS = frozenset(("sub-article", "response", "related-article", "related-object"))
_UNREAD = frozenset((
    "graphic", "inline-graphic", "media", "object-id", "permissions", "alt-text",
    "long-desc", "annotation", "annotation-xml", "processing-meta", "counts", "graphics", "sig-block",
    "sec-meta", "email",
))  # fmt: skip
_TITLES = frozenset(("title", "head", "label", "subtitle"))
_APART = frozenset((  # elements that end a word although no space is written between them
    "p", "ab", "disp-quote", "list", "list-item", "def-list", "def-item", "def", "term", "caption", "sec",
    "boxed-text", "verse-group", "verse-line", "disp-formula", "disp-formula-group", "formula", "figDesc",
    "item", "fn", "note", "table-wrap-foot", "statement", "speech", "preformat", "code", "attrib", "label",
    "title", "head", "div", "lg", "l", "abstract", "array", "break", "br", "lb", "td", "th", "tr",
))  # fmt: skip
_RAISED = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_NUMBERS = re.compile(r"[0-9+−–-]{1,6}")
_MARKS = re.compile(r"[\d,;–\s-]{1,60}")
_DEEPEST = 60


def read_jats_body(root: etree._Element) -> BodyText:
    """Return the body of the first article in the tree."""
    article = root if root.tag == "article" else next(iter(root.iter("article", "book-part", "book")), root)
    meta = next(iter(article.iter("article-meta", "book-part-meta", "book-meta", "front-stub")), None)
    abstracts = meta.findall("abstract") if meta is not None else []
    chosen = [
        abstract
        for abstract in abstracts
        if abstract.get("abstract-type") not in ("graphical", "teaser", "toc", "key-points")
    ]
    return _write_body(article, chosen or abstracts, [*article.iterchildren("body", "back", "floats-group")])


def read_tei_body(root: etree._Element) -> BodyText:
    """Return the body of a TEI text; GROBID keeps the abstract in the header."""
    abstracts = list(root.iterfind(".//profileDesc/abstract"))
    texts = root.findall("text") or root.findall(".//text")[:1]
    parts = [part for text in texts for part in text.iterchildren("front", "body", "back", "group")]
    return _write_body(root, abstracts, parts)


def _write_body(
    root: etree._Element, abstracts: list[etree._Element], parts: list[etree._Element]
) -> BodyText:
    writer = BodyWriter()
    marked = next(iter(root.iter("ref", "listBibl", "biblStruct")), None) is not None
    walker = _XmlWalker(writer, frozenset(() if marked else find_printed_elements(root)))
    for abstract in abstracts[:5]:
        heading = read_plain_text(abstract.find("title"), 200) or read_plain_text(abstract.find("head"), 200)
        writer.begin_section(heading or "Abstract", printed=bool(heading))
        walker.walk_children(abstract, 0)
    before = writer.size
    for part in parts:
        walker.walk_children(part, 0)
    return writer.make_body(abstract_only=bool(before) and writer.size == before)


class _XmlWalker:
    """Writes the paragraphs of a tree; `left_out` are the elements of lists that are only printed."""

    def __init__(self, writer: BodyWriter, left_out: frozenset[etree._Element]) -> None:
        self._writer = writer
        self._left_out = left_out

    def walk_children(self, element: etree._Element, depth: int) -> None:
        """Write what is in an element, in order; its own title is not written again."""
        for child in element if depth < _DEEPEST else ():
            if not isinstance(child.tag, str) or child in self._left_out or child.tag in _TITLES:
                continue
            if child.tag in _LISTS | _OTHER_WORKS | _UNREAD or _is_reference_section(child):
                continue
            if child.tag in _SECTIONS or child.tag in _PARTS:
                label, title = (read_plain_text(child.find(tag), 300) for tag in ("label", "title"))
                title = title or read_plain_text(child.find("head"), 300)
                number = child.find("head").get("n", "") if child.find("head") is not None else ""
                self._writer.begin_section(f"{label or number} {title}".strip() if title else "")
                self.walk_children(child, depth + 1)
            elif child.tag in ("fig", "table-wrap", "figure"):
                self._write_exhibit(child)
            elif child.tag in ("fn", "note"):
                text = _squeeze_space("".join(_iterate_words(child, [])))
                if not is_likely_reference(text):
                    self._writer.add_paragraph(text)
            elif child.tag in (
                "fig-group",
                "table-wrap-group",
                "list",
                "def-list",
                "abstract",
                "trans-abstract",
            ):
                self.walk_children(child, depth + 1)
            elif child.tag == "table":
                self._write_table(child)
            else:
                self._write_block(child)

    def _write_block(self, element: etree._Element) -> None:
        """Write a paragraph; blocks inside it are paragraphs of their own, behind what precedes them."""
        inner: list[etree._Element] = []
        words = "".join(_iterate_words(element, inner))
        self._writer.add_paragraph(_squeeze_space(words))
        for block in inner:
            if block.tag in ("fig", "table-wrap", "figure"):
                self._write_exhibit(block)
            elif block.tag == "table":
                self._write_table(block)

    def _write_exhibit(self, element: etree._Element) -> None:
        """Write the caption of a figure or table, then the rows of the table."""
        label = read_plain_text(element.find("label"), 100)
        parts = [
            _squeeze_space("".join(_iterate_words(caption, [])))
            for caption in element.iter("caption", "figDesc")
        ]
        head = element.find("head")
        heading = read_plain_text(head, 500) if head is not None else ""
        self._writer.add_paragraph(" ".join(dict.fromkeys(filter(None, (label, heading, *parts)))))
        for table in element.iter("table", "array"):
            self._write_table(table)
        for foot in element.iter("table-wrap-foot"):
            self._writer.add_paragraph(_squeeze_space("".join(_iterate_words(foot, []))))

    def _write_table(self, table: etree._Element) -> None:
        rows = []
        for row in table.iter("tr", "row"):
            cells = (
                _squeeze_space("".join(_iterate_words(cell, [])))
                for cell in row.iterchildren("td", "th", "cell")
            )
            rows.append(" | ".join(cell for cell in cells if cell))
        self._writer.add_paragraph("\n".join(row for row in rows if row))


def _is_reference_section(element: etree._Element) -> bool:
    """Return whether a section holds nothing but references: by its type, or by its title and a list."""
    if element.get("type") == "references" or element.get("sec-type") == "ref-list":
        return True
    title = element.find("title") if element.find("title") is not None else element.find("head")
    return (
        title is not None
        and is_reference_heading(read_plain_text(title, 90))
        and any(True for _ in element.iter(*_LISTS))
    )


def _iterate_words(element: etree._Element, inner: list[etree._Element]) -> Iterator[str]:
    """Yield the text of an element; figures and tables in it are put into `inner`, raised marks bracketed."""
    yield element.text or ""
    for child in element:
        name = child.tag
        if not isinstance(name, str):
            yield str(child.text or "") if str(child).startswith("&") else ""
        elif name in ("fig", "table-wrap", "figure", "table"):
            inner.append(child)
            yield " "
        elif name in _UNREAD or name in _LISTS:
            yield ""
        elif name == "tex-math":
            yield render_tex(child)
        elif name == "sup":
            yield _render_raised(child)
        else:
            apart = " " if name in _APART else ""
            yield apart
            yield from _iterate_words(child, inner)
            yield apart
        yield child.tail or ""


def _render_raised(element: etree._Element) -> str:
    """Return raised text: citations in brackets, powers as raised figures, so that 10⁵ is not 105."""
    text = "".join(_iterate_words(element, []))
    plain = text.strip()
    above = element.getparent()
    cites = any(True for _ in element.iter("xref", "ref")) or (
        above is not None and above.tag in ("xref", "ref")
    )
    if cites and _MARKS.fullmatch(plain):
        return f"[{plain}]"
    return plain.translate(_RAISED) if _NUMBERS.fullmatch(plain) else text


def _squeeze_space(text: str) -> str:
    return " ".join(text[: 2 * MAX_PARAGRAPH].split())[:MAX_PARAGRAPH]
