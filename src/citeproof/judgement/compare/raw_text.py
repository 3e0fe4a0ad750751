"""A second look where the fields were cut out of running text.

A split by rule may cut a title in the wrong place, take half a name for an author, or end a venue
at the first full stop. When the record's own words are in the raw text, the citation does say
them, and the parser's mistake is not counted against it. Fields that the document itself names
(BibTeX, CSL-JSON, a flag) are taken at their word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from citeproof.judgement.compare.person import make_person
from citeproof.judgement.compare.title import PART
from citeproof.judgement.compare.venue import compare_venue
from citeproof.text import lazy_patterns as re
from citeproof.text import names, venue_match
from citeproof.text import title as titles
from citeproof.vocabulary import (
    WORK_IDS,
    Comparison,
    Kind,
    Name,
    Origin,
    Outcome,
    Reason,
    Record,
    Reference,
    Version,
)

_LONG = 20  # letters from which a title found in the text is no accident
_NAMED = 5  # letters from which it counts next to an identifier of the very work
_SHORT = 12  # letters from which it counts when it is also part of what was read as the title
_BEGUN = 4  # letters of a title that must have been read
_VENUE_LETTERS = 9  # letters of a venue's name that must be in the text
_WORD = 3  # letters of a name that is a word of its own: lists have a venue "p"
# an identifier spells the venue of the work it belongs to ("10.1103/physrevlett…"): nobody cited that
_ADDRESS = re.compile(r"https?://\S{1,500}|\bdoi:?\s?\S{1,300}|\b10\.\d{4,9}/\S{1,300}")
_YEARS = re.compile(r"[(\[]?\b(?:1[6-9]|20)\d\d[a-z]?\b[)\]]?")
_ET_AL = re.compile(names.CUT_LIST, re.IGNORECASE)
_LEAD = re.compile(r"in\b:?\s?")
_FRAME = " .,;:()[]<>\"'-/"
_NAME_WORDS = 12  # of what may be a venue's name and nothing else
_NOTE = re.compile(
    r"\b(?:access|avail|retriev|press|publish|verlag|thesis|dissert|report|preprint|arxiv|edition|vol|pp?\b|univ|note"
    r"|forthcoming|submitted|appear|unpublished|online|eds?\b|editor|translat|https?|doi|isbn|pmid)"
)
_IN_VENUES = (Kind.ARTICLE, Kind.UNKNOWN)
_OPENS = "\"'(*["  # what may stand right before a title
_CLOSES = '")]*['  # and right behind it, as "[J]" in the style GB/T 7714
_BETWEEN = ".,;)]-/?!"  # what may be between a title and its neighbours, with a space


@dataclass(frozen=True, slots=True)
class LetterIndex:
    """The folded raw text, its letters and digits alone, and where each of them is."""

    folded: str
    key: str
    spots: tuple[int, ...]


@lru_cache(maxsize=256)
def index_letters(raw: str) -> LetterIndex:
    """Return the letters of a raw text with their places."""
    folded = titles.fold_title(raw)
    spots = tuple(i for i, c in enumerate(folded) if c.isalnum())
    return LetterIndex(folded, "".join(folded[i] for i in spots), spots)


def is_running_text(reference: Reference) -> bool:
    """Return whether the title was cut out of running text, or not found in it at all."""
    if not reference.raw:
        return False
    origin = next((o.origin for o in reference.claimed.origins if o.field == "title"), None)
    return origin is not Origin.STRUCTURED and (origin is not None or not reference.claimed.title)


def has_title_in_text(reference: Reference, record: Record) -> bool:
    """Return whether a title of the record is in the raw text as a title, not inside a longer one."""
    return is_running_text(reference) and _find_title_span(reference, record) is not None


def _find_title_span(reference: Reference, record: Record) -> tuple[int, int] | None:
    """Return from where to where a title of the record is in the folded raw text."""
    cited = titles.make_title_key(reference.claimed.title or "")
    venue = titles.make_title_key(reference.claimed.venue or "")
    text = index_letters(reference.raw)
    least = _NAMED if _is_named(reference, record) else _LONG
    for key in map(titles.make_title_key, record.titles):
        begun = len(cited) >= _BEGUN and key.startswith(cited)  # "GPT-4" of "GPT-4 technical report"
        enough = len(key) >= least or (len(key) >= _SHORT and (key in cited or begun))
        # proceedings have records of their own
        is_venue = bool(venue) and (key in venue or (venue in key and 2 * len(venue) > len(key)))
        if enough and not is_venue and (span := _find_key(key, text)):
            return span
    return None


def _is_named(reference: Reference, record: Record) -> bool:
    """Return whether a cited identifier is the record's: then a short title in the text is no accident."""
    return any(pair[0] in WORK_IDS and pair in record.ids.pairs for pair in reference.claimed.ids.pairs)


def _find_key(key: str, text: LetterIndex) -> tuple[int, int] | None:
    """Return where `key` is with punctuation on both sides: "Beyond attention" is no "Attention"."""
    at = text.key.find(key)
    while at >= 0:
        start, end = text.spots[at], text.spots[at + len(key) - 1] + 1
        if _is_title_opening(text.folded[:start]) and _is_title_closing(text.folded[end:]):
            return start, end
        at = text.key.find(key, at + 1)
    return None


def _is_title_opening(before: str) -> bool:
    mark = before.rstrip()[-1:]
    if not mark or mark in _OPENS or before.endswith(".: "):  # "Chi, Ed H.: Title"
        return True
    return before[-1:].isspace() and (mark in _BETWEEN or mark.isdigit())


