"""The cited venue against every venue in which the work appeared.

Another venue is `differs` only when both names are read with confidence; a publisher, an
institution or an open submission in either place leaves the outcome `unknown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from citeproof.text import lazy_patterns as re
from citeproof.text.invented_name import is_invented
from citeproof.text.known_series import load_catalogue
from citeproof.text.venue_match import (
    DIFFERS,
    SAME,
    UNCLEAR,
    VARIANT,
    Venue,
    VenueSameness,
    match_venues,
    parse_venue,
)
from citeproof.text.venue_parts import list_places, load_tables
from citeproof.vocabulary import Claimed, Comparison, Kind, Outcome, Reason, Record, SourceFacts, Version

_OF_ANY_JOURNAL = frozenset({"jorn", "j", "tran", "inte", "ieee", "acm"})  # beginnings of words
_OUTCOMES = {SAME: Outcome.SAME, VARIANT: Outcome.VARIANT, DIFFERS: Outcome.DIFFERS, UNCLEAR: Outcome.UNKNOWN}

_CUT_WORDS = 3  # words of a name beyond which it is no chance that the other one has them all
_TO_PRINT = 2  # years from a preprint to its publication
_MAX_SHOWN = 300  # characters of a venue carried into a report
_NOT_ACCEPTED = frozenset({"reject", "rejected", "withdraw", "withdrawn", "desk"})


@dataclass(frozen=True, slots=True)
class _KnownVenue:
    """One venue of the work: its name, what the name says, how it compares with the cited one."""

    name: str
    venue: Venue
    found: VenueSameness

    @property
    def submission(self) -> bool:
        return bool(self.venue.submission)

    @property
    def published(self) -> bool:
        return _is_publication(self.venue)


def compare_venue(
    claimed: str | None,
    versions: Sequence[Version],
    *,
    series: str | None = None,
    publisher: str | None = None,
) -> Comparison:
    """Return how the cited venue agrees with the venues of `versions`.

    `series` and `publisher` are what the citation names next to its venue: a publisher in the
    venue's place convicts nobody, and the series then speaks for it.
    """
    cited = (claimed or "").strip()
    if not cited:
        return Comparison("venue", Outcome.ABSENT, Reason.NOT_CITED)
    names = list(dict.fromkeys(_name_venue(v) for v in versions))
    known = [_KnownVenue(n, parse_venue(n), match_venues(cited, n)) for n in names if n]
    if not known:
        return _make_comparison(Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, cited, "", 0.0)
    best = _pick_agreeing(known)
    if best is None and _is_publisher(cited, publisher):
        if series:
            best = _pick_agreeing([_KnownVenue(k.name, k.venue, match_venues(series, k.name)) for k in known])
        if best is None:
            return _make_comparison(Outcome.UNKNOWN, Reason.UNCLEAR, cited, known[0].name, 0.5)
    if best is None and (held := next((k.name for k in known if _is_place(cited, k.name)), "")):
        return _make_comparison(Outcome.UNKNOWN, Reason.UNCLEAR, cited, held, 0.5)
    if best is not None:
        found = best.found
        return _make_comparison(_OUTCOMES[found.outcome], found.reason, cited, best.name, found.similarity)
    return _explain_disagreement(cited, parse_venue(cited), known)


def _name_venue(version: Version) -> str:
    """The venue of a version; a preprint whose server is not named is still one."""
    return (version.venue or "").strip() or ("preprint" if version.kind is Kind.PREPRINT else "")


def _pick_agreeing(known: list[_KnownVenue]) -> _KnownVenue | None:
    """The version that agrees best; a submission is not an appearance."""
    good = [k for k in known if k.found.outcome in {SAME, VARIANT} and not k.submission]
    return max(good, key=lambda k: (k.found.outcome == SAME, k.found.similarity), default=None)


def _is_place(cited: str, known: str) -> bool:
    """Whether a meeting was there ("Las Vegas"), or its name ends so: "…: Human Language Technologies"."""
    place = cited.strip(" .").casefold()
    if parse_venue(known).kind != "conference":
        return False
    return place == known.rpartition(":")[2].strip(" .").casefold() or place in list_places(known)


def _is_publisher(cited: str, publisher: str | None) -> bool:
    """Whether the cited venue names a publisher or nothing, by itself or as the citation's own publisher."""
    venue = parse_venue(cited)
    if venue.vague or not publisher:
        return venue.vague
    return not venue.series and not venue.kind and match_venues(cited, publisher).outcome in {SAME, VARIANT}


