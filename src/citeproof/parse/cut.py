"""The best cut between title and venue: every candidate is rated, the best one wins.

A rating adds up what a reader would notice: a sentence that ends, "In", a word such as
"Journal", abbreviations with full stops, a volume number right behind. Nothing is learned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.parse.anchors import MASK, Anchors
from citeproof.parse.clues import ABBREVIATION, PUBLISHER, RUNNING, VENUE
from citeproof.text.unicode import unmark

MAX_CUTS = 60  # candidates rated in one string

_CUTS = re.compile(
    r"[.?!][”\"'’]?\s+(?=\S)|,\s+(?=\S)|;\s+|:\s+|\s[–—-]\s+|\.(?=[A-Z][a-z])|\s(?=In:?\s[A-Z])"
    r"|\s\((?=[^\Wa-z_][^():]{2,40}:\s)"
)
_STROKES = re.compile(r"\s//\s")  # GOST 7.0.5: "Title // Venue"
_UNMARKED = re.compile(r"(?<=[a-z)])\s(?=(?:[^\Wa-z_][\w.-]{0,30}(?:\s(?:of|and|the|in|&))?\s){1,6}$)")
_SENTENCE = re.compile(r"[.?!][”\"'’]?\s+(?=[^\Wa-z_]|[“\"(])")
_IN = re.compile(r"[(\[]?(?:In|in|En|Dans|In:|in:|IN)[:\s]\s?(?=[^\Wa-z_]|[“\"‘«0-9])")
_EDITED = re.compile(r"(?:[Ee]ds?\.|[Ee]dited by|[Tt]rans(?:lated by|\.)|[Hh]g\.|[Hh]rsg\.)\s")
_WORD = re.compile(r"[^\W\d_][\w'’-]*\.?")
_LAST_WORD = re.compile(r"([^\s(\[“\"]{1,40})$")
_CHAIN = re.compile(
    r"(?:^|\s)[^\Wa-z_][^\W\d_]{1,9}\.\s$"
)  # "Math. Oper. Res": one abbreviation after another
_BEHIND = re.compile(rf"[{MASK}\s.,;:()\[\]]*")
_CITY = re.compile(r"[^\W\d_][\w .,;/-]{1,40}:\s[^\Wa-z_]")

# What a feature adds to the rating. Tuned by eye on training references, never on held-out ones.
_SEPARATOR = {
    ".": 3.0,
    "?": 2.5,
    "!": 2.5,
    ",": 0.0,
    ";": -0.5,
    ":": -2.0,
    "-": -1.5,
    " ": 1.0,
    "none": -1.0,
    "end": 0.5,
}


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the title ends and the venue begins; equal offsets mean that there is no title."""

    title_end: int
    venue_start: int
    located: bool  # a volume or pages follow the venue directly
    sure: bool
    whole: bool  # the title takes all there is up to the next anchor


def best(masked: str, start: int, anchors: Anchors) -> Cut:
    """Return the best cut of `masked` from `start` on."""
    hard = masked.find(MASK, start)
    hard = len(masked) if hard < 0 else hard
    located = _located(masked, hard, anchors)
    if stroke := _STROKES.search(masked, start, hard):
        return Cut(stroke.start(), stroke.end(), located, sure=True, whole=False)
    rated = [(_no_title(masked[start:hard], located=located), start, start)]
    for separator, end, after in _candidates(masked, start, hard, located=located):
        rating = _rate(masked[start:end], separator, _rest(masked, after, hard), located=located)
        rated.append((rating, end, after))
    rating, title_end, venue_start = max(rated, key=lambda r: (r[0], -r[1]))
    whole = title_end == hard and not _rest(masked, hard, hard)
    return Cut(title_end, venue_start, located, rating >= 3.0, whole)


def _candidates(masked: str, start: int, hard: int, *, located: bool) -> list[tuple[str, int, int]]:
    """Return (separator, title end, venue start) of each place where the title may end."""
    found = []
    for match in list(_CUTS.finditer(masked, start, hard))[:MAX_CUTS]:
        mark = match[0].strip()[:1] or " "
        mark = "-" if mark in "–—-" else " " if mark == "(" else mark
        found.append((mark, match.start() + (mark in "?!"), match.end()))
    if located and (bare := _UNMARKED.search(masked[:hard].rstrip(" ,") + " ", max(start, hard - 80))):
        found.append(("none", bare.start(), bare.end()))
    return [*found, ("end", hard, hard)]


