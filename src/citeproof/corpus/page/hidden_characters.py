"""Characters that nobody sees, inside words: left out for reading, and every place mapped back.

`REF-9<U+200B>99` and `REF-9&#57;9` look like `REF-999`, so they are read as that. Markdown must stay what it
was: only what is at a letter or digit is left out, and nothing that would make a tag, a list or a link.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from citeproof.corpus.corpus_types import Span
from citeproof.text import lazy_patterns as re

UNSEEN = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # for a character class
ENTITY = re.compile(r"&#(?:0{0,5}(\d{2,3})|[xX]0{0,5}([0-9a-fA-F]{2}));")

_BESIDE = r" .,;:/&'()-"
_DROPPED = re.compile(
    rf"(?<=[A-Za-z0-9@])[{UNSEEN}]{{1,99}}(?=[A-Za-z0-9@{_BESIDE}])"
    rf"|(?<=[{_BESIDE}])[{UNSEEN}]{{1,99}}(?=[A-Za-z0-9@])"
    rf"|(?<=[,;])[{UNSEEN}]{{1,99}}(?= )"
)
_TAG = 100  # characters of a tag in which a character may be hidden
_LABEL = 1_000  # characters of a label, as CommonMark has it; and of a line before a place
_DEFINED = re.compile(r"^[ \t>*+\d.)-]{0,40}\[([^\[\]]{1,1000})\]:", re.MULTILINE)
_HIDDEN = re.compile(f"[{UNSEEN}]")


@dataclass(slots=True)
class ShrunkText:
    """A text without what nobody sees, and how its places lie in the original."""

    original: str
    text: str = ""
    starts: list[int] = field(default_factory=lambda: [0])  # of the pieces that were kept, in `text`
    places: list[int] = field(default_factory=lambda: [0])  # of the same, in `original`

    def locate_original(self, place: int) -> int:
        """Return where a character of the short text is in the original."""
        index = bisect_right(self.starts, place) - 1
        return self.places[index] + place - self.starts[index]

    def span(self, span: Span) -> Span:
        """Return the original span of a span of the short text."""
        end = (
            self.locate_original(span.end - 1)
            if span.end > span.start
            else self.locate_original(span.start) - 1
        )
        return Span(self.locate_original(span.start), self._find_last_character(end) + 1)

    def _find_last_character(self, place: int) -> int:
        """Return the last character of what is at a place: of an entity its semicolon."""
        match = ENTITY.match(self.original, place) if self.original[place : place + 2] == "&#" else None
        return match.end() - 1 if match and decode_letter(match) else place

    def expand_mask(self, masked: str) -> str:
        """Return what the mask of the short text is for the original: blanks, or what is there."""
        pieces: list[str] = []
        for index, (start, place) in enumerate(zip(self.starts, self.places, strict=True)):
            last = index + 1 == len(self.starts)
            end = len(masked) if last else self.starts[index + 1]
            pieces.append(masked[start:end])
            gap = self.original[place + end - start : len(self.original) if last else self.places[index + 1]]
            if gap[:1] == "#":  # the rest of an entity, whose letter is in the mask
                pieces[-1] = masked[start : end - 1] + ("&" if masked[end - 1] != " " else " ")
                shown = masked[end - 1] != " "
            else:
                shown = not masked[end - 1 : end].isspace() and not masked[end : end + 1].isspace()
            pieces.append(gap if shown else " " * len(gap))
        return "".join(pieces)


def shrink_text(text: str) -> ShrunkText | None:
    """Return a text without what nobody sees in its words; None if there is nothing of the kind."""
    matches = [] if text.isascii() else [(match, "") for match in _DROPPED.finditer(text)]
    if "&#" in text:
        matches += [(match, sign) for match in ENTITY.finditer(text) if (sign := decode_letter(match))]
    found = sorted((match.start(), match.end(), sign) for match, sign in matches)
    labels = (
        {_normalise_label(match[1]) for match in _DEFINED.finditer(text)}
        if found and "]:" in text
        else set[str]()
    )
    found = [one for one in found if not _is_significant(text, *one, labels)]
    if not found:
        return None
    made, pieces, at, size = ShrunkText(text), list[str](), 0, 0
    for start, end, sign in found:
        pieces += text[at:start], sign
        size += start - at + len(sign)
        at = end
        made.starts.append(size)
        made.places.append(end)
    made.text = "".join([*pieces, text[at:]])
    return made


def decode_letter(match: re.Match[str]) -> str:
    """Return the letter or digit that an entity of ASCII represents; empty if it is another sign."""
    sign = chr(int(match[1]) if match[1] else int(match[2], 16))
    return sign if sign.isascii() and sign.isalnum() else ""


def _is_significant(text: str, start: int, end: int, sign: str, labels: set[str]) -> bool:
    """Return whether Markdown would be another without a character: in a tag, a list's number, a label."""
    opened = text.rfind("<", max(0, start - _TAG), start)
    if opened >= 0 and text.find(">", opened, start) < 0:
        return True
    around = sign or text[start - 1 : start] + text[end : end + 1]
    if not any(one.isalpha() for one in around):  # "1<U+200B>. item"
        line = text[max(0, start - _LABEL) : start].replace("\r", "\n").rpartition("\n")[2]
        if not any(one.isalpha() for one in line):
            return True
    return bool(labels) and _normalise_label(_extract_bracketed(text, start)) in labels


def _extract_bracketed(text: str, at: int) -> str:
    """Return what is between the brackets around a place; empty if it is in none."""
    first, last = text.rfind("[", max(0, at - _LABEL), at), text.find("]", at, at + _LABEL)
    return text[first + 1 : last] if first >= 0 and last >= 0 and text.find("]", first, at) < 0 else ""


def _normalise_label(text: str) -> str:
    """Return a label as it looks."""
    seen = ENTITY.sub(lambda match: decode_letter(match) or match[0], _HIDDEN.sub("", text))
    return " ".join(seen.split()).casefold()
