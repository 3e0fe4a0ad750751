"""A second look where the fields were cut out of running text.

A split by rule may cut a title in the wrong place, take half a name for an author, or end a venue
at the first full stop. When the record's own words stand in the raw text, the citation does say
them, and the parser's mistake is not held against it. Fields that the document itself names
(BibTeX, CSL-JSON, a flag) are taken at their word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.text import journal, names
from citeproof.text import title as titles
from citeproof.vocabulary import Comparison, Name, Origin, Outcome, Record, Reference, Version

_LONG = 20  # letters from which a title found in the text is no accident
_SHORT = 12  # letters from which it counts when it is also most of what was read as the title
_MOST = 0.8
_VENUE_LETTERS = 9  # letters of a venue's name that must stand in the text


def is_running(reference: Reference) -> bool:
    """Return whether the title was cut out of running text, or not found in it at all."""
    if not reference.raw:
        return False
    origin = next((o.origin for o in reference.claimed.origins if o.field == "title"), None)
    return origin is not Origin.STRUCTURED and (origin is not None or not reference.claimed.title)


def title_stands(reference: Reference, record: Record) -> bool:
    """Return whether a title of the record stands in the raw text as a title, not inside a longer one."""
    if not is_running(reference):
        return False
    text, cited = titles.key(reference.raw), titles.key(reference.claimed.title or "")
    venue = titles.key(reference.claimed.venue or "")
    return any(
        _stands(key, text, cited) and not _is_venue(key, venue) for key in map(titles.key, record.titles)
    )


def _is_venue(key: str, venue: str) -> bool:
    """Return whether what stands in the text is the venue: proceedings have records of their own."""
    return bool(venue) and (venue in key or key in venue)


def _stands(key: str, text: str, cited: str) -> bool:
    if len(key) < _SHORT or key not in text:
        return False
    if cited and key in cited:  # a short record title inside a longer cited one is another work
        return len(key) >= _MOST * len(cited)
    return len(key) >= _LONG


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
    if found.field == "venue" and found.outcome is Outcome.DIFFERS:
        if _venue_stands(reference, versions):
            return said
        if not _cut_well(reference, record):  # then the venue was cut at the wrong place as well
            return replace(found, outcome=Outcome.UNKNOWN, reason="weak_parse")
    return found


def _cut_well(reference: Reference, record: Record) -> bool:
    cited = titles.key(reference.claimed.title or "")
    return any(cited == titles.key(title) for title in record.titles)


def _people_stand(reference: Reference, record: Record, found: Comparison) -> bool:
    """Return whether every author of the record stands in the text, in order, and nobody else does.

    What was read as a further author does not count when it is a piece of the title.
    """
    if found.outcome is Outcome.DIFFERS and found.reason in {"order_swapped", "given_name"}:
        return False
    wanted = [names.family_words(name)[-1] for name in record.authors if names.family_words(name)]
    text = titles.fold(reference.raw).replace("'", "")
    at = 0
    for family in wanted:
        at = text.find(family, at)
        if at < 0:
            return False
        at += len(family)
    real = [name for name in reference.claimed.authors if not _piece_of_title(name, record)]
    return bool(wanted) and len(real) <= len(record.authors)


def _piece_of_title(name: Name, record: Record) -> bool:
    key = titles.key(name.display)
    return len(key) >= _SHORT and any(key in titles.key(title) for title in record.titles)


def _venue_stands(reference: Reference, versions: Sequence[Version]) -> bool:
    """Return whether a venue of the work is named in the text: its name, or its acronym as a word."""
    text, words = titles.key(reference.raw), set(titles.words(reference.raw))
    for venue in (version.venue for version in versions if version.venue):
        name = titles.key(venue)
        if (len(name) >= _VENUE_LETTERS and name in text) or name in words:
            return True
        if not words.isdisjoint(journal.normal(venue).acronyms):
            return True
    return False
