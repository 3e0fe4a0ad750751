"""A second look where the fields were cut out of running text.

A split by rule may cut a title in the wrong place, take half a name for an author, or end a venue
at the first full stop. When the record's own words stand in the raw text, the citation does say
them, and the parser's mistake is not held against it. Fields that the document itself names
(BibTeX, CSL-JSON, a flag) are taken at their word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from citeproof.compare.person import person
from citeproof.compare.title import PART
from citeproof.compare.venue import compare_venue
from citeproof.text import journal, names
from citeproof.text import title as titles
from citeproof.vocabulary import Comparison, Kind, Name, Origin, Outcome, Record, Reference, Version

_LONG = 20  # letters from which a title found in the text is no accident
_SHORT = 12  # letters from which it counts when it is also part of what was read as the title
_BEGUN = 4  # letters of a title that must have been read
_VENUE_LETTERS = 9  # letters of a venue's name that must stand in the text
# an identifier spells the venue of the work it belongs to ("10.1103/physrevlett…"): nobody cited that
_ADDRESS = re.compile(r"https?://\S{1,500}|\bdoi:?\s?\S{1,300}|\b10\.\d{4,9}/\S{1,300}")
_YEARS = re.compile(r"[(\[]?\b(?:1[6-9]|20)\d\d[a-z]?\b[)\]]?")
_LEAD = re.compile(r"in\b:?\s?")
_FRAME = " .,;:()[]<>\"'-/"
_NAME_WORDS = 12  # of what may be a venue's name and nothing else
_NOTE = re.compile(
    r"\b(?:access|avail|retriev|press|publish|verlag|thesis|dissert|report|preprint|arxiv|edition|vol|pp?\b|univ|note"
    r"|forthcoming|submitted|appear|unpublished|online|eds?\b|editor|translat|https?|doi|isbn|pmid)"
)
_IN_VENUES = (Kind.ARTICLE, Kind.UNKNOWN)
_OPENS = "\"'(*["  # what may stand right before a title
_CLOSES = '")]*'  # and right behind it
_BETWEEN = ".,;)]-/?!"  # what may stand between a title and its neighbours, with a space


@dataclass(frozen=True, slots=True)
class Letters:
    """The folded raw text, its letters and digits alone, and where each of them stands."""

    folded: str
    key: str
    spots: tuple[int, ...]


@lru_cache(maxsize=256)
def letters(raw: str) -> Letters:
    """Return the letters of a raw text with their places."""
    folded = titles.fold(raw)
    spots = tuple(i for i, c in enumerate(folded) if c.isalnum())
    return Letters(folded, "".join(folded[i] for i in spots), spots)


def is_running(reference: Reference) -> bool:
    """Return whether the title was cut out of running text, or not found in it at all."""
    if not reference.raw:
        return False
    origin = next((o.origin for o in reference.claimed.origins if o.field == "title"), None)
    return origin is not Origin.STRUCTURED and (origin is not None or not reference.claimed.title)


def title_stands(reference: Reference, record: Record) -> bool:
    """Return whether a title of the record stands in the raw text as a title, not inside a longer one."""
    return is_running(reference) and _span(reference, record) is not None


def _span(reference: Reference, record: Record) -> tuple[int, int] | None:
    """Return from where to where a title of the record stands in the folded raw text."""
    cited = titles.key(reference.claimed.title or "")
    venue = titles.key(reference.claimed.venue or "")
    text = letters(reference.raw)
    for key in map(titles.key, record.titles):
        enough = len(key) >= _LONG or (len(key) >= _SHORT and (key in cited or _begun(key, cited)))
        if enough and not _is_venue(key, venue) and (span := _find(key, text)):
            return span
    return None


def _begun(key: str, cited: str) -> bool:
    """Return whether what was read is how the record's title begins: "GPT-4" of "GPT-4 technical report"."""
    return len(cited) >= _BEGUN and key.startswith(cited)


def _is_venue(key: str, venue: str) -> bool:
    """Return whether what stands in the text is the venue: proceedings have records of their own."""
    return bool(venue) and (key in venue or (venue in key and 2 * len(venue) > len(key)))


def _find(key: str, text: Letters) -> tuple[int, int] | None:
    """Return where `key` stands with punctuation on both sides: "Beyond attention" is no "Attention"."""
    at = text.key.find(key)
    while at >= 0:
        start, end = text.spots[at], text.spots[at + len(key) - 1] + 1
        if _opens(text.folded[:start]) and _closes(text.folded[end:]):
            return start, end
        at = text.key.find(key, at + 1)
    return None


def _opens(before: str) -> bool:
    mark = before.rstrip()[-1:]
    if not mark or mark in _OPENS or before.endswith(".: "):  # "Chi, Ed H.: Title"
        return True
    return before[-1:].isspace() and (mark in _BETWEEN or mark.isdigit())


