"""The text of an RTF document, paragraph by paragraph, with its notes and field codes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from citeproof.errors import InputError
from citeproof.reading.extractors.office.manuscript import (
    Manuscript,
    ManuscriptWriter,
    Paragraph,
    ParagraphWriter,
)
from citeproof.reading.extractors.office.printed_lists import is_entry_style
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document

_DEEPEST = 2000  # groups inside each other
_MAX_FIELDS = 200  # open at the same time
_SKIPPED = frozenset((
    "fonttbl", "colortbl", "info", "pict", "object", "header", "headerl", "headerr", "headerf", "footer",
    "footerl", "footerr", "footerf", "annotation", "atnid", "atnauthor", "themedata", "datastore",
    "listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "latentstyles", "nonshppict",
    "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn", "bkmkstart", "bkmkend", "flddata",
    "revtbl", "xe", "tc", "filetbl", "colorschememapping", "datafield",
))  # fmt: skip
_KEPT = frozenset(
    ("fldinst", "footnote", "listtext", "pntext", "shptxt")
)  # read though a program may skip them
_HEADING = re.compile(r"(?i)(?:heading|überschrift|titre|título|titolo) (\d)$")
_NUMBER = re.compile(r"[\[(]?(\d{1,6})[\]).]{0,2}\s*$")
_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z'])"
    r"|(?P<brace>[{}])|[\r\n\0]{1,1000}|(?P<text>[^\\{}\r\n\0]{1,10000})|\\'?"
)
# \fcharset of a font -> its code page
_CHARSETS = {
    0: "cp1252", 2: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk",
    136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip
_SYMBOLS = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ", "tab": "\t", "line": "\n",
    "softline": "\n", "zwj": "", "zwnj": "",
}  # fmt: skip
# What a word switches in its group: on, off if its number is 0, or off in any case
_FORMATS = {
    "b": ("bold",), "super": ("raised",), "up": ("raised",), "v": ("hidden",), "deleted": ("hidden",),
    "nosupersub": ("raised",), "plain": ("bold", "raised", "hidden"),
}  # fmt: skip
_ENDING = ("nosupersub", "plain")
_SIGNS = {"~": "\u00a0", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\"}
_LONGEST_SKIP = 4  # characters that represent one in programs without Unicode
_PAR = "par"


@dataclass(frozen=True, slots=True)
class RtfStyle:
    """What a style or a paragraph says of its role."""

    name: str = ""
    level: int = 0  # of a heading


@dataclass(slots=True)
class _RtfGroup:
    """What holds inside the braces available."""

    target: str = "text"  # text, skip, code (of a field), label (of a list item), style (its definition)
    bold: bool = False
    raised: bool = False
    hidden: bool = False
    starred: bool = False  # "\*": skipped if its word is not known
    begins: str = ""  # what ends with the group: field, footnote


@dataclass(slots=True)
class _RtfField:
    """An open field: its code while it is read, and what is to be left when it ends."""

    parts: list[str] = field(default_factory=list)
    settled: bool = False
    undo: str = ""


def read_rtf_manuscript(document: Document) -> Manuscript:
    """Return what is written in an RTF document."""
    manuscript = Manuscript(document.name)
    RtfWalker(manuscript).walk(RtfTokens(document.data.decode("latin-1")))
    return manuscript


class RtfWalker:
    """Walks through the tokens and writes what they say into the manuscript."""

    def __init__(self, manuscript: Manuscript) -> None:
        self._into = manuscript
        self._writing = ManuscriptWriter(manuscript)
        self._writing.pens.append(ParagraphWriter())
        self._group = _RtfGroup()
        self._outer: list[_RtfGroup] = []
        self._styles: dict[int, RtfStyle] = {}
        self._named: list[str] = []  # the parts of a style's name
        self._defined = 0  # number of the style that is being defined
        self._style = RtfStyle()
        self._label: list[str] = []
        self._fields: list[_RtfField] = []
        self._row: int | None = None
        self._note = ""
        self._noted = 0
        self._notes: list[Paragraph] = []

    def walk(self, tokens: RtfTokens) -> None:
        """Write the paragraphs of the text, then those of its notes."""
        for token in tokens.generate_tokens():
            if token.mark is RtfMark.TEXT:
                self._take_text(token.name)
            elif token.mark is RtfMark.WORD:
                self._take_word(token)
            elif token.mark is RtfMark.OPEN:
                if len(self._outer) > _DEEPEST:
                    hint = "open it in a word processor and save it again"
                    raise InputError("its groups are nested too deeply", place=self._into.file, hint=hint)
                self._outer.append(self._group)
                self._group = replace(self._group, starred=False, begins="")
            elif not self._outer:
                break  # behind the last brace there is no text
            else:
                self._close_group()
                if not self._outer:
                    break
        self._end_paragraph()
        for note in self._notes:
            self._into.paragraphs.append(replace(note, number=len(self._into.paragraphs) + 1))

    def _close_group(self) -> None:
        closed, self._group = self._group, self._outer.pop()
        if closed.begins == "field" and self._fields:
            ended = self._fields.pop()
            self._read_field_code(ended)
            self._writing.leave(ended.undo)
        elif closed.begins == "fldinst" and self._fields:
            self._read_field_code(self._fields[-1])
        elif closed.begins == "footnote":
            self._end_paragraph()
            self._writing.pens.pop()
            self._note = ""
        elif closed.target == "style" and self._group.target == "stylesheet":
            name = "".join(self._named).strip(" ;")
            self._named.clear()
            level = _HEADING.match(name)
            if self._defined >= 0:
                self._styles[self._defined] = RtfStyle(name, int(level[1]) if level else 0)
            self._defined = 0

    def _take_text(self, text: str) -> None:
        target = self._group.target
        if target == "text" and not self._group.hidden and all(opened.settled for opened in self._fields):
            self._writing.write(text, raised=self._group.raised, bold=self._group.bold)
        elif target == "code" and self._fields:
            self._fields[-1].parts.append(text)
        elif target == "label":
            self._label.append(text)
        elif target in ("style", "stylesheet"):
            self._named.append(text)

    def _take_word(self, token: RtfToken) -> None:
        word, number = token.name, token.number
        starred = self._group.starred
        self._group.starred = word == "*"
        if self._group.target in ("style", "stylesheet"):
            self._define_style(word, number)
        elif word in _SKIPPED or (starred and word not in _KEPT):
            self._group.target = "skip"
        elif self._group.target == "skip":
            pass
        elif word in _FORMATS:
            for name in _FORMATS[word]:
                setattr(self._group, name, word not in _ENDING and number != 0)
        elif word in ("s", "outlinelevel", "pard"):
            if word == "pard":
                self._style = RtfStyle()
            elif word == "s":
                self._style = self._styles.get(number or 0, RtfStyle())
            elif number is not None and 0 <= number < 9:
                self._style = replace(self._style, level=number + 1)
        elif word in ("par", "sect", "page", "cell", "nestcell", "row", "nestrow", "trowd"):
            self._break_text(word)
        else:
            self._enter_target(word)

    def _enter_target(self, word: str) -> None:
        """Enter a group with a role of its own: a field, its code, a note, the label of a list item."""
        if word == "stylesheet":
            self._group.target = "stylesheet"
        elif word == "field" and len(self._fields) < _MAX_FIELDS:
            self._fields.append(_RtfField())
            self._group.begins = "field"
        elif word == "fldinst":
            self._group.target, self._group.begins = "code", "fldinst"
        elif word in ("listtext", "pntext"):
            self._group.target = "label"
            self._label.clear()
        elif word == "footnote" and not self._note:
            self._noted += 1
            self._note = f"^{self._noted}"
            self._writing.mark(f"[{self._note}]")
            self._writing.pens.append(ParagraphWriter())
            self._group.begins = "footnote"
            self._group.raised = False

    def _define_style(self, word: str, number: int | None) -> None:
        """Read the definition of a style; only those of paragraphs have a number `s`."""
        if self._group.target == "stylesheet" and len(self._outer) > 1:
            self._group.target = "style"
        if word == "s" and number is not None:
            self._defined = number
        elif word in ("cs", "ds", "ts"):
            self._defined = -1

    def _break_text(self, word: str) -> None:
        if word == "trowd":
            self._row = len(self._into.paragraphs) if self._row is None else self._row
            return
        self._end_paragraph()
        if word in ("row", "nestrow") and self._row is not None:
            self._writing.join_row(self._row)
            self._row = None

    def _end_paragraph(self) -> None:
        pen = self._writing.pens[-1]
        self._writing.pens[-1] = ParagraphWriter()
        text = pen.get_text()
        label = _NUMBER.match("".join(self._label).strip()[:20])
        self._label.clear()
        contents = self._style.name.lower().startswith(("toc ", "contents "))
        if not text or contents or self._writing.contents:
            return
        listed = pen.listed or is_entry_style(self._style.name)
        number = label[1] if label else ""
        written = self._writing.make_paragraph(
            pen, text, self._style.level, number, listed=listed, note=self._note
        )
        (self._notes if self._note else self._into.paragraphs).append(written)

    def _read_field_code(self, opened: _RtfField) -> None:
        if opened.settled:
            return
        opened.settled = True
        # the sources that Word's own citations name by key are no part of RTF
        opened.undo = self._writing.follow_field("".join(opened.parts), keyed=False)


class RtfMark(Enum):
    """What a token is."""

    OPEN = "{"
    CLOSE = "}"
    WORD = "word"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class RtfToken:
    """One token: `name` is a control word or the text, `number` what comes after the word."""

    mark: RtfMark
    name: str = ""
    number: int | None = None


@dataclass(slots=True)
class _RtfCharset:
    """What decides how bytes are read, in the group available."""

    skip: int = 1
    font: int | None = None


@dataclass(slots=True)
class RtfTokens:
    """The tokens of one document."""

    source: str  # every byte as one character
    codepage: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    _charset: _RtfCharset = field(default_factory=_RtfCharset)
    _outer: list[_RtfCharset] = field(default_factory=list)
    _bytes: bytearray = field(default_factory=bytearray)
    _skipped: int = 0
    _half: int = 0  # the first half of a pair of surrogates

    def generate_tokens(self) -> Iterator[RtfToken]:
        """Yield the tokens; bytes in a row are one text."""
        at = 0
        while (match := _TOKEN.match(self.source, at)) is not None:
            at = match.end()
            if match["text"] is not None or match["hex"] is not None:
                taken = bytes([int(match["hex"], 16)]) if match["hex"] else match["text"].encode("latin-1")
                dropped = min(self._skipped, len(taken))
                self._skipped -= dropped
                self._bytes += taken[dropped:]
                continue
            if match["word"] is None and match["sign"] is None and match["brace"] is None:
                continue  # line ends mean nothing
            if self._bytes:
                yield RtfToken(RtfMark.TEXT, self._decode_bytes())
            if match["word"] == "bin":
                at += max(0, int(match["number"] or 0))
            elif token := self._read_control(match):
                yield token
        if self._bytes:
            yield RtfToken(RtfMark.TEXT, self._decode_bytes())

    def _decode_bytes(self) -> str:
        page = self.fonts.get(self._charset.font, "") if self._charset.font is not None else ""
        text = bytes(self._bytes).decode(page or self.codepage, "replace")
        self._bytes.clear()
        return text

    def _read_control(self, match: re.Match[str]) -> RtfToken | None:
        if brace := match["brace"]:
            self._skipped = 0
            return self._open_group() if brace == "{" else self._close_group()
        if sign := match["sign"]:
            if self._skipped:
                self._skipped -= 1
                return None
            if sign in "\r\n":
                return RtfToken(RtfMark.WORD, _PAR)
            return RtfToken(RtfMark.TEXT, _SIGNS[sign]) if sign in _SIGNS else RtfToken(RtfMark.WORD, sign)
        word, number = match["word"], int(match["number"]) if match["number"] else None
        if word == "u" and number is not None:
            self._skipped = self._charset.skip
            code = number % 0x10000
            if 0xD800 <= code < 0xDC00:
                self._half = code
                return None
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((self._half - 0xD800) << 10) + (code - 0xDC00) if self._half else 0xFFFD
            self._half = 0
            return RtfToken(RtfMark.TEXT, chr(code))
        self._skipped = 0
        if word in _SYMBOLS:
            return RtfToken(RtfMark.TEXT, _SYMBOLS[word])
        self._set_charset(word, number)
        return RtfToken(RtfMark.WORD, word, number)

    def _set_charset(self, word: str, number: int | None) -> None:
        if word == "uc":
            self._charset.skip = min(max(number or 0, 0), _LONGEST_SKIP)
        elif word == "f":
            self._charset.font = number
        elif word == "plain":
            self._charset.font = None
        elif word == "ansicpg":
            self.codepage = _find_codec(f"cp{number}") or self.codepage
        elif word in ("mac", "pc", "pca"):
            self.codepage = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word == "fcharset" and self._charset.font is not None and number != 1:
            self.fonts[self._charset.font] = _CHARSETS.get(number or 0, "")

    def _open_group(self) -> RtfToken:
        self._outer.append(_RtfCharset(self._charset.skip, self._charset.font))
        return RtfToken(RtfMark.OPEN)

    def _close_group(self) -> RtfToken:
        if self._outer:
            self._charset = self._outer.pop()
        return RtfToken(RtfMark.CLOSE)


def _find_codec(name: str) -> str:
    try:
        return codecs.lookup({"cp10000": "mac_roman", "cp65001": "utf-8"}.get(name, name)).name
    except LookupError:
        return ""
