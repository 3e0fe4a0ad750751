"""RTF as tokens: groups, control words, and text with its bytes decoded by the font they are set in.

Own code: the libraries for RTF give plain text without notes, styles and the field codes of citations.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

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
_SIGNS = {"~": "\u00a0", "_": "-", "-": "", "{": "{", "}": "}", "\\": "\\"}
_LONGEST_SKIP = 4  # characters that represent one in programs without Unicode
_PAR = "par"


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
