"""Venues in which a work certainly did not appear."""

from __future__ import annotations

import random

from citeproof.measure.makers.edits import Truth
from citeproof.measure.makers.mutations.around import Around, published
from citeproof.measure.makers.mutations.drawn import table
from citeproof.measure.makers.pool import PAPERS
from citeproof.text import title as titles
from citeproof.text.journal import surely_same

_TRIES = 40
_ACRONYM = 3  # letters of the shortest acronym that tells something
_SHORTEST = 4  # letters that two words must have in common to be one, the shorter an abbreviation


def appeared(truth: Truth) -> bool:
    """Return whether it is known where the work was published: only then is another venue wrong."""
    papers = truth.cited.kind in PAPERS
    return papers and any(published(version.venue) for version in truth.record.versions)


def elsewhere(truth: Truth, pool: Around, rng: random.Random) -> str:
    """Return a venue in which no version of the work appeared; empty if none is certain."""
    if not appeared(truth) or not pool.venues:
        return ""
    known = [version.venue for version in truth.record.versions if version.venue] + [truth.cited.venue]
    drawn = (rng.choice(pool.venues) for _ in range(_TRIES))
    return next((venue for venue in drawn if all(unlike(venue, one) for one in known)), "")


def unlike(a: str, b: str) -> bool:
    """Return whether two venues are two: no word, abbreviation or acronym of one belongs to the other."""
    if surely_same(a, b) or surely_same(b, a):  # renamed: "WWW" and "The Web Conference"
        return False
    if any(_one(x, y) or _one(y, x) for x in _telling(a) for y in _telling(b)):
        return False
    return not (_abbreviates(a, b) or _abbreviates(b, a))


def _one(x: str, y: str) -> bool:
    """Return whether two words may be one: alike in their first letters, or one inside the other (NAACL)."""
    return x.startswith(y[:_SHORTEST]) or (len(x) >= _ACRONYM and x in y)


def _telling(venue: str) -> set[str]:
    """Return the words of a venue that tell it from others."""
    return {word for word in titles.words(venue) if word not in table()["anywhere"] and not word.isdigit()}


def _abbreviates(short: str, long: str) -> bool:
    """Return whether a word of `short` may be made of initials of `long`, some of them left out."""
    initials = "".join(word[0] for word in titles.words(long) if word not in titles.STOPWORDS)
    return any(len(word) >= _ACRONYM and _within(word, initials) for word in titles.words(short))


def _within(word: str, letters: str) -> bool:
    left = iter(letters)
    return all(letter in left for letter in word)