def _explain_disagreement(cited: str, venue: Venue, known: list[_KnownVenue]) -> Comparison:
    """No version agrees: is that certain, and what is the reason?"""
    published = [k for k in known if k.published]
    main = max(published or known, key=lambda k: k.found.similarity)
    if venue.preprint:
        if published or not main.venue.preprint:  # an institute or an open submission next to a preprint
            return _make_comparison(Outcome.VARIANT, Reason.PREPRINT_CITED, cited, main.name, 0.8)
        return _make_comparison(
            _OUTCOMES[main.found.outcome], main.found.reason, cited, main.name, main.found.similarity
        )
    submitted = [k for k in known if k.submission and k.found.outcome in {SAME, VARIANT}]
    if submitted:
        certain = bool(published) or any(k.venue.submission in _NOT_ACCEPTED for k in submitted)
        outcome = Outcome.DIFFERS if certain else Outcome.UNKNOWN
        return _make_comparison(
            outcome, Reason.SUBMISSION_ONLY, cited, (main if published else submitted[0]).name, 0.4
        )
    if published:
        return _compare_published(cited, venue, published)
    return _compare_unpublished(cited, venue, known)


def _compare_published(cited: str, venue: Venue, published: list[_KnownVenue]) -> Comparison:
    """Known published venues: a doubt about one of them weighs more than a difference from another."""
    held = next((k for k in published if _is_same_event(venue, k)), None)
    if held is not None:
        return _make_comparison(Outcome.VARIANT, held.found.reason, cited, held.name, 0.6)
    unsure = [k for k in published if k.found.outcome == UNCLEAR]
    pick = max(unsure or published, key=lambda k: k.found.similarity)
    return _make_comparison(
        _OUTCOMES[pick.found.outcome], pick.found.reason, cited, pick.name, pick.found.similarity
    )


def _is_same_event(venue: Venue, known: _KnownVenue) -> bool:
    """Whether the work appeared at the event, in another volume than the main one, and the event is all
    that the other side names: "NeurIPS" for a workshop there. A full title names one volume."""
    if not known.found.reason.endswith("_vs_main"):
        return False
    aside = venue.workshop or venue.findings or venue.apart
    return not (known.venue if aside else venue).words


def _compare_unpublished(cited: str, venue: Venue, known: list[_KnownVenue]) -> Comparison:
    """Only preprints, other submissions or vague names are known."""
    if venue.vague or any(k.venue.vague for k in known):
        pick = next((k for k in known if k.venue.vague), known[0])
        return _make_comparison(Outcome.UNKNOWN, Reason.UNCLEAR, cited, pick.name, 0.5)
    preprint = next((k for k in known if k.venue.preprint), None)
    if preprint is not None:
        return _make_comparison(Outcome.DIFFERS, Reason.PREPRINT_AS_PUBLISHED, cited, preprint.name, 0.2)
    return _make_comparison(Outcome.UNKNOWN, Reason.SUBMISSION_ONLY, cited, known[0].name, 0.3)


def _make_comparison(
    outcome: Outcome, reason: Reason, cited: str, resolved: str, similarity: float
) -> Comparison:
    return Comparison("venue", outcome, reason, cited[:_MAX_SHOWN], resolved[:_MAX_SHOWN], similarity)


def is_published(version: Version) -> bool:
    """Return whether a version is a publication: no preprint, no submission, a venue one can name."""
    name = _name_venue(version)
    return bool(name) and version.kind is not Kind.PREPRINT and _is_publication(parse_venue(name))


