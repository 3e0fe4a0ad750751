"""The small table of known series and journals: which one a name or an acronym represents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text import venue_parts as read
from citeproof.text.abbreviation import Form, align_words
from citeproof.text.package_tables import load_package_table
from citeproof.text.venue_parts import load_tables
from citeproof.vocabulary.quick_dataclass import dataclass

_KINDS = {"conferences": "conference", "journals": "journal", "carriers": "carrier", "preprints": "preprint"}
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_MIN_PLAIN = 3  # words from which an event's name is known without "Conference" next to it
_NO_SOFT: frozenset[str] = frozenset()
# Kinds of event that are part of the name; "conference" and "meeting" represent any of them.
NOUNS = frozenset({"symposium", "congress", "colloquium"})


@dataclass(frozen=True, slots=True)
class VenueSeries:
    """One series of events, journal, shelf of proceedings or preprint server."""

    id: str
    kind: str
    names: tuple[Form, ...]
    nouns: frozenset[str]  # "symposium" and the like, where its own names have them
    carries: frozenset[str]
    open: str  # a shelf takes also "unlisted" events, or "any"
    before: tuple[int, ...]  # the years from which meetings are counted, of an annual series


@dataclass(frozen=True, slots=True)
class SeriesAlias:
    """One name of a series as words; `sponsors` tell names apart that are else equal."""

    form: Form
    series: VenueSeries
    sponsors: frozenset[str]
    workshop: bool
    event: bool


@dataclass(frozen=True, slots=True)
class SeriesCatalogue:
    series: dict[str, VenueSeries]
    acronyms: dict[Form, str]
    by_initials: dict[str, tuple[SeriesAlias, ...]]


@cache
def load_catalogue() -> SeriesCatalogue:
    """Return the table of venues.toml, read once."""
    data = load_package_table("citeproof.text", "venues.toml")
    series: dict[str, VenueSeries] = {}
    acronyms: dict[Form, str] = {}
    initials: dict[str, list[SeriesAlias]] = defaultdict(list)
    for table, kind in _KINDS.items():
        for name, row in data[table].items():
            aliases = [_read_name(text) for text in row["names"]]
            nouns = frozenset(w for text in row["names"] for w in text.casefold().split() if w in NOUNS)
            forms = tuple(form for form, _, _, _ in aliases if form)
            carries, counted = frozenset(row.get("carries", ())), tuple(row.get("before", ()))
            entry = VenueSeries(name, kind, forms, nouns, carries, row.get("open", ""), counted)
            series[name] = entry
            for acronym in row["acronyms"]:
                segments = read.split_segments(read.clean_venue(acronym), ends_cut=False)
                acronyms[tuple(t.word for s in segments for t in s.tokens)] = name
            for form, sponsors, workshop, event in aliases:
                if form:
                    initials[_join_initials(form)].append(SeriesAlias(form, entry, sponsors, workshop, event))
    return SeriesCatalogue(series, acronyms, {k: tuple(v) for k, v in initials.items()})


def _read_name(text: str) -> tuple[Form, frozenset[str], bool, bool]:
    """A name of the table: words, sponsors, whether "workshop" belongs to it, whether it is an event's."""
    parts = read.split_segments(read.clean_venue(text), ends_cut=False)
    all_words = {t.word for s in parts for t in s.tokens}
    event = bool(all_words & load_tables().event)
    read_parts = [read.read_content(s, event=event, loose=False) for s in parts]
    form = tuple(w for words, _ in read_parts for w in words)
    return form, frozenset[str]().union(*(s for _, s in read_parts)), "workshop" in all_words, event


def _join_initials(form: Form) -> str:
    return "".join(word[0] for word in form)


def list_meeting_years(words: Sequence[str], series: Iterable[str]) -> Iterator[int]:
    """Yield the years of the meetings of `series` that a name counts: "34th", "Thirty-Fourth"."""
    counts, tens = load_tables().ordinal, 0
    for word in words:
        match = _ORDINAL.fullmatch(word)
        number = int(match[1]) if match else counts.get(word, 0) + tens
        tens = number if word.endswith("ty") and number else 0
        if number and not tens:
            yield from (before + number for name in series for before in load_catalogue().series[name].before)


def find_by_acronym(words: Form) -> str | None:
    """Return the series that the word or words are the acronym of, or None."""
    return load_catalogue().acronyms.get(words)


def find_by_name(
    form: Form, *, event: bool, sponsors: frozenset[str], nouns: frozenset[str] = frozenset()
) -> tuple[SeriesAlias, ...]:
    """Return the names of the table that `form` is or abbreviates; one, unless the sponsors leave it open."""
    if not form:
        return ()
    fits = [
        a
        for a in load_catalogue().by_initials.get(_join_initials(form), ())
        if _is_fitting(a, form, event=event)
    ]
    if nouns:  # there is no Symposium on Learning Representations
        fits = [a for a in fits if not a.event or nouns & a.series.nouns]
    of_kind = [a for a in fits if (a.series.kind == "conference") == event]
    fits = of_kind or fits
    sponsored = [a for a in fits if a.sponsors & sponsors]
    if sponsored:
        return tuple(sponsored)
    return tuple(a for a in fits if not a.sponsors or not (sponsors or len(a.form) == 1))


def _is_fitting(alias: SeriesAlias, form: Form, *, event: bool) -> bool:
    kind = alias.series.kind
    if event and not alias.event and kind == "journal":
        return False
    if not event and kind == "conference" and alias.event and len(form) < _MIN_PLAIN:
        return False
    aligned = align_words(form, alias.form, _NO_SOFT)
    return not aligned.left_a and not aligned.left_b
