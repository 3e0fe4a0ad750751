"""`[[cite:KEY]]` in the text of a language model, as it comes in chunks -> text and markers, in order.

Whatever a reader or a careless model takes for such a marker is one: other cases and brackets, escapes,
invisible characters. No part of one is ever given out as text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from citeproof.text import lazy_patterns as re

LONGEST_KEYS = 500  # characters between the brackets; longer ones name nothing
# Controls that no text needs, halves of characters, and the plane that stands in for markers.
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\U000f0000-\U000ffffd]")
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"
)
_GAP = f"[ \t\u00a0{_INVISIBLE}]{{0,20}}"
_OPENING = r"(?:\\?[\[［\u27e6]|&#0{0,9}91;?|&#x0{0,9}5b;?|&lsqb;|&lbrack;|%5b)"
_CLOSING = r"(?:\\?[\]］\u27e7]|&#0{0,9}93;?|&#x0{0,9}5d;?|&rsqb;|&rbrack;|%5d)"
_LETTERS = (
    "[cсⅽϲᴄ\uff43]", "[iіıⅰ\uff49]", "[tтτ\uff54]", "[eеℯ\uff45]",
    r"(?:\\?[:：ː∶]|&#0{0,9}58;?|&#x0{0,9}3a;?|&colon;|%3a)",
)  # fmt: skip
_FIRST = f"{_OPENING}(?:{_GAP}{_OPENING}){{0,2}}"
_OPENER = re.compile(_GAP.join((_FIRST, *_LETTERS)), re.IGNORECASE)
_BRACKETS = re.compile(_OPENING, re.IGNORECASE)
_CLOSER = re.compile(_GAP + _CLOSING, re.IGNORECASE)
_STOP = re.compile(f"\n|{_CLOSING}|{_OPENER.pattern}", re.IGNORECASE)
_FRAGMENT = r"(?:&#?\w{0,12}|%[0-9a-f]?|\\)"  # the first characters of a part
_OPEN_END = re.compile(f"{_GAP}{_FRAGMENT}?", re.IGNORECASE)
_WORD = re.compile(r"\S*")
_SEPARATOR = re.compile(r"\s*[;|]\s*|,\s+")
_STRIPPED = re.compile(f"[{_INVISIBLE}]")


def _make_beginning() -> re.Pattern[str]:
    """Return what the end of a chunk looks like that may be the beginning of a marker."""
    rest = _FRAGMENT
    for letter in reversed(_LETTERS):
        rest = f"(?:{_FRAGMENT}|{letter}(?:{_GAP}{rest})?)"
    return re.compile(f"(?:{_FIRST}(?:{_GAP}{rest})?{_GAP}|{_FRAGMENT})\\Z", re.IGNORECASE)


_BEGINNING = _make_beginning()
_REACH = 200  # characters at the end of a chunk that are looked at for a beginning


@dataclass(frozen=True, slots=True)
class CiteMarker:
    """One marker: what stands between its brackets, tidied; empty if it is malformed."""

    content: str

    def split_keys(self) -> list[str]:
        """Return its keys, if it has several."""
        return [one for one in _SEPARATOR.split(self.content) if one]


class MarkerReader:
    """Takes chunks and gives text and markers; what may still become a marker is kept back."""

    def __init__(self) -> None:
        self._left = ""

    def feed(self, chunk: str) -> list[str | CiteMarker]:
        """Return what is certain now."""
        return self._read(_UNWANTED.sub("", chunk), final=False)

    def finish(self) -> list[str | CiteMarker]:
        """Return the rest; a marker that is not closed names nothing."""
        return self._read("", final=True)

    def _read(self, chunk: str, *, final: bool) -> list[str | CiteMarker]:
        text, at = self._left + chunk, 0
        found: list[str | CiteMarker] = []
        while opener := _OPENER.search(text, at):
            read = _read_marker(text, opener, final=final)
            if read is None:
                break
            found += [text[at : opener.start()], read[0]]
            at = read[1]
        whole = opener.start() if opener else len(text)
        if not opener and not final:
            begun = _BEGINNING.search(text, max(at, whole - _REACH))
            whole = begun.start() if begun else whole
        found.append(text[at:whole])
        self._left = text[whole:]
        return [one for one in found if one != ""]


def _read_marker(text: str, opener: re.Match[str], *, final: bool) -> tuple[CiteMarker, int] | None:
    """Return the marker that is opened here and where it ends; None while that is not known."""
    most = min(len(text), opener.end() + LONGEST_KEYS)
    found = _STOP.search(text, opener.end(), most)
    stop = found.start() if found else most
    if stop == len(text) and not final:
        return None
    at, closed = stop, 0
    for _ in _BRACKETS.findall(opener[0]):
        closer = _CLOSER.match(text, at)
        if closer is None:
            if not final and _OPEN_END.fullmatch(text, at):
                return None
            break
        at, closed = closer.end(), closed + 1
    if closed:
        if not final and at == len(text) and text[-1] not in "]］\u27e7;":
            return None  # the semicolon of a character reference may follow
        return CiteMarker(tidy_key(text[opener.end() : stop])), at
    word = _WORD.match(text, opener.end(), stop)
    return CiteMarker(""), word.end() if word else opener.end()


def tidy_key(text: str) -> str:
    """Return a key as it is compared: in compatible characters, without what cannot be seen."""
    return " ".join(unicodedata.normalize("NFKC", _STRIPPED.sub("", text)).split())


def remove_markers(text: str) -> str:
    """Return text of a record without anything that could be taken for a marker."""
    while (shorter := _OPENER.sub("cite ", text)) != text:
        text = shorter
    return text
