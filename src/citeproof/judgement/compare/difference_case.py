"""One reference against one record, and the pattern of each difference: its row in `credit.toml`."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.judgement.compare.author_patterns import find_author_pattern
from citeproof.judgement.compare.authors import find_moved, has_same_lead
from citeproof.judgement.compare.credit_table import collect_series, load_credit_table, name_origin
from citeproof.judgement.compare.person import make_person
from citeproof.judgement.compare.title import standardise_title
from citeproof.judgement.compare.venue import (
    VenueSeparation,
    are_other_journals,
    cites_preprint,
    is_published,
    is_published_somewhere,
    is_settled,
    tell_venues_apart,
)
from citeproof.judgement.compare.version_relation import VersionRelation, names_version
from citeproof.text import arxiv, doi
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.venue_match import SAME, VARIANT, match_venues, parse_venue
from citeproof.vocabulary import Comparison, Kind, Outcome, Reason, Record, Reference

_DATED_ANYHOW = (Kind.BOOK, Kind.SOFTWARE, Kind.WEB_PAGE, Kind.DATASET, Kind.REPORT)
_SELDOM_LISTED = (Kind.BOOK, Kind.THESIS, Kind.REPORT, Kind.STANDARD, Kind.DATASET)
_ONLINE = 2005  # the year from which journals gave DOIs as their works appeared
_SLOW = 1990  # the year until which journals printed the talks of a meeting again
_PRINTED_LATER = 2024  # the meeting whose volumes bear the next year
_VOLUME = 2  # years after which the volume of a meeting has appeared
_PREPRINTS = 2012  # the year from which it is common to post a preprint first
_POSTED_LATE = 2013  # the year until which proceedings of all years before were posted
_KEEP_FIRST_TITLES = frozenset({"dblp", "semantic_scholar"})  # sources with a preprint's first title, too
_FITS = (SAME, VARIANT)
_FEW_MOVED = 3  # people who are put into another place by a slip
_ISBN_IN_DOI = "/978-"
_EARLY = ("order_swapped", "author_added")  # patterns that were rarer before there were preprints
_OF_PREPRINTS = {"authors_missing": "preprint_missing", "order_first": "order_swapped"}
_OF_ONE_VERSION = {"order_swapped": "order_first", "author_added": "author_added_early"}


@dataclass(frozen=True)
class DifferenceCase:
    """One reference against one record, whose differences are weighed."""

    reference: Reference
    record: Record
    kin: Sequence[Record]  # other records of the work
    found: Mapping[str, Comparison]
    member: VersionRelation
    venue_seen: bool | None
    closed: bool  # a source was searched that claims to hold every work in all its versions
    searched: frozenset[str] = frozenset()  # the sources that answered a search for the title

    @property
    def records(self) -> tuple[Record, ...]:
        return (self.record, *self.kin)

    def name_pattern(self, difference: Comparison) -> str:
        """Return the row of the table that a difference belongs to."""
        match difference.field:
            case "title":
                return self._name_title_pattern(difference)
            case "authors":
                return self._name_author_pattern(difference)
            case "year":
                return self._name_year_pattern(difference)
            case "venue":
                return self._name_venue_pattern(difference)
            case "volume" | "issue" | "pages":
                return difference.field
            case _:
                return self._name_identifier_pattern(difference)

    # --- title ---------------------------------------------------------------------------------

    def _name_title_pattern(self, difference: Comparison) -> str:
        if difference.reason == Reason.WORD_ADDED and self._adds_slip(difference):
            return "own_words"
        if difference.reason == Reason.VETO_NOTICE and self._is_notice_itself(difference):
            return "label_added"
        if names_version(self.found) and titles.continues_title(difference.claimed, difference.resolved):
            return "words_behind"
        pattern = find_title_pattern(difference)
        if pattern != "other_title" or not self._may_be_renamed():
            return pattern
        return "title_nowhere" if self.searched >= _KEEP_FIRST_TITLES else "renamed"

    def _is_notice_itself(self, difference: Comparison) -> bool:
        """Return whether an erratum is cited that registries hold under the title of the work it corrects."""
        here = names_version(self.found) and all(self.found[by].outcome.agrees for by in ("authors", "year"))
        return here and len(difference.claimed) > len(difference.resolved)

    def _may_be_renamed(self) -> bool:
        """Return whether a preprint is cited next to its publication, whose people are all there."""
        preprint = bool(self.reference.claimed.ids.all("arxiv"))
        return preprint and self.found["authors"].outcome.agrees and len(self.record.authors) > 1

    def _adds_slip(self, difference: Comparison) -> bool:
        """Return whether the words that the citation adds are its authors' names, or are there twice."""
        known, words = standardise_title(difference.resolved), standardise_title(difference.claimed)
        more = Counter(words) - Counter(known)
        authors = [name for name in self.reference.claimed.authors if name.given]
        people = {word for name in authors for word in make_person(name).words}
        twice = {word for word, after in pairwise(words) if word == after}
        whole = set(known) if more == Counter(known) else set()
        return set(more) <= {*twice, *whole, *people, *(word[:1] for word in people)}

    # --- authors -------------------------------------------------------------------------------

    def _name_author_pattern(self, difference: Comparison) -> str:
        pattern = find_author_pattern(self.reference.claimed, self.record.authors, difference.reason)
        if names_version(self.found) and not self._is_rearranged():  # whose people are these and no others
            pattern = _OF_ONE_VERSION.get(pattern, pattern)
        if self._cites_preprint and not (pattern == "order_first" and self.has_own_deposit):
            pattern = _OF_PREPRINTS.get(pattern, pattern)  # whose versions have their own lists
        years = [v.year for each in self.records for v in each.versions if v.year]
        early = pattern in _EARLY and bool(years) and max(years) < _PREPRINTS
        return f"{pattern}_early" if early else pattern

    @property
    def has_own_deposit(self) -> bool:
        """Whether a preprint is cited, not known to be published, whose authors gave the record's data."""
        return self.record.source == "arxiv" and self._cites_preprint and self.member is VersionRelation.SAME

    def _is_rearranged(self) -> bool:
        """Return whether most of a list stands in another order: a publisher's page has its own at times."""
        cited, known = self.reference.claimed.authors, self.record.authors
        return has_same_lead(cited, known) and len(find_moved(cited, known)) > max(
            _FEW_MOVED, len(known) // 2
        )

    # --- year ----------------------------------------------------------------------------------

    def _name_year_pattern(self, difference: Comparison) -> str:
        stated, claimed = {int(year) for year in self.arxiv_years}, int(difference.claimed)
        known = self._cites_preprint or any(map(is_published_somewhere, self.records))
        if any(claimed < year - 1 and (known or year > _POSTED_LATE) for year in stated):
            return "before_number"
        if self._cites_preprint and claimed < min(self._posted_after, default=0):
            return "before_number"
        if difference.reason == Reason.OFF and self._cites_preprint and any(claimed > y for y in stated):
            # many cite the date of the last version, which the server itself knows
            return Reason.NO_VERSION if any(r.source == "arxiv" for r in self.records) else "later_preprint"
        if difference.reason == Reason.OFF and not {self.reference.kind, self.record.kind}.isdisjoint(
            _DATED_ANYHOW
        ):
            return "edition"
        if self._cites_undated_version() or (difference.reason == Reason.OFF and self._is_of_book()):
            return "edition"
        if difference.reason == Reason.OFF_BY_ONE and self._lacks_meeting(claimed):
            return "no_meeting"
        if difference.reason == Reason.OFF_BY_ONE and self._is_before_event(difference):
            return "before_event"
        if difference.reason == Reason.OFF_BY_ONE and self._is_before_first_version(difference):
            return self._name_early_year(difference)
        return difference.reason

    def _is_of_book(self) -> bool:
        """Return whether a chapter is cited: in a book that its publisher may have brought out again."""
        claimed, book = self.reference.claimed, parse_venue(self.reference.claimed.venue or "")
        placed = claimed.volume or book.kind or book.series or not (claimed.publisher and claimed.venue)
        return not placed or Kind.CHAPTER in (self.reference.kind, self.record.kind)

    def _cites_undated_version(self) -> bool:
        """Return whether no record dates the version in the cited venue: the article after a talk."""
        cited = self.reference.claimed.venue
        named = [v for each in self.records for v in each.versions if cited and v.venue]
        fitting = [v for v in named if match_venues(cited or "", v.venue or "").outcome in _FITS]
        return bool(fitting) and not any(v.year for v in fitting)

    @cached_property
    def arxiv_years(self) -> frozenset[str]:
        """The years of the arXiv numbers that the citation itself gives."""
        dates = [arxiv.read_year_month(number) for number in self.reference.claimed.ids.all("arxiv")]
        return frozenset(str(date[0]) for date in dates if date)

    @cached_property
    def _cites_preprint(self) -> bool:
        return cites_preprint(self.reference.claimed, self.reference.kind)

    @property
    def _posted_after(self) -> list[int]:
        """The years before which no preprint with a cited number was there: one of January may be older."""
        dates = map(arxiv.read_year_month, self.reference.claimed.ids.all("arxiv"))
        return [year - (month == 1) for year, month in filter(None, dates)]

    def _is_before_first_version(self, difference: Comparison) -> bool:
        """Return whether the work is cited in the year before all versions; no preprint may be missing."""
        first = min(map(int, difference.resolved.split(", ")))
        numbers = [value for each in self.records for value in each.ids.all("arxiv")]
        posted = [date[0] for date in map(arxiv.read_year_month, numbers) if date]
        known = bool(posted) or first < _PREPRINTS or "arxiv" in self.searched
        return known and int(difference.claimed) < min([first, *posted])

    def _name_early_year(self, difference: Comparison) -> str:
        """Return the pattern of a year before all versions: before a meeting, or before an issue was out."""
        cited = parse_venue(self.reference.claimed.venue or "")
        if cited.kind == "conference" and cited.series and not cited.series & load_credit_table().public:
            return "off_event"
        article = cited.kind == "journal" and Kind.BOOK not in (self.record.kind, self.reference.kind)
        return "before_issue" if article else difference.reason

    def _lacks_meeting(self, year: int) -> bool:
        """Return whether the cited meeting is held every second year, and was not in this one."""
        biennial = load_credit_table().biennial
        held = parse_venue(self.reference.claimed.venue or "").series & biennial
        return bool(held) and self.found["venue"].outcome.agrees and year < _PRINTED_LATER

    def _is_before_event(self, difference: Comparison) -> bool:
        """Return whether the cited venue names the record's meeting, and the cited year is before it."""
        meetings = parse_venue(self.reference.claimed.venue or "").meetings
        named = [year for year in meetings if str(year) in difference.resolved.split(", ")]
        return int(difference.claimed) < max(named, default=0)

    # --- venue ---------------------------------------------------------------------------------

    def _name_venue_pattern(self, difference: Comparison) -> str:
        match difference.reason:
            case Reason.PREPRINT | Reason.OTHER_SERVER:
                return "preprint"
            case _ if self.reference.kind in (Kind.REPORT, Kind.THESIS):
                return "report"
            case Reason.OTHER_VENUE | Reason.OTHER_SECTION:
                return self._name_other_venue(difference)
            case Reason.PREPRINT_AS_PUBLISHED:
                listed = any(name_origin(each) == "curated" for each in self.records)
                late = self.found["year"].reason == Reason.OFF  # papers follow their preprints soon
                settled = (listed or late) and is_settled(difference.claimed)
                return "preprint_at_conference" if settled else difference.reason
            case Reason.SUBMISSION_ONLY:
                return "submitted_first" if is_published_somewhere(self.record) else difference.reason
            case Reason.OTHER_MEETING if names_version(self.found) and self.found["year"].outcome.agrees:
                return "unclear_name"  # registries count meetings in their own ways
            case Reason.OTHER_MEETING if self.reference.claimed.year in self._list_kin_years():
                return "unclear_name"  # it was told at both
            case Reason.TRACK_VS_MAIN:
                return Reason.WORKSHOP_VS_MAIN  # registries list both under the name of the event
            case Reason.UNKNOWN_VENUE | Reason.WORKSHOP_VS_MAIN | Reason.OTHER_MEETING:
                return difference.reason
            case _:
                return "part_other_year" if self._has_other_year else "part"

    def _list_kin_years(self) -> set[int | None]:
        return {v.year for each in self.kin for v in each.versions} - {v.year for v in self.record.versions}

    @property
    def _has_other_year(self) -> bool:
        return self.found["year"].outcome is Outcome.DIFFERS

    def _name_other_venue(self, difference: Comparison) -> str:
        """Return the pattern of two venues, where the work may have appeared in both."""
        if self._names_other_meeting(difference):
            return "two_conferences"
        apart = tell_venues_apart(difference.claimed, difference.resolved, seen=self.venue_seen)
        if apart is VenueSeparation.SURE and not self._may_be_told_again(difference):
            return "two_conferences"
        if self._names_other_journal(difference) or self._has_place_in_journal(difference):
            return "two_journals"
        if apart is VenueSeparation.VERSIONS and names_version(self.found):
            return "other_than_doi"  # the publisher's identifier is of the record's venue
        if apart is VenueSeparation.VERSIONS and self._names_bare_journal(difference):
            return "bare_journal"
        if self._has_other_year and apart is not VenueSeparation.SURE:
            return "other_year_too"
        near = {VenueSeparation.PERHAPS: "unheard_of", VenueSeparation.UNSURE: "unclear_name"}
        return near.get(apart, "two_versions")

    def _names_other_meeting(self, difference: Comparison) -> bool:
        """Return whether the cited venue names its meeting's year, and the work is of another one."""
        meetings, year = parse_venue(difference.claimed).meetings, self.reference.claimed.year
        away = year is not None and all(not 0 <= year - meeting <= _VOLUME for meeting in meetings)
        return bool(meetings) and away and self.found["year"].outcome.agrees

    def _may_be_told_again(self, difference: Comparison) -> bool:
        """Return whether the cited venue may have had the work as well, as a tutorial or an abstract.

        A cited DOI names the venue ("10.1109/icde.2015.…"), or it invites works of other conferences.
        """
        if not self.found["authors"].outcome.agrees:
            return False
        series = parse_venue(difference.claimed).series
        cited, year = self.found.get("doi"), self.reference.claimed.year
        if cited is not None and not cited.outcome.agrees:
            return any(f"/{name}." in cited.claimed.casefold() for name in series)
        after = year is not None and year - 1 in {v.year for v in self.record.versions}
        return after and not series.isdisjoint(load_credit_table().retold)

    def _names_other_journal(self, difference: Comparison) -> bool:
        """Return whether an article, which appears in one journal, is cited from another; all else agrees."""
        versions = [v for each in self.records for v in each.versions if is_published(v)]
        other = all(are_other_journals(difference.claimed, v.venue or "") for v in versions)
        return bool(versions) and other and self.agrees_but_for_venue()

    def _has_place_in_journal(self, difference: Comparison) -> bool:
        """Return whether a conference is cited with volume and number, as the record's journal has them."""
        claimed = self.reference.claimed
        mine, theirs = parse_venue(difference.claimed), parse_venue(difference.resolved)
        kinds = mine.kind == "conference" and theirs.kind == "journal" and bool(mine.series)
        if not (kinds and claimed.volume and claimed.issue) or mine.series & load_credit_table().numbered:
            return False
        return self.agrees_but_for_venue()

    def agrees_but_for_venue(self) -> bool:
        return all(self.found[field].outcome.agrees for field in ("title", "authors", "year"))

    def _names_bare_journal(self, difference: Comparison) -> bool:
        """Return whether all but the venue agrees, and a journal is cited without volume and pages.

        The longer version of a talk appears later, in some journals never in the same year.
        """
        claimed = self.reference.claimed
        mine, theirs = parse_venue(difference.claimed), parse_venue(difference.resolved)
        slow = not mine.series.isdisjoint(load_credit_table().slow) and (claimed.year or 0) >= _SLOW
        if not self.agrees_but_for_venue() or (claimed.volume and claimed.pages and not slow):
            return False
        return mine.kind == "journal" and bool(theirs.series) and theirs.kind in ("journal", "conference")

    # --- identifiers ---------------------------------------------------------------------------

    def _name_identifier_pattern(self, difference: Comparison) -> str:
        if difference.field == "openreview":
            return "openreview"
        kinds = {self.record.kind, self.reference.kind}
        listed = kinds.isdisjoint(_SELDOM_LISTED) and bool(collect_series(self.record))
        if difference.reason == Reason.PREFIX_UNKNOWN and not listed:
            return "rare_prefix"  # of libraries and small publishers: no list of papers knows them
        if difference.reason != Reason.OTHER_IDENTIFIER:
            return difference.reason
        book = Kind.BOOK in kinds and _has_one_prefix(difference)
        chapter = _ISBN_IN_DOI in difference.claimed and _ISBN_IN_DOI not in difference.resolved
        again = book or (chapter and _has_one_prefix(difference))  # an article, printed again
        posted = self.member is VersionRelation.PREPRINT and not _has_one_prefix(difference)
        other = again or posted or self.member is VersionRelation.OTHER or self._may_have_moved(difference)
        return "other_edition" if other else difference.reason

    def _may_have_moved(self, difference: Comparison) -> bool:
        """Return whether a journal may have had two publishers, who each gave its works a DOI."""
        venue = parse_venue(self.reference.claimed.venue or "")
        journal = bool(self.reference.claimed.venue) and not venue.series and venue.kind != "conference"
        years = [v.year for v in self.record.versions if v.year]
        apart = difference.field == "doi" and not _has_one_prefix(difference)
        return apart and journal and max(years, default=0) < _ONLINE


