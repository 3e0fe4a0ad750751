"""The text of one part of a Word document, paragraph by paragraph, with its field codes.

Fields are marked by characters in the text (begin, separate, end) and may nest and span paragraphs;
what comes before "separate" is code, split over as many runs as Word liked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citeproof.reading.extractors.office.field_codes import MAX_CODE, parse_field_code
from citeproof.reading.extractors.office.manuscript import (
    CONTENTS,
    LISTING,
    Manuscript,
    ManuscriptWriter,
    ParagraphWriter,
)
from citeproof.reading.extractors.office.printed_lists import is_entry_style
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass, field

if TYPE_CHECKING:
    from lxml import etree

_SKIPPED = frozenset((
    "del", "moveFrom", "Fallback", "pPr", "rPr", "sectPr", "tblPr", "trPr", "tcPr", "tblGrid", "sdtPr",
    "delText", "delInstrText", "rt", "docPr", "cNvPr",
))  # fmt: skip
_SIGNS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MAX_FIELDS = 200  # open at the same time
NAMESPACES = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik)\s?([1-9])", re.IGNORECASE)
_FIGURES = ("decimal", "decimalZero", "decimalFullWidth")
_CHAIN = 20  # styles that may be based on each other
_MAX_COUNT = 100_000


@dataclass(slots=True)
class _OpenField:
    """An open field; `pen` is the paragraph it began in."""

    pen: ParagraphWriter | None
    parts: list[str] = field(default_factory=list)
    data: str = ""
    settled: bool = False  # its code was read: what follows is what it shows
    undo: str = ""


@dataclass(slots=True)
class DocxTargets:
    """What the text of a part refers to: links by id, Zotero's codes by bookmark, the marks of notes."""

    links: dict[str, str] = field(default_factory=dict)
    bookmarks: dict[str, str] = field(default_factory=dict)
    notes: dict[tuple[str, str], str] = field(default_factory=dict)


