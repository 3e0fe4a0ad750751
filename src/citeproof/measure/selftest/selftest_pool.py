"""What mutations draw from: the user's other references, and works of the snapshots."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from citeproof.index.snapshot import Snapshot
from citeproof.measure.makers.mutations import MutationPool, MutationWorld, build_mutation_pool
from citeproof.measure.makers.record_pool import gather_records
from citeproof.measure.selftest.selftest_subjects import SelftestSubject
from citeproof.text import title as titles
from citeproof.vocabulary import Record

SAMPLE = 2_000  # works that are drawn from the snapshots


def gather_selftest_pool(
    subjects: Sequence[SelftestSubject], snapshots: Sequence[Snapshot], seed: int, year: int
) -> MutationPool:
    """Return the works around the user's references; the same seed and snapshots give the same."""
    known = SnapshotKnowledge(snapshots)
    own = [one.truth.record for one in subjects]
    # Each work once: a pool leaves out titles of several records, and the sample may hold the user's own.
    once = {
        titles.make_title_key(record.title): record for record in (*_sample_records(snapshots, seed), *own)
    }
    pool = gather_records(once.values(), lambda _: True)
    return build_mutation_pool(pool, MutationWorld(year, known.title, known.works_in, known.doi))


def _sample_records(snapshots: Sequence[Snapshot], seed: int) -> Iterator[Record]:
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    share = SAMPLE // max(1, len(snapshots))
    for snapshot in snapshots:
        count = snapshot.manifest.records
        for at in sorted(rng.sample(range(count), min(share, count))):
            yield snapshot.record_at(at)


class SnapshotKnowledge:
    """What the snapshots hold, asked before something is said not to exist."""

    def __init__(self, snapshots: Sequence[Snapshot]) -> None:
        self._snapshots = snapshots

    def title(self, title: str) -> bool:
        """Return whether some work has this title."""
        wanted = titles.make_title_key(title)
        return any(
            wanted in map(titles.make_title_key, record.titles)
            for snapshot in self._snapshots
            for record in snapshot.by_title(title)
        )

    def works_in(self, venue: str) -> int:
        """Return how many works appeared in a venue of this name."""
        return sum(snapshot.venue_count(venue) for snapshot in self._snapshots)

    def doi(self, doi: str) -> bool:
        """Return whether somebody has this DOI, or one with its prefix."""
        prefix = doi.partition("/")[0]
        return any(one.knows_doi_prefix(prefix) or one.by_id("doi", doi) for one in self._snapshots)

    def find_kin(self, record: Record) -> list[Record]:
        """Return the other records of a work: linked ones, and those with its title."""
        return [
            other
            for snapshot in self._snapshots
            for other in (*snapshot.same_work(record), *snapshot.by_title(record.title))
        ]
