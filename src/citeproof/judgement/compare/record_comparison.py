"""One record against a reference: what it says by itself once, what depends on other records apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property, lru_cache

from citeproof.judgement.compare.authors import compare_record_authors
from citeproof.judgement.compare.credit import weigh_differences
from citeproof.judgement.compare.identifiers import compare_identifiers, report_malformed
from citeproof.judgement.compare.locators import compare_locators, compare_year
from citeproof.judgement.compare.raw_text import has_title_in_text, recheck_comparisons
from citeproof.judgement.compare.title import compare_title, is_known_title, is_main_title, measure_similarity
from citeproof.judgement.compare.venue import (
    compare_meeting,
    compare_venue,
    doubt_unknown_venue,
    soften_preprint_only,
)
from citeproof.text import arxiv, venue_match
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import (
    ID_ORDER,
    WORK_IDS,
    Claimed,
    Comparison,
    Ids,
    Outcome,
    Reason,
    Record,
    Reference,
    SourceFacts,
    Version,
)

WORTH_A_LOOK = 0.45  # title similarity below which a record found by search is another work
_SCHEME = re.compile(r"https?://(?:www\.)?")
_PARTS = re.compile(r"https?://(?:www\.)?([^/?#]{3,200})/([^#]{1,1000})", re.IGNORECASE)
# Hosts of everything that resolve no identifiers: such a path at one of them was never given out.
_ELSEWHERE = (
    "researchgate.net", "academia.edu", "semanticscholar.org", "scholar.archive.org", "scholar.google.com",
    "mendeley.com", "scribd.com", "medium.com", "github.com", "wikipedia.org", "linkedin.com", "youtube.com",
)  # fmt: skip
_PATHS = (
    (re.compile(r"(10\.\d{4,9}/.+)"), "https://doi.org/{}"),
    (
        re.compile(r"(?:abs|pdf)/(\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?"),
        "https://arxiv.org/abs/{}",
    ),
    (
        re.compile(r"([A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9]+\.\d{1,4})(?:\.pdf)?/?"),
        "https://aclanthology.org/{}",
    ),
)


class RecordComparison:
    """One record counted against the reference; each of its own fields is compared once."""

    def __init__(self, reference: Reference, record: Record) -> None:
        self.reference = reference
        self.record = record
        self._placed: tuple[tuple[Record, ...], bool] | None = None
        self._fields: tuple[Comparison, ...] = ()

    @cached_property
    def has_known_title(self) -> bool:
        """Whether the cited title is one of the record's, spelling aside."""
        return self._has_short_title or is_known_title(self.reference.claimed.title, self.record.titles)

    @cached_property
    def _has_short_title(self) -> bool:
        """Whether the title is cited without its subtitle, with its year and its people or venue."""
        claimed, versions = self.reference.claimed, self.record.versions
        if not claimed.title or not any(is_main_title(claimed.title, title) for title in self.record.titles):
            return False
        if all(version.year != claimed.year for version in versions):
            return False
        if claimed.authors:
            return self.authors.outcome.agrees
        venue = claimed.venue
        return venue is not None and any(v.venue and _is_same_venue(venue, v.venue) for v in versions)

    @cached_property
    def title_score(self) -> float:
        """How near the cited title is, 0..1."""
        wanted = self.reference.claimed.title
        if self._stands_in_text:
            return 1.0
        if not wanted or self.has_known_title:
            return 1.0 if wanted else 0.0  # without its subtitle it has few letters in common, yet agrees
        return max((measure_similarity(wanted, title) for title in self.record.titles), default=0.0)

    @cached_property
    def authors(self) -> Comparison:
        return compare_record_authors(self.reference.claimed, self.record)

    @cached_property
    def _title(self) -> Comparison:
        ids = self.reference.claimed.ids.pairs
        named = any(pair in self.record.ids.pairs for pair in ids if pair[0] in WORK_IDS | {"isbn"})
        whole = named or self._has_short_title
        return compare_title(self.reference.claimed.title, self.record.titles, named=whole)

    @cached_property
    def _stands_in_text(self) -> bool:
        return has_title_in_text(self.reference, self.record)

    def compare_fields(
        self, kin: tuple[Record, ...], facts: SourceFacts | None, today: date, *, closed: bool
    ) -> tuple[Comparison, ...]:
        """Return every field compared, the differences not weighed; again only when `kin` has changed."""
        if self._placed != (kin, closed):
            title = self._title  # where quite another work appeared is of no interest
            near = title.outcome is not Outcome.DIFFERS or title.similarity >= WORTH_A_LOOK
            near = near or self._stands_in_text
            place = (
                _compare_place(self.reference, self.record, kin, facts, today, closed=closed)
                if near
                else _leave_uncompared(self.reference.claimed)
            )
            found = (self._title, self.authors, *place)
            versions = _join_versions((self.record, *kin))
            self._fields = recheck_comparisons(self.reference, self.record, found, versions)
            self._placed = (kin, closed)
        return self._fields


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
    found = RecordComparison(reference, record).compare_fields(tuple(kin), facts, today, closed=closed)
    return weigh_differences(reference, record, kin, found, facts, closed=closed)


