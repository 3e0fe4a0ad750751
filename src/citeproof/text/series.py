"""The small table of known series and journals: which one a name or an acronym stands for."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from citeproof.text import venue_parts as read
from citeproof.text.abbreviation import Form, align
from citeproof.text.journal_words import tables

_KINDS = {"conferences": "conference", "journals": "journal", "carriers": "carrier", "preprints": "preprint"}
_MIN_PLAIN = 3  # words from which an event's name is known without "Conference" beside it
_NO_SOFT: frozenset[str] = frozenset()
# Kinds of event that are part of the name; "conference" and "meeting" stand for any of them.
NOUNS = frozenset({"symposium", "congress", "colloquium"})


@dataclass(frozen=True, slots=True)
class Series:
    """One series of events, journal, shelf of proceedings or preprint server."""

    id: str
    kind: str
    names: tuple[Form, ...]
    nouns: frozenset[str]  # "symposium" and the like, where its own names have them
    carries: frozenset[str]
    open: str  # a shelf takes also "unlisted" events, or "any"


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of a series as words; `sponsors` tell names apart that are else equal."""

    form: Form
    series: Series
    sponsors: frozenset[str]
    workshop: bool
    event: bool


@dataclass(frozen=True, slots=True)
class Catalogue:
    series: dict[str, Series]
    acronyms: dict[Form, str]
    by_initials: dict[str, tuple[Alias, ...]]


@cache
def catalogue() -> Catalogue:
    """Return the table of venues.toml, read once."""
    data: dict[str, Any] = tomllib.loads(files("citeproof.text").joinpath("venues.toml").read_text("utf-8"))
    series: dict[str, Series] = {}
    acronyms: dict[Form, str] = {}
    initials: dict[str, list[Alias]] = defaultdict(list)
    for table, kind in _KINDS.items():
        for name, row in data[table].items():
            aliases = [_name(text) for text in row["names"]]
            nouns = frozenset(w for text in row["names"] for w in text.casefold().split() if w in NOUNS)
            forms = tuple(form for form, _, _, _ in aliases if form)
            one = Series(name, kind, forms, nouns, frozenset(row.get("carries", ())), row.get("open", ""))
            series[name] = one
            acronyms.update((_letters(a), name) for a in row["acronyms"])
            for form, sponsors, workshop, event in aliases:
                if form:
                    initials[_initials(form)].append(Alias(form, one, sponsors, workshop, event))
    return Catalogue(series, acronyms, {k: tuple(v) for k, v in initials.items()})


def _letters(acronym: str) -> Form:
    return tuple(t.word for s in read.segments(read.plain(acronym), ends_cut=False) for t in s.tokens)


def _name(text: str) -> tuple[Form, frozenset[str], bool, bool]:
    """A name of the table: words, sponsors, whether "workshop" belongs to it, whether it is an event's."""
    parts = read.segments(read.plain(text), ends_cut=False)
    told = {t.word for s in parts for t in s.tokens}
    event = bool(told & tables().event)
    read_parts = [read.content(s, event=event, loose=False) for s in parts]
    form = tuple(w for words, _ in read_parts for w in words)
    return form, frozenset[str]().union(*(s for _, s in read_parts)), "workshop" in told, event


def _initials(form: Form) -> str:
    return "".join(word[0] for word in form)


def acronym(words: Form) -> str | None:
    """Return the series that the word or words are the acronym of, or None."""
    return catalogue().acronyms.get(words)


def named(
    form: Form, *, event: bool, sponsors: frozenset[str], nouns: frozenset[str] = frozenset()
) -> tuple[Alias, ...]:
    """Return the names of the table that `form` is or abbreviates; one, unless the sponsors leave it open."""
    if not form:
        return ()
    fits = [a for a in catalogue().by_initials.get(_initials(form), ()) if _fits(a, form, event=event)]
    if nouns:  # there is no Symposium on Learning Representations
        fits = [a for a in fits if not a.event or nouns & a.series.nouns]
    of_kind = [a for a in fits if (a.series.kind == "conference") == event]
    fits = of_kind or fits
    sponsored = [a for a in fits if a.sponsors & sponsors]
    if sponsored:
        return tuple(sponsored)
    return tuple(a for a in fits if not a.sponsors or not (sponsors or len(a.form) == 1))


def _fits(alias: Alias, form: Form, *, event: bool) -> bool:
    kind = alias.series.kind
    if event and not alias.event and kind == "journal":
        return False
    if not event and kind == "conference" and alias.event and len(form) < _MIN_PLAIN:
        return False
    found = align(form, alias.form, _NO_SOFT)
    return not found.left_a and not found.left_b
