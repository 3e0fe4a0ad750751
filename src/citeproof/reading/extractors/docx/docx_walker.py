"""The text of one part of a Word document, paragraph by paragraph, with its field codes.

Fields are marked by characters in the text (begin, separate, end) and may nest and span paragraphs;
what comes before "separate" is code, split over as many runs as Word liked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citeproof.reading.extractors.docx.docx_styles import (
    DocxStyle,
    DocxStyles,
    find_list_level,
    get_word_attribute,
    read_switch,
)
from citeproof.reading.extractors.office.field_codes import MAX_CODE, parse_field_code
from citeproof.reading.extractors.office.manuscript import (
    CONTENTS,
    LISTING,
    Manuscript,
    ManuscriptWriter,
    ParagraphWriter,
)

if TYPE_CHECKING:
    from lxml import etree

_SKIPPED = frozenset((
    "del", "moveFrom", "Fallback", "pPr", "rPr", "sectPr", "tblPr", "trPr", "tcPr", "tblGrid", "sdtPr",
    "delText", "delInstrText", "rt", "docPr", "cNvPr",
))  # fmt: skip
_SIGNS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MAX_FIELDS = 200  # open at the same time


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
