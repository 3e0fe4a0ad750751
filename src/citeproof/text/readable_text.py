r"""A text as a reader sees it, and where each character of it stands in the original.

`10&#46;1038/x`, `10\.1038/x`, `10.1<b>038</b>/x`, hidden and look-alike characters  ⇒ 10.1038/x
`<sup>1</sup>`, `&#91;1&#93;`, `\[1\]`                                               ⇒ [1]
`<a href="https://doi.org/10.1/x">text</a>`                                          ⇒ [text](https://doi.org/10.1/x)
`> quoted`                                                                           ⇒ quoted

Code keeps its signs: only what is invisible, and look-alike letters, are read there. A sign that would make
code or mathematics of what is none (an escaped backtick) is written as one that makes nothing.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

UNSEEN = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # for a character class
# Cyrillic and Greek letters that print like Latin ones (UTS 39), and signs that print like ASCII.
_ALIKE = (
    "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhгrАAВBЕEКKМMНHОOРPСCТTХXІIЈJЅSУYЬb"
    "οoαaνvρpιiυuκkΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıiɑaɡgꓲI"
)
LOOKALIKES = dict(zip(_ALIKE[::2], _ALIKE[1::2], strict=True))
_SIGNS = {"\u2024": ".", "\u2044": "/", "\u2215": "/", "\u29f8": "/", "\u2236": ":", "\ua789": ":"}
_HARMLESS = {"`": "'", "$": "\u00a4", "<": "\u2039", ">": "\u203a", "|": "\u00a6", "\n": " ", "\r": " "}

_HIDDEN = (
    rf"(?P<hidden>[{UNSEEN}\ufe00-\ufe0f\U000e0000-\U000e007f]{{1,99}}(?:(?<=\u00ad)\r?\n[ \t>]{{0,20}})?)"
)
_FOREIGN = (
    rf"(?P<alike>(?<=[A-Za-z0-9])[{''.join(LOOKALIKES)}]{{1,99}}|[{''.join(LOOKALIKES)}]{{1,99}}(?=[A-Za-z0-9]))"
    rf"|(?P<wide>[\uff01-\uff5e\U0001d400-\U0001d7ff{''.join(_SIGNS)}])"
)
_IN_CODE = re.compile(f"{_HIDDEN}|{_FOREIGN}")
_IN_TEXT = re.compile(
    r"(?P<rst>`(?P<named>[^`<>]{1,300}?)\s{0,9}<(?P<target>https?://[^<>\s]{1,500})>`__?)"
    r"|(?P<texquote>(?<![`\w])`{1,2}(?=[^\W\d_][^`'\n]{0,80}'{1,2}(?:[\s.,;:)]|$)))|"
    r"(?P<code>^[ \t>]{0,12}(?P<fence>`{3,}|~{3,})[^\n]{0,200}"
    r"(?:\n(?s:.*?)(?:^[ \t>]{0,12}(?P=fence)[`~]*[ \t]*$|\Z)|\Z)"
    r"|(?<![\\`])(?P<tick>`{1,3})(?!`)[^`\n]{1,1000}(?P=tick)(?!`))"
    rf"|{_HIDDEN}|{_FOREIGN}"
    r"|(?P<quoted>^[ \t]{0,3}(?!>>> )(?:>[ \t]?){1,9})"
    r"|(?P<entity>&(?:amp;){0,3}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<accent>(?<=[A-Za-z{])\\([\"'`^~])\{?([A-Za-z])\}?)"
    r"|(?P<pair>\\\[[^\\\[\]=^_{}+\n]{1,80}\\\])"
    r"|(?P<escape>\\[!-'*-/:-@^-`{-~])"
    r"|(?P<comment><!--|-->)"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,1000})?/?>)"
    r"|(?P<glued>(?<=[\w/])\*{1,3}(?=[\w/]))"
    r"|(?P<broken>(?:(?<=doi\.org/)|(?<=DOI\.ORG/)|(?<=10\.\d{4}[/.])|(?<=10\.\d{5}[/.]))"
    r"[ \t]{0,9}\r?\n[ \t>]{0,20}(?=[\w(]))",
    re.MULTILINE,
)
_COMBINING = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}
_HREF = re.compile(
    r"\bhref\s{0,3}=\s{0,3}(?:\"([^\"]{1,1000})\"|'([^']{1,1000})'|([^\s\"'>]{1,1000}))", re.IGNORECASE
)
_EMPTY_LINK = re.compile(r"\s{0,99}(?:<img[^<>]{0,1000}>\s{0,99}){0,5}</a>", re.IGNORECASE)  # a badge
_TAG_NAME = re.compile(r"</?([A-Za-z0-9]{1,16})")
_NUMBER = re.compile(r"\s{0,3}\[?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,9}\]?\s{0,3}</sup>", re.IGNORECASE)
_LITERAL = frozenset(("code", "kbd", "samp", "tt"))
_BLOCK_TAGS = frozenset(
    ("br", "p", "div", "li", "ul", "ol", "tr", "table", "blockquote", "h1", "h2", "h3", "h4", "hr")
)


@dataclass(frozen=True, slots=True)
class ReadableText:
    """What is read, and its pieces: where each begins here, and which part of the original it is."""

    original: str
    text: str
    _starts: tuple[int, ...]
    _places: tuple[tuple[int, int, bool], ...]  # start and end in the original, and if it was rewritten

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` of the readable text stand in the original."""
        first = self._find_place(start)[0]
        return first, max(first, self._find_place(end - 1)[1]) if end > start else first

    def _find_place(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._starts, at) - 1
        start, end, rewritten = self._places[index]
        if rewritten:
            return start, end
        place = start + at - self._starts[index]
        return place, place + 1