def _compare_place(
    reference: Reference, record: Record, kin: Sequence[Record], facts: SourceFacts | None, today: date,
    *, closed: bool,
) -> tuple[Comparison, ...]:  # fmt: skip
    """Return the comparison of when, where and under which identifiers the work appeared."""
    claimed = reference.claimed
    versions = _join_versions((record, *kin))
    ids = Ids(tuple(dict.fromkeys(pair for each in (record, *kin) for pair in each.ids.pairs)))
    fitting = [v for v in versions if claimed.venue and v.venue and _is_same_venue(claimed.venue, v.venue)]
    years = [v.year for v in versions if v.year]
    preprints = [*_find_preprint_years(ids), *_find_preprint_years(claimed.ids)]
    year = compare_year(
        claimed.year, versions, fitting=fitting, preprint_years=preprints, this_year=today.year, closed=closed
    )
    venue = compare_venue(claimed.venue, versions, series=claimed.series, publisher=claimed.publisher)
    venue = doubt_unknown_venue(venue, facts)
    venue, year = compare_meeting(venue, year, fitting)
    if not any(each.versions_complete for each in (record, *kin)):
        venue, year = soften_preprint_only(venue, year)
    return (
        year,
        venue,
        *compare_locators(claimed, fitting or versions),
        *compare_identifiers(claimed.ids, ids, facts=facts, years=years),
        *report_malformed(reference.suspicious, ids),
        *compare_address(claimed.ids, ids),
    )


def _leave_uncompared(claimed: Claimed) -> tuple[Comparison, ...]:
    rows = [("year", str(claimed.year or "")), ("venue", claimed.venue or "")]
    rows += [(by, ", ".join(claimed.ids.all(by))) for by in ID_ORDER if claimed.ids.all(by)]
    return tuple(Comparison(name, Outcome.UNKNOWN, Reason.NOT_COMPARED, value) for name, value in rows)


def _is_same_venue(claimed: str, known: str) -> bool:
    """Return whether two venue names mean one venue."""
    return venue_match.match_venues(claimed, known).outcome in (venue_match.SAME, venue_match.VARIANT)


def _join_versions(records: Sequence[Record]) -> tuple[Version, ...]:
    return tuple(dict.fromkeys(version for record in records for version in record.versions))


def _find_preprint_years(ids: Ids) -> list[int]:
    dates = [arxiv.read_year_month(number) for number in ids.all("arxiv")]
    return [found[0] for found in dates if found]


def compare_address(claimed: Ids, known: Ids) -> tuple[Comparison, ...]:
    """Return a difference for the first cited address whose host never gave it out, or of a page that moved.

    Resolvers, publishers, libraries and mirrors serve identifiers; an unknown host may, too.
    """
    for address in claimed.all("url"):
        if proper := _find_proper_address(address):
            return (Comparison("url", Outcome.DIFFERS, Reason.OTHER_HOST, address, proper, 0.0),)
    cited, held = claimed.all("url"), known.all("url")
    mine, theirs = ({_SCHEME.sub("", value).rstrip("/") for value in values} for values in (cited, held))
    if not (mine and theirs and mine.isdisjoint(theirs)) or len(held) < len(known.pairs):
        return ()
    return (Comparison("url", Outcome.DIFFERS, Reason.OTHER_ADDRESS, cited[0], held[0], 0.0),)


@lru_cache(maxsize=1024)
def _find_proper_address(address: str) -> str:
    """Return where an address should have led; empty if nothing is wrong with it."""
    parts = _PARTS.fullmatch(address)
    if parts is None:
        return ""
    host, path = parts[1].lower(), parts[2]
    if not host.endswith(_ELSEWHERE):
        return ""
    for pattern, proper in _PATHS:
        if match := pattern.fullmatch(path):
            return proper.format(match[1])
    return ""
