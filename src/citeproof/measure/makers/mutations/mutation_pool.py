"""What mutations draw from: other works, their venues, and the world they are in."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from citeproof.measure.makers.edits import TrueCitation
from citeproof.measure.makers.record_pool import RecordPool
from citeproof.vocabulary import Kind, Record

# Preprint servers, series that take in anything, and publishers that some records have for a venue.
_NO_VENUE = re.compile(
    r"arxiv|\bcorr\b|rxiv|ssrn|preprint|openreview|zenodo|research square|lecture notes|submission"
    r"|\b(?:press|inc|ltd|kluwer|bantam|kaufmann|hall|anthropic|court)\b|publish|wiley|springer|elsevier"
    r"|addison|mcgraw|university|department|laborator",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_VENUE = range(3, 101)  # letters of a venue's name
_ESTABLISHED = 5  # works that appeared in a venue before another is moved there
_DRAWN = 40  # works among which strangers are searched for
FEWEST = 5  # works of other people that there must be


def _find_nothing(value: str) -> bool:  # noqa: ARG001 - the shape of a question about the world
    return False


@dataclass(frozen=True, slots=True)
class MutationWorld:
    """This year, and what is known to exist."""

    year: int
    title_known: Callable[[str], bool] = _find_nothing
    works_in: Callable[[str], int] = _find_nothing  # how many works are known to have appeared in a venue
    doi_known: Callable[[str], bool] = _find_nothing


@dataclass(slots=True)
class MutationPool(RecordPool):
    """Other works to draw from, and the world they are in."""

    world: MutationWorld = field(default_factory=lambda: MutationWorld(0))

    def is_free_title(self, title: str) -> bool:
        """Return whether no work available, and none in the world that was asked, has this title."""
        return RecordPool.is_free_title(self, title) and not self.world.title_known(title)

    def find_strangers(self, truth: TrueCitation, rng: random.Random) -> list[Record]:
        """Return some works that share no author with the true one; nothing if they are too few."""
        own = {name.family.casefold() for name in (*truth.record.authors, *truth.cited.people)}
        drawn = rng.sample(self.records, min(_DRAWN, len(self.records)))
        found = [r for r in drawn if own.isdisjoint(n.family.casefold() for n in r.authors)]
        people = any(not name.collective and len(name.family) > 1 for one in found for name in one.authors)
        return found if people and len(found) >= FEWEST else []


def build_mutation_pool(pool: RecordPool, world: MutationWorld) -> MutationPool:
    """Return a pool in its world; its venues are those known for several works, if there are such."""
    found = {
        v.venue
        for r in pool.records
        for v in r.versions
        if v.venue and (r.kind if v.kind is Kind.UNKNOWN else v.kind) is Kind.ARTICLE
    }
    short = sorted(venue for venue in found if len(venue) in _VENUE and not _DIGIT.search(venue))
    every = [venue for venue in short if is_published_venue(venue)]
    venues = [venue for venue in every if world.works_in(venue) >= _ESTABLISHED] or every
    return MutationPool(
        pool.records, pool.titles_taken, pool.ids_taken, pool.lexicon, pool.people, venues, pool.prefixes,
        world,
    )  # fmt: skip


def is_published_venue(venue: str | None) -> bool:
    """Return whether a venue is one in which works are published: no preprint server, no publisher."""
    return bool(venue) and not _NO_VENUE.search(venue or "")
