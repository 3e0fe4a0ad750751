"""What is known about one reference so far. It grows lookup by lookup, and compares each record once.

`Evidence` says whether what it holds is enough, and for what. Pure, and blind to the order of answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from citeproof.judgement.compare.credit import weigh_differences
from citeproof.judgement.compare.credit_table import name_origin, rate_source
from citeproof.judgement.compare.linked_records import find_index_errors, is_web_record, link_records
from citeproof.judgement.compare.record_comparison import WORTH_A_LOOK, RecordComparison
from citeproof.text.names import make_family_key
from citeproof.text.title import has_main_title
from citeproof.vocabulary import (
    WORK_IDS,
    Absent,
    Compared,
    Found,
    Kind,
    Lookup,
    Outcome,
    Reach,
    Reason,
    Record,
    Reference,
    Retrieval,
    SourceFacts,
    Stop,
)

MOST = 8  # candidates that are compared in full
_FAR_BEHIND = 0.3  # a title this much further off than the best is not worth a look
_FAR_OFF = 0.55  # similarity below which a record's title is another work's
_WITNESSES = ("dblp", "arxiv")  # sources of two origins, one of them the authors
_WITNESSED = ("title", "authors", "year", "venue")  # fields in which another record can tell who is wrong
_SAME_PEOPLE = 0.5  # the share of people who agree from which it is the same work, some of them cited wrongly
_NOT_PUBLISHED = (Reason.PREPRINT_AS_PUBLISHED, Reason.ONLY_PREPRINT_KNOWN, Reason.UNKNOWN_VENUE)
_RANK = {Outcome.SAME: 0, Outcome.VARIANT: 1, Outcome.UNKNOWN: 2, Outcome.ABSENT: 2, Outcome.DIFFERS: 4}


@dataclass(frozen=True, slots=True)
class RetrievedRecord:
    """One record with the questions that brought it and the sources that have it."""

    record: Record
    via: tuple[str, ...]
    registries: tuple[str, ...]


def merge_lookups(lookups: Iterable[Lookup]) -> list[RetrievedRecord]:
    """Merge what all sources said into one row for each record, whatever the order of answers."""
    via: dict[tuple[str, str], set[str]] = defaultdict(set)
    registries: dict[tuple[str, str], set[str]] = defaultdict(set)
    records: dict[tuple[str, str], Record] = {}
    for lookup in lookups:
        if isinstance(lookup, Found):
            for record in lookup.records:
                name = (record.source, record.id)
                records[name] = record
                via[name].add(lookup.by)
                registries[name].add(lookup.source)
    return [
        RetrievedRecord(records[n], tuple(sorted(via[n])), tuple(sorted(registries[n])))
        for n in sorted(records)
    ]


def group_by_work(records: Iterable[Record]) -> dict[str, tuple[Record, ...]]:
    """Return the records of each work that has several names."""
    by_work: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.work:
            by_work[record.work].append(record)
    return {work: tuple(members) for work, members in by_work.items()}


def rank_compared(compared: Compared) -> tuple[bool, bool, float, int, str, str]:
    """Sort key: title and authors weigh most, then the rest, then the record's name."""
    title, authors = compared.of("title"), compared.of("authors")
    assert title is not None
    assert authors is not None
    rest = sum(_RANK[c.outcome] for c in compared.comparisons)
    main = 2 * (1 - title.similarity) + (1 - authors.similarity if authors.outcome is Outcome.DIFFERS else 0)
    record = compared.record
    return (
        compared.index_error, is_web_record(record), round(main, 6), rest, record.source, record.id
    )  # fmt: skip


