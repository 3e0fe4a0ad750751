"""What the tagger sees around a token: position, marks, quotation, years, "In", the segment it stands in.

Two passes over the tokens give small keys; each distinct key is spelled out as features once and its
weights are then kept by the tagger.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from citeproof.parse.clues import ABBREVIATION
from citeproof.parse.tokens import Tokens
from citeproof.parse.words import coarse

_MARKS = frozenset(".,;:?!()[]\"“”„«»‘’'/–—-")
_STOPS = frozenset('.;:?!()[]"“”„«»/')
_CLAUSES = _STOPS | frozenset(",–—")
_OPEN = frozenset("“„«")
_CLOSE = frozenset("”»")
_LAST = 7  # the segment from which on they are counted no further

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """One key a token and stream; `segments` has a key a segment and `segment_of` a token's segment."""

    coarse: str
    marks: list[Key]
    state: list[Key]
    segments: list[Key]
    segment_of: list[int]
    clauses: list[Key]
    clause_of: list[int]


def context(tokens: Tokens, anchored: list[str], run_end: int) -> Context:
    """Return the keys of all tokens; `anchored` says which identifier each one is part of."""
    words = tokens.words
    kinds = "".join(map(coarse, words))
    segment_of, segments = _segments(words, kinds, _STOPS)
    clause_of, clauses = _segments(words, kinds, _CLAUSES)
    return Context(
        kinds,
        _marks(words),
        _states(words, kinds, anchored, segment_of, run_end, tokens.starts),
        segments,
        segment_of,
        clauses,
        clause_of,
    )


