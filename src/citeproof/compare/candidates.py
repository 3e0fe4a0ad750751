"""The records of all lookups as candidates: merged, grouped by work, put in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from citeproof.compare.linked_records import is_web_record
from citeproof.vocabulary import Compared, Found, Lookup, Outcome, Record


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


_RANK = {Outcome.SAME: 0, Outcome.VARIANT: 1, Outcome.UNKNOWN: 2, Outcome.ABSENT: 2, Outcome.DIFFERS: 4}


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
