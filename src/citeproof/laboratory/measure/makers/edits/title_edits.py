"""Titles spoiled by a word or two: another word, one more, one less, another order, another number."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation, edit_field
from citeproof.laboratory.measure.makers.title_words import copy_capitals, find_word_spans
from citeproof.text import title as titles

_JOINTS = (" ", " of ", " in ", " and ")
_FEWEST = 3  # words of meaning that must be left to tell the work by


def substitute_word(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another word of like frequency and ending in the place of one."""
    return _change_word(cited, draw, "word_substituted", lambda w: draw.pool.lexicon.neighbour(w, draw.rng))


def add_word(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put one more word of the field before a word."""

    def add(word: str) -> str | None:
        more = draw.pool.lexicon.draw_word(word, draw.rng)
        return f"{more} {word}" if more and more.lower() not in titles.split_words(cited.title) else None

    return _change_word(cited, draw, "word_added", add, first=1)


def drop_word(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Leave out a word that does not occur alone between marks."""
    places = [
        (a, b)
        for a, b in find_word_spans(cited.title)
        if a and cited.title[a - 1] == " " and cited.title[b : b + 1] == " "
    ]
    if len(places) < _FEWEST:
        return None
    start, end = draw.rng.choice(places)
    return _replace_title(cited, cited.title[:start] + cited.title[end + 1 :], "word_dropped", draw)


def reorder_words(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Let two words of meaning that follow each other change places."""
    places = find_word_spans(cited.title)
    pairs = [(a, b) for a, b in pairwise(places) if cited.title[a[1] : b[0]] in _JOINTS]
    if len(places) < _FEWEST or not pairs:
        return None
    (a, b), (c, d) = draw.rng.choice(pairs)
    first, second = cited.title[a:b], cited.title[c:d]
    if first.lower() == second.lower():
        return None
    turned = (
        cited.title[:a],
        copy_capitals(second, first),
        cited.title[b:c],
        first if second[0].isupper() else first.lower(),
        cited.title[d:],
    )
    return _replace_title(cited, "".join(turned), "words_reordered", draw)


def change_plural(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Make a word plural, or singular, where both forms are in use."""

    def change(word: str) -> str | None:
        other = _toggle_plural(word)
        return other if other and draw.pool.lexicon.counts[other.lower()] else None

    return _change_word(cited, draw, "number_changed", change)


def _change_word(
    cited: CitationFields, draw: EditDraw, kind: str, change: Callable[[str], str | None], first: int = 0
) -> EditedCitation | None:
    places = find_word_spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = draw.rng.choice(places[first:])
    new = cited.title[:start] + (change(cited.title[start:end]) or cited.title[start:end]) + cited.title[end:]
    return _replace_title(cited, new, kind, draw)


def _toggle_plural(word: str) -> str | None:
    if word.endswith(("ss", "us", "is", "ics", "ous")):
        return None
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("s"):
        return word[:-1]
    return word[:-1] + "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else word + "s"


def _replace_title(cited: CitationFields, title: str, kind: str, draw: EditDraw) -> EditedCitation | None:
    same = titles.make_title_key(title) == titles.make_title_key(cited.title)
    return None if same or not draw.pool.is_free_title(title) else edit_field(cited, "title", title, kind)


RULES = (substitute_word, add_word, drop_word, reorder_words, change_plural)
