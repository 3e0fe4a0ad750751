"""References that were verified and can be spoiled, and all that mutations of them draw from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bench.selftest.mutations import MutationPool, MutationWorld, build_mutation_pool

from citeproof.answers.serializers.bibliography import build_bibtex_entry
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, Form
from citeproof.laboratory.measure.makers.edits import TrueCitation
from citeproof.laboratory.measure.makers.record_pool import gather_records
from citeproof.laboratory.measure.rendering import load_styles
from citeproof.text import title as titles
from citeproof.vocabulary import Checked, Claimed, Ids, Record, Reference, Verdict

Kin = Callable[[Record], Sequence[Record]]
_LIST_STYLE = "apa"  # what a reference of running text is printed in
SAMPLE = 2_000  # works that are drawn from the snapshots


@dataclass(frozen=True, slots=True)
class SelftestSubject:
    """One verified reference: where it is, the truth about it, and the form its copies have."""

    key: str
    file: str
    reference: Reference
    truth: TrueCitation
    form: Form

    def print_reference(self, cited: CitationFields) -> str:
        """Return the reference with these fields: an entry, or a line as reference lists have them."""
        if self.form == "bibtex":
            return build_bibtex_entry(self.key, cited.kind, replace_claims(self.reference.claimed, cited))
        return next(style for style in load_styles("text") if style.name == _LIST_STYLE).render(cited)


def select_subjects(checked: Iterable[Checked], kin: Kin) -> list[SelftestSubject]:
    """Return the references that were verified, each work once; `kin` gives other records of a work."""
    subjects: dict[str, SelftestSubject] = {}
    for reference in checked:
        judged = reference.judgement
        passed = judged.verdict is Verdict.MATCHED and judged.label is not None and judged.label.passes
        if not passed or judged.matched is None:
            continue
        title = reference.reference.claimed.title
        if not title or titles.make_title_key(title) in subjects:
            continue
        record = merge_known_records(judged.matched.record, reference, kin)
        truth = TrueCitation(copy_claimed_fields(reference.reference), record)
        subjects[titles.make_title_key(title)] = SelftestSubject(
            reference.reference.key,
            reference.reference.place.file,
            reference.reference,
            truth,
            choose_form(reference.reference),
        )
    return list(subjects.values())


def choose_form(reference: Reference) -> Form:
    """Return "text" for a reference that was read out of running text whole, else "bibtex"."""
    fields = reference.claimed.origins
    parsed = any(each.field == "title" and each.origin in ("model", "rule") for each in fields)
    return "text" if parsed and not reference.claimed.et_al else "bibtex"


def merge_known_records(record: Record, checked: Checked, kin: Kin) -> Record:
    """Return the matched record with the titles, versions and identifiers of all records of that work.

    A venue or year of any of them is not an error, so that no mutation may use it.
    """
    keys = {titles.make_title_key(title) for title in record.titles}
    others = [comparison.record for comparison in checked.compared] + list(kin(record))
    same = [other for other in others if _is_same_work(other, record, keys)]
    versions = [version for member in (record, *same) for version in member.versions]
    pairs = [pair for member in (record, *same) for pair in member.ids.pairs]
    known = [title for member in (record, *same) for title in member.titles]
    return replace(
        record,
        titles=tuple(dict.fromkeys(known)),
        versions=tuple(dict.fromkeys(versions)),
        ids=Ids(tuple(dict.fromkeys(pairs))),
    )


def _is_same_work(other: Record, record: Record, keys: set[str]) -> bool:
    if record.work and other.work == record.work:
        return True
    return not keys.isdisjoint(titles.make_title_key(title) for title in other.titles)


def copy_claimed_fields(reference: Reference) -> CitationFields:
    claimed = reference.claimed
    return CitationFields(
        work=titles.make_title_key(claimed.title or ""),
        kind=reference.kind,
        title=claimed.title or "",
        people=claimed.authors,
        year=claimed.year,
        venue=claimed.venue or "",
        volume=claimed.volume or "",
        issue=claimed.issue or "",
        pages=claimed.pages or "",
        publisher=claimed.publisher or "",
        ids=claimed.ids,
    )


def replace_claims(before: Claimed, now: CitationFields) -> Claimed:
    """Return the claims with the fields of `now`; what mutations never touch stays.

    A series ("CVPR '16") names the venue a second time, so it goes where the venue is exchanged.
    """
    series = before.series if now.venue == (before.venue or "") else None
    return replace(
        before, title=now.title, authors=now.people, year=now.year, venue=now.venue or None, series=series,
        volume=now.volume or None, issue=now.issue or None, pages=now.pages or None,
        publisher=now.publisher or None, ids=now.ids,
    )  # fmt: skip


def gather_selftest_pool(
    subjects: Sequence[SelftestSubject], snapshots: Sequence[Snapshot], seed: int, year: int
) -> MutationPool:
    """Return the works around the user's references; the same seed and snapshots give the same."""
    known = SnapshotKnowledge(snapshots)
    own = [subject.truth.record for subject in subjects]
    # Each work once: a pool leaves out titles of several records, and the sample may hold the user's own.
    once = {
        titles.make_title_key(record.title): record for record in (*_sample_records(snapshots, seed), *own)
    }
    pool = gather_records(once.values(), lambda _: True)
    return build_mutation_pool(pool, MutationWorld(year, known.title, known.works_in, known.doi))


def _sample_records(snapshots: Sequence[Snapshot], seed: int) -> Iterator[Record]:
    rng = random.Random(seed)
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
        wanted = titles.make_title_key(title)
        return any(
            wanted in map(titles.make_title_key, record.titles)
            for snapshot in self._snapshots
            for record in snapshot.by_title(title)
        )

    def works_in(self, venue: str) -> int:
        """Return how many works appeared in a venue of this name."""
        return sum(snapshot.facts.venue_count(venue) for snapshot in self._snapshots)

    def doi(self, doi: str) -> bool:
        """Return whether some work has this DOI, or one with its prefix."""
        prefix = doi.partition("/")[0]
        return any(
            snapshot.facts.knows_doi_prefix(prefix) or snapshot.by_id("doi", doi)
            for snapshot in self._snapshots
        )

    def find_kin(self, record: Record) -> list[Record]:
        """Return the other records of a work: linked ones, and those with its title."""
        return [
            other
            for snapshot in self._snapshots
            for other in (*snapshot.same_work(record), *snapshot.by_title(record.title))
        ]
