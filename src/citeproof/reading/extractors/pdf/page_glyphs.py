"""The characters of a page and where each of them is, through pdfium's C interface.

A page has some thousand words and each is asked for its place, so that the price of one call decides
how fast PDFs are read. The calls made most go without the checks of their arguments: a quarter of the price.
"""

from __future__ import annotations

import ctypes
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

import pypdfium2.raw as pdfium
from pypdfium2 import PdfTextPage

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

MAX_CHARACTERS = 200_000  # of one page
JOINER = "\u2060"  # stands where a character fell away, so that all others keep their index

_SPACES = {0xAD: 0x02, 0xA0: 0x20}
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # letters of formulas: two characters for pdfium
_UNKNOWN = "\ufffd"
_LAST = 0x10FFFF
_BOLD = re.compile(rb"(?i)bold|medi|black|heavy|cmbx|-b\b|semib")
_SAMPLE = 400  # characters of a page that are examined
_NAMED = 64  # bytes of a font's name, at most
_ODD = re.compile("[\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufff0-\uffff]")

# Letters of fonts that carry no names, as TeX's bitmap fonts: the words they are in tell what they are.
# Ligatures are tried in the words of a page; where they show an encoding of TeX (OT1 or Cork's), its other
# codes are read too.
_OLD = {0x0B: "ﬀ", 0x0C: "ﬁ", 0x0E: "ﬃ", 0x0F: "ﬄ", 0x10: "ı"}  # OT1's, read even without a sign of it
_OT1 = {0x11 + at: letter for at, letter in enumerate("\u0237`´ˇ˘¯˚¸ßæœøÆŒØ")} | {0x7F: "¨"}
_CORK = (
    {0x10 + at: letter for at, letter in enumerate("“”„«»–—")}
    | {0x19: "ı", 0x1A: "\u0237", 0x1B: "ﬀ", 0x1C: "ﬁ", 0x1D: "ﬂ", 0x1E: "ﬃ", 0x1F: "ﬄ", 0x7F: "-"}
    | {0x80 + at: letter for at, letter in enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§")}
)
_CORK_SMALL = dict(zip("¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»", "ąćčďěęğĺľłńňőŕřśšşťţűůÿźžż", strict=True))
_SMALL_INSIDE = re.compile("(?<=[^\\W\\d_])[" + "".join(_CORK_SMALL) + "](?=[a-z])")
_SIGNS = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
_WORD = re.compile("[A-Za-zÀ-ÿ]{0,30}[\x0b\x0c\x0e-\x1f][A-Za-zÀ-ÿ]{1,30}")
_MOST_WORDS = 400  # of a page that are tried
_SURE = 2  # words, and twice as many as for another ligature


class PageFrame(NamedTuple):
    """The visible part of a page: where it begins, how large it is, how often it is turned by 90°."""

    left: float
    bottom: float
    width: float
    height: float
    turns: int

    def place_point(self, x: float, y: float) -> tuple[float, float]:
        """Return a point of the page's own space as it is seen: from the top left corner."""
        x, y = x - self.left, y - self.bottom
        if self.turns == 0:
            return x, self.height - y
        if self.turns == 1:
            return y, x
        if self.turns == 2:
            return self.width - x, y
        return self.height - y, self.width - x


class Glyphs:
    """The characters of one text page, and where each of them is."""

    def __init__(self, page: PdfTextPage, frame: PageFrame) -> None:
        self._raw, self._frame = page.raw, frame
        self.count = min(max(pdfium.FPDFText_CountChars(self._raw), 0), MAX_CHARACTERS)
        self._x, self._y, self._box = ctypes.c_double(), ctypes.c_double(), pdfium.FS_RECTF()
        self._at = (ctypes.byref(self._x), ctypes.byref(self._y))
        self._to = ctypes.byref(self._box)
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_NAMED)
        self._flags = ctypes.c_int()
        self._origin_of, self._box_of = (
            _get_pdfium_function("FPDFText_GetCharOrigin"),
            _get_pdfium_function("FPDFText_GetLooseCharBox"),
        )
        # almost no page is turned: then two subtractions do
        self._shift = (frame.left, frame.bottom + frame.height) if not frame.turns else None
        self.text = self._letters()

    def _letters(self) -> str:
        """Return one letter per character; at once where that is known to count the same."""
        units = (ctypes.c_ushort * (self.count + 1))()
        pdfium.FPDFText_GetText(self._raw, 0, self.count, units)
        text = bytes(units)[: 2 * self.count].decode("utf-16-le", "replace")
        if len(text) != self.count or text[-1:] == "\0":  # some characters have no letter, or two units
            code: Callable[[Any, int], int] = pdfium.FPDFText_GetUnicode
            text = "".join([chr(min(code(self._raw, index), _LAST)) for index in range(self.count)])
            text = _PAIR.sub(_join_pair, text)
        text = text.replace("\ufffe", "\x02")
        if "\xa0" in text or "\xad" in text or _ODD.search(text):
            return _ODD.sub(_UNKNOWN, read_unnamed_letters(text.translate(_SPACES)))
        return text

    def measure_unmapped(self) -> float:
        """Return for which share of the characters the fonts do not say what letters they are."""
        asked = range(0, self.count, max(1, self.count // _SAMPLE))
        wrong: int = sum(pdfium.FPDFText_HasUnicodeMapError(self._raw, index) == 1 for index in asked)
        return wrong / max(len(asked), 1)

    def origin(self, index: int) -> tuple[float, float]:
        """Return where the character is on its baseline."""
        self._origin_of(self._raw, index, *self._at)
        if self._shift:
            return self._x.value - self._shift[0], self._shift[1] - self._y.value
        return self._frame.place_point(self._x.value, self._y.value)

    def box(self, index: int) -> tuple[float, float, float]:
        """Return left and right edge and the height of the character's font."""
        self._box_of(self._raw, index, self._to)
        box = self._box
        if self._shift:
            return box.left - self._shift[0], box.right - self._shift[0], box.top - box.bottom
        left, top = self._frame.place_point(box.left, box.top)
        right, bottom = self._frame.place_point(box.right, box.bottom)
        return min(left, right), max(left, right), abs(bottom - top)

    def extent(self, first: int, last: int) -> tuple[float, float, float, float, float]:
        """Return the origin of one character and the box of another, in one call: every word asks for it."""
        if not self._shift:
            return (*self.origin(first), *self.box(last))
        x, y = self._shift
        self._origin_of(self._raw, first, *self._at)
        self._box_of(self._raw, last, self._to)
        box = self._box
        return self._x.value - x, y - self._y.value, box.left - x, box.right - x, box.top - box.bottom

    def upright(self, index: int) -> bool:
        """Return whether the character stands upright as the page is seen."""
        _get_pdfium_function("FPDFText_GetMatrix")(self._raw, index, ctypes.byref(self._matrix))
        along, across = self._matrix.a, self._matrix.b
        if self._frame.turns % 2:
            along, across = across, along
        return bool(abs(across) <= 0.2 * abs(along))

    def bold(self, index: int) -> bool:
        """Return whether the character is set in a bold font, by weight or by the font's name."""
        if _get_pdfium_function("FPDFText_GetFontWeight")(self._raw, index) >= 600:
            return True
        self._name[0] = b"\0"  # nothing is written where there is no name, or one that is too long
        name_of = _get_pdfium_function("FPDFText_GetFontInfo")
        name_of(self._raw, index, self._name, ctypes.c_ulong(_NAMED), ctypes.byref(self._flags))
        return _is_bold_font(self._name.value)


def _join_pair(match: re.Match[str]) -> str:
    """Return the plain letter of one that takes two units, "𝑡" as "t", and a joiner for the second."""
    whole = match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    return unicodedata.normalize("NFKC", whole)[0] + JOINER


@cache
def _get_pdfium_function(name: str) -> Callable[..., int]:
    """Return a function of pdfium that takes its arguments as they are, without a look at their types."""
    function = getattr(pdfium, name)
    if sys.maxsize < 1 << 32:  # 32-bit Windows has another way to call
        return cast("Callable[..., int]", function)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return cast("Callable[..., int]", ctypes.PYFUNCTYPE(ctypes.c_int)(address))


@lru_cache(maxsize=1000)
def _is_bold_font(name: bytes) -> bool:
    return _BOLD.search(name) is not None


def read_unnamed_letters(text: str) -> str:
    """Return a page's text with codes that stand for letters as these letters."""
    ligatures = _tell_ligatures(text)
    if ligatures.get(0x1C) == "ﬁ" and ligatures.items() <= _CORK.items():
        return _SMALL_INSIDE.sub(lambda match: _CORK_SMALL[match[0]], text).translate(_CORK)
    old = _OLD | _OT1 if ligatures.get(0x0C) == "ﬁ" else _OLD
    return text.translate(old | ligatures)


def _tell_ligatures(text: str) -> dict[int, str]:
    """Return the ligature that each code stands for, where the words of the page make it sure."""
    votes: dict[int, Counter[str]] = {}
    for word in list(dict.fromkeys(_WORD.findall(text)))[:_MOST_WORDS]:
        code = next(letter for letter in word if letter < " ")
        if word.count(code) > 1:
            continue
        at = word.index(code)
        for ligature, stems in _load_stems().items():
            tried = stems.finditer(word.replace(code, ligature).lower())
            if any(stem.start() <= at and stem.end() >= at + len(ligature) for stem in tried):
                votes.setdefault(ord(code), Counter())[ligature] += 1
    ligatures: dict[int, str] = {}
    for code, counts in votes.items():
        (best, most), (_, next_most) = [*counts.most_common(2), ("", 0)][:2]
        if most >= _SURE and most >= 2 * next_most:
            ligatures[code] = _SIGNS[best]
    return ligatures


@cache
def _load_stems() -> dict[str, re.Pattern[str]]:
    table = load_package_table("citeproof.reading.extractors.pdf", "ligature_stems.toml")
    return {name: re.compile("|".join(map(re.escape, words.split()))) for name, words in table.items()}
