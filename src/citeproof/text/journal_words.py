"""The words that venue names are made of: tables, and what a single word is.

The tables are in journal_words.toml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from citeproof.text.package_tables import load_package_table

_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})")
_TRAILING_NUMBER = re.compile(r"([a-z]{2,12})(\d{2}|\d{4})")
_YEARS = frozenset(str(year) for year in range(1800, 2100))
_SPELT = 5  # letters from which a word has a British and an American form

Part = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VenueWords:
    """The tables of journal_words.toml, as sets."""

    stop: frozenset[str]
    maybe_stop: frozenset[str]
    event: frozenset[str]
    event_noise: frozenset[str]
    sponsor: frozenset[str]
    periodical: frozenset[str]
    expand: dict[str, str]
    contraction: dict[str, frozenset[str]]
    never: dict[str, str]
    replace: dict[str, tuple[str, ...]]
    spelling: dict[str, tuple[str, ...]]
    ordinal: frozenset[str]
    date: frozenset[str]
    counted: frozenset[str]
    aside: tuple[Part, ...]
    place: frozenset[str]
    place_phrases: frozenset[str]
    apart: tuple[Part, ...]
    within: tuple[Part, ...]
    main: tuple[Part, ...]
    noise: frozenset[str]  # next to an acronym these name nothing
    vague: frozenset[str]
    vague_names: frozenset[Part]


@cache
def load_tables() -> VenueWords:
    """Return the word tables, read once."""
    data = load_package_table("citeproof.text", "journal_words.toml")
    words = {name: frozenset(value.split()) for name, value in data.items() if isinstance(value, str)}
    noise = words["event_noise"] | words["sponsor"] | words.pop("preprint_noise")
    date, place, vague = data["date"], data["place"], data["vague"]
    tables: dict[str, Any] = {**words, "expand": data["expand"], "never": data["never"]}
    for name in ("replace", "spelling"):
        tables[name] = {word: tuple(parts.split()) for word, parts in data[name].items()}
    for name in ("apart", "within", "main"):
        tables[name] = _sort_phrases(data["tracks"][name], words["stop"])
    return VenueWords(
        **tables,
        contraction={word: frozenset(forms) for word, forms in data["contraction"].items()},
        ordinal=frozenset(data["ordinal"]["words"].split()),
        date=frozenset(date["words"].split()),
        counted=frozenset(date["counted"].split()),
        aside=tuple(tuple(text.split()) for text in date["aside"]),
        place=frozenset(place["words"].split()),
        place_phrases=frozenset(place["phrases"]),
        noise=noise,
        vague=frozenset(vague["words"].split()),
        vague_names=frozenset(tuple(name.split()) for name in vague["names"]),
    )


def _sort_phrases(texts: list[str], stop: frozenset[str]) -> tuple[Part, ...]:
    """Phrases as word tuples without stop words, longest first."""
    phrases = {tuple(w for w in t.split() if w not in stop) for t in texts}
    return tuple(sorted(phrases, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class VenueToken:
    """One word as written: folded, with its first spelling, and whether it may be cut short."""

    word: str
    raw: str
    cut: bool

    def shorten(self) -> VenueToken:
        return VenueToken(self.word, self.raw, cut=True)

    @property
    def is_stop(self) -> bool:
        """Whether it is a little word; a capital letter alone, or a short form, is not."""
        words = load_tables()
        if self.word not in words.stop or self.raw.islower():
            return self.word in words.stop
        return len(self.word) > 1 and self.word not in words.maybe_stop


@lru_cache(maxsize=32768)
def unify_spelling(word: str) -> str:
    """Return a word in the one spelling in which British and American forms agree. Not for people."""
    if len(word) < _SPELT or word.isdigit():
        return word
    word = word.replace("ae", "e").replace("oe", "e").replace("our", "or")
    return word.replace("isation", "ization").replace("yse", "yze")


def is_number(word: str) -> bool:
    """Return whether a word only counts: a number, "31st", "thirty", "sixth"."""
    return (
        word.isdigit()
        or word in load_tables().ordinal
        or (word[:1].isdigit() and _ORDINAL.fullmatch(word) is not None)
    )


def is_roman(word: str) -> bool:
    return bool(word) and _ROMAN.fullmatch(word) is not None


def find_word_year(word: str) -> int | None:
    """Return the year a word names, or None."""
    return int(word) if word in _YEARS else None


def strip_year(word: str) -> str:
    """Return "aaai" for "aaai88" and "ijcai2019"; other words as they are."""
    match = _TRAILING_NUMBER.fullmatch(word) if word[-1].isdigit() else None
    return match[1] if match else word
