"""Titles spoiled by a word or two: another word, one more, one less, another order, another number."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.edits import Edited, Truth
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool
from citeproof.measure.makers.words import like, spans
from citeproof.text import title as titles

_JOINTS = (" ", " of ", " in ", " and ")
_FEWEST = 3  # words of meaning that must be left to tell the work by


def word_substituted(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Put another word of like frequency and ending in the place of one."""
    del truth
    places = spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    word = cited.title[start:end]
    other = pool.lexicon.neighbour(word, rng)
    if other is None:
        return None
    return _retitled(cited, f"{cited.title[:start]}{other}{cited.title[end:]}", "word_substituted", pool)


def word_added(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Put one more word of the field before a word."""
    del truth
    places = spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places[1:])
    word = pool.lexicon.drawn(cited.title[start:end], rng)
    if word is None or word.lower() in titles.words(cited.title):
        return None
    return _retitled(cited, f"{cited.title[:start]}{word} {cited.title[start:]}", "word_added", pool)


def word_dropped(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Leave out a word that does not stand alone between marks."""
    del truth
    places = [
        (a, b)
        for a, b in spans(cited.title)
        if a and cited.title[a - 1] == " " and cited.title[b : b + 1] == " "
    ]
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    return _retitled(cited, cited.title[:start] + cited.title[end + 1 :], "word_dropped", pool)


def words_reordered(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Let two words of meaning that follow each other change places."""
    del truth
    places = spans(cited.title)
    pairs = [
        (a, b) for a, b in pairwise(places) if cited.title[a[1] : b[0]] in (" ", " of ", " in ", " and ")
    ]
    if len(places) < _FEWEST or not pairs:
        return None
    (a, b), (c, d) = rng.choice(pairs)
    first, second = cited.title[a:b], cited.title[c:d]
    if first.lower() == second.lower():
        return None
    turned = (cited.title[:a], like(second, first), cited.title[b:c], _small(first, second), cited.title[d:])
    return _retitled(cited, "".join(turned), "words_reordered", pool)


def _small(word: str, model: str) -> str:
    return word if model[0].isupper() else word.lower()


def number_changed(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Make a word plural, or singular."""
    del truth
    places = spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    word = cited.title[start:end]
    other = _other_number(word)
    if other is None or not pool.lexicon.counts[other.lower()]:  # both forms must be in use
        return None
    return _retitled(cited, cited.title[:start] + other + cited.title[end:], "number_changed", pool)


def _other_number(word: str) -> str | None:
    if word.endswith(("ss", "us", "is", "ics", "ous")):
        return None
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("s"):
        return word[:-1]
    return word[:-1] + "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else word + "s"


def _retitled(cited: Cited, title: str, kind: str, pool: Pool) -> Edited | None:
    if titles.key(title) == titles.key(cited.title) or not pool.free(title):
        return None
    return Edited(
        replace(cited, title=title), Edit(kind=kind, field="title", before=cited.title, after=title)
    )


RULES = (word_substituted, word_added, word_dropped, words_reordered, number_changed)