def _is_title_closing(after: str) -> bool:
    rest = after.lstrip()
    mark = rest[:1]
    if not mark or mark in _CLOSES or (mark == "(" and after[:1].isspace()):
        return True
    if mark == "'":
        return not rest[1:2].isalnum()
    if mark == "-":
        return after[:1].isspace()
    return mark in _BETWEEN and not PART.match(rest[1:].lstrip())


def recheck_comparisons(
    reference: Reference, record: Record, found: tuple[Comparison, ...], versions: Sequence[Version]
) -> tuple[Comparison, ...]:
    """Return the comparisons with every doubt about the split of the raw text given its due."""
    if not is_running_text(reference):
        return found
    return tuple(_recheck_comparison(reference, record, comparison, versions) for comparison in found)


def _recheck_comparison(
    reference: Reference, record: Record, found: Comparison, versions: Sequence[Version]
) -> Comparison:
    if found.outcome not in (Outcome.DIFFERS, Outcome.ABSENT):
        return found
    said = replace(found, outcome=Outcome.VARIANT, reason=Reason.FOUND_IN_TEXT, similarity=1.0)
    if found.field == "title" and has_title_in_text(reference, record):
        return said
    if found.field == "authors" and _has_people_in_text(reference, record, found):
        return said
    if found.field == "authors" and all(_is_title_piece(n, record) for n in reference.claimed.authors):
        return replace(found, outcome=Outcome.ABSENT, reason=Reason.NOT_CITED, claimed="", similarity=0.0)
    if found.field == "venue" and found.outcome is Outcome.ABSENT:
        return _compare_text_venue(reference, record, versions) or found
    if found.field == "venue" and found.outcome is Outcome.DIFFERS:
        if _has_venue_in_text(reference, record, versions):
            return said
        cited, known = reference.claimed.title or "", map(titles.make_title_key, record.titles)
        if titles.make_title_key(cited) not in known:  # then the venue was cut at the wrong place as well
            return replace(found, outcome=Outcome.UNKNOWN, reason=Reason.WEAK_PARSE)
    return found


def _compare_text_venue(
    reference: Reference, record: Record, versions: Sequence[Version]
) -> Comparison | None:
    """Return how what is between a title and the end agrees with the venue, where it is all there is.

    The parser may take a short name for nothing: "A Study of Words. NAACL." has a venue all the same.
    """
    span = _find_title_span(reference, record)
    if span is None or record.kind not in _IN_VENUES or _has_venue_in_text(reference, record, versions):
        return None
    rest = _ADDRESS.sub(" ", index_letters(reference.raw).folded[span[1] :])
    rest = _YEARS.sub(" ", rest).strip(_FRAME)
    rest = _LEAD.sub("", rest).strip(_FRAME)
    if not 0 < len(rest.split()) <= _NAME_WORDS or any(c.isdigit() for c in rest) or _NOTE.search(rest):
        return None
    if not venue_match.parse_venue(rest).series or _names_people(rest, record):
        return None  # only the name of a known series is surely a venue
    found = compare_venue(rest, versions)
    return found if found.outcome is Outcome.DIFFERS else None


def _names_people(text: str, record: Record) -> bool:
    """Return whether an author of the record is named in a text: then it is not a venue."""
    words = set(titles.split_words(text))
    return any(not words.isdisjoint(names.fold_family_words(name)) for name in record.authors)


def _has_people_in_text(reference: Reference, record: Record, found: Comparison) -> bool:
    """Return whether every author of the record is in the text, in order, and nobody else does.

    What was read as a further author does not count when it is a piece of the title.
    """
    if found.outcome is Outcome.DIFFERS and found.reason in {Reason.ORDER_SWAPPED, Reason.GIVEN_NAME}:
        return False
    real = [name for name in reference.claimed.authors if not _is_title_piece(name, record)]
    if not record.authors or len(real) > len(record.authors) or any(_is_stranger(n, record) for n in real):
        return False
    wanted = [names.fold_family_words(name)[-1] for name in record.authors if names.fold_family_words(name)]
    wanted = wanted[:1] if _ET_AL.search(reference.raw) else wanted
    words = iter(_collect_other_words(reference, record))
    return all(family in words for family in wanted)  # `in` eats the words up to the one it finds


def _collect_other_words(reference: Reference, record: Record) -> list[str]:
    folded = index_letters(reference.raw).folded
    start, end = _find_title_span(reference, record) or (0, 0)
    return titles.split_words(f"{folded[:start]} . {folded[end:]}".replace("'", ""))


def _is_stranger(name: Name, record: Record) -> bool:
    """Return whether a cited name has no word in common with any author of the record."""
    mine = make_person(name).known
    return bool(mine) and all(mine.isdisjoint(make_person(other).known) for other in record.authors)


def _is_title_piece(name: Name, record: Record) -> bool:
    """Return whether what was read as a name is words of the record's title."""
    words = set(titles.split_words(name.display))
    long = len("".join(words)) >= _NAMED
    return long and any(words <= set(titles.split_words(title)) for title in record.titles)


def _has_venue_in_text(reference: Reference, record: Record, versions: Sequence[Version]) -> bool:
    """Return whether a venue of the work is named behind the title: its name, or its acronym as a word."""
    span = _find_title_span(reference, record)
    tail = _ADDRESS.sub(" ", index_letters(reference.raw).folded[span[1] if span else 0 :])
    text, words = titles.make_title_key(tail), set(titles.split_words(tail))
    for venue in (version.venue for version in versions if version.venue):
        name = titles.make_title_key(venue)
        if (len(name) >= _VENUE_LETTERS and name in text) or (len(name) >= _WORD and name in words):
            return True
        if not words.isdisjoint(venue_match.parse_venue(venue).acronyms):
            return True
    return False