def read_as_shown(text: str) -> ReadableText:
    """Return `text` as a reader sees it."""
    pieces: list[str] = []
    starts: list[int] = []
    places: list[tuple[int, int, bool]] = []
    at = size = 0

    def add(piece: str, start: int, end: int, *, rewritten: bool) -> None:
        nonlocal size
        if piece:
            starts.append(size)
            places.append((start, end, rewritten))
            pieces.append(piece)
            size += len(piece)

    for start, end, piece in _list_rewritten(text):
        add(text[at:start], at, start, rewritten=False)
        add(piece, start, end, rewritten=True)
        at = end
    add(text[at:], at, len(text), rewritten=False)
    return ReadableText(text, "".join(pieces), tuple(starts or [0]), tuple(places or [(0, 0, True)]))


def _list_rewritten(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is written in another way than it is read: (start, end, as it is read), in order."""
    targets: list[str] = []  # of the links that are open
    for match in _IN_TEXT.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if match["code"] is not None:
            for inner in _IN_CODE.finditer(text, start, end):
                yield *inner.span(), _read_character(inner[0], inner.lastgroup)
        elif match["tag"] is not None:
            yield start, end, _read_tag(text, match, targets)
        elif match["accent"] is not None:
            sign = unicodedata.normalize("NFC", match[0].strip("\\{}")[-1] + _COMBINING[match[0][1]])
            yield start, end, sign if len(sign) == 1 else match[0]
        elif match["entity"] is not None:
            sign = html.unescape(match[0].replace("&amp;", "&"))
            if sign != match[0]:
                yield start, end, "".join(_HARMLESS.get(letter, letter) for letter in _drop_unseen(sign))
        elif match["rst"] is not None:
            yield start, start + 1, "["
            yield match.end("named"), end, f"]({match['target']})"
        elif match["pair"] is not None:
            yield start, start + 2, "["
            yield end - 2, end, "]"
        elif match["escape"] is not None:
            yield start, end, _HARMLESS.get(match[0][1], match[0][1])
        else:
            yield start, end, _read_character(match[0], kind)


def _read_character(signs: str, kind: str | None) -> str:
    """Return the look-alike and wide characters as the ASCII they look like; nothing for the rest."""
    if kind == "alike":
        return "".join(LOOKALIKES[one] for one in signs)
    if kind == "wide":
        sign = _SIGNS.get(signs) or unicodedata.normalize("NFKC", signs)
        return _HARMLESS.get(sign, sign)
    return ""


def _drop_unseen(text: str) -> str:
    return _IN_CODE.sub(lambda match: _read_character(match[0], match.lastgroup), text)


def _read_tag(text: str, match: re.Match[str], targets: list[str]) -> str:
    """Return what a tag of HTML does to the text around it, in Markdown."""
    tag = match[0]
    found = _TAG_NAME.match(tag)
    name, closes = (found[1].lower() if found else ""), tag.startswith("</")
    if name == "a":
        if closes:
            return f"]({targets.pop()})" if targets else ""
        href = _HREF.search(tag)
        target = html.unescape(next(filter(None, href.groups()))) if href else ""
        if not target or any(sign in target for sign in " ()<>\n"):
            return ""
        if _EMPTY_LINK.match(text, match.end()):
            return f"<{target}>"
        targets.append(target)
        return "["
    if name == "sup":
        before = text[max(0, match.start() - 60) : match.start()]
        if closes:
            return "" if before.endswith("]") or not before[-1:].isdigit() else "]"
        return "[" if (number := _NUMBER.match(text, match.end())) and "[" not in number[0] else ""
    if name in _LITERAL:
        return "`"
    if name in ("td", "th"):
        return " | "
    return "\n" if name in _BLOCK_TAGS else ""