def _closes(after: str) -> bool:
    rest = after.lstrip()
    mark = rest[:1]
    if not mark or mark in _CLOSES or (mark == "(" and after[:1].isspace()):
        return True
    if mark == "'":
        return not rest[1:2].isalnum()
    if mark == "-":
        return after[:1].isspace()
    return mark in _BETWEEN and not PART.match(rest[1:].lstrip())


def reread(
    reference: Reference, record: Record, found: tuple[Comparison, ...], versions: Sequence[Version]
) -> tuple[Comparison, ...]:
    """Return the comparisons with every doubt about the split of the raw text given its due."""
    if not is_running(reference):
        return found
    return tuple(_again(reference, record, comparison, versions) for comparison in found)


def _again(
    reference: Reference, record: Record, found: Comparison, versions: Sequence[Version]
) -> Comparison:
    if found.outcome not in (Outcome.DIFFERS, Outcome.ABSENT):
        return found
    said = replace(found, outcome=Outcome.VARIANT, reason="found_in_text", similarity=1.0)
    if found.field == "title" and title_stands(reference, record):
        return said
    if found.field == "authors" and _people_stand(reference, record, found):
        return said
    if found.field == "venue" and found.outcome is Outcome.ABSENT:
        return _behind_title(reference, record, versions) or found
    if found.field == "venue" and found.outcome is Outcome.DIFFERS:
        if _venue_stands(reference, record, versions):
            return said
        if not _cut_well(reference, record):  # then the venue was cut at the wrong place as well
            return replace(found, outcome=Outcome.UNKNOWN, reason="weak_parse")
    return found


def _behind_title(reference: Reference, record: Record, versions: Sequence[Version]) -> Comparison | None:
    """Return how what stands between a title and the end agrees with the venue, where it is all there is.

    The parser may take a short name for nothing: "A Study of Words. NAACL." has a venue all the same.
    """
    span = _span(reference, record)
    if span is None or record.kind not in _IN_VENUES or _venue_stands(reference, record, versions):
        return None
    rest = _ADDRESS.sub(" ", letters(reference.raw).folded[span[1] :])
    rest = _YEARS.sub(" ", rest).strip(_FRAME)
    rest = _LEAD.sub("", rest).strip(_FRAME)
    if not 0 < len(rest.split()) <= _NAME_WORDS or any(c.isdigit() for c in rest) or _NOTE.search(rest):
        return None
    if not journal.normal(rest).series or _names_people(rest, record):
        return None  # only the name of a known series is surely a venue
    found = compare_venue(rest, versions)
    return found if found.outcome is Outcome.DIFFERS else None


def _names_people(text: str, record: Record) -> bool:
    """Return whether an author of the record is named in a text: then it is no venue."""
    words = set(titles.words(text))
    return any(not words.isdisjoint(names.family_words(name)) for name in record.authors)


def _cut_well(reference: Reference, record: Record) -> bool:
    cited = titles.key(reference.claimed.title or "")
    return any(cited == titles.key(title) for title in record.titles)


def _people_stand(reference: Reference, record: Record, found: Comparison) -> bool:
    """Return whether every author of the record stands in the text, in order, and nobody else does.

    What was read as a further author does not count when it is a piece of the title.
    """
    if found.outcome is Outcome.DIFFERS and found.reason in {"order_swapped", "given_name"}:
        return False
    real = [name for name in reference.claimed.authors if not _piece_of_title(name, record)]
    if not record.authors or len(real) > len(record.authors) or any(_stranger(n, record) for n in real):
        return False
    wanted = [names.family_words(name)[-1] for name in record.authors if names.family_words(name)]
    words = iter(_beside_title(reference, record))
    return all(family in words for family in wanted)  # `in` eats the words up to the one it finds


def _beside_title(reference: Reference, record: Record) -> list[str]:
    folded = letters(reference.raw).folded
    start, end = _span(reference, record) or (0, 0)
    return titles.words(f"{folded[:start]} . {folded[end:]}".replace("'", ""))


def _stranger(name: Name, record: Record) -> bool:
    """Return whether a cited name has no word in common with any author of the record."""
    mine = person(name).known
    return bool(mine) and all(mine.isdisjoint(person(other).known) for other in record.authors)


def _piece_of_title(name: Name, record: Record) -> bool:
    key = titles.key(name.display)
    return len(key) >= _SHORT and any(key in titles.key(title) for title in record.titles)


def _venue_stands(reference: Reference, record: Record, versions: Sequence[Version]) -> bool:
    """Return whether a venue of the work is named behind the title: its name, or its acronym as a word."""
    span = _span(reference, record)
    tail = _ADDRESS.sub(" ", letters(reference.raw).folded[span[1] if span else 0 :])
    text, words = titles.key(tail), set(titles.words(tail))
    for venue in (version.venue for version in versions if version.venue):
        name = titles.key(venue)
        if (len(name) >= _VENUE_LETTERS and name in text) or name in words:
            return True
        if not words.isdisjoint(journal.normal(venue).acronyms):
            return True
    return False
