"""The text of an OpenDocument file, paragraph by paragraph, with the marks of its citations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from citeproof.errors import InputError
from citeproof.reading.extractors.office.field_codes import (
    FieldCode,
    build_csl_work,
    load_csl_types,
    map_csl_fields,
    parse_field_code,
)
from citeproof.reading.extractors.office.manuscript import (
    LISTING,
    Manuscript,
    ManuscriptWriter,
    Paragraph,
    ParagraphWriter,
)
from citeproof.reading.extractors.office.printed_lists import is_entry_style
from citeproof.reading.extractors.office.zip_members import OfficeParts, join_zotero_pieces
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import find_day
from citeproof.text.names import read_saved_by
from citeproof.vocabulary import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_SKIPPED = frozenset((
    "tracked-changes", "annotation", "note-citation", "sequence-decls", "forms", "table-of-content", "desc",
    "alphabetical-index", "illustration-index", "table-index", "object-index", "user-index", "ruby-text",
    "bibliography-source", "settings", "scripts", "param", "event-listeners",
))  # fmt: skip
_MAX_COUNT = 100_000

_NOTES = ("note", "howpublished", "custom1", "custom2")

_CHAIN = 20  # styles that may be based on each other
_ESCAPED = re.compile(r"_([0-9a-f]{2})_")


@dataclass(slots=True)
class _OdtList:
    """An open list: its style, its depth, how far it has counted."""

    style: str
    level: int
    count: int
    fresh: bool = False  # an item began whose first paragraph is still to come
    header: bool = False


class OdtWalker:
    """Walks through the content and writes what it says into the manuscript."""

    def __init__(self, manuscript: Manuscript, styles: OdtStyles, bookmarks: dict[str, str]) -> None:
        self._into = manuscript
        self._writing = ManuscriptWriter(manuscript)
        self._styles = styles
        self._bookmarks = bookmarks
        self._looks: list[OdtStyle] = [OdtStyle()]
        self._paragraphs: list[tuple[OdtStyle, int, str]] = []  # style, heading level, label of the open ones
        self._lists: list[_OdtList] = []
        self._ended: dict[str, int] = {}  # how far the last list of a style counted
        self._rows: list[int] = []
        self._undo: dict[str, list[str]] = {}  # what is to be left where a mark ends
        self._note = ""
        self._noted = 0
        self._notes: list[Paragraph] = []
        self._index_title = False
        self._starts: dict[str, Callable[[etree._Element], None]] = {
            "p": self._paragraph, "h": self._paragraph, "span": self._span, "a": self._link, "s":
            self._space, "tab": self._space, "line-break": self._line, "note": self._note_begins, "list":
            self._list, "list-item": self._item, "list-header": self._header, "table-row": self._row,
            "reference-mark-start": self._mark, "reference-mark": self._mark, "bookmark-start":
            self._bookmark, "reference-mark-end": self._mark_ends, "bookmark-end": self._mark_ends,
            "fieldmark-start": self._field, "fieldmark-end": self._field_ends, "section": self._section,
            "bibliography": self._bibliography, "index-title": self._title, "bibliography-mark":
            self._own_mark,
        }  # fmt: skip
        self._ends: dict[str, Callable[[], None]] = {
            "p": self._paragraph_ends, "h": self._paragraph_ends, "span": self._span_ends,
            "note": self._note_ends, "list": self._list_ends, "table-row": self._row_ends,
            "section": self._section_ends, "bibliography": self._section_ends,
            "index-title": self._title_ends,
        }  # fmt: skip

    def walk_body(self, body: etree._Element) -> None:
        """Write the paragraphs of the body, then those of its notes."""
        from lxml import etree  # noqa: PLC0415  slow to load, and detection imports every extractor

        walker = etree.iterwalk(body, events=("start", "end"))
        for event, element in walker:
            name = element.tag
            if event == "end":
                if name in self._ends:
                    self._ends[name]()
                self._write(element.tail)
            elif name in _SKIPPED:
                walker.skip_subtree()
            else:
                if name in self._starts:
                    self._starts[name](element)
                self._write(element.text)
        for note in self._notes:
            self._into.paragraphs.append(replace(note, number=len(self._into.paragraphs) + 1))

    def _write(self, text: str | None) -> None:
        look = self._looks[-1]
        if text and self._writing.pens and not look.hidden:
            # line breaks of the file are spaces: the text's own are elements
            text = text.replace("\n", " ").replace("\r", " ")
            self._writing.write(text, raised=bool(look.raised), bold=bool(look.bold))

    def _paragraph(self, element: etree._Element) -> None:
        style = self._styles.get_style(get_local_attribute(element, "style-name"))
        level = get_local_attribute(element, "outline-level") if element.tag == "h" else ""
        heading = int(level) if level.isdecimal() and len(level) < 3 else int(element.tag == "h")
        self._paragraphs.append((style, 1 if self._index_title else heading, self._label()))
        self._looks.append(style)
        self._writing.pens.append(ParagraphWriter())

    def _paragraph_ends(self) -> None:
        pen = self._writing.pens.pop()
        style, level, label = self._paragraphs.pop()
        self._looks.pop()
        text = pen.get_text()
        if not text:
            return
        listed = (pen.listed or style.entry) and not level
        written = self._writing.make_paragraph(pen, text, level, label, listed=listed, note=self._note)
        (self._notes if self._note else self._into.paragraphs).append(written)

    def _label(self) -> str:
        """Return the number that the list gives to the paragraph that begins here."""
        if not self._lists or not self._lists[-1].fresh:
            return ""
        current = self._lists[-1]
        current.fresh = False
        counts = self._styles.lists.get(current.style, {})
        if current.header or current.level not in counts:
            return ""
        return str(current.count)

    def _list(self, element: etree._Element) -> None:
        outer = self._lists[-1] if self._lists else None
        style = get_local_attribute(element, "style-name") or (outer.style if outer else "")
        level = outer.level + 1 if outer else 1
        start = self._styles.lists.get(style, {}).get(level, 1)
        goes_on = get_local_attribute(element, "continue-numbering") == "true"
        goes_on = goes_on or bool(get_local_attribute(element, "continue-list"))
        count = self._ended.get(style, start - 1) if goes_on else start - 1
        self._lists.append(_OdtList(style, level, count))

    def _list_ends(self) -> None:
        closed = self._lists.pop()
        if closed.level == 1:
            self._ended[closed.style] = closed.count

    def _item(self, element: etree._Element) -> None:
        if self._lists:
            current = self._lists[-1]
            start = get_local_attribute(element, "start-value")
            current.count = (
                int(start) if start.isdecimal() and len(start) < 6 else min(current.count + 1, _MAX_COUNT)
            )
            current.fresh, current.header = True, False

    def _header(self, _element: etree._Element) -> None:
        if self._lists:
            self._lists[-1].fresh = self._lists[-1].header = True

    def _span(self, element: etree._Element) -> None:
        outer, own = self._looks[-1], self._styles.get_style(get_local_attribute(element, "style-name"))
        raised = outer.raised if own.raised is None else own.raised
        bold = outer.bold if own.bold is None else own.bold
        self._looks.append(OdtStyle((), raised, bold, outer.hidden if own.hidden is None else own.hidden))

    def _span_ends(self) -> None:
        self._looks.pop()

    def _link(self, element: etree._Element) -> None:
        self._writing.point(get_local_attribute(element, "href"))

    def _space(self, _element: etree._Element) -> None:
        self._write(" ")

    def _line(self, _element: etree._Element) -> None:
        if self._writing.pens:
            self._writing.write("\n", bold=True)

    def _note_begins(self, element: etree._Element) -> None:
        self._noted += 1
        kind = "e" if get_local_attribute(element, "note-class") == "endnote" else ""
        self._note = f"^{kind}{self._noted}"
        self._writing.mark(f"[{self._note}]")

    def _note_ends(self) -> None:
        self._note = ""

    def _row(self, _element: etree._Element) -> None:
        self._rows.append(len(self._into.paragraphs))

    def _row_ends(self) -> None:
        self._writing.join_row(self._rows.pop())

    def _mark(self, element: etree._Element) -> None:
        name = get_local_attribute(element, "name")
        self._undo.setdefault(name[:200], []).append(self._writing.cite(parse_field_code(name)))

    def _bookmark(self, element: etree._Element) -> None:
        name = get_local_attribute(element, "name")
        if code := self._bookmarks.get(name):
            self._undo.setdefault(name[:200], []).append(self._writing.cite(parse_field_code(code)))

    def _mark_ends(self, element: etree._Element) -> None:
        if waiting := self._undo.get(get_local_attribute(element, "name")[:200]):
            self._writing.leave(waiting.pop())

    def _field(self, element: etree._Element) -> None:
        """Enter a field that LibreOffice took over from Word with its code."""
        codes = (
            get_local_attribute(parameter, "value")
            for parameter in element.iter("param")
            if get_local_attribute(parameter, "name").endswith(".code")
        )
        self._undo.setdefault("field", []).append(self._writing.cite(parse_field_code(next(codes, ""))))

    def _field_ends(self, _element: etree._Element) -> None:
        if waiting := self._undo.get("field"):
            self._writing.leave(waiting.pop())

    def _section(self, element: etree._Element) -> None:
        name = get_local_attribute(element, "name")
        pandoc = name == "refs"
        entered = self._writing.enter(LISTING) if pandoc else self._writing.cite(parse_field_code(name))
        self._undo.setdefault("section", []).append(entered)

    def _bibliography(self, _element: etree._Element) -> None:
        self._undo.setdefault("section", []).append(self._writing.enter(LISTING))

    def _section_ends(self) -> None:
        self._writing.leave(self._undo["section"].pop())

    def _title(self, _element: etree._Element) -> None:
        self._index_title = True

    def _title_ends(self) -> None:
        self._index_title = False

    def _own_mark(self, element: etree._Element) -> None:
        """Take a citation of LibreOffice itself, which holds the fields of the work."""
        key = get_local_attribute(element, "identifier")[:200]
        item = build_mark_item(element)
        if item.get("title") or item.get("author"):
            self._writing.cite(FieldCode("LibreOffice", (build_csl_work(item, (key,) if key else ()),)))


def read_odt_manuscript(document: Document) -> Manuscript:
    """Return the text of a document and the works cited by its marks; InputError if it has no content."""
    parts = OfficeParts(document)
    content = parts.main("content.xml")
    body = content.find("body")
    if body is None:
        raise InputError(
            "content.xml inside it has no body", place=document.name, hint="save it as ODT again"
        )
    meta = parts.side("meta.xml")
    defined = meta.iter("user-defined") if meta is not None else ()
    bookmarks = join_zotero_pieces(
        (get_local_attribute(piece, "name"), piece.text or "") for piece in defined
    )
    written = Manuscript(document.name, problems=parts.problems)
    OdtWalker(written, read_odt_styles(content, parts.side("styles.xml")), bookmarks).walk_body(body)
    saved = next(meta.iter("date"), None) if meta is not None else None
    creator = next(meta.iter("initial-creator"), None) if meta is not None else None
    written.saved_by = read_saved_by(creator.text if creator is not None else "")
    written.dated = find_day((saved.text or "") if saved is not None else "")
    return written


def build_mark_item(mark: etree._Element) -> dict[str, Any]:
    """Return the work a `text:bibliography-mark` describes by its attributes."""
    attributes = {name.rpartition("}")[2]: str(value)[:4000].strip() for name, value in mark.items()}
    kind = attributes.get("bibliography-type") or attributes.get("bibiliographic-type", "")
    authors = attributes.get("author", "")
    if ";" in authors:
        authors = " and ".join(part.strip() for part in authors.split(";"))

    def first(*names: str) -> str:
        return next((attributes[name] for name in names if attributes.get(name)), "")

    return map_csl_fields("libreoffice", first) | {
        "type": load_csl_types("libreoffice").get(kind, ""),
        "author": authors,
        "note": " ".join(attributes.get(name, "") for name in _NOTES).strip(),
    }


def get_local_attribute(element: etree._Element, name: str) -> str:
    """Return the attribute of that local name; no element here has two of one name."""
    direct = element.get(name)
    if direct is not None:
        return str(direct)
    return next((str(value) for key, value in element.items() if key.endswith(f"}}{name}")), "")


@dataclass(frozen=True, slots=True)
class OdtStyle:
    """What one paragraph or character style says; None where it says nothing."""

    names: tuple[str, ...] = ()  # its own and those of the styles it is based on
    raised: bool | None = None
    bold: bool | None = None
    hidden: bool | None = None

    @property
    def entry(self) -> bool:
        return any(is_entry_style(name) for name in self.names)


@dataclass(slots=True)
class OdtStyles:
    """Styles by name, and per list style which levels count and from where."""

    styles: dict[str, OdtStyle] = field(default_factory=dict)
    lists: dict[str, dict[int, int]] = field(default_factory=dict)

    def get_style(self, name: str) -> OdtStyle:
        """Return the style of that name, an empty one if the document does not define it."""
        return self.styles.get(name) or OdtStyle((_unescape_style_name(name),) if name else ())


def read_odt_styles(*roots: etree._Element | None) -> OdtStyles:
    """Return what the styles of all these parts say; the part that comes first wins."""
    loaded = OdtStyles()
    raw: dict[str, etree._Element] = {}
    for root in roots:
        for style in root.iter("style") if root is not None else ():
            raw.setdefault(get_local_attribute(style, "name"), style)
        for style in root.iter("list-style") if root is not None else ():
            loaded.lists.setdefault(get_local_attribute(style, "name"), dict(_read_odt_levels(style)))
    loaded.styles = {name: _build_odt_style(name, raw) for name in raw}
    return loaded


def _build_odt_style(name: str, raw: dict[str, etree._Element]) -> OdtStyle:
    chain: list[etree._Element] = []
    names: list[str] = []
    while name in raw and len(chain) < _CHAIN:
        chain.append(raw[name])
        names.append(get_local_attribute(raw[name], "display-name") or _unescape_style_name(name))
        name = get_local_attribute(raw[name], "parent-style-name")
    if name:
        names.append(_unescape_style_name(name))
    texts = [text for style in chain if (text := style.find("text-properties")) is not None]

    def first(name: str, yes: tuple[str, ...]) -> bool | None:
        stated = next((value for text in texts if (value := get_local_attribute(text, name))), "")
        return stated.startswith(yes) if stated else None

    return OdtStyle(
        tuple(names)[:_CHAIN],
        first("text-position", ("super",)),
        first("font-weight", ("bold", "6", "7", "8", "9")),
        first("display", ("none",)),
    )


def _read_odt_levels(style: etree._Element) -> Iterator[tuple[int, int]]:
    """Yield each level of a list style that counts in numbers, with where it starts."""
    for element in style.iter("list-level-style-number"):
        level, start = get_local_attribute(element, "level"), get_local_attribute(element, "start-value")
        if level.isdecimal() and len(level) < 3 and get_local_attribute(element, "num-format") == "1":
            yield int(level), int(start) if start.isdecimal() and len(start) < 6 else 1


def _unescape_style_name(name: str) -> str:
    """Return a style's name with the characters it escapes: `Bibliography_20_1` ⇒ "Bibliography 1"."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name[:200])
