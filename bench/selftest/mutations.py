"""The 14 ways in which HALLMARK's references are wrong, done to a reference that is known to be right.

A way gives None where it does not apply, or where it is not certain that what it makes is wrong: a venue
is exchanged only for works that are known to have appeared somewhere, a list of authors is cut only if it
was whole. The tiers are HALLMARK's: 1 easy, 2 medium, 3 hard.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from bench.selftest import mutation_ways
from bench.selftest.mutation_pool import (
    MutationPool,
    MutationWorld,
    build_mutation_pool,
)

from citeproof.laboratory.measure.makers.edits import TrueCitation
from citeproof.laboratory.measure.makers.rule_editor import CorruptedCitation
from citeproof.text import title as titles

__all__ = ["WAYS", "MutationPool", "MutationWay", "MutationWorld", "build_mutation_pool"]

_TRIES = 12

Make = Callable[[TrueCitation, MutationPool, random.Random], CorruptedCitation | None]


@dataclass(frozen=True, slots=True)
class MutationWay:
    """One way to spoil a reference, under HALLMARK's name for it."""

    tier: int
    make: Make

    @property
    def name(self) -> str:
        return self.make.__name__

    def spoil_reference(
        self, truth: TrueCitation, pool: MutationPool, rng: random.Random
    ) -> CorruptedCitation | None:
        """Return the reference spoiled in this way, and certainly wrong; None if that cannot be done."""
        own = {titles.make_title_key(each) for each in truth.record.titles}
        for _ in range(_TRIES):
            spoiled = self.make(truth, pool, rng)
            if spoiled is None or spoiled.cited == truth.cited:
                continue
            other = titles.make_title_key(spoiled.cited.title)
            if other == titles.make_title_key(truth.cited.title) or (
                other not in own and pool.is_free_title(spoiled.cited.title)
            ):
                return spoiled
        return None


WAYS: tuple[MutationWay, ...] = (
    MutationWay(1, mutation_ways.fabricated_doi),
    MutationWay(1, mutation_ways.future_date),
    MutationWay(1, mutation_ways.nonexistent_venue),
    MutationWay(1, mutation_ways.placeholder_authors),
    MutationWay(2, mutation_ways.chimeric_title),
    MutationWay(2, mutation_ways.hybrid_fabrication),
    MutationWay(2, mutation_ways.merged_citation),
    MutationWay(2, mutation_ways.partial_author_list),
    MutationWay(2, mutation_ways.preprint_as_published),
    MutationWay(2, mutation_ways.swapped_authors),
    MutationWay(2, mutation_ways.wrong_venue),
    MutationWay(3, mutation_ways.arxiv_version_mismatch),
    MutationWay(3, mutation_ways.near_miss_title),
    MutationWay(3, mutation_ways.plausible_fabrication),
)
