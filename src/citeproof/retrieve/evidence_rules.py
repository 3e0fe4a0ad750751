"""Whether what was heard so far is enough, and for what. Pure, and blind to the order of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from citeproof.compare import compare
from citeproof.compare.authors import SORTED, compare_authors
from citeproof.compare.linked_records import is_web_record
from citeproof.compare.title import is_known_title as title_agrees
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
)

_AGREE = (Outcome.SAME, Outcome.VARIANT)
_NOT_PUBLISHED = (Reason.PREPRINT_AS_PUBLISHED, Reason.ONLY_PREPRINT_KNOWN)


def is_settled(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether an identified record already agrees in title and authors."""
    found = [x for x in lookups if isinstance(x, Found) and x.by in WORK_IDS]
    return any(_is_agreeing(reference, record, _AGREE) for lookup in found for record in lookup.records)


def is_unclear(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether no record so far has the cited title and people that do not contradict."""
    found = [record for x in lookups if isinstance(x, Found) for record in x.records]
    return not any(_is_agreeing(reference, record, (*_AGREE, Outcome.UNKNOWN)) for record in found)


def is_decided(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether nothing that any further source says could matter.

    A record agrees in everything that is cited, and every cited identifier is accounted for; or two
    sources have the work, and it differs in both. That no source at hand has it never decides while
    registries may be asked.
    """
    same = _list_same_works(reference, lookups)
    if same and all(
        _is_accounted_for(reference, lookups, same[0], scheme) for scheme in _list_work_schemes(reference)
    ):
        return _is_faultless(same[0]) or len({source for c in same for source in c.registries}) > 1
    return False


def is_identified(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether the cited work was found, though details may differ."""
    return bool(_list_same_works(reference, lookups))


def is_only_preprint(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether the work is known so far only as a preprint, but cited as published."""
    same = _list_same_works(reference, lookups)
    venue = same[0].of("venue") if same else None
    return venue is not None and venue.reason in _NOT_PUBLISHED


def is_contradicted(reference: Reference, lookups: Sequence[Lookup], by: str) -> bool:
    """Return whether the identifier `by` led to records, none of which has the cited title."""
    records = [r for x in lookups if isinstance(x, Found) and x.by == by for r in x.records]
    title = reference.claimed.title
    return bool(records) and bool(title) and not any(title_agrees(title, r.titles) for r in records)


def _list_same_works(reference: Reference, lookups: Sequence[Lookup]) -> list[Compared]:
    """Return the candidates that are the cited work, best first."""
    compared = compare(reference, Retrieval(tuple(lookups)), date.max)
    page = reference.kind is Kind.WEB_PAGE
    return [
        c
        for c in compared
        if _is_same_work(c) and not c.index_error and (page or not is_web_record(c.record))
    ]


def _is_same_work(compared: Compared) -> bool:
    title, authors = compared.of("title"), compared.of("authors")
    assert title is not None
    assert authors is not None
    return title.outcome in _AGREE and authors.outcome in (*_AGREE, Outcome.ABSENT)


def _is_faultless(compared: Compared) -> bool:
    place = (c for c in compared.comparisons if c.field in ("year", "venue"))
    return not any(c.outcome is Outcome.DIFFERS or c.reason == Reason.ONLY_PREPRINT_KNOWN for c in place)


def _is_accounted_for(reference: Reference, lookups: Sequence[Lookup], best: Compared, scheme: str) -> bool:
    """Return whether a cited identifier is the record's own, does not exist, or is known to be another's."""
    mine = best.of(scheme)
    if mine is not None and mine.outcome in _AGREE:
        return True
    missing = (x for x in lookups if isinstance(x, Absent) and x.by == scheme)
    return any(x.reach is Reach.COMPLETE for x in missing) or is_contradicted(reference, lookups, scheme)


def _list_work_schemes(reference: Reference) -> set[str]:
    return {scheme for scheme, _ in reference.claimed.ids.pairs if scheme in WORK_IDS}


def _is_agreeing(reference: Reference, record: Record, people: tuple[Outcome, ...]) -> bool:
    claimed = reference.claimed
    if not title_agrees(claimed.title, record.titles):
        return False
    authors = compare_authors(
        claimed.authors,
        record.authors,
        et_al=claimed.et_al,
        complete=record.authors_complete,
        ordered=SORTED not in record.marks,
    )
    return authors.outcome in people


def merge_facts(facts: Iterable[SourceFacts]) -> SourceFacts:
    """Return what all sources together know: one that has seen it is enough."""
    rows = list(facts)
    return SourceFacts(
        doi_prefix_seen=_combine_answers(row.doi_prefix_seen for row in rows),
        venue_seen=_combine_answers(row.venue_seen for row in rows),
    )


def _combine_answers(answers: Iterable[bool | None]) -> bool | None:
    known = [answer for answer in answers if answer is not None]
    return any(known) if known else None
