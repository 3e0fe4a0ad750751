"""Which works a mention may mean: "Yamada et al. 2019, Brain" ⇒ candidates, the likeliest first.

1. The document's own reference list, where it has one: that is what its readers look in.
2. The snapshots, then the network: works whose authors and year are those of the mention.

Whatever a source returns, a work by other people is never a candidate. What the citing sentence has in
common with a title, and the journal named, put the candidates in order. A confidence is the share of a
candidate's weight in that of all candidates and of works that nobody found; so of many works by people
with a common name none is likely.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citeproof.claims.mention_people import weigh_people
from citeproof.claims.mention_surroundings import CitingDocument, MentionSurroundings
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key
from citeproof.text.venue_match import DIFFERS, SAME, VARIANT, match_venues
from citeproof.vocabulary import Claimed, Found, Kind, Lookup, Question, Record, Reference, Unchecked

MENTION = "mention"  # what a question asks by
MAX_CANDIDATES = 10
MOST_SURE = 0.98  # the highest confidence: a mention never proves which work is meant
LETTERED = 0.49  # same for "2004a" without the list that has the letters: there is a "2004b", too
RIVAL, OWN_PLACE = 0.02, 8.0  # works nearly as likely as the best; what the place of its letter adds to one
ENOUGH = 0.9  # confidence at which the network is not asked
NEAR_YEAR = 0.2  # weight of a work dated a year before or after
OTHER_YEAR = 0.02  # same, in the document's own list, where an error is likelier than another work
SAME_VENUE, OTHER_VENUE = 20.0, 0.15
EACH_PERSON = 12.0  # what each further person named says for a work by all of them; bench/mention_odds.py
UNSEEN, UNLISTED = 10.0, 0.04  # weight of works that no source has; that a reference list lacks
LISTED_WORDS = 0.4  # how little words count in a list, where few works have the same people and year
OTHER_PLACE = 0.1  # the second of two references without letters, if "a" is printed
OTHER_LETTER = 0.05  # weight of a reference with another letter behind its year

Ask = Callable[[Question], Awaitable[Sequence[Lookup]]]


@dataclass(frozen=True, slots=True)
class MentionCandidate:
    """One work that a mention may mean, and how likely, 0..1.

    `reference`: of the document's own list. `records`: what sources say of it, the best first. `words`: what
    its title has in common with the sentence.
    """

    confidence: float
    claimed: Claimed
    reference: Reference | None = None
    records: tuple[Record, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MentionAnswer:
    """The candidates of a mention as it was read, and what the sources said when they were asked."""

    mention: AuthorYearMention
    candidates: tuple[MentionCandidate, ...]
    lookups: tuple[Lookup, ...] = ()

    @property
    def unchecked(self) -> bool:
        """Whether a source that was asked could not answer: then no candidate does not mean no work."""
        return any(isinstance(lookup, Unchecked) for lookup in self.lookups)


class MentionSearch:
    """Searches for the works that the mentions of one document mean."""

    def __init__(
        self, ask: Sequence[Ask] = (), *, references: Sequence[Reference] = (), document: str = ""
    ) -> None:
        """Take who is asked in turn, snapshots before the network; the list and the text of the document."""
        self._ask = tuple(ask)
        self._references = tuple(references)
        self._document = CitingDocument(document)

    async def search(self, mention: AuthorYearMention, sentence: str = "") -> MentionAnswer:
        """Return the works that `mention` may mean where it stands in `sentence`."""
        around = self._document.find_surroundings(mention, sentence)
        for reading in _list_name_readings(mention):
            if listed := rank_references(reading, self._references, around):
                return MentionAnswer(reading, listed)
        question = make_mention_question(mention, around)
        lookups: list[Lookup] = []
        found: tuple[MentionCandidate, ...] = ()
        for ask in self._ask:
            lookups += await ask(question)
            found = rank_lookups(mention, lookups, around)
            if found and found[0].confidence >= ENOUGH:
                break
        return MentionAnswer(mention, found, tuple(lookups))


def make_mention_question(mention: AuthorYearMention, around: MentionSurroundings) -> Question:
    """Return what is asked about a mention: its people, year and journal, and the words around it."""
    claimed = Claimed(authors=mention.names, et_al=mention.et_al, year=mention.year, venue=mention.venue)
    told = (around.sentence, " ".join(around.topic))
    reference = Reference(mention.text, mention.text, Kind.UNKNOWN, claimed, citing=told)
    return Question(MENTION, mention.label, reference)


def rank_references(
    mention: AuthorYearMention, references: Sequence[Reference], around: MentionSurroundings
) -> tuple[MentionCandidate, ...]:
    """Return the references of a list that a mention may mean, the likeliest first."""
    for away in (0, 1):
        same: list[tuple[float, MentionCandidate]] = []
        for one in references:
            claimed = one.claimed
            if claimed.year is None or abs(claimed.year - mention.year) != away:
                continue
            people = weigh_people(mention, claimed.authors or claimed.editors, complete=not claimed.et_al)
            if not people:
                continue
            title, words = around.weigh_title([claimed.title or ""])
            letter = _weigh_letter(mention.letter, _read_letter(one), len(same))
            weight = people * letter * title**LISTED_WORDS * _weigh_venue(mention.venue, [claimed.venue])
            weight *= OTHER_YEAR if away else 1.0
            same.append((weight, MentionCandidate(0.0, claimed, one, (), words)))
        if same:
            return _share_confidence(same, UNLISTED)
    return ()


def _list_name_readings(mention: AuthorYearMention) -> Iterator[AuthorYearMention]:
    """Yield the mention, then without its first names: "PubMed, Saier and Färber (2019)" names two."""
    for first in range(max(1, len(mention.names) - (not mention.et_al))):
        yield replace(mention, names=mention.names[first:]) if first else mention


def rank_lookups(
    mention: AuthorYearMention, lookups: Iterable[Lookup], around: MentionSurroundings
) -> tuple[MentionCandidate, ...]:
    """Return the works that the sources found and a mention may mean, the likeliest first."""
    known = EACH_PERSON ** min(len(mention.names) - 1, 2)
    records = [record for lookup in lookups if isinstance(lookup, Found) for record in lookup.records]
    weighed: list[tuple[float, MentionCandidate]] = []
    for work in _group_records(records):
        best: list[tuple[float, tuple[str, ...], Record]] = []
        for record in work:
            people = weigh_people(mention, record.authors, complete=record.authors_complete)
            year = _weigh_year(mention.year, record)
            if people and year:
                title, words = around.weigh_title(record.titles)
                venue = _weigh_venue(mention.venue, [version.venue for version in record.versions])
                best.append((people * year * venue * title * known, words, record))
        if best:
            best.sort(key=lambda row: (-row[0], row[2].source, row[2].id))
            weight, words, first = best[0]
            rest = tuple(row[2] for row in best)
            weighed.append((weight, MentionCandidate(0.0, _claim_record(mention, first), None, rest, words)))
    if not mention.letter:
        return _share_confidence(weighed, UNSEEN)
    return _share_confidence(_prefer_place(mention.letter, weighed), UNSEEN, LETTERED)


def _prefer_place(
    letter: str, weighed: list[tuple[float, MentionCandidate]]
) -> list[tuple[float, MentionCandidate]]:
    """Weigh the likely works by the letter: lists give the letters in the order of authors and titles."""
    best, first = max(weighed, key=lambda row: row[0], default=(0.0, None))
    leader = _make_list_key(first)[0][:1] if first else ()  # by family name and initial
    rivals = [row for row in weighed if row[0] >= best * RIVAL and _make_list_key(row[1])[0][:1] == leader]
    likely = sorted(rivals, key=lambda row: _make_list_key(row[1]))
    place = ord(letter) - ord("a")
    if place >= len(likely):
        return weighed
    meant = likely[place][1]
    return [(weight * OWN_PLACE if one is meant else weight, one) for weight, one in weighed]


def _make_list_key(candidate: MentionCandidate) -> tuple[tuple[str, ...], str]:
    people = candidate.claimed.authors
    return tuple(
        f"{make_family_key(name)} {name.given[:1]}" for name in people
    ), candidate.claimed.title or ""


def _share_confidence(
    weighed: list[tuple[float, MentionCandidate]], unseen: float, most: float = MOST_SURE
) -> tuple[MentionCandidate, ...]:
    whole = sum(weight for weight, _ in weighed) + unseen
    weighed.sort(key=lambda row: -row[0])  # stable: equal ones stay in the order of the list
    return tuple(
        MentionCandidate(round(most * weight / whole, 4), one.claimed, one.reference, one.records, one.words)
        for weight, one in weighed[:MAX_CANDIDATES]
    )


def _claim_record(mention: AuthorYearMention, record: Record) -> Claimed:
    """Return the fields of a record, dated as the mention is where one of its versions is."""
    version = next((v for v in record.versions if v.year == mention.year), None)
    version = version or next(iter(record.versions), None)
    return Claimed(
        title=record.title,
        authors=record.authors,
        et_al=not record.authors_complete,
        year=version.year if version else None,
        venue=version.venue if version else None,
        ids=record.ids,
    )


def _group_records(records: Iterable[Record]) -> list[list[Record]]:
    """Return the records of each work: those that are linked, share an identifier, or have one title."""
    groups: dict[str, list[Record]] = {}
    home: dict[str, str] = {}
    for record in records:
        names = [
            f"id {scheme} {value}" for scheme, value in record.ids.pairs if scheme in ("doi", "arxiv", "pmid")
        ]
        names += [f"work {record.work}"] if record.work else []
        names.append(f"title {make_title_key(record.title)}")
        group = next((home[name] for name in names if name in home), names[0])
        for name in names:
            home.setdefault(name, group)
        kept = groups.setdefault(group, [])
        if all((one.source, one.id) != (record.source, record.id) for one in kept):
            kept.append(record)
    return list(groups.values())


def _weigh_year(year: int, record: Record) -> float:
    years = {version.year for version in record.versions if version.year}
    if year in years:
        return 1.0
    return NEAR_YEAR if any(abs(year - one) == 1 for one in years) else 0.0


def _weigh_venue(cited: str | None, known: Iterable[str | None]) -> float:
    """Return what the journal named says for a work: much if it is the same, against it if it is another."""
    if not cited:
        return 1.0
    outcomes = {match_venues(cited[:300], venue[:300]).outcome for venue in known if venue}
    if outcomes & {SAME, VARIANT}:
        return SAME_VENUE
    return OTHER_VENUE if outcomes == {DIFFERS} else 1.0


def _read_letter(reference: Reference) -> str:
    year = reference.claimed.year
    found = re.search(rf"(?<!\d){year}([a-z])(?![a-z\d])", reference.raw[:4000]) if year else None
    return found[1] if found else ""


def _weigh_letter(printed: str, listed: str, before: int) -> float:
    """Return how well the letters behind the years agree; without one the place in the list has to do."""
    if not printed or listed:
        return 1.0 if printed == listed else OTHER_LETTER if printed else 0.5
    return 1.0 if ord(printed) - ord("a") == before else OTHER_PLACE
