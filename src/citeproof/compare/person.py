"""One name in the form in which names are compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from citeproof.text import names
from citeproof.vocabulary import Name


@dataclass(frozen=True, slots=True)
class Person:
    family: str  # folded, particles aside
    family_words: tuple[str, ...]
    given: tuple[str, ...]
    words: tuple[str, ...]  # family and given together
    known: frozenset[str]  # the words that are no mere initial, and the whole family name
    letters: str  # all letters in order of the alphabet: equal for any order of the words
    initials: str
    swapped: str  # the given name when it may as well be the family name


@lru_cache(maxsize=65536)
def person(name: Name) -> Person:
    """Return the comparable form of one name."""
    family_words = names.family_words(name)
    family = "".join(family_words)
    given = names.given_words(name)
    words = (*given, *family_words)
    return Person(
        family=family,
        family_words=family_words,
        given=given,
        words=words,
        known=frozenset(word for word in (*words, family) if len(word) > 1),
        letters="".join(sorted("".join(words))),
        initials="".join(word[0] for word in given),
        swapped="".join(given) if len(given) == 1 and len(given[0]) > 1 else "",
    )