class Evidence:
    """The lookups about one reference, what they leave unasked, and how their records compare."""

    def __init__(
        self,
        reference: Reference,
        facts: SourceFacts | None = None,
        today: date = date.max,
        lookups: Iterable[Lookup] = (),
    ) -> None:
        self.reference = reference
        self.facts = facts
        self.today = today
        self.lookups = list(lookups)
        self.stops: list[Stop] = []
        self._rows: dict[int, RecordComparison] = {}  # by the record's identity: to hash one takes long
        self._merged: tuple[list[RetrievedRecord], bool] = ([], False)
        self._candidates: list[Compared] = []
        self._kin: dict[str, tuple[Record, ...]] = {}

    @cached_property
    def _people(self) -> frozenset[str]:
        return frozenset(make_family_key(name) for name in self.reference.claimed.authors)

    @property
    def retrieval(self) -> Retrieval:
        """What was retrieved, as the report and the audit log keep it."""
        return Retrieval(tuple(self.lookups), tuple(self.stops), self.facts)

    # --- comparing -----------------------------------------------------------------------------

    def compare(self) -> tuple[Compared, ...]:
        """Return every candidate worth a look, compared in full, best first."""
        candidates, closed = self._list_candidates(), self._merged[1]
        return tuple(self._weigh(candidate, closed=closed) for candidate in candidates)

    def _weigh(self, candidate: Compared, *, closed: bool) -> Compared:
        kin, found = self._kin.get(candidate.record.work, ()), candidate.comparisons
        weighed = weigh_differences(
            self.reference, candidate.record, kin, found, self.facts, closed=closed, searched=self._searched
        )
        return candidate if weighed is found else replace(candidate, comparisons=weighed)

    def _list_candidates(self) -> list[Compared]:
        """Return the candidates, best first, their differences not weighed; again only with new records."""
        merged = merge_lookups(self.lookups), self._has_whole_source()
        if merged != self._merged:
            self._merged, self._candidates = merged, self._compare_records(*merged)
        return self._candidates

    def _compare_records(self, heard: list[RetrievedRecord], closed: bool) -> list[Compared]:
        rows = [self._row(h.record) for h in heard]
        records = link_records([h.record for h in heard]) if len(heard) > 1 else [h.record for h in heard]
        several = len({record.source for record in records}) > 1
        wrong = find_index_errors(self.lookups, records) if several else frozenset()
        ranked = list(zip(heard, rows, records, strict=True))
        if len(ranked) > 1:
            ranked.sort(key=lambda each: self._rank(*each[:2]))
        self._kin = group_by_work(record for *_, record in ranked)
        best = max((row.title_score for row in rows), default=0.0)
        chosen = [each for each in ranked if self._is_worth_comparing(*each[:2], best)][:MOST]
        compared = [
            Compared(
                record,
                row.compare_fields(self._kin.get(record.work, ()), self.facts, self.today, closed=closed),
                h.via,
                h.registries,
                index_error=(record.source, record.id) in wrong,
                standing=rate_source(record),
            )
            for h, row, record in chosen
        ]
        return sorted(compared, key=rank_compared)

    def _row(self, record: Record) -> RecordComparison:
        row = self._rows.get(id(record))
        if row is None:
            row = self._rows[id(record)] = RecordComparison(self.reference, record)
        return row

    def _rank(self, heard: RetrievedRecord, row: RecordComparison) -> tuple[int, float, int, int, str, str]:
        """Identified records first, then by title, people and year, then by name: never by arrival."""
        record, year, alike = row.record, self.reference.claimed.year, row.title_score
        people = record.authors if alike >= WORTH_A_LOOK else ()
        known = sum(make_family_key(name) in self._people for name in people)
        years = [abs(v.year - year) for v in record.versions if v.year and year]
        identified = not WORK_IDS.isdisjoint(heard.via)
        return (not identified, -alike, -known, min(years, default=99), record.source, record.id)

    def _is_worth_comparing(self, heard: RetrievedRecord, row: RecordComparison, best: float) -> bool:
        if not self.reference.claimed.title or not WORK_IDS.isdisjoint(heard.via) or "authors" in heard.via:
            return True
        return row.title_score >= max(WORTH_A_LOOK, best - _FAR_BEHIND)

    def _has_whole_source(self) -> bool:
        """Return whether a source answered that claims to hold all works, in all their versions.

        A registry is the authority for its identifiers and a snapshot may claim a kind or a venue: neither
        knows of other versions.
        """
        return any(isinstance(x, Found) and x.whole for x in self.lookups)

    @property
    def _searched(self) -> frozenset[str]:
        """The sources that answered a search for the title."""
        return frozenset(x.source for x in self.lookups if x.by == "title" and isinstance(x, Found | Absent))

    # --- deciding ------------------------------------------------------------------------------

    def is_settled(self) -> bool:
        """Return whether an identified record already agrees in title and authors."""
        return any(row.has_known_title and row.authors.outcome.agrees for row in self._list_rows(WORK_IDS))

    def is_unclear(self) -> bool:
        """Return whether no record so far has the cited title and people that do not contradict."""
        rows = [row.authors.outcome for row in self._list_rows() if row.has_known_title]
        return not any(people.agrees or people is Outcome.UNKNOWN for people in rows)

    def is_decided(self, *, pages: bool = False) -> bool:
        """Return whether nothing that any further source says could matter; web `pages` count if asked for.

        A record agrees in everything that is cited, and every cited identifier is accounted for; or two
        sources have the work, and it differs in both. That no source available has it never decides while
        registries may be asked.
        """
        same = self._list_same_works(pages=pages)
        cited = {scheme for scheme, _ in self.reference.claimed.ids.pairs if scheme in WORK_IDS}
        if not same or not all(self._is_accounted_for(same[0], scheme) for scheme in cited):
            return False
        return _is_faultless(same[0]) or len({source for c in same for source in c.registries}) > 1

    def is_identified(self) -> bool:
        """Return whether the cited work was found, though details may differ."""
        return bool(self._list_same_works())

    def is_enough(self) -> bool:
        """Return whether the work was found, and not only a preprint of what is cited as published.

        Some of its people may differ: who is wrong there, witnesses tell, not everybody who has the work.
        """
        same = self._list_same_works(_SAME_PEOPLE)
        venue = same[0].of("venue") if same else None
        return bool(same) and (venue is None or venue.reason not in _NOT_PUBLISHED)

    def find_doubted_record(self) -> tuple[Record, set[str]] | None:
        """Return the record that contradicts the citation, and in what, if a second can change the label."""
        found = [c for c in self.compare() if not c.index_error and not is_web_record(c.record)]
        best = min(found, key=lambda c: not c.record.authors, default=None)  # without people it tells less
        title = best.of("title") if best else None
        if best is None or title is None or any(c.convicts and c.field != "issn" for c in best.comparisons):
            return None
        far = title.outcome is Outcome.DIFFERS and title.similarity < _FAR_OFF
        if far and not has_main_title(title.claimed, title.resolved):
            return None
        people = best.of("authors")
        if people is not None and people.reason == Reason.RECORD_TRUNCATED:  # a list that cannot tell
            return best.record, {"authors"}
        others = (replace(best.record, source=name, marks=()) for name in _WITNESSES)
        kin, closed = (*self._kin.get(best.record.work, ()), *others), self._merged[1]
        searched = self._searched.union(_WITNESSES)
        weighed = weigh_differences(
            self.reference, best.record, kin, best.comparisons, self.facts, closed=closed, searched=searched
        )
        doubted = {c.field for c in weighed if c.convicts and c.field in _WITNESSED}
        return (best.record, doubted) if doubted else None

    def list_origins(self, work: Record) -> set[str]:
        """Return whose facts the records of a work are."""
        return {name_origin(record) for record in (work, *self._kin.get(work.work, ()))}

    def is_contradicted(self, by: str) -> bool:
        """Return whether the identifier `by` led to records, none of which has the cited title."""
        rows = list(self._list_rows((by,)))
        return bool(rows and self.reference.claimed.title) and not any(row.has_known_title for row in rows)

    def is_denied(self, by: str) -> bool:
        """Return whether the identifier's own registry says that it does not exist."""
        return any(isinstance(x, Absent) and x.by == by and x.reach is Reach.COMPLETE for x in self.lookups)

    def has_record(self, by: str, value: str) -> bool:
        """Return whether a source that was asked for an identifier has a record with it."""
        return any((by, value) in row.record.ids.pairs for row in self._list_rows((by,)))

    def _list_rows(self, schemes: Collection[str] | None = None) -> Iterator[RecordComparison]:
        """Yield the records that questions of these schemes brought, or all."""
        for lookup in self.lookups:
            if isinstance(lookup, Found) and (schemes is None or lookup.by in schemes):
                yield from map(self._row, lookup.records)

    def _list_same_works(self, people: float = 1.0, *, pages: bool = False) -> list[Compared]:
        """Return the candidates that are the cited work, best first; of `people`, a share at least agrees."""
        page = pages or self.reference.kind is Kind.WEB_PAGE
        return [
            c
            for c in self._list_candidates()
            if _is_same_work(c, people) and not c.index_error and (page or not is_web_record(c.record))
        ]

    def _is_accounted_for(self, best: Compared, scheme: str) -> bool:
        """Return whether a cited identifier is the record's own, does not exist, or is another's."""
        mine = best.of(scheme)
        return (
            (mine is not None and mine.outcome.agrees)
            or self.is_denied(scheme)
            or self.is_contradicted(scheme)
        )


def _is_same_work(compared: Compared, people: float) -> bool:
    title, authors = compared.of("title"), compared.of("authors")
    assert title is not None
    assert authors is not None
    known = authors.outcome.agrees or authors.outcome is Outcome.ABSENT
    return title.outcome.agrees and (known or (people < 1 and authors.similarity >= people))


def _is_faultless(compared: Compared) -> bool:
    place = (c for c in compared.comparisons if c.field in ("year", "venue"))
    return not any(c.outcome is Outcome.DIFFERS or c.reason == Reason.ONLY_PREPRINT_KNOWN for c in place)
