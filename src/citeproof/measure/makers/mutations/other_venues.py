"""Venues in which a work certainly did not appear."""

from __future__ import annotations

import random

from citeproof.measure.makers.edits import TrueCitation
from citeproof.measure.makers.mutations.drawn_words import load_word_table
from citeproof.measure.makers.mutations.mutation_pool import MutationPool, is_published_venue
from citeproof.measure.makers.record_pool import PAPERS
from citeproof.text import title as titles
from citeproof.text.venue_match import is_surely_same

_TRIES = 40
_ACRONYM = 3  # letters of the shortest acronym that tells something
_SHORTEST = 4  # letters that two words must have in common to be one, the shorter an abbreviation


def is_venue_known(truth: TrueCitation) -> bool:
    """Return whether it is known where the work was published: only then is another venue wrong."""
    papers = truth.cited.kind in PAPERS
    return papers and any(is_published_venue(version.venue) for version in truth.record.versions)


def draw_other_venue(truth: TrueCitation, pool: MutationPool, rng: random.Random) -> str:
    """Return a venue in which no version of the work appeared; empty if none is certain."""
    if not is_venue_known(truth) or not pool.venues:
        return ""
    known = [version.venue for version in truth.record.versions if version.venue] + [truth.cited.venue]
    drawn = (rng.choice(pool.venues) for _ in range(_TRIES))
    return next((venue for venue in drawn if all(is_other_venue(venue, one) for one in known)), "")


def is_other_venue(a: str, b: str) -> bool:
    """Return whether two venues are two: no word, abbreviation or acronym of one belongs to the other."""
    if is_surely_same(a, b) or is_surely_same(b, a):  # renamed: "WWW" and "The Web Conference"
        return False
    if any(
        _is_same_word(x, y) or _is_same_word(y, x)
        for x in _list_distinctive_words(a)
        for y in _list_distinctive_words(b)
    ):
        return False
    return not (_is_abbreviation(a, b) or _is_abbreviation(b, a))


def _is_same_word(x: str, y: str) -> bool:
    """Return whether two words may be one: alike in their first letters, or one inside the other (NAACL)."""
    return x.startswith(y[:_SHORTEST]) or (len(x) >= _ACRONYM and x in y)


def _list_distinctive_words(venue: str) -> set[str]:
    """Return the words of a venue that tell it from others."""
    return {
        word
        for word in titles.split_words(venue)
        if word not in load_word_table()["anywhere"] and not word.isdigit()
    }


def _is_abbreviation(short: str, long: str) -> bool:
    """Return whether a word of `short` may be made of initials of `long`, some of them left out."""
    initials = "".join(word[0] for word in titles.split_words(long) if word not in titles.STOPWORDS)
    return any(
        len(word) >= _ACRONYM and _is_subsequence(word, initials) for word in titles.split_words(short)
    )


def _is_subsequence(word: str, letters: str) -> bool:
    left = iter(letters)
    return all(letter in left for letter in word)
