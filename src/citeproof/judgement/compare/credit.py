"""How likely a difference is the citation's fault, given what the record is worth and which version it is of.

A difference's `weight` is the probability that the citation is wrong, not the record or another version, from
the table in `credit.toml`: by what differs, how the record stands to the version that is cited, and what its
source's word is worth. Below one half it is a note, which changes no label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from citeproof.judgement.compare.author_patterns import BEYOND_RECORDS, CUT_AT, is_damaged
from citeproof.judgement.compare.authors import compare_record_authors
from citeproof.judgement.compare.credit_table import (
    ARXIV_DOI,
    is_printed_list,
    load_credit_table,
    name_origin,
    rate_source,
)
from citeproof.judgement.compare.difference_case import DifferenceCase
from citeproof.judgement.compare.locators import compare_locators
from citeproof.judgement.compare.title import compare_title
from citeproof.judgement.compare.venue import is_mixed, is_published_somewhere
from citeproof.judgement.compare.version_relation import VersionRelation, names_version, relate_to_version
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import CONVICTS, LISTED, Comparison, Outcome, Reason, Record, Reference, SourceFacts

# What no other record settles: a year online and in print, a preprint's last version, an edition, letters
# that all records of a name lost with their marks, the people of a team.
_UNSETTLED = (Reason.OFF_BY_ONE, "later_preprint", "edition", "damaged", "team_alone", "other_year_too")
_OF_VERSIONS = ("arxiv", "doi", "acl", "pmid")  # identifiers of a preprint or a publication
_PLACES = ("volume", "issue", "pages")
# What is cited as a preprint may be one, and a page may have moved.
_NEVER_WRONG = (Reason.PREPRINT, Reason.OTHER_SERVER, Reason.OTHER_ADDRESS)
_ANYBODY_SEES = ("own_words", "renamed", "no_meeting")  # what does not depend on what the record is worth
_ONLY_PREPRINT = ("preprint_at_conference", "preprint_as_published", "unknown_venue")
# What a careless list is worth where it errs less than elsewhere, about the very version that is cited.
_CARELESS = {"authors_missing": "poor_more", "typo": "poor_more"}


def weigh_differences(
    reference: Reference,
    record: Record,
    kin: Sequence[Record],
    comparisons: Sequence[Comparison],
    facts: SourceFacts | None = None,
    *,
    closed: bool = False,
    searched: frozenset[str] = frozenset(),
) -> tuple[Comparison, ...]:
    """Return the comparisons, every difference with the probability that the citation is wrong.

    `closed`: a source was searched that claims to hold every work in all its versions; `searched`: the
    sources that answered a search for the title.
    """
    if not any(c.outcome is Outcome.DIFFERS for c in comparisons):
        return tuple(comparisons)
    found = {c.field: c for c in comparisons}
    others = [k for k in kin if k is not record and k != record]
    member = relate_to_version(reference, record, kin, found, closed=closed)
    seen = facts.venue_seen if facts else None
    case = DifferenceCase(reference, record, others, found, member, seen, closed, searched)
    return tuple(
        c.set_weight(round(weigh_difference(case, c), 3)) if c.outcome is Outcome.DIFFERS else c
        for c in comparisons
    )


def weigh_difference(case: DifferenceCase, difference: Comparison) -> float:
    """Return the probability that the citation is wrong.

    Whoever states that a snapshot holds all works vouches for its records: only a damaged list is doubted.
    """
    pattern = case.name_pattern(difference)
    weight = _hear_witnesses(case, difference, pattern, _weigh_alone(case, difference, pattern))
    vouched = load_credit_table().trust["vouched"]
    if not case.closed or weight >= vouched or difference.reason in _NEVER_WRONG:
        return weight
    cut = case.reference.claimed.et_al and len(case.record.authors) in CUT_AT
    unlike = cut or pattern == "team_alone" or is_damaged(case.record.authors)
    return weight if difference.field == "authors" and unlike else vouched


# --- one record alone ------------------------------------------------------------------------------


def _weigh_alone(case: DifferenceCase, difference: Comparison, pattern: str) -> float:
    """Return the probability by this record: that of the pattern, less if the record's word is worth less."""
    field = difference.field
    chance = load_credit_table().get_chance(field, pattern, case.member)
    match field:
        case "authors" | "title":
            own = _favour_own_list(case, pattern, chance)
            return own * _trust_list(case, field, pattern) * _unlike_kin(case, field)
        case "year" if pattern in _ANYBODY_SEES:
            return chance
        case "year" if case.arxiv_years.isdisjoint(difference.resolved.split(", ")):
            return chance * _trust_source(case.record)  # every version's year was examined, whosesoever it is
        case "venue" if pattern in _ONLY_PREPRINT:
            return chance * _trust_version(case)
        case "venue":
            known = pattern == "two_conferences" or parse_venue(difference.resolved).series
            return chance * _trust_source(case.record, "poor_venue" if known else "poor")
        case _:
            return chance


def _favour_own_list(case: DifferenceCase, pattern: str, chance: float) -> float:
    """Return the probability once the list is known to be that of the cited version itself.

    The venue printed it so, or the authors gave it to the preprint server.
    """
    table, left = load_credit_table(), 1.0
    if case.member is VersionRelation.SAME:
        if case.has_own_deposit:
            left = table.witness["deposited"] if pattern in table.printed["deposited"] else 1.0
        elif pattern in table.printed["patterns"] and is_printed_list(case.record):
            left = table.witness["printed"]
    return chance / (chance + (1 - chance) * left)


