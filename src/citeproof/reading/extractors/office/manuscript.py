"""A word processor's document as paragraphs, notes and coded citations, whatever the file format.

Citations that a program left as codes are marked in the text where they are; `strip_marks` gives the
text without the marks, `split_marks` also where they stood.
"""

from __future__ import annotations

from citeproof.reading.extractors.office.field_codes import CodedWork, FieldCode, parse_field_code
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Name, Place, Problem
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

MAX_PARAGRAPH = 100_000  # characters of one paragraph that are stored
MAX_CODES = 50_000  # citations of one document that are read

LISTING, CONTENTS = "listing", "contents"  # what a reader can be inside

_NUMBER_CELL = re.compile(r"[\[(]?(\d{1,6})[\]).]{0,2}")
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]{{1,7}}){_CLOSE}")
_HYPERLINK = re.compile(r'\s{0,9}HYPERLINK\s{1,9}"?(https?://[^\s"]{1,2000})', re.IGNORECASE)
_RESERVED = re.compile("[\ue000\ue001\x00-\x08\x0b\x0c\x0e-\x1f]")
_NUMBERS = re.compile(r"\s{0,3}\d{1,4}(?:\s{0,2}[,;–-]\s{0,2}\d{1,4}){0,30}[\s,]{0,3}")
# Behind "cm" or "10" a raised number is not a citation
_CITABLE = re.compile(r"[^\W\d_]{3}$|[.,;:!?)\]”’\"»%]$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of running text, a heading or a list item."""

    text: str
    number: int  # counted from 1 over the whole document, notes behind the body
    level: int = 0  # of a heading; 0 when it is none
    label: str = ""  # the number a list gives it
    listed: bool = False  # is in the bibliography a program made, or in a style for its entries
    bold: bool = False  # all of it
    addresses: tuple[str, ...] = ()  # where its links lead
    note: str = ""  # the mark of the foot- or endnote it belongs to


@dataclass(slots=True)
class Manuscript:
    """What was read of one document."""

    file: str
    paragraphs: list[Paragraph] = field(default_factory=list)
    codes: list[FieldCode] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # of the codes
    problems: list[Problem] = field(default_factory=list)
    sources: dict[str, CodedWork] = field(default_factory=dict)  # what codes cite by key
    saved_by: tuple[Name, ...] = ()  # whom its properties name as author
    dated: str = ""  # when it was saved last, as it says itself

    def locate_paragraph(self, number: int) -> Place:
        """Return where paragraph `number` stands: its number is the line."""
        return Place(self.file, line=number, end_line=number)

    def take(self, code: FieldCode, number: int) -> str:
        """Keep a citation's code; return the mark that represents it in the text, if any."""
        if code.fault:
            message = f"a citation by {code.program} cannot be read: {code.fault}"
            hint = f"edit and save this citation with {code.program} again"
            self.problems.append(Problem(self.locate_paragraph(number), message, hint, code.raw[:500]))
        if not (code.works or code.keys) or len(self.codes) >= MAX_CODES:
            return ""
        self.codes.append(code)
        self.places.append(self.locate_paragraph(number))
        return make_mark(len(self.codes) - 1)


class ParagraphWriter:
    """Writes one paragraph: text, raised numbers as `[n]`, links."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.bold = True  # until some of it is not
        self.listed = False
        self.goes_on = False  # its end was deleted: the next paragraph belongs to it
        self._parts: list[str] = []
        self._raised: list[str] = []
        self._length = 0

    def write(self, text: str, *, raised: bool = False, bold: bool = False) -> None:
        """Add running text; what the document itself has of our marks is dropped."""
        text = _RESERVED.sub("", text)
        if raised:
            self._raised.append(text)
            return
        if text.strip() and not bold:
            self.bold = False
        self._add(text)

    def mark(self, mark: str) -> None:
        """Add a citation's or note's mark; between raised numbers it does not part them."""
        if self._raised:
            self._raised.append(mark)
        else:
            self._add(mark)

    def get_text(self) -> str:
        """Return the paragraph's text."""
        self._lower()
        return "".join(self._parts).replace("\u00a0", " ").replace("\t", " ").strip()

    def _add(self, text: str) -> None:
        self._lower()
        if text and self._length < MAX_PARAGRAPH:
            self._parts.append(text)
            self._length += len(text)

    def _lower(self) -> None:
        """Put raised numbers into brackets where they can be a citation, else as they are."""
        if not self._raised:
            return
        text = "".join(self._raised)
        self._raised.clear()
        before = strip_marks("".join(self._parts[-3:]))[-3:]
        plain = strip_marks(text)
        cites = len(plain) < 200 and _NUMBERS.fullmatch(plain) and _CITABLE.search(before)
        self._parts.append(f"[{text.strip(' ,')}]" if cites else text)
        self._length += len(text) + 2


class ManuscriptWriter:
    """A manuscript while it is read: the open paragraphs, and whether a printed list or contents are open."""

    def __init__(self, manuscript: Manuscript) -> None:
        self.into = manuscript
        self.pens: list[ParagraphWriter] = []
        self._depth = {LISTING: 0, CONTENTS: 0}
        self._waiting = ""  # marks that wait for the paragraph they belong to

    @property
    def contents(self) -> bool:
        """Whether a table of contents is open."""
        return self._depth[CONTENTS] > 0

    def write(self, text: str, *, raised: bool = False, bold: bool = False) -> None:
        """Add text to the innermost open paragraph."""
        if not self.pens:
            return
        pen = self.pens[-1]
        if self._waiting:
            pen.mark(self._waiting)
            self._waiting = ""
        pen.write(text, raised=raised, bold=bold)
        pen.listed = pen.listed or (bool(text.strip()) and self._depth[LISTING] > 0)

    def mark(self, mark: str) -> None:
        """Add a mark to the innermost open paragraph, or to the next one."""
        self._waiting += mark
        if self.pens:
            self.pens[-1].mark(self._waiting)
            self._waiting = ""

    def point(self, target: str) -> None:
        """Note that the innermost open paragraph links to an address."""
        if target.startswith(("http://", "https://")) and self.pens:
            self.pens[-1].addresses.append(target[:2000])

    def cite(self, code: FieldCode | None) -> str:
        """Take what a code says; return what is to be left when its text ends."""
        if code is None:
            return ""
        if code.printed:
            return self.enter(LISTING)
        self.mark(self.into.take(code, len(self.into.paragraphs) + 1))
        return ""

    def follow_field(self, code: str, data: str = "", *, keyed: bool = True) -> str:
        """Take a field's code: a link, contents or a citation; return what is to be left when it ends.

        Without `keyed` a citation that only names its sources is text: the file does not contain them.
        """
        if link := _HYPERLINK.match(code[:2100]):
            self.point(link[1])
            return ""
        if code.lstrip()[:4].upper() == "TOC ":
            return self.enter(CONTENTS)
        parsed = parse_field_code(code, data)
        return self.cite(parsed if keyed or not (parsed and parsed.keys) else None)

    def make_paragraph(
        self, pen: ParagraphWriter, text: str, level: int, label: str, *, listed: bool, note: str
    ) -> Paragraph:
        """Return what a pen has written as the next paragraph of the manuscript."""
        number = len(self.into.paragraphs) + 1
        return Paragraph(text, number, level, label, listed, pen.bold, tuple(pen.addresses), note)

    def enter(self, what: str) -> str:
        """Enter a printed list or the table of contents; return what is to be left in the end."""
        self._depth[what] += 1
        return what

    def leave(self, what: str) -> None:
        """Leave what was entered, if anything was."""
        if what:
            self._depth[what] = max(0, self._depth[what] - 1)

    def join_row(self, start: int) -> None:
        """Join the paragraphs of a table row whose first cell is a number: lists are laid out as tables."""
        cells = self.into.paragraphs[start:]
        number = _NUMBER_CELL.fullmatch(cells[0].text) if len(cells) > 1 else None
        if number:
            text = " ".join(cell.text for cell in cells[1:])[:MAX_PARAGRAPH]
            links = tuple(link for cell in cells for link in cell.addresses)
            whole = replace(cells[1], text=text, label=number[1], addresses=links, number=start + 1)
            self.into.paragraphs[start:] = [whole]


def make_mark(number: int) -> str:
    """Return what is in the text for citation `number`."""
    return f"{_OPEN}{number}{_CLOSE}"


def strip_marks(text: str) -> str:
    """Return text without the marks of coded citations."""
    return _MARK.sub("", text)


def split_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return text without marks, and each coded citation in it as (number, where it is in that text)."""
    parts: list[str] = []
    marks: list[tuple[int, int]] = []
    at = length = 0
    for match in _MARK.finditer(text):
        parts.append(text[at : match.start()])
        length += match.start() - at
        marks.append((int(match[1]), length))
        at = match.end()
    return "".join([*parts, text[at:]]), marks
