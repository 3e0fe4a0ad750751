"""The words that venue names are made of: tables, and what a single word is.

The tables are in journal_words.toml.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

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
    data: dict[str, Any] = tomllib.loads(
        files("citeproof.text").joinpath("journal_words.toml").read_text("utf-8")
    )
    stop = _split_set(data["stop"])
    return VenueWords(
        stop=stop,
        maybe_stop=_split_set(data["maybe_stop"]),
        event=_split_set(data["event"]),
        event_noise=_split_set(data["event_noise"]),
        sponsor=_split_set(data["sponsor"]),
        periodical=_split_set(data["periodical"]),
        expand=dict(data["expand"]),
        never=dict(data["never"]),
        contraction={k: frozenset(v) for k, v in data["contraction"].items()},
        replace={k: tuple(v.split()) for k, v in data["replace"].items()},
        spelling={k: tuple(v.split()) for k, v in data["spelling"].items()},
        ordinal=_split_set(data["ordinal"]["words"]),
        date=_split_set(data["date"]["words"]),
        counted=_split_set(data["date"]["counted"]),
        aside=tuple(tuple(text.split()) for text in data["date"]["aside"]),
        place=_split_set(data["place"]["words"]),
        place_phrases=frozenset(data["place"]["phrases"]),
        apart=_sort_phrases(data["tracks"]["apart"], stop),
        within=_sort_phrases(data["tracks"]["within"], stop),
        main=_sort_phrases(data["tracks"]["main"], stop),
        noise=_split_set(data["event_noise"])
        | _split_set(data["sponsor"])
        | _split_set(data["preprint_noise"]),
        vague=_split_set(data["vague"]["words"]),
        vague_names=frozenset(tuple(n.split()) for n in data["vague"]["names"]),
    )


def _split_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _sort_phrases(texts: list[str], stop: frozenset[str]) -> tuple[Part, ...]:
    """Phrases as word tuples without stop words, longest first."""
    found = {tuple(w for w in t.split() if w not in stop) for t in texts}
    return tuple(sorted(found, key=len, reverse=True))


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