def _is_publication(venue: Venue) -> bool:
    return not (venue.preprint or venue.submission or venue.vague)


def is_settled(name: str) -> bool:
    """Return whether a name is that of a conference's main event, which follows its preprint soon."""
    venue = parse_venue(name)
    return (
        venue.kind == "conference"
        and bool(venue.series)
        and not (venue.workshop or venue.findings or venue.apart or venue.vague)
    )


_PLAIN = re.compile(r"[\w\s&:\u2019'-]+")  # a name in full


class VenueSeparation(IntEnum):
    """How sure it is that two venue names which differ are two venues, and no two versions of a work."""

    UNSURE = 0  # one of them was not read in full, or they have much in common
    VERSIONS = 1  # a journal and a conference: papers appear in one after the other
    PERHAPS = 2  # the same, but nobody knows the cited one
    SURE = 3  # two conferences: no paper appears in both


@lru_cache(maxsize=1024)
def tell_venues_apart(cited: str, known: str, *, seen: bool | None = None) -> VenueSeparation:
    """Return how sure it is that `cited` is not `known`; `seen`: whether any record is of the cited venue."""
    mine, theirs = parse_venue(cited), parse_venue(known)
    if mine.vague or theirs.vague or mine.acronyms & theirs.acronyms or "@" in cited + known:
        return VenueSeparation.UNSURE
    if not mine.series and len(mine.words) > _CUT_WORDS and not _has_own_words(mine, theirs):
        return VenueSeparation.UNSURE  # each word is one of the other's, cut: "Eval. Measures Machine Trans."
    if (mine.workshop and mine.series) or theirs.workshop or theirs.apart:
        return VenueSeparation.VERSIONS  # a workshop paper or an abstract appears elsewhere in full
    if mine.series and theirs.series:
        events = mine.kind == theirs.kind == "conference"
        return VenueSeparation.SURE if events else VenueSeparation.VERSIONS
    if not mine.series and (not mine.kind or len(mine.words) < 2 or not _has_own_words(mine, theirs)):
        odd = theirs.series and not mine.kind and _is_odd_name(cited, mine)
        return VenueSeparation.PERHAPS if odd and not seen else VenueSeparation.UNSURE
    if not theirs.series and (not theirs.kind or len(theirs.words) < 2):
        return VenueSeparation.UNSURE
    unknown = seen is False or (seen is None and not mine.series)
    # nobody is known to have appeared in an abbreviated or turned name, whatever it represents
    return VenueSeparation.PERHAPS if unknown and _PLAIN.fullmatch(cited) else VenueSeparation.VERSIONS


def _has_own_words(mine: Venue, theirs: Venue) -> bool:
    """Return whether a name has a word of its own, not a misspelt number or a cut form of the other's."""
    numbers = {*load_tables().ordinal, "annual"}
    words = {word for word in mine.words if len(word) > 2 and word not in numbers}
    return any(
        not any(other.startswith(word[:4]) or Levenshtein.distance(word, other) < 3
                for other in (*theirs.words, *theirs.initials, *numbers))
        for word in words
    )  # fmt: skip


def _is_odd_name(cited: str, venue: Venue) -> bool:
    """Return whether a name is one or two plain words, as a program puts there that read the wrong line."""
    words = cited.split()
    return len(words) <= 2 and all(w.isalpha() and w[1:].islower() for w in words) and not venue.acronyms


def doubt_unknown_venue(venue: Comparison, facts: SourceFacts | None) -> Comparison:
    """Return the venue where only a preprint is known and the cited venue surely is an invention.

    Sources miss publications, but not in venues of which no registry has heard, whose name is no rare one's.
    """
    unknown = facts is not None and facts.venue_known is False
    if (
        not unknown
        or venue.reason != Reason.PREPRINT_AS_PUBLISHED
        or not is_invented(venue.claimed, sure=True)
    ):
        return venue
    return replace(venue, reason=Reason.UNKNOWN_VENUE)


