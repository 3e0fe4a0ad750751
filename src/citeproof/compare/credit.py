"""How likely a difference is the citation's fault, given what the record is worth and which version it is of.

Records are wrong, too, and a work has versions whose titles, people, years and venues differ. So every
difference has two explanations. Its `weight` is the probability of the first, that the citation is wrong,
from the table in `credit.toml`: by what differs, by how the record stands to the version that is cited,
and by what its source's word is worth. Below one half it is a note, which changes no label.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeproof.compare.author_patterns import BEYOND_RECORDS, CUT_AT, find_author_pattern, is_damaged
from citeproof.compare.authors import compare_record_authors
from citeproof.compare.credit_table import collect_series, load_credit_table, name_origin, rate_source
from citeproof.compare.identifiers import DEPOSITS
from citeproof.compare.locators import compare_locators
from citeproof.compare.person import make_person
from citeproof.compare.title import compare_title, standardise_title
from citeproof.compare.title_patterns import find_title_pattern
from citeproof.compare.venue import (
    VenueSeparation,
    are_other_journals,
    cites_preprint,
    is_mixed,
    is_published,
    is_published_somewhere,
    is_settled,
    tell_venues_apart,
)
from citeproof.text import arxiv, doi
from citeproof.text.venue_match import DIFFERS, match_venues, parse_venue
from citeproof.vocabulary import (
    Claimed,
    Comparison,
    Kind,
    Outcome,
    Reason,
    Record,
    Reference,
    SourceFacts,
)
from citeproof.vocabulary.judgements import CONVICTS

_AGREE = (Outcome.SAME, Outcome.VARIANT)
_OF_VERSIONS = ("doi", "pmid", "pmcid", "acl", "ads")  # identifiers that name one version, not the family
_DATED_ANYHOW = (Kind.BOOK, Kind.SOFTWARE, Kind.WEB_PAGE, Kind.DATASET, Kind.REPORT)
_SELDOM_LISTED = (Kind.BOOK, Kind.THESIS, Kind.REPORT, Kind.STANDARD, Kind.DATASET)
_ONLINE = 2005  # the year from which journals gave DOIs as their works appeared
_PREPRINTS = 2012  # the year from which it is common to post a preprint first
_EARLY = ("order_swapped", "author_added")  # patterns that were rarer before there were preprints
_OF_PREPRINTS = {"authors_missing": "preprint_missing", "order_first": "order_swapped"}
# A journal's year online and in print, a preprint's last version, letters that were lost with their marks:
# no other record says more about these.
_OF_ITS_VERSIONS = (Reason.OFF_BY_ONE, "later_preprint", "damaged")
_PLACES = ("volume", "issue", "pages")
_NEVER_WRONG = (Reason.PREPRINT, Reason.OTHER_SERVER)  # what is cited as a preprint may be one


class VersionRelation(StrEnum):
    """How a record stands to the version that is cited."""

    SAME = "same"
    OPEN = "open"
    PREPRINT = "preprint"
    OWN = "own"
    OTHER = "other"


def weigh_differences(
    reference: Reference,
    record: Record,
    kin: Sequence[Record],
    comparisons: Sequence[Comparison],
    facts: SourceFacts | None = None,
    *,
    closed: bool = False,
) -> tuple[Comparison, ...]:
    """Return the comparisons, every difference with the probability that the citation is wrong.

    `closed`: a source was searched that claims to hold every work in all its versions.
    """
    if not any(c.outcome is Outcome.DIFFERS for c in comparisons):
        return tuple(comparisons)
    found = {c.field: c for c in comparisons}
    case = _DifferenceCase(
        reference,
        record,
        [k for k in kin if k is not record and k != record],
        found,
        _relate_to_version(reference, record, kin, found, closed=closed),
        facts.venue_seen if facts else None,
        closed,
    )
    return tuple(
        c.set_weight(round(case.weight(c), 3)) if c.outcome is Outcome.DIFFERS else c for c in comparisons
    )


def _relate_to_version(
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
    if _names_version(found):
        return VersionRelation.SAME
    if cites_preprint(claimed, reference.kind):
        if not any(map(is_published_somewhere, (record, *kin))):
            return VersionRelation.SAME
        numbered = "arxiv" in found and found["arxiv"].outcome in _AGREE
        own = numbered and record.kind is Kind.PREPRINT
        return VersionRelation.OWN if own else VersionRelation.PREPRINT
    if reference.kind is Kind.REPORT and any(map(is_published_somewhere, (record, *kin))):
        return VersionRelation.OTHER  # a report comes before the paper
    if venue.outcome in _AGREE or (year.outcome in _AGREE and _is_same_book(reference, record)):
        return VersionRelation.SAME
    if venue.outcome is Outcome.DIFFERS:
        own_venue = venue.reason == Reason.OTHER_VENUE and not _names_longer_version(claimed, found)
        return VersionRelation.OPEN if own_venue and year.outcome in _AGREE else VersionRelation.OTHER
    return VersionRelation.OTHER if year.outcome is Outcome.DIFFERS and not closed else VersionRelation.OPEN


def _names_longer_version(claimed: Claimed, found: Mapping[str, Comparison]) -> bool:
    """Return whether a journal is cited, by volume and pages, with more authors: the paper after the talk."""
    return bool(claimed.volume and claimed.pages) and found["authors"].reason == Reason.AUTHOR_ADDED


def _is_same_book(reference: Reference, record: Record) -> bool:
    """Return whether a book is cited that appeared with the record's publisher."""
    publisher = reference.claimed.publisher
    return reference.kind is Kind.BOOK and any(
        match_venues(publisher, version.venue).outcome != DIFFERS
        for version in record.versions
        if publisher and version.venue
    )


