"""Venues swapped for others in which no version of the work appeared."""

from __future__ import annotations

import random
from dataclasses import replace

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.edits import Edited, Truth
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool
from citeproof.text import journal
from citeproof.text import title as titles

_TRIES = 50
_RENAMED = {"nips": "neurips"}
_ALIKE = 0.34  # share of words two venues may have in common and still be two


def venue_swapped(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Put another venue of the field in the place of the cited one."""
    if not cited.venue or not pool.venues:
        return None
    known = [v.venue for v in truth.record.versions if v.venue] + [cited.venue]
    for _ in range(_TRIES):
        venue = rng.choice(pool.venues)
        if "submission" not in venue and not any(alike(venue, one) for one in known):
            edit = Edit(kind="venue_swapped", field="venue", before=cited.venue, after=venue)
            gone = replace(cited, venue=venue)
            return Edited(gone, edit)
    return None


def alike(a: str, b: str) -> bool:
    """Return whether two venues may be one: by name, or with words or the letters of an acronym in common."""
    if journal.surely_same(a, b):
        return True
    first, second = ({_RENAMED.get(w, w) for w in titles.words(one)} for one in (a, b))
    if len(first & second) > _ALIKE * min(len(first), len(second)):
        return True
    short, long = sorted((a, b), key=len)
    initials = "".join(word[0] for word in long.split() if word[:1].isupper()).lower()
    key = titles.key(short)
    return key in initials or initials in key or any(w.startswith(key[:4]) for w in titles.words(long))


RULES = (venue_swapped,)