@lru_cache(maxsize=2048)
def places(count: int) -> list[Key]:
    """Return for each of `count` tokens how far it is from the start and the end."""
    return [(min(at, 9), 10 * at // count, min(count - 1 - at, 4)) for at in range(count)]


def _marks(words: list[str]) -> list[Key]:
    """Return for each token: its quotation and bracket, the marks before and behind, how far the next."""
    count = len(words)
    quoted = [0] * count
    bracket = [""] * count
    before = [""] * count
    seen, inside, depth, mark = 0, False, "", "^"
    for at, word in enumerate(words):
        if word == '"':
            inside = not inside
            seen += 1
        elif word in _OPEN:
            inside, seen = True, seen + 1
        elif word in _CLOSE:
            inside = False
        elif word in "([":
            depth = word
        elif word in ")]":
            depth = ""
        quoted[at] = 1 if inside else 2 if seen else 0
        bracket[at] = depth
        before[at] = mark
        if word in _MARKS:
            mark = word
    keys: list[Key] = [()] * count
    following, distance = "$", 0
    for at in range(count - 1, -1, -1):
        shown = quoted[at] if seen else 3
        keys[at] = (shown, bracket[at], before[at], following, min(distance, 4))
        distance += 1
        if words[at] in _MARKS:
            following, distance = words[at], 0
    return keys


def _states(
    words: list[str], kinds: str, anchored: list[str], segment_of: list[int], run_end: int, starts: list[int]
) -> list[Key]:
    """Return for each token: identifier, years seen and to come, whether "In" and editors were or come."""
    count = len(words)
    years = min(kinds.count("Y"), 3)
    ahead = _ahead(kinds)
    past = bisect_left(starts, run_end) if run_end > 0 else -1
    keys: list[Key] = []
    passed = within = edited = 0
    for at in range(count):
        kind = kinds[at]
        if kind in "oO":
            within |= (at and kind == "O" and words[at - 1] in _STOPS) or words[at + 1 : at + 2] == [":"]
        elif kind == "e":
            edited = 1
        run = 0 if past < 0 else 1 if at < past else 2
        segment = segment_of[at]
        keys.append((
            anchored[at], passed, years, within, edited, ahead[at], run, min(_LAST, segment)
        ))  # fmt: skip
        if kind == "Y" and passed < 2:
            passed += 1
    return keys


def _ahead(kinds: str) -> list[int]:
    """Return for each token whether a word such as "Hrsg." comes: 2 soon, 1 later, 0 not."""
    count = len(kinds)
    found = [0] * count
    at = kinds.find("e")
    start = 0
    while at >= 0:
        for before in range(max(start, at - 40), at + 1):
            found[before] = 2 if at - before <= 12 else 1
        start = at + 1
        at = kinds.find("e", start)
    return found


def _segments(words: list[str], kinds: str, stops: frozenset[str]) -> tuple[list[int], list[Key]]:
    """Return each token's segment and each segment's key; full stops behind initials end none."""
    segment_of: list[int] = []
    keys: list[Key] = []
    start, opener, number = 0, "^", 0
    for at, word in enumerate(words):
        segment_of.append(number)
        if word in stops and not (word == "." and at and _short(words[at - 1])):
            keys.append(_segment(kinds[start:at], opener, word))
            start, opener, number = at + 1, word, number + 1
    keys.append(_segment(kinds[start:], opener, "$"))
    return segment_of, keys


def _short(word: str) -> bool:
    return len(word) == 1 or word.lower() in ABBREVIATION


_CAPITAL = frozenset("CAGFBULOz")
_LOWER = frozenset("cf")


@lru_cache(maxsize=20_000)
def _segment(kinds: str, opener: str, closer: str) -> Key:
    """Return what a segment is made of, coarsely."""
    capital = lower = function = 0
    for kind in kinds:
        if kind in _CAPITAL:
            capital += 1
        elif kind in _LOWER:
            lower += 1
            function += kind == "f"
    total = capital + lower
    return (
        min(total, 4) if total < 5 else 5 if total < 9 else 6,
        0 if not total else 1 + 4 * capital // (total + 1),
        min(function, 2),
        min(kinds.count("I"), 3),
        min(kinds.count(","), 3),
        "Y" in kinds,
        any(kind in "12345" for kind in kinds),
        "j" in kinds or "k" in kinds,
        kinds.count("b") + kinds.count("B") > 1,
        "U" in kinds or "u" in kinds,
        "L" in kinds,
        "p" in kinds or "v" in kinds or "i" in kinds,
        opener,
        closer,
    )


def spelled_place(key: Key) -> list[str]:
    first, tenth, last = key
    return [f"t={first}", f"r={tenth}", f"z={last}"]


def spelled_marks(key: Key) -> list[str]:
    quoted, bracket, before, behind, far = key
    return [
        f"q={quoted}", f"b={bracket}", f"m={before}", f"M={behind}", f"mM={before}{behind}",
        f"Mf={behind}{far}", f"qb={quoted}{bracket}", f"qm={quoted}{before}",
    ]  # fmt: skip


def spelled_state(key: Key) -> list[str]:
    anchored, passed, years, within, edited, ahead, run, segment = key
    return [
        f"a={anchored}", f"y={passed}{years}", f"I={within}{edited}{ahead}", f"R={run}", f"g={segment}",
        f"gy={segment}{passed}{years}", f"gI={segment}{within}", f"Ry={run}{passed}{years}",
        f"gR={segment}{run}", f"IR={within}{ahead}{run}",
    ]  # fmt: skip


def segment_seen(feature: str, offset: int) -> bool:
    """Return whether a segment's feature is seen from the segments beside it."""
    return not offset or feature[:2] in ("S=", "Si", "So", "Sd", "Sv")


def spelled_segment(key: Key) -> list[str]:
    """Return the features of a segment, in the order `_segment` counts."""
    size, capital, function, initials, commas, year, digit, venue, short, *rest = key
    publisher, place, locator, opener, closer = rest
    return [
        f"S={size}{capital}{function}",
        f"Si={initials}{commas}{size}",
        f"So={opener}{closer}",
        f"Sd={year}{digit}{locator}",
        f"Sv={venue}{short}{publisher}{place}",
        f"Sf={function}{capital}{initials}",
        f"Sc={closer}{size}{function}",
        f"Sb={short}{digit}{size}",
        f"SV={venue}{capital}{function}{digit}",
    ]
