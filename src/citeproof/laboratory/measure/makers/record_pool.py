"""The records a benchmark is made of, which ones are chosen, and what its edits draw from."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from citeproof.errors import UsageError
from citeproof.laboratory.measure.makers.benchmark_items import build_link, list_citable_versions
from citeproof.laboratory.measure.makers.title_words import TitleLexicon
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.vocabulary import Kind, Name, Record

SHORTEST_TITLE = 4  # words; "Introduction" is the title of a thousand works
LONGEST_TITLE = 250
MOST_AUTHORS = 60
MOST_KEPT = 200_000  # records in memory
_ESTABLISHED = 100  # works that appeared in a venue of a large pool before another is moved there
_HOUSE = re.compile(  # publishers and places that some records have for a venue
    r"\b(?:press|publish\w*|verlag|books?|university|institute?|laborator\w*|inc|ltd|springer|elsevier|wiley|addison|submission)\b",
    re.IGNORECASE,
)
_ODD = re.compile(
    r"anonymous|\banon\b|unknown|\bproceedings\b|publisher.s note|editor|author index"
    r"|table of contents|erratum|corrigendum|preface|\?\?\?|�|^reply\b|^comment\b|^response\b|retract",
    re.IGNORECASE,
)
PAPERS = frozenset((Kind.ARTICLE, Kind.PREPRINT, Kind.CHAPTER, Kind.UNKNOWN))
_FOREIGN = frozenset(
    "der die das und von für über eine zur des im mit auf bei "  # noqa: SIM905 - words read best as words
    "le la les des du une et pour dans sur par aux au "
    "el los las una del para por con en y "
    "il della nel gli di um uma da do dos na no em os".split()
)
_MOST_ENGLISH = frozenset("the of and for with from using on in to by an a".split())  # noqa: SIM905 - same
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af]{2}")


@dataclass(slots=True)
class RecordPool:
    """The chosen records; `taken` are the title keys and identifiers of all records, chosen or not."""

    records: list[Record] = field(default_factory=list)
    titles_taken: set[str] = field(default_factory=set)
    ids_taken: set[tuple[str, str]] = field(default_factory=set)
    lexicon: TitleLexicon = field(default_factory=lambda: TitleLexicon(()))
    people: list[Name] = field(default_factory=list)
    venues: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)  # of the DOIs, as often as they occur

    def person(self, rng: random.Random, *, unlike: Sequence[Name]) -> Name:
        """Return somebody of the pool whose family is none of `unlike`."""
        families = {name.family.casefold() for name in unlike}
        while True:
            name = rng.choice(self.people)
            if name.family.casefold() not in families:
                return name

    def is_free_title(self, title: str) -> bool:
        """Return whether no work has this title."""
        return titles.make_title_key(title) not in self.titles_taken


def gather_records(records: Iterable[Record], wanted: Callable[[Record], bool]) -> RecordPool:
    """Return the pool of the `wanted` records that are fit to be cited; all titles are remembered."""
    pool = RecordPool()
    seen: dict[str, int] = defaultdict(int)
    draw = _RecordReservoir()
    for record in records:
        seen[titles.make_title_key(record.title)] += 1
        pool.ids_taken.update(record.ids.pairs)
        if wanted(record) and is_citable(record):
            draw.offer(record)
    pool.records = draw.kept
    pool.titles_taken = set(seen)
    # a title that several records share has several truths
    pool.records = [r for r in pool.records if seen[titles.make_title_key(r.title)] == 1]
    pool.lexicon = TitleLexicon(r.title for r in pool.records)
    pool.people = [n for r in pool.records for n in r.authors if not n.collective and len(n.family) > 1]
    often = Counter(v.venue for r in pool.records for v in r.versions if v.venue)
    least = min(_ESTABLISHED, max(3, len(pool.records) // 1000))
    pool.venues = sorted(v for v, count in often.items() if count >= least and not _HOUSE.search(v))
    pool.prefixes = [d.partition("/")[0] for r in pool.records for d in r.ids.all("doi")]
    return pool


class _RecordReservoir:
    """Records drawn evenly from a stream of any length, always the same ones of the same stream."""

    def __init__(self) -> None:
        self.kept: list[Record] = []
        self._offered = 0
        self._rng = random.Random(0)  # noqa: S311 - repeatable, no secret

    def offer(self, record: Record) -> None:
        """Keep the record, or let it take the place of another, or leave it."""
        self._offered += 1
        if len(self.kept) < MOST_KEPT:
            self.kept.append(record)
        elif (place := self._rng.randrange(self._offered)) < MOST_KEPT:
            self.kept[place] = record


def is_citable(record: Record) -> bool:
    """Return whether a record can be cited and its citation judged: whole, and with a title of its own."""
    shown = list_citable_versions(record)
    if not shown or not all(version.year for version in shown) or not 0 < len(record.authors) <= MOST_AUTHORS:
        return False
    if len(record.title) > LONGEST_TITLE or len(titles.split_words(record.title)) < SHORTEST_TITLE:
        return len(titles.make_title_key(record.title)) > 40 and len(record.title) <= LONGEST_TITLE
    whole = " ".join((record.title, *(name.display for name in record.authors)))
    families = [name.family for name in record.authors]
    return not _ODD.search(whole) and len(set(families)) > len(families) / 2 and all(families)


def has_link(record: Record) -> bool:
    return bool(build_link(record.ids))


@dataclass(frozen=True, slots=True)
class RecordSelection:
    """What records must have; nothing given takes all."""

    venue: str = ""  # a pattern that one of the venues holds
    scheme: str = ""  # an identifier they must have
    foreign: bool = False  # a title in another language than English
    part: str = ""  # "1/2": the first half of all works, chosen by their titles

    def make_test(self) -> Callable[[Record], bool]:
        """Return the test for one record; UsageError if a choice is not valid."""
        try:
            is_venue = re.compile(self.venue, re.IGNORECASE).search if self.venue else None
        except re.error as error:
            raise UsageError(
                f"--venue {self.venue!r} is not a valid pattern: {error}", hint="give a regular expression"
            ) from error

        number, parts = _parse_part(self.part)

        def test(record: Record) -> bool:
            if parts > 1 and crc32(titles.make_title_key(record.title).encode()) % parts != number:
                return False
            if is_venue and not any(v.venue and is_venue(v.venue) for v in record.versions):
                return False
            if self.scheme and not record.ids.first(self.scheme):
                return False
            return not self.foreign or is_foreign_title(record.title)

        return test


def _parse_part(text: str) -> tuple[int, int]:
    """Return which part of how many is meant, counted from zero: "1/2" is (0, 2)."""
    number, _, parts = text.partition("/")
    if not text:
        return 0, 1
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise UsageError(f"--part {text!r} is not a valid part", hint="write K/N, such as 1/2")
    return int(number) - 1, int(parts)


def is_foreign_title(title: str) -> bool:
    """Return whether a title is in another language than English, or holds words of another script."""
    if _OTHER_SCRIPT.search(title):
        return True
    words = titles.split_words(title)
    other = sum(word in _FOREIGN for word in words)
    return other >= 2 and other > sum(word in _MOST_ENGLISH - _FOREIGN for word in words)