def _names_version(found: Mapping[str, Comparison]) -> bool:
    """Return whether an identifier that names one version is the record's."""
    named = (found[by] for by in _OF_VERSIONS if by in found)
    return any(c.outcome in _AGREE and not _is_deposit(c) for c in named)


def _is_deposit(comparison: Comparison) -> bool:
    values = comparison.claimed.split(", ")
    return comparison.field == "doi" and all(doi.get_prefix(value) in DEPOSITS for value in values)


@dataclass(frozen=True, slots=True)
class _DifferenceCase:
    """One reference against one record, whose differences are weighed."""

    reference: Reference
    record: Record
    kin: Sequence[Record]
    found: Mapping[str, Comparison]
    member: VersionRelation
    venue_seen: bool | None
    closed: bool

    def weight(self, difference: Comparison) -> float:
        """Return the probability that the citation is wrong.

        Whoever states that a snapshot holds every work in all its versions vouches for its records: there is
        no other version, and only a list that is plainly damaged is still doubted.
        """
        found = self._hear_witnesses(difference, self._weight(difference))
        if not self.closed:
            return found
        doubtful = difference.reason in _NEVER_WRONG or (
            difference.field == "authors" and (is_damaged(self.record.authors) or self._is_cut())
        )
        return found if doubtful else max(found, load_credit_table().trust["vouched"])

    def _hear_witnesses(self, difference: Comparison, weight: float) -> float:
        """Return the probability once other records of the work say the same against the citation.

        Two explanations speak for the citation: this record errs, which becomes unlikely with each record of
        another origin that says the same; or another version has it so, which only such a version's own
        record can refute.
        """
        if not 0 < weight < CONVICTS:
            return weight
        witnesses = self._find_witnesses(difference)
        version = min((1 - weight) / weight, self._doubt_version(difference))
        doubt = (1 - weight) / weight - version
        table = load_credit_table().witness
        ordered = difference.reason == Reason.ORDER_SWAPPED or (
            difference.field == "authors" and self.reference.claimed.et_al
        )
        if witnesses:  # the best of them: who else was asked is chance
            best = min(table[rate_source(witness)] for witness in witnesses)
            doubt *= max(table["order"], best) if ordered else best
        if self._is_refuted_by_version(witnesses) and self._name_pattern(difference) not in _OF_ITS_VERSIONS:
            version *= table["other_version"]
        return 1 / (1 + doubt + version)

    def _find_witnesses(self, difference: Comparison) -> list[Record]:
        """Return one record of each other origin that contradicts the citation in this field."""
        found: dict[str, Record] = {name_origin(self.record): self.record}
        for other in self.kin:
            if (origin := name_origin(other)) not in found and self._contradicts(other, difference.field):
                found[origin] = other
        return list(found.values())[1:]

    def _contradicts(self, other: Record, field: str) -> bool:
        """Return whether another record of the work has a field, and not as it is cited."""
        claimed = self.reference.claimed
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

    def _doubt_version(self, difference: Comparison) -> float:
        """Return the odds that another version has a field as it is cited, against that it is wrong."""
        if difference.field == "venue":
            return self._doubt_venue(difference)
        if difference.field in _PLACES:
            return 0.0 if self.member is VersionRelation.SAME else math.inf
        pattern = self._name_pattern(difference)
        row = load_credit_table().chance.get(difference.field, {}).get(pattern)
        if row is None or pattern in _OF_ITS_VERSIONS:
            return math.inf
        chance = row.get(self.member, row["preprint"])
        return max(0.0, (1 - chance) / chance - (1 - row["same"]) / row["same"])

    def _doubt_venue(self, difference: Comparison) -> float:
        """Return the odds that the work appeared in the cited venue as well, unknown to a bibliography."""
        listed = any(name_origin(each) == "curated" for each in (self.record, *self.kin))
        settled = difference.reason == Reason.OTHER_VENUE and listed and self._agrees_but_for_venue()
        return load_credit_table().witness["unlisted"] if settled else math.inf

    def _is_refuted_by_version(self, witnesses: Sequence[Record]) -> bool:
        """Return whether both a preprint and a publication of the work say the same."""
        kinds = {name_origin(each) == "authors" for each in (self.record, *witnesses)}
        return len(kinds) > 1

    def _is_cut(self) -> bool:
        return self.reference.claimed.et_al and len(self.record.authors) in CUT_AT

    def _weight(self, difference: Comparison) -> float:
        match difference.field:
            case "authors":
                return self._authors(difference) * self._unlike_kin("authors")
            case "title":
                return self._title(difference) * self._unlike_kin("title")
            case "year":
                return self._year(difference)
            case "venue":
                return self._venue(difference)
            case _:
                return self._other(difference)

    def _get_chance(self, field: str, pattern: str) -> float:
        row = load_credit_table().chance[field].get(pattern)
        if row is None:
            return 1.0
        column = VersionRelation.PREPRINT if self.member is VersionRelation.OWN else self.member
        return row.get(self.member, row[column])

    def _discount_chance(self, chance: float, poor: str = "poor", several: str = "mixed") -> float:
        """Return the chance that is left when the record itself may be wrong, or two versions in one."""
        own = _names_version(self.found) and rate_source(self.record) == "good"
        mixed = not own and is_mixed((self.record, *self.kin))
        return chance * self._trust(poor, several) * (0.5 if mixed else 1.0)

    def _trust(self, poor: str = "poor", several: str = "mixed") -> float:
        worth = rate_source(self.record)
        return load_credit_table().trust[{"poor": poor, "mixed": several}.get(worth, worth)]

    def _unlike_kin(self, field: str) -> float:
        """Return a small factor where another record of the work has the field as it is cited."""
        claimed = self.reference.claimed
        for other in self.kin:
            if field == "title":
                met = compare_title(claimed.title, other.titles).outcome in _AGREE
            else:
                met = compare_record_authors(claimed, other).outcome in _AGREE
            if met:
                return 0.3
        return 1.0

    def _title(self, difference: Comparison) -> float:
        if difference.reason == Reason.WORD_ADDED and self._adds_slip(difference):
            return 0.9
        pattern = self._name_pattern(difference)
        if pattern == "other_title" and self._may_be_renamed():
            return 0.4
        poor = "poor_more" if pattern == "typo" else "poor"
        return self._discount_chance(self._get_chance("title", pattern), poor, "mixed_title")

    def _may_be_renamed(self) -> bool:
        """Return whether a preprint is cited next to its publication, whose people are all there."""
        preprint = bool(self.reference.claimed.ids.all("arxiv"))
        return preprint and self.found["authors"].outcome in _AGREE and len(self.record.authors) > 1

    def _adds_slip(self, difference: Comparison) -> bool:
        """Return whether the words that the citation adds are its authors' names, or are there twice."""
        known = standardise_title(difference.resolved)
        more = Counter(standardise_title(difference.claimed)) - Counter(known)
        authors = [name for name in self.reference.claimed.authors if name.given]
        people = {word for name in authors for word in make_person(name).words}
        return set(more) <= {*known, *people, *(word[:1] for word in people)}

    def _authors(self, difference: Comparison) -> float:
        pattern = self._name_pattern(difference)
        chance = self._get_chance("authors", pattern)
        if pattern in BEYOND_RECORDS and rate_source(self.record) != "mixed" and self.record.ids.pairs:
            return chance
        if pattern == "authors_padded" and rate_source(self.record) == "mixed":
            return chance  # several lists were combined, and none of them has these people
        return self._discount_chance(chance, "poor_more" if pattern == "authors_missing" else "poor")

    def _name_pattern(self, difference: Comparison) -> str:
        """Return the row of the table that a difference belongs to."""
        match difference.field:
            case "title":
                return find_title_pattern(difference)
            case "authors":
                return self._name_author_pattern(difference)
            case "year":
                return self._name_year_pattern(difference)
            case _:
                return difference.reason

    def _name_author_pattern(self, difference: Comparison) -> str:
        pattern = find_author_pattern(self.reference.claimed, self.record.authors, difference.reason)
        if _names_version(self.found):  # whose people are these and no others
            pattern = {"order_swapped": "order_first", "author_added": "author_added_early"}.get(
                pattern, pattern
            )
        if cites_preprint(self.reference.claimed, self.reference.kind):  # whose versions have their own lists
            pattern = _OF_PREPRINTS.get(pattern, pattern)
        return self._early(pattern) if pattern in _EARLY else pattern

    def _early(self, pattern: str) -> str:
        """Return the pattern for works from before most had a preprint with a list of its own."""
        years = [v.year for each in (self.record, *self.kin) for v in each.versions if v.year]
        return f"{pattern}_early" if years and max(years) < _PREPRINTS else pattern

    def _year(self, difference: Comparison) -> float:
        pattern = self._name_year_pattern(difference)
        chance = self._get_chance("year", pattern)
        if self._read_arxiv_years().isdisjoint(difference.resolved.split(", ")):
            chance *= self._trust()  # every version's year was examined, whosoever's it is
        if pattern != Reason.OFF:
            return chance
        kinds = {self.reference.kind, self.record.kind}
        return min(chance, 0.1) if not kinds.isdisjoint(_DATED_ANYHOW) else chance

    def _name_year_pattern(self, difference: Comparison) -> str:
        stated = self._read_arxiv_years()
        if any(int(difference.claimed) < int(year) - 1 for year in stated):
            return "before_number"
        if difference.reason == Reason.OFF and cites_preprint(self.reference.claimed, self.reference.kind):
            later = any(int(difference.claimed) > int(year) for year in stated)
            return "later_preprint" if later else difference.reason  # many cite the date of the last version
        if difference.reason == Reason.OFF_BY_ONE and self._is_before_event(difference):
            return "before_event"
        if difference.reason == Reason.OFF_BY_ONE and self._is_before_meeting(difference):
            return "off_event"
        return difference.reason

    def _is_before_meeting(self, difference: Comparison) -> bool:
        """Return whether a conference is cited in the year before it was held, when preprints were rare."""
        venue = parse_venue(self.reference.claimed.venue or "")
        held = min(map(int, difference.resolved.split(", ")))
        conference = venue.kind == "conference" and bool(venue.series)
        return conference and int(difference.claimed) < held < _PREPRINTS

    def _is_before_event(self, difference: Comparison) -> bool:
        """Return whether the cited venue itself names the record's year, and the cited year is before it."""
        event = parse_venue(self.reference.claimed.venue or "").year
        return str(event) in difference.resolved.split(", ") and int(difference.claimed) < (event or 0)

    def _read_arxiv_years(self) -> set[str]:
        """Return the years of the arXiv numbers that the citation itself gives."""
        dates = [arxiv.read_year_month(number) for number in self.reference.claimed.ids.all("arxiv")]
        return {str(date[0]) for date in dates if date}

    def _venue(self, difference: Comparison) -> float:
        far = self.found["year"].outcome is Outcome.DIFFERS
        match difference.reason:
            case Reason.PREPRINT | Reason.OTHER_SERVER:
                chance = 0.1  # what is cited as a preprint may be one beside any publication
            case _ if self.reference.kind in (Kind.REPORT, Kind.THESIS):
                chance = 0.3  # a report comes before the paper
            case Reason.OTHER_VENUE | Reason.OTHER_SECTION:
                apart = tell_venues_apart(difference.claimed, difference.resolved, seen=self.venue_seen)
                if apart is VenueSeparation.SURE and not self._may_be_told_again(difference):
                    return 0.85 if rate_source(self.record) in ("good", "fair") else 0.6
                chance = self._weigh_other_venue(difference, apart)
            case Reason.PREPRINT_AS_PUBLISHED:
                return self._discount_chance(0.7 if is_settled(difference.claimed) else 0.4)
            case Reason.UNKNOWN_VENUE:
                return self._discount_chance(0.85)
            case Reason.SUBMISSION_ONLY:
                chance = 0.6 if is_published_somewhere(self.record) else 0.3
            case Reason.WORKSHOP_VS_MAIN:
                chance = 0.4  # many cite a workshop by the name of its conference
            case _:
                chance = 0.3 if far else 0.85
        return chance * self._trust("poor_venue" if parse_venue(difference.resolved).series else "poor")

    def _weigh_other_venue(self, difference: Comparison, apart: VenueSeparation) -> float:
        """Return the chance that a venue is wrong, where the work may have appeared in both."""
        if self._names_other_journal(difference):
            return 0.75
        if apart is VenueSeparation.VERSIONS and _names_version(self.found):
            return 0.7  # the publisher's identifier is of the record's venue
        if apart is VenueSeparation.VERSIONS and self._names_bare_journal(difference):
            return 0.65
        if self.found["year"].outcome is Outcome.DIFFERS and apart is not VenueSeparation.SURE:
            return 0.15
        near = {VenueSeparation.PERHAPS: 0.8, VenueSeparation.VERSIONS: 0.4, VenueSeparation.SURE: 0.4}
        return near.get(apart, 0.3)

    def _may_be_told_again(self, difference: Comparison) -> bool:
        """Return whether the cited venue may have had the work as well, as a tutorial or an abstract.

        The people are the record's. Either a cited DOI, not the record's, names the venue
        ("10.1109/icde.2015.…"), or the venue invites works of other conferences the year after.
        """
        if self.found["authors"].outcome not in _AGREE:
            return False
        series = parse_venue(difference.claimed).series
        cited, year = self.found.get("doi"), self.reference.claimed.year
        if cited is not None and cited.outcome not in _AGREE:
            return any(f"/{name}." in cited.claimed.casefold() for name in series)
        after = year is not None and year - 1 in {v.year for v in self.record.versions}
        return after and not series.isdisjoint(load_credit_table().retold)

    def _names_other_journal(self, difference: Comparison) -> bool:
        """Return whether an article, which appears in one journal, is cited from another; all else agrees."""
        versions = [v for each in (self.record, *self.kin) for v in each.versions if is_published(v)]
        other = all(are_other_journals(difference.claimed, v.venue or "") for v in versions)
        return bool(versions) and other and self._agrees_but_for_venue()

    def _agrees_but_for_venue(self) -> bool:
        return all(self.found[field].outcome in _AGREE for field in ("title", "authors", "year"))

    def _names_bare_journal(self, difference: Comparison) -> bool:
        """Return whether all but the venue agrees, and a journal is cited without volume and pages.

        The longer version of a talk appears later, under the same title seldom in the same year, and who
        cites it knows where in the journal it is. In some journals it never appears so soon.
        """
        claimed = self.reference.claimed
        mine, theirs = parse_venue(difference.claimed), parse_venue(difference.resolved)
        slow = not mine.series.isdisjoint(load_credit_table().slow)
        if not self._agrees_but_for_venue() or (claimed.volume and claimed.pages and not slow):
            return False
        return mine.kind == "journal" and bool(theirs.series) and theirs.kind in ("journal", "conference")

    def _other(self, difference: Comparison) -> float:
        if difference.field in _PLACES:
            return load_credit_table().chance["place"][difference.field][self.member.value]
        if difference.field == "arxiv" and difference.reason == Reason.YOUNGER_THAN_WORK:
            return 0.3  # old proceedings are posted years later
        if difference.field == "openreview":
            return 0.3  # a work is submitted to several tracks
        kinds = {self.record.kind, self.reference.kind}
        listed = kinds.isdisjoint(_SELDOM_LISTED) and bool(collect_series(self.record))
        if difference.reason == Reason.PREFIX_UNKNOWN and not listed:
            return 0.3  # libraries and small publishers have prefixes that no list of papers knows
        book = Kind.BOOK in kinds and _has_one_prefix(difference)
        if difference.reason == Reason.OTHER_IDENTIFIER and (
            book or self.member is VersionRelation.OTHER or self._may_have_moved(difference)
        ):
            return 0.2  # another version has its own, and so has each edition of a book
        return difference.weight

    def _may_have_moved(self, difference: Comparison) -> bool:
        """Return whether a journal may have had two publishers, who each gave its works a DOI."""
        venue = parse_venue(self.reference.claimed.venue or "")
        journal = bool(self.reference.claimed.venue) and not venue.series and venue.kind != "conference"
        years = [v.year for v in self.record.versions if v.year]
        apart = difference.field == "doi" and not _has_one_prefix(difference)
        return apart and journal and max(years, default=0) < _ONLINE


def _has_one_prefix(difference: Comparison) -> bool:
    return doi.get_prefix(difference.claimed) == doi.get_prefix(difference.resolved)
