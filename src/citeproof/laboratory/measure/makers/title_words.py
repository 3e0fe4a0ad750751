"""The words of titles: which carry meaning, how frequent they are, and which might be in their place."""

from __future__ import annotations

import random
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable

from citeproof.text import lazy_patterns as re
from citeproof.text.title import STOPWORDS

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PAIR = re.compile(r"[^\W\d_\x00-\u058f]{2}")
_SHORTEST = 4
_REACH = 40  # neighbours by frequency among which a substitute is drawn
_SEEN = 3  # times a word must occur to be taken for a word
# What a word's ending says of its part of speech, longest first; a substitute must end alike.
_ENDINGS = (
    "ation", "ition", "ments", "ities", "ology", "ness", "ment", "ions", "ical", "ized", "ising", "izing",
    "able", "ible", "tion", "sion", "ally", "ing", "ity", "ics", "ous", "ive", "ive", "ary", "ers", "ial",
    "ent", "ant", "ism", "ed", "al", "ic", "ly", "er", "or", "es", "s",
)  # fmt: skip
_MORE = frozenset(
    "about after against among before between beyond during over through toward towards under within "  # noqa: SIM905 - words read best as words
    "without that than this these those which what when where while how why can not but our new nicht "
    "sur pour dans une aux par con para por las una auf mit für aus bei über".split()
)


def find_word_spans(title: str) -> list[tuple[int, int]]:
    """Return where the words of meaning stand: of some length, plainly written, no function words."""
    return [m.span() for m in _WORD.finditer(title) if is_meaningful_word(m[0])]


def find_drawn_spans(title: str) -> list[tuple[int, int]]:
    """Return where words of meaning stand, and pairs of letters of scripts without capitals, or spaces."""
    pairs = [m.span() for m in _PAIR.finditer(title) if _lacks_capitals(m[0])]
    return sorted((*find_word_spans(title), *pairs))


def _lacks_capitals(word: str) -> bool:
    return word.upper() == word.lower()


def is_meaningful_word(word: str) -> bool:
    """Return whether a word carries meaning and is written as words are (no acronym, no formula)."""
    low = word.lower()
    plain = word.islower() or word.istitle() or (word[0].isupper() and word[1:].islower())
    return len(word) >= _SHORTEST and plain and low not in STOPWORDS and low not in _MORE


def find_ending(word: str) -> str:
    """Return the ending that shows a word's part of speech, or the name of a script without capitals."""
    if _lacks_capitals(word):
        return unicodedata.name(word[0], "").partition(" ")[0]
    return next((e for e in _ENDINGS if word.endswith(e) and len(word) > len(e) + 2), "")


class TitleLexicon:
    """The words of many titles by ending and frequency."""

    def __init__(self, titles: Iterable[str]) -> None:
        counts: Counter[str] = Counter()
        for title in titles:
            counts.update(title[a:b].lower() for a, b in find_drawn_spans(title))
        self.counts = counts
        self._by_ending: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for word, count in counts.items():
            if count >= _SEEN and (word.isascii() or _lacks_capitals(word)) and "-" not in word:
                self._by_ending[find_ending(word)].append((count, word))
        for rows in self._by_ending.values():
            rows.sort()
        self.frequent = sorted(w for rows in self._by_ending.values() for _, w in rows if w.isascii())

    def neighbour(self, word: str, rng: random.Random) -> str | None:
        """Return another word of like frequency and ending, written as `word` is; None if there is none."""
        low = word.lower()
        rows = self._by_ending.get(find_ending(low), [])
        at = bisect_left(rows, (self.counts[low], low))
        near = [w for _, w in rows[max(0, at - _REACH) : at + _REACH] if _is_other_word(w, low)]
        return copy_capitals(rng.choice(near), word) if near else None

    def draw_word(self, pattern: str, rng: random.Random) -> str | None:
        """Return a word of the same ending as `pattern`, the frequent ones more often."""
        rows = self._by_ending.get(find_ending(pattern.lower())) or self._by_ending.get("", [])
        if not rows:
            return None
        picks = [rng.choice(rows) for _ in range(3)]
        return copy_capitals(max(picks)[1], pattern)


def copy_capitals(word: str, model: str) -> str:
    """Return `word` with the capitals of `model`."""
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def _is_other_word(a: str, b: str) -> bool:
    """Return whether two words are no forms of one another: a plural is another edit than a new word."""
    shared = min(len(a), len(b), 5)
    return a[:shared] != b[:shared]