def _trust_list(case: DifferenceCase, field: str, pattern: str) -> float:
    """Return what a title or a list of people in a record is worth against the citation."""
    worth = rate_source(case.record)
    beyond = pattern in BEYOND_RECORDS and worth != "mixed" and bool(case.record.ids.pairs)
    # of several lists that were combined none has the people who are too many
    if beyond or pattern in _ANYBODY_SEES or (pattern == "authors_padded" and worth == "mixed"):
        return 1.0
    careless = _CARELESS.get(pattern, "poor") if case.member is VersionRelation.SAME else "poor"
    return _trust_version(case, careless, "mixed_title" if field == "title" else "mixed")


def _trust_version(case: DifferenceCase, poor: str = "poor", several: str = "mixed") -> float:
    """Return what a record is worth that may be wrong itself, or two versions in one."""
    own = names_version(case.found) and rate_source(case.record) == "good"
    mixed = not own and (is_mixed(case.records) or _is_joined(case.record))
    return _trust_source(case.record, poor, several) * (
        load_credit_table().trust["two_in_one"] if mixed else 1.0
    )


def _is_joined(record: Record) -> bool:
    """Return whether a compiled list has a publication under its preprint's number: whose title is it?"""
    numbers = {(by, value.startswith(ARXIV_DOI)) for by, value in record.ids.pairs if by in _OF_VERSIONS}
    joined = bool(numbers) and numbers <= {("arxiv", False), ("doi", True)}
    compiled = any(mark.startswith(LISTED) for mark in record.marks) and rate_source(record) != "good"
    return joined and compiled and is_published_somewhere(record)


def _trust_source(record: Record, poor: str = "poor", several: str = "mixed") -> float:
    worth = rate_source(record)
    return load_credit_table().trust[{"poor": poor, "mixed": several}.get(worth, worth)]


def _unlike_kin(case: DifferenceCase, field: str) -> float:
    """Return a small factor where another record of the work has the field as it is cited."""
    claimed = case.reference.claimed
    for other in case.kin:
        if field == "title":
            met = compare_title(claimed.title, other.titles).outcome.agrees
        else:
            listed = compare_record_authors(claimed, other)
            met = listed.outcome.agrees and listed.reason != Reason.RECORD_TRUNCATED
        if met:
            return load_credit_table().trust["as_cited"]
    return 1.0


# --- with other records of the work ----------------------------------------------------------------


def _hear_witnesses(case: DifferenceCase, difference: Comparison, pattern: str, weight: float) -> float:
    """Return the probability once other records of the work say the same against the citation.

    Either this record errs, which becomes unlikely with each record of another origin that says the same; or
    another version has it so, which only such a version's own record can refute.
    """
    if not 0 < weight < CONVICTS:  # what convicts alone weighs the same, whoever else was asked
        return weight
    witnesses = _find_witnesses(case, difference)
    version = min((1 - weight) / weight, _doubt_version(case, difference, pattern))
    doubt = (1 - weight) / weight - version
    table = load_credit_table().witness
    ordered = difference.reason == Reason.ORDER_SWAPPED or (
        difference.field == "authors" and case.reference.claimed.et_al
    )
    if witnesses:  # the best of them: who else was asked is chance
        best = min(table[rate_source(witness)] for witness in witnesses)
        doubt *= max(table["order"], best) if ordered else best
    # both a preprint and a publication of the work say the same
    if len({name_origin(each) == "authors" for each in (case.record, *witnesses)}) > 1 and (
        pattern not in _UNSETTLED
    ):
        version *= table["other_version"]
    return 1 / (1 + doubt + version)


def _find_witnesses(case: DifferenceCase, difference: Comparison) -> list[Record]:
    """Return one record of each other origin that contradicts the citation in this field."""
    found: dict[str, Record] = {name_origin(case.record): case.record}
    for other in case.kin:
        if (origin := name_origin(other)) not in found and _contradicts_citation(
            case, other, difference.field
        ):
            found[origin] = other
    return list(found.values())[1:]


def _contradicts_citation(case: DifferenceCase, other: Record, field: str) -> bool:
    """Return whether another record of the work has a field, and not as it is cited."""
    claimed = case.reference.claimed
    match field:
        case "title":
            return compare_title(claimed.title, other.titles).outcome is Outcome.DIFFERS
        case "authors":
            return compare_record_authors(claimed, other).outcome is Outcome.DIFFERS
        case "year":
            years = {version.year for version in other.versions if version.year}
            return bool(years) and claimed.year not in years
        case "venue":
            return is_published_somewhere(other)  # its versions were examined, too
        case "volume" | "issue" | "pages":
            found = compare_locators(claimed, other.versions)
            return any(c.field == field and c.outcome is Outcome.DIFFERS for c in found)
        case _:
            return False


def _doubt_version(case: DifferenceCase, difference: Comparison, pattern: str) -> float:
    """Return the odds that another version has a field as it is cited, against that it is wrong."""
    if difference.field == "venue":  # a bibliography of its field lacks the work in the cited venue
        listed = any(name_origin(each) == "curated" for each in case.records)
        known = parse_venue(difference.resolved)  # what is told at a workshop appears elsewhere in full
        told = difference.reason == Reason.OTHER_VENUE and pattern != "unclear_name"
        settled = told and listed and case.agrees_but_for_venue() and not (known.workshop or known.apart)
        return load_credit_table().witness["unlisted"] if settled else math.inf
    if difference.field in _PLACES:
        return 0.0 if case.member is VersionRelation.SAME else math.inf
    if pattern in _UNSETTLED:
        return math.inf
    alone, same = (
        load_credit_table().get_chance(difference.field, pattern, member)
        for member in (case.member, VersionRelation.SAME)
    )
    return max(0.0, 1 / alone - 1 / same)