class DocxWalker:
    """Walks through a part and writes what it says into the manuscript."""

    def __init__(self, manuscript: Manuscript, styles: DocxStyles, outside: DocxTargets) -> None:
        self._into = manuscript
        self._writing = ManuscriptWriter(manuscript)
        self._styles = styles
        self._outside = outside
        self._note = ""
        self._paragraphs: list[tuple[DocxStyle, str]] = []  # style and label of the open ones
        self._fields: list[_OpenField] = []
        self._controls: list[str] = []
        self._rows: list[int] = []
        self._bookmarks: dict[str, str] = {}
        self._carried = ""  # text of a paragraph whose end was deleted
        self._run = (False, False, False)  # raised, bold, hidden
        self._starts: dict[str, Callable[[etree._Element], None]] = {
            "p": self._paragraph, "r": self._run_begins, "t": self._text, "fldChar": self._field_sign,
            "instrText": self._instruction, "fldSimple": self._simple, "sdt": self._control,
            "hyperlink": self._link,
            "footnoteReference": self._mark_note, "endnoteReference": self._mark_note,
            "bookmarkStart": self._bookmark, "bookmarkEnd": self._bookmark_ends, "tr": self._row,
        }  # fmt: skip
        self._ends: dict[str, Callable[[], None]] = {
            "p": self._paragraph_ends, "r": self._run_ends, "fldSimple": self._field_ends,
            "sdt": self._control_ends, "tr": self._row_ends,
        }  # fmt: skip

    def walk_part(self, part: etree._Element, note: str = "") -> None:
        """Write the paragraphs of `part`, which is the body or the note of that mark."""
        from lxml import etree  # noqa: PLC0415  slow to load, and detection imports every extractor

        self._note = note
        walker = etree.iterwalk(part, events=("start", "end"))
        for event, element in walker:
            name = element.tag
            if event == "end":
                if name in self._ends:
                    self._ends[name]()
            elif name in _SKIPPED:
                walker.skip_subtree()
            elif name in self._starts:
                self._starts[name](element)
            elif name in _SIGNS:
                self._write(_SIGNS[name])

    def _paragraph(self, element: etree._Element) -> None:
        properties = element.find("pPr")
        named = get_word_attribute(properties.find("pStyle"), "val") if properties is not None else ""
        style = self._styles.styles.get(named, DocxStyle(named))
        counted = find_list_level(properties) or style.counted
        pen = ParagraphWriter()
        if self._carried:
            pen.mark(self._carried)
            self._carried = ""
        marks = properties.find("rPr") if properties is not None else None
        pen.goes_on = marks is not None and marks.find("del") is not None
        self._writing.pens.append(pen)
        self._paragraphs.append((style, self._styles.label(*counted) if counted else ""))

    def _paragraph_ends(self) -> None:
        pen = self._writing.pens[-1]
        for opened in self._fields:
            if (
                opened.pen is pen and not opened.settled
            ):  # its separator is lost: no code runs on into the next
                self._read_field_code(opened)
        self._writing.pens.pop()
        style, label = self._paragraphs.pop()
        text = pen.get_text()
        if pen.goes_on:
            self._carried = text
        elif text and not (style.contents or self._writing.contents):
            listed = pen.listed or style.entry
            self._into.paragraphs.append(
                self._writing.make_paragraph(pen, text, style.level, label, listed=listed, note=self._note)
            )

    def _run_begins(self, element: etree._Element) -> None:
        properties = element.find("rPr")
        character = get_word_attribute(properties.find("rStyle"), "val") if properties is not None else ""
        style = self._styles.styles.get(character, DocxStyle())
        bold, hidden = read_switch(properties, "b"), read_switch(properties, "vanish")
        aligned = get_word_attribute(properties.find("vertAlign"), "val") if properties is not None else ""
        paragraph = self._paragraphs[-1][0] if self._paragraphs else DocxStyle()
        self._run = (
            aligned == "superscript" or (style.raised and not aligned),
            (style.bold or paragraph.bold) if bold is None else bold,
            style.hidden if hidden is None else hidden,
        )

    def _run_ends(self) -> None:
        self._run = (False, False, False)

    def _text(self, element: etree._Element) -> None:
        self._write(element.text or "")

    def _write(self, text: str) -> None:
        """Write what a reader sees: no hidden text, no code."""
        if not self._run[2] and all(opened.settled for opened in self._fields):
            self._writing.write(text, raised=self._run[0], bold=self._run[1])

    def _mark_note(self, element: etree._Element) -> None:
        kind = "" if element.tag == "footnoteReference" else "e"
        known = self._outside.notes
        own = (kind, get_word_attribute(element, "id"))
        mark = known.setdefault(own, f"^{kind}{sum(1 for which, _ in known if which == kind) + 1}")
        self._writing.mark(f"[{mark}]")

    def _link(self, element: etree._Element) -> None:
        target = next((self._outside.links.get(v, "") for k, v in element.items() if k.endswith("}id")), "")
        self._writing.point(target)

    def _field_sign(self, element: etree._Element) -> None:
        kind = get_word_attribute(element, "fldCharType")
        if kind == "begin" and len(self._fields) < _MAX_FIELDS:
            self._fields.append(self._open_field(element))
        elif kind == "separate" and self._fields and not self._fields[-1].settled:
            self._read_field_code(self._fields[-1])
        elif kind == "end":
            self._field_ends()

    def _open_field(self, element: etree._Element) -> _OpenField:
        data = "".join((element.findtext("fldData") or "")[:MAX_CODE].split())
        return _OpenField(self._writing.pens[-1] if self._writing.pens else None, data=data)

    def _instruction(self, element: etree._Element) -> None:
        if self._fields and not self._fields[-1].settled:
            self._fields[-1].parts.append(element.text or "")

    def _simple(self, element: etree._Element) -> None:
        opened = self._open_field(element)
        opened.parts.append(get_word_attribute(element, "instr"))
        self._fields.append(opened)
        self._read_field_code(opened)

    def _field_ends(self) -> None:
        if not self._fields:
            return
        closed = self._fields.pop()
        outer = self._fields[-1] if self._fields else None
        if not closed.settled and outer and not outer.settled:
            outer.data = outer.data or closed.data  # EN.CITE.DATA is inside the field it belongs to
            return
        if not closed.settled:
            self._read_field_code(closed)
        self._writing.leave(closed.undo)

    def _read_field_code(self, opened: _OpenField) -> None:
        opened.settled = True
        opened.undo = self._writing.follow_field("".join(opened.parts), opened.data)

    def _control(self, element: etree._Element) -> None:
        """Enter a content control: a citation of Mendeley Cite, a bibliography, a table of contents."""
        properties = element.find("sdtPr")
        tag = get_word_attribute(properties.find("tag"), "val") if properties is not None else ""
        gallery = properties.find(".//docPartGallery") if properties is not None else None
        shown = get_word_attribute(gallery, "val").lower()
        undo = ""
        if entered := {"bibliographies": LISTING, "table of contents": CONTENTS}.get(shown):
            undo = self._writing.enter(entered)
        elif tag.startswith(("MENDELEY_", "CitaviBibliography")):
            undo = self._writing.cite(parse_field_code(tag))
        self._controls.append(undo)

    def _control_ends(self) -> None:
        self._writing.leave(self._controls.pop())

    def _bookmark(self, element: etree._Element) -> None:
        code = self._outside.bookmarks.get(get_word_attribute(element, "name"), "")
        if code:
            self._bookmarks[get_word_attribute(element, "id")] = self._writing.cite(parse_field_code(code))

    def _bookmark_ends(self, element: etree._Element) -> None:
        self._writing.leave(self._bookmarks.pop(get_word_attribute(element, "id"), ""))

    def _row(self, _element: etree._Element) -> None:
        self._rows.append(len(self._into.paragraphs))

    def _row_ends(self) -> None:
        self._writing.join_row(self._rows.pop())


