"""What is known about the cited venue: do records confirm it, do registries have it, may it be one at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.text.venue_key import make_venue_key
from citeproof.text.venue_match import SAME, VARIANT, match_venues, parse_venue
from citeproof.vocabulary import (
    VENUE_REGISTRY,
    Comparison,
    Kind,
    ListAnswer,
    Outcome,
    Reason,
    VenueListing,
    VenueStanding,
)

_KINDS = frozenset((Kind.ARTICLE, Kind.PREPRINT, Kind.UNKNOWN))  # others: publishers, schools, book titles
_EXISTS = frozenset((VenueStanding.KNOWN, VenueStanding.INDEXED, VenueStanding.WITHDRAWN))
_PREDATORY = frozenset((VenueStanding.PREDATORY_JOURNAL, VenueStanding.HIJACKED))  # exist as well


@dataclass(frozen=True, slots=True)
class CitedVenue:
    """The cited venue, and who knows it."""

    name: str
    known_to: tuple[str, ...]  # lists that have it, and sources whose records of the work name it
    registries: tuple[ListAnswer, ...]  # that were asked
    comparison: Comparison | None  # with the venues of the matched record

    @property
    def contradicted(self) -> bool:
        """Whether the record of the work names another venue, in which it was published."""
        venue = self.comparison
        return bool(venue and venue.outcome is Outcome.DIFFERS and venue.reason is Reason.OTHER_VENUE)


def read_cited_venue(evidence: WorkEvidence) -> CitedVenue | None:
    """Return the cited venue; None if none is cited that a registry could know."""
    reference = evidence.reference
    name = (reference.claimed.venue or "").strip()
    if not name or reference.kind not in _KINDS:
        return None
    registries = tuple(answer for answer in evidence.listed if answer.name == VENUE_REGISTRY)
    comparison = compare_with_record(evidence)
    known = list(dict.fromkeys(_list_knowers(evidence, name)))
    matched = evidence.judgement.matched
    if matched and comparison and comparison.outcome.agrees:
        known.append(matched.record.source)
    if not known:
        read = parse_venue(name)
        if read.preprint or read.vague or read.submission:
            return None
        if read.series:
            known.append("known series")
    return CitedVenue(name, tuple(known), registries, comparison)


def compare_with_record(evidence: WorkEvidence) -> Comparison | None:
    """Return how the cited venue agrees with the record of the work; None if no record is of it."""
    record = evidence.judgement.work_record
    if record is None:
        return None
    return next((each.of("venue") for each in evidence.compared if each.record == record), None)


def list_standings(
    evidence: WorkEvidence, *standings: VenueStanding
) -> Iterator[tuple[ListAnswer, VenueListing]]:
    """Yield what lists say about the venue of the work in these words."""
    for answer in evidence.listed:
        if answer.subject == "venues":
            for listing in answer.listings:
                if listing.standing in standings:
                    yield answer, listing


def name_edition(answer: ListAnswer) -> str:
    """Return the name of a list with the year of its edition."""
    return f"{answer.name} ({answer.day[:4]})" if answer.day else answer.name


def _list_knowers(evidence: WorkEvidence, name: str) -> Iterator[str]:
    """Yield the lists that have the cited venue itself; they were asked about those of records as well."""
    for answer, listing in list_standings(evidence, *_EXISTS, *_PREDATORY):
        by_number = listing.found_by.startswith("ISSN")
        if answer.name == VENUE_REGISTRY or by_number or _is_one_venue(name, listing.title):
            yield answer.name


def _is_one_venue(name: str, title: str) -> bool:
    same_key = make_venue_key(name) == make_venue_key(title)
    return same_key or match_venues(name, title).outcome in (SAME, VARIANT)
