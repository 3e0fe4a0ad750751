"""The 14 ways in which HALLMARK's references are wrong, done to a reference that is known to be right.

A way gives None where it does not apply, or where it is not certain that what it makes is wrong: a venue
is exchanged only for works that are known to have appeared somewhere, a list of authors is cut only if it
was whole. The tiers are HALLMARK's: 1 easy, 2 medium, 3 hard.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from citeproof.measure.makers.editor import Corrupted
from citeproof.measure.makers.edits import Truth
from citeproof.measure.makers.mutations import ways
from citeproof.measure.makers.mutations.around import Around, World, around
from citeproof.text import title as titles

__all__ = ["WAYS", "Around", "Way", "World", "around"]

_TRIES = 12

Make = Callable[[Truth, Around, random.Random], Corrupted | None]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to spoil a reference, under HALLMARK's name for it."""

    name: str
    tier: int
    make: Make

    def made(self, truth: Truth, pool: Around, rng: random.Random) -> Corrupted | None:
        """Return the reference spoiled in this way, and certainly wrong; None if that cannot be done."""
        own = {titles.key(each) for each in truth.record.titles}
        for _ in range(_TRIES):
            found = self.make(truth, pool, rng)
            if found is None or found.cited == truth.cited:
                continue
            other = titles.key(found.cited.title)
            if other == titles.key(truth.cited.title) or (other not in own and pool.free(found.cited.title)):
                return found
        return None


_BY_TIER: tuple[tuple[int, tuple[Make, ...]], ...] = (
    (1, (ways.fabricated_doi, ways.future_date, ways.nonexistent_venue, ways.placeholder_authors)),
    (
        2,
        (
            ways.chimeric_title, ways.hybrid_fabrication, ways.merged_citation, ways.partial_author_list,
            ways.preprint_as_published, ways.swapped_authors, ways.wrong_venue,
        ),
    ),
    (3, (ways.arxiv_version_mismatch, ways.near_miss_title, ways.plausible_fabrication)),
)  # fmt: skip
WAYS: tuple[Way, ...] = tuple(Way(make.__name__, tier, make) for tier, makes in _BY_TIER for make in makes)