def _has_one_prefix(difference: Comparison) -> bool:
    return doi.get_prefix(difference.claimed) == doi.get_prefix(difference.resolved)


_GREEK = frozenset(unicodedata.name(chr(code)).split()[-1].casefold() for code in range(0x3B1, 0x3CA))
_CUT_WORDS = 2  # words by which a record's title was cut
_WORD_PART = 4  # letters of a word in a longer one
_LONG_WORD = 6  # letters of a word in which one that is wrong is a slip; two from a third more on
_POLLUTED = 8  # words behind a title from which they are the beginning of an abstract
_SYMBOL = re.compile(
    r"[\u0370-\u03ff\u2190-\u22ff\u00d7^_+\d]"
)  # what records lose or spell in their own way
_LABEL = re.compile(r"\s*([\w ]{3,25}):\s+(.+)", re.DOTALL)  # "Last Words: …", "Squibs: …"


def find_title_pattern(difference: Comparison) -> str:
    """Return the name of the pattern, more exact than the comparison's reason."""
    mine, theirs = standardise_title(difference.claimed), standardise_title(difference.resolved)
    plain = "".join(letter for letter in difference.claimed if letter.isascii())
    if plain != difference.claimed and titles.make_title_key(plain) == titles.make_title_key(
        difference.resolved
    ):
        return "record_typo"  # which lost Greek letters, or those with marks: "Nystrm", "0.9m"
    if difference.reason in (Reason.WORD_ADDED, Reason.WORD_CHANGED, Reason.VETO_NUMBER) and _changes_symbols(
        difference
    ):
        return "label_missing"
    match difference.reason:
        case Reason.TYPO if _strip_plurals(mine) == _strip_plurals(theirs):
            return "plural"
        case Reason.TYPO if _is_misspelt_record(difference):
            return "record_typo"
        case Reason.TYPO if all(map(_is_word, set(mine) ^ set(theirs))):
            return "word_changed"  # "selection", "election": careless lists have either
        case Reason.WORD_ADDED | Reason.OTHER_TITLE if titles.has_main_title(
            difference.claimed, difference.resolved
        ):
            return "subtitle_added"
        case Reason.WORD_ADDED if _lacks_label(difference.claimed, difference.resolved):
            return "label_added"
        case Reason.WORD_ADDED if mine[: len(theirs)] == theirs and len(mine) - len(theirs) <= _CUT_WORDS:
            return "words_behind"
        case Reason.WORD_MISSING if _lacks_label(difference.resolved, difference.claimed) or (
            theirs[: len(mine)] == mine and len(theirs) - len(mine) >= _POLLUTED
        ):
            return "label_missing"
        case _:
            return difference.reason