def _located(masked: str, hard: int, anchors: Anchors) -> bool:
    if anchors.locator_at is None:
        return False
    behind = _BEHIND.match(masked, hard)
    return hard <= anchors.locator_at <= (behind.end() if behind else hard)


def _rest(masked: str, after: int, hard: int) -> str:
    """Return the words behind the cut, up to the next masked anchor."""
    if after < hard:
        return masked[after:hard].strip(" .,;:(")
    behind = _BEHIND.match(masked, hard)
    start = behind.end() if behind else hard
    end = masked.find(MASK, start)
    return masked[start : end if end >= 0 else len(masked)].strip(" .,;:(")


def _rate(title: str, separator: str, rest: str, *, located: bool) -> float:
    """Return how good it is to end the title here."""
    rating = _SEPARATOR[separator]
    if separator == "." and _abbreviated(title):
        rating -= 5.0
    rating += _title_rating(title)
    if not rest:
        return rating - (2.5 if located and separator == "end" else 0.0)
    if separator == "." and _one_short_word(title):
        rating -= 3.0
    return rating + _rest_rating(rest, located=located and separator != "end")


def _one_short_word(title: str) -> bool:
    """Return whether the "title" is more likely the first word of an abbreviated journal: Nucl. Phys."""
    words = title.split()
    return len(words) == 1 and len(words[0]) < 7


def _title_rating(title: str) -> float:
    words = _WORD.findall(title)
    rating: float = (-3.0, -1.5, -0.3)[len(words)] if len(words) < 3 else 0.5
    folded = [_fold(word) for word in words]
    rating += min(2.0, 0.6 * sum(word in RUNNING for word in folded))
    rating -= sum(word in VENUE for word in folded[-4:] if len(word) > 3)
    rating -= 1.2 * sum(word.endswith(".") and 2 < len(word) < 9 for word in words[:-1])
    return rating - 2.5 * sum(not _abbreviated(title[: m.start()]) for m in _SENTENCE.finditer(title))


def _rest_rating(rest: str, *, located: bool) -> float:
    """Return how much `rest` looks like a venue or a publisher."""
    rating: float = 4.0 if _IN.match(rest) or _EDITED.match(rest) else 0.0
    if not rating and rest[:1].islower():
        rating -= 3.0
    head = _SENTENCE.split(rest, maxsplit=1)[0]
    words = _WORD.findall(head)
    folded = [_fold(word) for word in words]
    rating += min(3.0, 1.2 * sum(word in VENUE for word in folded))
    rating += min(2.4, 0.8 * sum(word.endswith(".") and len(word) > 2 for word in words))
    rating -= 0.8 * sum(word in RUNNING for word in folded[1:])
    rating += min(2.0, 1.2 * sum(word in PUBLISHER for word in folded))
    rating += 1.5 if _CITY.match(rest) else 0.0
    rating += 1.5 if located and len(words) <= 10 else 0.0
    if words:
        rating += 2.0 * (sum(word[0].isupper() for word in words) / len(words) - 0.6)
    return rating - (1.0 if len(words) > 14 else 0.0)


def _no_title(segment: str, *, located: bool) -> float:
    """Return how good it is that there is no title at all: physics and chemistry styles."""
    words = _WORD.findall(segment)
    if not located or not words or len(words) > 9:
        return -9.0
    dotted = sum(word.endswith(".") and len(word) < 10 for word in words)
    spoken: int = sum(word.islower() and len(word) > 3 and not word.endswith(".") for word in words)
    rating: float = _rest_rating(segment.strip(" ,;"), located=True) + min(4.0, 1.5 * dotted)
    return rating - 2.5 - 1.5 * spoken


def _abbreviated(text: str) -> bool:
    """Return whether the word before a full stop is an abbreviation or an initial."""
    match = _LAST_WORD.search(text.rstrip(".")[-41:])
    if not match:
        return False
    word = match[1]
    if (len(word) == 1 and word.isalpha()) or _fold(word) in ABBREVIATION:
        return True
    short = len(word) < 9 and word[0].isupper()
    return short and _CHAIN.search(text[: len(text) - len(word)][-20:]) is not None


def _fold(word: str) -> str:
    return unmark(word).casefold().rstrip(".").removesuffix("'s")
