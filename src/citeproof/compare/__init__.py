"""A reference against everything that was retrieved, field by field.

`compare` is a pure function of the reference, the *set* of lookups and the date: the order in
which sources answered changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from citeproof.compare.address import compare_address
from citeproof.compare.authors import SORTED, compare_authors
from citeproof.compare.credit import rate_source, weigh_differences
from citeproof.compare.identifiers import compare_identifiers, report_malformed
from citeproof.compare.linked_records import find_index_errors, is_web_record, link_records
from citeproof.compare.locators import compare_locators
from citeproof.compare.raw_text import has_title_in_text, recheck_comparisons
from citeproof.compare.title import compare_title, is_known_title, measure_similarity
from citeproof.compare.venue import compare_venue, soften_preprint_only
from citeproof.compare.year import compare_year
from citeproof.text import arxiv, venue_match
from citeproof.text.names import make_family_key
from citeproof.vocabulary import (
    ID_ORDER,
    WORK_IDS,
    Claimed,
    Compared,
    Comparison,
    Found,
    Ids,
    Lookup,
    Outcome,
    Reason,
    Record,
    Reference,
    Retrieval,
    SourceFacts,
    Version,
)

MOST = 8  # candidates that are compared in full
_WORTH_A_LOOK = 0.45  # title similarity below which a record found by search is another work
_FAR_BEHIND = 0.3  # nor one whose title is this much further off than the best

__all__ = ["compare", "compare_record"]


@dataclass(frozen=True, slots=True)
class RetrievedRecord:
    """One record with the questions that brought it and the sources that have it."""

    record: Record
    via: tuple[str, ...]
    registries: tuple[str, ...]


def compare(reference: Reference, retrieved: Retrieval, today: date) -> tuple[Compared, ...]:
    """Return every candidate worth a look, compared in full, best first."""
    people = frozenset(make_family_key(name) for name in reference.claimed.authors)
    heard = sorted(_collect_records(retrieved.lookups), key=lambda h: _rank_record(reference, people, h))
    several = len({h.record.source for h in heard}) > 1
    wrong = find_index_errors(retrieved.lookups, [h.record for h in heard]) if several else frozenset()
    kin = _group_by_work(h.record for h in heard)
    best = max((_score_title(reference, h.record) for h in heard), default=0.0)
    chosen = [h for h in heard if _is_worth_comparing(reference, h, best)][:MOST]
    closed = _has_whole_source(retrieved.lookups)
    compared = [
        Compared(
            h.record,
            compare_record(
                reference, h.record, kin.get(h.record.work, ()), retrieved.facts, today, closed=closed
            ),
            h.via,
            h.registries,
            index_error=(h.record.source, h.record.id) in wrong,
            standing=rate_source(h.record),
        )
        for h in chosen
    ]
    return tuple(sorted(compared, key=lambda c: (c.index_error, is_web_record(c.record), _rank_compared(c))))


def compare_record(
    reference: Reference,
    record: Record,
    kin: Sequence[Record] = (),
    facts: SourceFacts | None = None,
    today: date = date.max,
    *,
    closed: bool = False,
) -> tuple[Comparison, ...]:
    """Return the comparison of every field of `reference` with one record.

    `kin` are other records of the same work: their versions and identifiers count as its own. `closed`
    says that a source which claims to hold everything was searched: there are no versions but these.
    """
    claimed = reference.claimed
    named = any(pair in record.ids.pairs for pair in claimed.ids.pairs if pair[0] in WORK_IDS | {"isbn"})
    title = compare_title(claimed.title, record.titles, named=named)
    authors = compare_authors(
        claimed.authors,
        record.authors,
        et_al=claimed.et_al,
        complete=record.authors_complete,
        ordered=SORTED not in record.marks,
    )
    near = _is_near_title(title) or has_title_in_text(reference, record)
    place = (
        _compare_place(reference, record, kin, facts, today, closed=closed)
        if near
        else _leave_uncompared(claimed)
    )
    found = recheck_comparisons(reference, record, (title, authors, *place), _join_versions((record, *kin)))
    return weigh_differences(reference, record, kin, found, facts, closed=closed)


def _compare_place(
    reference: Reference, record: Record, kin: Sequence[Record], facts: SourceFacts | None, today: date,
    *, closed: bool,
) -> tuple[Comparison, ...]:  # fmt: skip
    """Return the comparison of when, where and under which identifiers the work appeared."""
    claimed = reference.claimed
    versions = _join_versions((record, *kin))
    ids = _join_ids((record, *kin))
    fitting = [v for v in versions if claimed.venue and v.venue and _is_same_venue(claimed.venue, v.venue)]
    years = [v.year for v in versions if v.year]
    preprints = [*_find_preprint_years(ids), *_find_preprint_years(claimed.ids)]
    year = compare_year(
        claimed.year, versions, fitting=fitting, preprint_years=preprints, this_year=today.year, closed=closed
    )
    venue = compare_venue(claimed.venue, versions, series=claimed.series, publisher=claimed.publisher)
    if not any(each.versions_complete for each in (record, *kin)):
        venue, year = soften_preprint_only(venue, year)
    return (
        year,
        venue,
        *compare_locators(claimed, fitting or versions),
        *compare_identifiers(claimed.ids, ids, facts=facts, years=years),
        *report_malformed(reference.suspicious, ids),
        *compare_address(claimed.ids),
    )


def _has_whole_source(lookups: Sequence[Lookup]) -> bool:
    """Return whether a source answered that claims to hold all works, in all their versions.

    A registry is the authority for its identifiers and a snapshot may claim a kind or a venue: neither
    knows of other versions.
    """
    return any(isinstance(x, Found) and x.whole for x in lookups)


def _is_near_title(title: Comparison) -> bool:
    """Return whether it may be the work at all; where another work appeared is of no interest."""
    return title.outcome is not Outcome.DIFFERS or title.similarity >= _WORTH_A_LOOK


def _leave_uncompared(claimed: Claimed) -> tuple[Comparison, ...]:
    rows = [("year", str(claimed.year or "")), ("venue", claimed.venue or "")]
    rows += [(by, ", ".join(claimed.ids.all(by))) for by in ID_ORDER if claimed.ids.all(by)]
    return tuple(Comparison(name, Outcome.UNKNOWN, Reason.NOT_COMPARED, value) for name, value in rows)


def _is_same_venue(claimed: str, known: str) -> bool:
    """Return whether two venue names mean one venue."""
    return venue_match.match_venues(claimed, known).outcome in (venue_match.SAME, venue_match.VARIANT)


def _merge_lookups(lookups: Iterable[Lookup]) -> list[RetrievedRecord]:
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


def _collect_records(lookups: Sequence[Lookup]) -> list[RetrievedRecord]:
    """Return what was heard, the records of one work linked, those of one source too."""
    heard = _merge_lookups(lookups)
    if len(heard) < 2:
        return heard
    records = link_records([h.record for h in heard])
    return [replace(h, record=record) for h, record in zip(heard, records, strict=True)]


def _rank_record(
    reference: Reference, people: frozenset[str], heard: RetrievedRecord
) -> tuple[int, float, int, int, str, str]:
    """Identified records first, then by title, people and year, then by name: never by arrival."""
    record, claimed = heard.record, reference.claimed
    identified = not WORK_IDS.isdisjoint(heard.via)
    alike = _score_title(reference, record)
    known = sum(make_family_key(name) in people for name in record.authors) if alike >= _WORTH_A_LOOK else 0
    years = [abs(v.year - claimed.year) for v in record.versions if v.year and claimed.year]
    return (not identified, -alike, -known, min(years, default=99), record.source, record.id)


def _score_title(reference: Reference, record: Record) -> float:
    wanted = reference.claimed.title
    if has_title_in_text(reference, record):
        return 1.0
    if not wanted or is_known_title(wanted, record.titles):
        return 1.0 if wanted else 0.0  # a title without its subtitle has few letters in common, yet agrees
    return max((measure_similarity(wanted, title) for title in record.titles), default=0.0)


def _is_worth_comparing(reference: Reference, heard: RetrievedRecord, best: float) -> bool:
    if not reference.claimed.title or not WORK_IDS.isdisjoint(heard.via) or "authors" in heard.via:
        return True
    return _score_title(reference, heard.record) >= max(_WORTH_A_LOOK, best - _FAR_BEHIND)


def _group_by_work(records: Iterable[Record]) -> dict[str, tuple[Record, ...]]:
    by_work: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.work:
            by_work[record.work].append(record)
    return {work: tuple(members) for work, members in by_work.items()}


def _join_versions(records: Sequence[Record]) -> tuple[Version, ...]:
    return tuple(dict.fromkeys(version for record in records for version in record.versions))


def _join_ids(records: Sequence[Record]) -> Ids:
    return Ids(tuple(dict.fromkeys(pair for record in records for pair in record.ids.pairs)))


def _find_preprint_years(ids: Ids) -> list[int]:
    dates = [arxiv.read_year_month(number) for number in ids.all("arxiv")]
    return [found[0] for found in dates if found]


_RANK = {Outcome.SAME: 0, Outcome.VARIANT: 1, Outcome.UNKNOWN: 2, Outcome.ABSENT: 2, Outcome.DIFFERS: 4}


def _rank_compared(compared: Compared) -> tuple[float, int, str, str]:
    """Sort key: title and authors weigh most, then the rest, then the record's name."""
    title, authors = compared.of("title"), compared.of("authors")
    assert title is not None
    assert authors is not None
    rest = sum(_RANK[c.outcome] for c in compared.comparisons)
    main = 2 * (1 - title.similarity) + (1 - authors.similarity if authors.outcome is Outcome.DIFFERS else 0)
    return (round(main, 6), rest, compared.record.source, compared.record.id)