def soften_preprint_only(venue: Comparison, year: Comparison) -> tuple[Comparison, Comparison]:
    """Return venue and year where all sources that have the work know preprints of it and miss much else.

    A publication may be missing there, and appears within two years of its preprint.
    """
    if venue.reason != Reason.PREPRINT_AS_PUBLISHED:
        return venue, year
    open_venue = replace(venue, outcome=Outcome.UNKNOWN, reason=Reason.ONLY_PREPRINT_KNOWN)
    known = [int(one) for one in year.resolved.split(", ") if one.isdecimal()]
    late = int(year.claimed) - max(known) if known and year.claimed.isdecimal() else 0
    if year.outcome is Outcome.DIFFERS and 0 < late <= _TO_PRINT:
        year = replace(year, outcome=Outcome.VARIANT, reason=Reason.PUBLISHED_LATER)
    return open_venue, year


def compare_meeting(
    venue: Comparison, year: Comparison, fitting: Sequence[Version]
) -> tuple[Comparison, Comparison]:
    """Return venue and year once the meeting is compared that the venue names: "34th", "2017".

    Proceedings appear in the year after some meetings: one year off counts where meetings are counted, or
    the record itself names its own. A preprint's year is wrong next to the right meeting.
    """
    cited = parse_venue(venue.claimed)
    held = [
        parse_venue(version.venue or "").meetings or frozenset(filter(None, (version.year,)))
        for version in fitting
    ]
    known = frozenset[int]().union(*held)
    if not (venue.outcome.agrees and cited.meetings and known and all(held) and is_settled(venue.claimed)):
        return venue, year
    shown = ", ".join(map(str, sorted(known)))
    if not cited.meetings.isdisjoint(known):
        early = year.reason == Reason.OTHER_VERSION
        wrong = replace(year, outcome=Outcome.DIFFERS, reason=Reason.OFF_BY_ONE, resolved=shown)
        return venue, wrong if early else year
    named = any(parse_venue(version.venue or "").meetings for version in fitting)
    counted = any(load_catalogue().series[name].before for name in cited.series)
    apart = min(abs(one - other) for one in cited.meetings for other in known)
    if apart == 1 and not (named or counted):
        return venue, year
    return replace(venue, outcome=Outcome.DIFFERS, reason=Reason.OTHER_MEETING, detail=shown), year


def cites_preprint(claimed: Claimed, kind: Kind) -> bool:
    """Return whether a citation names a preprint, by its venue or, without one, by its identifier."""
    if claimed.venue:
        return bool(parse_venue(claimed.venue).preprint)
    return kind is Kind.PREPRINT or bool(claimed.ids.all("arxiv"))


def is_published_somewhere(record: Record) -> bool:
    """Return whether a record has a version that is no preprint."""
    return any(is_published(version) for version in record.versions)


def are_other_journals(a: str, b: str) -> bool:
    """Return whether two names are of two journals, not of one that was renamed or split.

    Such a one keeps words of its name: "Bell System Technical Journal", "Bell Labs Tech. J.". A section's
    letter tells journals apart: "Physical Review D", "Physical Review Letters".
    """
    mine, theirs = parse_venue(a), parse_venue(b)
    if mine.series and theirs.series:
        return mine.kind == theirs.kind == "journal" and mine.series.isdisjoint(theirs.series)
    words, others = ({word[:4] for word in one.words} for one in (mine, theirs))
    kept = len((words & others) - _OF_ANY_JOURNAL) > 1 and not any("§" in word for word in words ^ others)
    renamed = kept or words <= others or words >= others
    return mine.kind == theirs.kind == "journal" and not renamed


def is_mixed(records: Sequence[Record]) -> bool:
    """Return whether publications of different venues or years stand together: whose people are these?"""
    dated: list[Version] = [v for r in records for v in r.versions if v.year and v.venue]
    dated = [v for v in dated if is_published(v)] if len(dated) > 1 else []
    held = [series for v in dated if (series := parse_venue(v.venue or "").series)]
    if any(a.isdisjoint(b) for a in held for b in held):
        return True
    years = {v.year for v in dated if v.year}
    return bool(years) and max(years) - min(years) > 1