def get_word_attribute(element: etree._Element | None, name: str) -> str:
    """Return one of Word's attributes, in either of the two namespaces it is written in."""
    if element is None:
        return ""
    return next((value for ns in NAMESPACES if (value := element.get(ns + name)) is not None), "")


def read_switch(properties: etree._Element | None, name: str) -> bool | None:
    """Return whether a property such as bold is switched on, None if it is not mentioned."""
    switch = properties.find(name) if properties is not None else None
    off = ("0", "false", "off", "none")
    return None if switch is None else get_word_attribute(switch, "val").lower() not in off


@dataclass(frozen=True, slots=True)
class DocxStyle:
    """What one paragraph or character style says."""

    name: str = ""
    level: int = 0  # of a heading
    bold: bool = False
    raised: bool = False
    hidden: bool = False
    counted: tuple[str, int] | None = None  # list and level

    @property
    def contents(self) -> bool:
        return self.name.lower().startswith(("toc ", "contents ", "index "))

    @property
    def entry(self) -> bool:
        return is_entry_style(self.name)


@dataclass(slots=True)
class DocxStyles:
    """The styles by id and the lists by number, and how far each list has counted."""

    styles: dict[str, DocxStyle] = field(default_factory=dict)
    lists: dict[str, tuple[str, dict[int, tuple[bool, int]]]] = field(default_factory=dict)
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def label(self, number: str, level: int) -> str:
        """Return the number that the next paragraph of a list gets, empty if the list has bullets."""
        family, levels = self.lists.get(number, ("", {}))
        decimal, start = levels.get(level, (False, 1))
        if not decimal:
            return ""
        count = self._counts.get((family, level), start - 1) + 1
        self._counts[family, level] = min(count, _MAX_COUNT)
        return str(count)


