"""Titles spoiled by a word or two: another word, one more, one less, another order, another number."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from citeproof.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.measure.makers.edits import EditedCitation, TrueCitation
from citeproof.measure.makers.record_pool import RecordPool
from citeproof.measure.makers.title_words import copy_capitals, find_word_spans
from citeproof.text import title as titles

_JOINTS = (" ", " of ", " in ", " and ")
_FEWEST = 3  # words of meaning that must be left to tell the work by


def substitute_word(
    cited: CitationFields, truth: TrueCitation, pool: RecordPool, rng: random.Random
) -> EditedCitation | None:
    """Put another word of like frequency and ending in the place of one."""
    del truth
    places = find_word_spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    word = cited.title[start:end]
    other = pool.lexicon.neighbour(word, rng)
    if other is None:
        return None
    return _replace_title(cited, f"{cited.title[:start]}{other}{cited.title[end:]}", "word_substituted", pool)


def add_word(
    cited: CitationFields, truth: TrueCitation, pool: RecordPool, rng: random.Random
) -> EditedCitation | None:
    """Put one more word of the field before a word."""
    del truth
    places = find_word_spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places[1:])
    word = pool.lexicon.draw_word(cited.title[start:end], rng)
    if word is None or word.lower() in titles.split_words(cited.title):
        return None
    return _replace_title(cited, f"{cited.title[:start]}{word} {cited.title[start:]}", "word_added", pool)


def drop_word(
    cited: CitationFields, truth: TrueCitation, pool: RecordPool, rng: random.Random
) -> EditedCitation | None:
    """Leave out a word that does not occur alone between marks."""
    del truth
    places = [
        (a, b)
        for a, b in find_word_spans(cited.title)
        if a and cited.title[a - 1] == " " and cited.title[b : b + 1] == " "
    ]
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    return _replace_title(cited, cited.title[:start] + cited.title[end + 1 :], "word_dropped", pool)


def reorder_words(
    cited: CitationFields, truth: TrueCitation, pool: RecordPool, rng: random.Random
) -> EditedCitation | None:
    """Let two words of meaning that follow each other change places."""
    del truth
    places = find_word_spans(cited.title)
    pairs = [
        (a, b) for a, b in pairwise(places) if cited.title[a[1] : b[0]] in (" ", " of ", " in ", " and ")
    ]
    if len(places) < _FEWEST or not pairs:
        return None
    (a, b), (c, d) = rng.choice(pairs)
    first, second = cited.title[a:b], cited.title[c:d]
    if first.lower() == second.lower():
        return None
    turned = (
        cited.title[:a],
        copy_capitals(second, first),
        cited.title[b:c],
        _match_lower_case(first, second),
        cited.title[d:],
    )
    return _replace_title(cited, "".join(turned), "words_reordered", pool)


def _match_lower_case(word: str, model: str) -> str:
    return word if model[0].isupper() else word.lower()


def change_plural(
    cited: CitationFields, truth: TrueCitation, pool: RecordPool, rng: random.Random
) -> EditedCitation | None:
    """Make a word plural, or singular."""
    del truth
    places = find_word_spans(cited.title)
    if len(places) < _FEWEST:
        return None
    start, end = rng.choice(places)
    word = cited.title[start:end]
    other = _toggle_plural(word)
    if other is None or not pool.lexicon.counts[other.lower()]:  # both forms must be in use
        return None
    return _replace_title(cited, cited.title[:start] + other + cited.title[end:], "number_changed", pool)


def _toggle_plural(word: str) -> str | None:
    if word.endswith(("ss", "us", "is", "ics", "ous")):
        return None
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("s"):
        return word[:-1]
    return word[:-1] + "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else word + "s"


def _replace_title(cited: CitationFields, title: str, kind: str, pool: RecordPool) -> EditedCitation | None:
    if titles.make_title_key(title) == titles.make_title_key(cited.title) or not pool.is_free_title(title):
        return None
    return EditedCitation(
        replace(cited, title=title), BenchmarkEdit(kind=kind, field="title", before=cited.title, after=title)
    )


RULES = (substitute_word, add_word, drop_word, reorder_words, change_plural)
