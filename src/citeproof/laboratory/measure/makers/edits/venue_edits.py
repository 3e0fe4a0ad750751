"""Venues swapped for others in which no version of the work appeared."""

from __future__ import annotations

from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.makers.citation_fields import CitationFields
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation
from citeproof.text import title as titles
from citeproof.text import venue_match

_TRIES = 50
_RENAMED = {"nips": "neurips"}
_ALIKE = 0.34  # share of words two venues may have in common and still be two


def swap_venue(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put another venue of the field in the place of the cited one."""
    if not cited.venue or not draw.pool.venues:
        return None
    known = [v.venue for v in draw.truth.record.versions if v.venue] + [cited.venue]
    for _ in range(_TRIES):
        venue = draw.rng.choice(draw.pool.venues)
        if "submission" not in venue and not any(is_similar_venue(venue, other) for other in known):
            edit = BenchmarkEdit(kind="venue_swapped", field="venue", before=cited.venue, after=venue)
            return EditedCitation(replace(cited, venue=venue), edit)
    return None


def is_similar_venue(a: str, b: str) -> bool:
    """Return whether two venues may be one: by name, or with words or the letters of an acronym in common."""
    if venue_match.is_surely_same(a, b):
        return True
    first, second = ({_RENAMED.get(w, w) for w in titles.split_words(venue)} for venue in (a, b))
    if len(first & second) > _ALIKE * min(len(first), len(second)):
        return True
    short, long = sorted((a, b), key=len)
    initials = "".join(word[0] for word in long.split() if word[:1].isupper()).lower()
    key = titles.make_title_key(short)
    return key in initials or initials in key or any(w.startswith(key[:4]) for w in titles.split_words(long))


RULES = (swap_venue,)