def read_docx_styles(styles: etree._Element | None, numbering: etree._Element | None) -> DocxStyles:
    """Return what `styles.xml` and `numbering.xml` say; each may be missing."""
    loaded = DocxStyles()
    if styles is not None:
        raw = {get_word_attribute(style, "styleId"): style for style in styles.findall("style")}
        loaded.styles = {key: _build_docx_style(key, raw) for key in raw if key}
    if numbering is not None:
        loaded.lists = _read_lists(numbering)
    return loaded


def _build_docx_style(key: str, raw: dict[str, etree._Element]) -> DocxStyle:
    """Return a style with what it takes over from those it is based on."""
    chain: list[etree._Element] = []
    at = key
    while at in raw and len(chain) < _CHAIN:
        chain.append(raw[at])
        at = get_word_attribute(raw[at].find("basedOn"), "val")
    run = [style.find("rPr") for style in chain]
    paragraph = [style.find("pPr") for style in chain]
    name = get_word_attribute(chain[0].find("name"), "val")[:200]
    return DocxStyle(
        name=name,
        level=next(filter(None, map(_read_heading_level, paragraph, chain)), 0),
        bold=next((bold for r in run if (bold := read_switch(r, "b")) is not None), False),
        raised=any(
            get_word_attribute(style.find("rPr/vertAlign"), "val") == "superscript" for style in chain
        ),
        hidden=next((gone for r in run if (gone := read_switch(r, "vanish")) is not None), False),
        counted=next(filter(None, map(find_list_level, paragraph)), None),
    )


def _read_heading_level(properties: etree._Element | None, style: etree._Element) -> int:
    named = _HEADING.match(get_word_attribute(style.find("name"), "val")[:200])
    if named:
        return int(named[1])
    outline = get_word_attribute(properties.find("outlineLvl"), "val") if properties is not None else ""
    return int(outline) + 1 if outline.isdecimal() and int(outline) < 9 else 0


def find_list_level(properties: etree._Element | None) -> tuple[str, int] | None:
    """Return the list and level that number a paragraph, None if none does."""
    numbered = properties.find("numPr") if properties is not None else None
    if numbered is None:
        return None
    level = get_word_attribute(numbered.find("ilvl"), "val")
    depth = int(level) if level.isdecimal() and len(level) < 3 else 0
    return get_word_attribute(numbered.find("numId"), "val"), depth


def _read_lists(numbering: etree._Element) -> dict[str, tuple[str, dict[int, tuple[bool, int]]]]:
    """Return for each list its family, and per level whether it counts in figures and from where."""
    abstract = {
        get_word_attribute(family, "abstractNumId"): _read_docx_levels(family)
        for family in numbering.findall("abstractNum")
    }
    lists: dict[str, tuple[str, dict[int, tuple[bool, int]]]] = {}
    for element in numbering.findall("num"):
        number = get_word_attribute(element, "numId")
        family = get_word_attribute(element.find("abstractNumId"), "val")
        levels = dict(abstract.get(family, {}))
        again = element.findall("lvlOverride")
        for override in again:
            start = get_word_attribute(override.find("startOverride"), "val")
            level = get_word_attribute(override, "ilvl")
            if start.isdecimal() and level.isdecimal() and len(start) < 6 and len(level) < 3:
                levels[int(level)] = (levels.get(int(level), (False, 1))[0], int(start))
        lists[number] = (f"list {number}" if again else family, levels)
    return lists


def _read_docx_levels(abstract: etree._Element) -> dict[int, tuple[bool, int]]:
    levels: dict[int, tuple[bool, int]] = {}
    for level in abstract.findall("lvl"):
        index, start = get_word_attribute(level, "ilvl"), get_word_attribute(level.find("start"), "val")
        if index.isdecimal() and len(index) < 3:
            decimal = get_word_attribute(level.find("numFmt"), "val") in _FIGURES
            levels[int(index)] = (decimal, int(start) if start.isdecimal() and len(start) < 6 else 1)
    return levels
