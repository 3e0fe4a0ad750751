"""A second look where the fields were cut out of running text.

A split by rule may cut a title in the wrong place. When the record's own words stand in the raw
text, the citation does say them, and the parser's mistake is not held against it. Fields that the
document itself names (BibTeX, CSL-JSON, a flag) are taken at their word.
"""

from __future__ import annotations

from dataclasses import replace

from citeproof.text import names
from citeproof.text import title as titles
from citeproof.vocabulary import Comparison, Outcome, Record, Reference

SURE = 0.9  # a field read with this certainty is not looked at again
DOUBTFUL_VENUE = 0.7  # below this the cut between title and venue is a guess
_LONG = 20  # letters from which a title found in the text is no accident
_SHORT = 12  # letters from which it counts when it is also most of what was read as the title


def reread(reference: Reference, record: Record, found: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """Return the comparisons with every doubt about the split of the raw text given its due."""
    if not reference.raw or all(origin.confidence >= SURE for origin in reference.claimed.origins):
        return found
    return tuple(_again(reference, record, comparison) for comparison in found)


def _again(reference: Reference, record: Record, found: Comparison) -> Comparison:
    doubtful = reference.claimed.confidence(found.field) < SURE or found.outcome is Outcome.ABSENT
    if not doubtful or found.outcome not in (Outcome.DIFFERS, Outcome.ABSENT):
        return found
    if found.field == "title" and _title_stands(reference.raw, found, record):
        return replace(found, outcome=Outcome.VARIANT, reason="found_in_text", similarity=1.0)
    if found.field == "authors" and _people_stand(reference, record, found):
        return replace(found, outcome=Outcome.VARIANT, reason="found_in_text", similarity=1.0)
    guessed = reference.claimed.confidence("venue") < DOUBTFUL_VENUE
    if found.field == "venue" and found.outcome is Outcome.DIFFERS and guessed:
        return replace(found, outcome=Outcome.UNKNOWN, reason="weak_parse")
    return found


def _title_stands(raw: str, found: Comparison, record: Record) -> bool:
    text = titles.key(raw)
    for title in record.titles:
        key = titles.key(title)
        if len(key) >= _LONG and key in text:
            # a short record title inside a longer cited one is another work, not a bad split
            cited = titles.key(found.claimed)
            return not cited or key not in cited or len(key) >= 0.8 * len(cited)
        if len(key) >= _SHORT and key in text and key in titles.key(found.claimed):
            return len(key) >= 0.8 * len(titles.key(found.claimed))
    return False


def _people_stand(reference: Reference, record: Record, found: Comparison) -> bool:
    """Return whether every author of the record stands in the text, in order, before the title."""
    if found.outcome is Outcome.DIFFERS and found.reason not in {
        "authors_other",
        "author_added",
        "authors_missing",
    }:
        return False
    text = titles.fold(reference.raw)
    wanted = [names.family_words(name)[-1] for name in record.authors if names.family_words(name)]
    if not wanted or reference.claimed.et_al:
        return False
    at = 0
    for family in wanted:
        at = text.find(family, at)
        if at < 0:
            return False
        at += len(family)
    return len(reference.claimed.authors) <= len(record.authors)