def _is_misspelt_record(difference: Comparison) -> bool:
    """Return whether the words that differ are words as cited, and neither words nor names in the record."""
    mine, theirs = (Counter(standardise_title(text)) for text in (difference.claimed, difference.resolved))
    gone, come = set(theirs - mine), set(mine - theirs)
    if not all(map(_is_word, come)) or any(map(_is_word, gone)):
        return False
    if not all(any(_is_slip(word, right) for right in come) for word in gone):
        return False
    named = difference.resolved.partition(":")[0] if ":" in difference.resolved else ""
    coined = {
        word.strip(",.:;").lower() for word in difference.resolved.split() if word[1:] != word[1:].lower()
    }
    return gone.isdisjoint(coined) and gone.isdisjoint(standardise_title(named))


def _is_word(text: str) -> bool:
    """Return whether it is a frequent English word, or two of them in one: "featherweight"."""
    from citeproof.plumbing.word_pieces import is_frequent_word  # noqa: PLC0415 - numpy, for few titles

    cuts = range(_WORD_PART, len(text) - _WORD_PART + 1)
    return is_frequent_word(text) or any(
        is_frequent_word(text[:at]) and is_frequent_word(text[at:]) for at in cuts
    )


def _is_slip(word: str, right: str) -> bool:
    """Return whether a letter inside a word is wrong, or two of "learnining"; "reranking" is another word."""
    inside = word[0] == right[0] and word[-1] == right[-1] and len(right) >= _LONG_WORD
    slips = 1 + (3 * len(right) >= 4 * _LONG_WORD)
    return inside and DamerauLevenshtein.distance(word, right, score_cutoff=slips) <= slips


def _changes_symbols(difference: Comparison) -> bool:
    """Return whether all that a cited title has more is Greek letters, formulas or lone letters."""
    more = Counter(standardise_title(difference.claimed)) - Counter(standardise_title(difference.resolved))
    words = difference.claimed.split()
    symbols = {part for word in words if _SYMBOL.search(word) for part in standardise_title(word)}
    lone = difference.reason == Reason.WORD_ADDED  # "Q-CNN" for "R-CNN" is a change
    return all(word in _GREEK or word in symbols or (lone and len(word) == 1) for word in more)


def _lacks_label(labelled: str, title: str) -> bool:
    """Return whether a title lacks what the other one has before it: a section, the name of a method."""
    found = _LABEL.match(labelled)
    return found is not None and standardise_title(found[2]) == standardise_title(title)


def _strip_plurals(words: tuple[str, ...]) -> list[str]:
    return [word.removesuffix("s").removesuffix("e") for word in words]
