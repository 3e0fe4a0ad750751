"""How a record stands to the version of a work that is cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from citeproof.judgement.compare.identifiers import DEPOSITS
from citeproof.judgement.compare.venue import cites_preprint, is_published_somewhere
from citeproof.text import doi
from citeproof.text.venue_match import DIFFERS, match_venues
from citeproof.vocabulary import Claimed, Comparison, Kind, Outcome, Reason, Record, Reference

_OWN_VENUES = (Reason.OTHER_VENUE, Reason.OTHER_MEETING)
_OF_VERSIONS = ("doi", "pmid", "pmcid", "acl", "ads")  # identifiers that name one version, not the family


class VersionRelation(StrEnum):
    """How a record stands to the version that is cited."""

    SAME = "same"
    OPEN = "open"
    PREPRINT = "preprint"
    OWN = "own"
    OTHER = "other"


def relate_to_version(
    reference: Reference,
    record: Record,
    kin: Sequence[Record],
    found: Mapping[str, Comparison],
    *,
    closed: bool,
) -> VersionRelation:
    """Return how the record stands to the version that the citation names by identifier, venue and year."""
    claimed = reference.claimed
    venue, year = found["venue"], found["year"]
    if names_version(found):
        return VersionRelation.SAME
    if cites_preprint(claimed, reference.kind):
        if not any(map(is_published_somewhere, (record, *kin))):
            return VersionRelation.SAME
        numbered = "arxiv" in found and found["arxiv"].outcome.agrees
        own = numbered and record.kind is Kind.PREPRINT
        return VersionRelation.OWN if own else VersionRelation.PREPRINT
    if reference.kind is Kind.REPORT and any(map(is_published_somewhere, (record, *kin))):
        return VersionRelation.OTHER  # a report comes before the paper
    if venue.outcome.agrees or (year.outcome.agrees and _is_same_book(reference, record)):
        return VersionRelation.SAME
    if venue.outcome is Outcome.DIFFERS:
        own_venue = venue.reason in _OWN_VENUES and not _names_longer_version(claimed, found)
        return VersionRelation.OPEN if own_venue and year.outcome.agrees else VersionRelation.OTHER
    return VersionRelation.OTHER if year.outcome is Outcome.DIFFERS and not closed else VersionRelation.OPEN


def names_version(found: Mapping[str, Comparison]) -> bool:
    """Return whether an identifier that names one version, no deposit, is the record's."""
    named = (found[by] for by in _OF_VERSIONS if by in found)
    return any(
        c.outcome.agrees
        and not (c.field == "doi" and all(doi.get_prefix(v) in DEPOSITS for v in c.claimed.split(", ")))
        for c in named
    )


def _names_longer_version(claimed: Claimed, found: Mapping[str, Comparison]) -> bool:
    """Return whether a journal is cited, by volume and pages, with more authors or another title as well."""
    again = not (found["title"].outcome.agrees or found["authors"].outcome.agrees)
    return bool(claimed.volume and claimed.pages) and (
        again or found["authors"].reason == Reason.AUTHOR_ADDED
    )


def _is_same_book(reference: Reference, record: Record) -> bool:
    """Return whether a book is cited that appeared with the record's publisher."""
    publisher = reference.claimed.publisher
    return reference.kind is Kind.BOOK and any(
        match_venues(publisher, version.venue).outcome != DIFFERS
        for version in record.versions
        if publisher and version.venue
    )
