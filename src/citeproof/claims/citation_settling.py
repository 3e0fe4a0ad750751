"""What a citation of generated text comes to, judged by what is said of it and by nothing next to it.

1. People, a title and an identifier that follow each other are one claim: the identifier must be that work's.
2. An entry of a reference list is verified as a whole. Each identifier in it must belong to the work found,
   and it must name no other people with another year: then there are two works in it.
3. Authors with a year and nothing else are searched for, and looked up in the reference list at the end.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citeproof.claims.claim_evidence import get_attached_record
from citeproof.claims.grounding import AssessClaim, GroundingEngine, ground_claim
from citeproof.claims.hypothesis_json import propose_text
from citeproof.claims.mention_search import rank_references
from citeproof.claims.mention_surroundings import CitingDocument
from citeproof.claims.text_citations import TextCitation
from citeproof.reading.extractors.prose.cited_spans import find_cited_spans
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.reading.extractors.prose.prose_mask import WALL
from citeproof.reading.extractors.prose.titles_and_people import (
    BRACKETED_YEAR,
    find_bare_titles,
    find_people_named,
    find_set_off,
    is_title_case,
    split_people,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import find_years
from citeproof.text.ids import find_ids
from citeproof.text.names import CUT_LIST
from citeproof.text.title import make_title_key
from citeproof.text.venue_match import SAME, VARIANT, match_venues
from citeproof.vocabulary import (
    CandidateOrigin,
    CitationCandidate,
    Claim,
    Claimed,
    ClaimStatus,
    ClaimSupport,
    GroundedClaim,
    Ids,
    Name,
    Place,
    Record,
    Reference,
)

SURE = 0.8  # confidence of a candidate that the text itself names
MEANT = 0.5  # confidence from which a work is what people and a year alone mean; bench/mention_odds.py
OTHER_WORK = "it names people or another work that the work found does not have: {}"
_WORST_FIRST = tuple(
    map(ClaimStatus, ("retracted_source", "unsupported", "unchecked", *ClaimStatus))
)  # what is not named here is better
_NOT_OF_WORKS = frozenset(("url", "issn", "isbn"))
_JOINED = re.compile(
    r"[\s,.:()\[\]\"“”*_—–-]*(?:\b(?:doi|DOI|arXiv|arxiv|PMID|pmid|in|at|available at|see|link|preprint)\b)?"
    r"[\s,.:()\[\]\"“”*_—–-]*"
)
_LONGEST_JOINT = 40
_WORDS = re.compile(r"[^\W_]+")
_MOST_READINGS = 8
_MOST_CUTS = 3
_GOES_ON = (  # behind a title: a verb, another script
    r"\s(?:by|from|is|was|were|are|has|came|appeared|introduced|introduces|shows?|describes|proposes)\s|\s?[\u3040-\u30ff\u4e00-\u9fff]"
)
_LEAD = re.compile(r"\s(?:presented|proposed|published|wrote|introduced|study|studied|reviewed)\s|['’]s\s")
_TAIL = re.compile(rf"(?={_GOES_ON}|\s(?:in|at)\s)")
_VENUE_WORDS = 9  # behind a title that may be its venue, and one
_SHORT_TITLE = 3  # words of what is set off and no title
_TITLE_WORDS = 40  # of a title or a venue that an entry is searched for
_EDITOR = 25  # characters around people in which it may be said that they are no authors
_EDITED = re.compile(
    r"\b(?:eds?|editors?|edited|hrsg|herausgegeben|transl?|translat\w+|foreword|dir|coord)\b", re.IGNORECASE
)
_CUT_LIST = re.compile(CUT_LIST, re.IGNORECASE)

SearchMention = Callable[[AuthorYearMention, str, str], Awaitable[Sequence[CitationCandidate]]]


@dataclass(frozen=True, slots=True)
class JudgedTogether:
    """Citations that are one claim about one work."""

    citations: tuple[TextCitation, ...]
    claimed: Claimed | None = None  # an identifier or a title, with what is said of its work
    mention: AuthorYearMention | None = None

    def join(self, other: TextCitation) -> JudgedTogether | None:
        """Return both as one claim; None where each speaks of its own people, title or identifier."""
        mine, claimed = self.claimed or Claimed(), other.claimed or Claimed()
        told_twice = (
            bool(self.mention or mine.authors) and bool(other.mention or claimed.authors),
            bool(mine.title) and bool(claimed.title),
            bool({one for one, _ in mine.ids.pairs} & {one for one, _ in claimed.ids.pairs}),
        )
        if any(told_twice):
            return None
        both = replace(
            mine if mine.authors else replace(claimed, et_al=True),
            title=mine.title or claimed.title,
            ids=Ids((*mine.ids.pairs, *claimed.ids.pairs)),
        )
        return JudgedTogether((*self.citations, other), both, self.mention or other.mention)

    def collect_claimed(self) -> Claimed | None:
        """Return all that is claimed of the work; None if that is people and a year alone."""
        if self.claimed is None or self.mention is None or self.claimed.authors:
            return self.claimed
        said = self.mention
        return replace(self.claimed, authors=said.names, et_al=said.et_al, year=said.year, venue=said.venue)


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of a reference list, decided."""

    reference: Reference
    grounded: GroundedClaim


def group_citations(text: str, citations: Sequence[TextCitation]) -> Iterator[JudgedTogether]:
    """Yield the citations of a segment, those together that say something of one work."""
    group: JudgedTogether | None = None
    for one in citations:
        joined = None
        if group is not None and not (one.labels or one.entry or group.citations[-1].labels):
            between = text[group.citations[-1].end : one.start]
            close = len(between) <= _LONGEST_JOINT and "\n" not in between and _JOINED.fullmatch(between)
            named = bool(one.claimed or one.mention) and bool(group.claimed or group.mention)
            joined = group.join(one) if close and named and not group.citations[-1].entry else None
        if joined is None and group is not None:
            yield group
        group = joined or JudgedTogether((one,), one.claimed, one.mention)
    if group is not None:
        yield group


class CitationSettler:
    """Decides citations, one claim at a time."""

    def __init__(
        self, engine: GroundingEngine, search: SearchMention | None, assess: AssessClaim | None
    ) -> None:
        self._engine, self._search, self._assess = engine, search, assess

    async def settle_entry(self, body: str, claimed: Claimed | None = None) -> GroundedClaim:
        """Return an entry of a reference list, decided as a whole."""
        candidate = propose_text(body, SURE)
        if claimed is not None and not _has_title(candidate.claimed, claimed):
            candidate = replace(candidate, claimed=claimed)
        main = await self._ground(body, candidate, assess=False)
        record = get_attached_record(main)
        misread = record is None or not _claims_work(candidate.claimed, record)
        if misread and main.status is not ClaimStatus.RETRACTED_SOURCE:
            main = await self._settle_as_read_otherwise(body, candidate, main) or main
            record = get_attached_record(main)
        if record is None:
            return main
        main = _refuse_other_people(main, body, candidate.claimed)
        if main.attached is None:
            return main
        for pair in dict.fromkeys((scheme, value) for scheme, value, _, _ in find_ids(body)):
            if pair[0] in _NOT_OF_WORKS or pair in record.ids.pairs:
                continue
            alone = replace(candidate, claimed=replace(candidate.claimed, ids=Ids((pair,))))
            second = await self._ground(body, alone, assess=False)
            if second.status is not ClaimStatus.VERIFIED:
                return second
        return main

    async def _settle_as_read_otherwise(
        self, body: str, candidate: CitationCandidate, main: GroundedClaim
    ) -> GroundedClaim | None:
        """Return an entry that was read wrongly, decided by what was found for it; None if nothing holds.

        Its words are the ground truth: title, people and year of the work found must all be in them.
        """
        pairs = tuple(pair for pair in candidate.claimed.ids.pairs if pair[0] not in _NOT_OF_WORKS)
        readings = [Claimed(ids=Ids(pairs), et_al=True)] if pairs else []
        read = [propose_text(body, SURE).claimed, *(one.claimed for one in find_cited_spans(body))]
        readings += [one for one in read if one and one.title]
        set_off = [words.strip(" ,.*_") for _, _, words in find_set_off(body)]
        readings += [Claimed(title=words, et_al=True) for words in set_off if len(words.split()) > 1]
        readings += [Claimed(title=title.words, et_al=True) for title in find_bare_titles(body)]
        titles = [one.title for one in (candidate.claimed, *readings) if one.title]
        readings += [Claimed(title=words, et_al=True) for title in titles[:2] for words in _cut_title(title)]
        for claimed in (candidate.claimed, *readings[:_MOST_READINGS]):
            if claimed != candidate.claimed:
                other = replace(candidate, claimed=replace(claimed, ids=Ids(pairs)))
                main = await self._ground(body, other, assess=False)
            record = next((one for one in _list_records(main) if _is_described_in(body, one)), None)
            if record is None:
                continue
            stated = Claimed(
                title=record.title,
                authors=record.authors,
                year=_find_stated_year(body, record),
                ids=Ids(pairs),
            )
            return await self._ground(body, replace(candidate, claimed=stated), assess=False)
        return None

    async def settle_alone(self, sentence: str, group: JudgedTogether) -> GroundedClaim | None:
        """Return a claim, decided by itself; None if only a reference list could say which work is meant."""
        claimed = group.collect_claimed()
        text = " ".join(one.text for one in group.citations)
        if claimed is not None:
            candidate = CitationCandidate(claimed, SURE, CandidateOrigin.TEXT, text)
            main = await self._ground(sentence, candidate)
            if claimed.title and get_attached_record(main) is None:
                main = await self._settle_as_read_otherwise(text, candidate, main) or main
            return _refuse_other_people(main, text, claimed)
        return await self.settle_mention(sentence, group.mention) if group.mention else None

    async def settle_mention(
        self, sentence: str, mention: AuthorYearMention, document: str = ""
    ) -> GroundedClaim | None:
        """Return what people and a year alone come to; None if no single work is likely meant.

        `document`: the text around them, whose words tell which work it is.
        """
        candidates = await self._search(mention, sentence, document) if self._search else ()
        grounded = await self._ground(sentence, *candidates) if candidates else None
        return grounded if grounded and grounded.status is ClaimStatus.VERIFIED else None

    async def settle_by_entry(self, sentence: str, entry: ListedEntry) -> GroundedClaim:
        """Return what an entry of the list comes to for a sentence that cites it."""
        claim = replace(entry.grounded.claim, text=sentence)
        grounded = replace(entry.grounded, claim=claim)
        if self._assess is None or grounded.attached is None:
            return grounded
        return replace(grounded, support=await self._assess(grounded))

    async def _ground(self, text: str, *candidates: CitationCandidate, assess: bool = True) -> GroundedClaim:
        """Return a claim with just these candidates: identifiers next to it in the text are none."""
        claim = Claim("sentence", "", Place(), tuple(candidates))
        assessor = self._assess if assess else None

        async def assess_sentence(grounded: GroundedClaim) -> ClaimSupport:
            assert assessor is not None
            return await assessor(replace(grounded, claim=replace(claim, text=text)))

        wrapped = assess_sentence if assessor else None
        grounded = await ground_claim(self._engine, claim, assess=wrapped)
        return replace(grounded, claim=replace(claim, text=text))


def find_entry(sentence: str, citation: TextCitation, entries: Sequence[ListedEntry]) -> ListedEntry | None:
    """Return the entry of a reference list that people and a year mean; a year beside it is another work."""
    dated = [one for one in entries if citation.year is None or citation.year in _list_years(one)]
    if citation.mention is not None:
        around = CitingDocument("").find_surroundings(citation.mention, sentence)
        described = [_describe_found_work(one, citation.year) for one in dated]
        for references in ([one.reference for one in dated], described):
            if ranked := rank_references(citation.mention, references, around):
                best = next(n for n, one in enumerate(references) if one is ranked[0].reference)
                return dated[best]
        return None
    fitting = [one for one in dated if _is_part_of(citation, _describe_found_work(one, citation.year), one)]
    return fitting[0] if len(fitting) == 1 else None


def _is_part_of(citation: TextCitation, described: Reference, entry: ListedEntry) -> bool:
    """Return whether a place names only the first of the people of a work, or only its venue and year."""
    people, record = described.claimed.authors, get_attached_record(entry.grounded)
    if people and people[0].family.casefold() == citation.text.split()[0].casefold():
        return True
    year = citation.year
    said = citation.text.replace(str(year), " ").strip(" .,;:()[]")
    venues = (
        [one.venue for one in record.versions if one.venue and one.year == year] if record and year else []
    )
    return any(match_venues(said, venue).outcome in (SAME, VARIANT) for venue in venues)


def _list_years(entry: ListedEntry) -> set[int | None]:
    """Return the year that an entry states, else those of the work that it was verified to be."""
    record = get_attached_record(entry.grounded)
    stated = entry.reference.claimed.year
    return {stated} if stated or record is None else {version.year for version in record.versions}


def _describe_found_work(entry: ListedEntry, year: int | None) -> Reference:
    """Return an entry with the people of the work that it was verified to be: a parser may miss them.

    `year` is one of the work's.
    """
    record, claimed = get_attached_record(entry.grounded), entry.reference.claimed
    authors = record.authors if record else claimed.authors
    return replace(entry.reference, claimed=replace(claimed, authors=authors, year=claimed.year or year))


def choose_worst(statuses: Sequence[ClaimStatus]) -> ClaimStatus:
    """Return the status of a citation that points to several works."""
    return min(statuses, key=_WORST_FIRST.index)


def _has_title(claimed: Claimed, other: Claimed) -> bool:
    """Return whether both claim the same title; then what a parser has read has more fields."""
    return make_title_key(claimed.title or "") == make_title_key(other.title or "")


def _cut_title(title: str) -> Iterator[str]:
    """Yield what a title may be that was read with words around it: "Ann Lee presented A Title at CHI"."""
    led = _LEAD.search(title)
    title = title[led.end() :] if led else title
    ends = [match.start() for match in _TAIL.finditer(title)]
    words = [title[:at] for at in (*ends, len(title))] if led else [title[:at] for at in ends]
    yield from [one for one in words if len(one.split()) > _SHORT_TITLE][:_MOST_CUTS]


def _claims_work(claimed: Claimed, record: Record) -> bool:
    """Return whether a claim names people and the title of a work, as far as the record knows them."""
    titles = {make_title_key(title) for title in record.titles}
    return bool(claimed.authors or not record.authors) and make_title_key(claimed.title or "") in titles


def _list_records(grounded: GroundedClaim) -> Iterator[Record]:
    """Yield the works that were found for a claim, its own first."""
    attached = get_attached_record(grounded)
    yield from [attached] if attached else []
    yield from (one.record for tried in grounded.tried for one in tried.checked.compared)


def _is_described_in(body: str, record: Record) -> bool:
    """Return whether a text has the title, the people and the year of a work.

    It need not name people if its title is long, nor a year at all. With all of them it may have the head of
    the title alone.
    """
    said = f" {fold_words(body)} "
    there = [f" {fold_words(name.family)} " in said for name in record.authors]
    people = bool(there) and there[0] and (all(there) or bool(_CUT_LIST.search(body)))
    titles = [title for title in record.titles if len(title.split()) > (1 if people else _SHORT_TITLE)]
    titles += [title.partition(":")[0] for title in record.titles if people and ":" in title]
    titled = any(_is_title_of(body, title, record) for title in titles)
    stated = Claimed(title=record.title, authors=record.authors)
    known = people or (titled and not any(there) and not _find_other_people(body, stated, record))
    return titled and known and (_find_stated_year(body, record) is not None or not find_years(body))


def _is_title_of(body: str, title: str, record: Record) -> bool:
    """Return whether a text has just this title, with a sign of its end and of its beginning.

    A word in small letters may stand before it, its people or its venue may follow; other words may be an
    invented subtitle.
    """
    words = r"[\W_]+".join(map(re.escape, _WORDS.findall(title)))
    found = re.search(
        rf"(?:^|[^\w\s]\s*|\n\s*|(?-i:\b[a-zà-ÿ]+\s(?=[A-Z]))){words}(?P<rest>\W*(?:$|\n)|\s*(?:[.”\"'*_?!)(\]\[—–|<}}」』》]|//|,[\"”]|,\s?\d|{_GOES_ON})|,?\s(?:(?:in|at)\b)?(?=\s?[\w*_]))",
        body,
        re.IGNORECASE,
    )
    if found is None or re.fullmatch(r",?\s(?:in|at)?", found["rest"].lower()) is None:
        return found is not None
    if found["rest"].startswith(",") and found["rest"].endswith("in"):
        return True
    behind = re.split(r"[.,;:!?()\"“”«»\n]", re.sub(r"^\W*(?:the\s)?", "", body[found.end() :]))[0].split()
    venues = [one.venue for one in record.versions if one.venue]
    starts = [" ".join(behind[:count]).strip(" ,.;:*_()") for count in range(1, _VENUE_WORDS)]
    return any(
        match_venues(one, venue).outcome in (SAME, VARIANT) for one in starts if one for venue in venues
    )


def fold_words(text: str) -> str:
    """Return the words of a text without accents, in small letters, with one space between two."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def _find_stated_year(body: str, record: Record) -> int | None:
    years = {year for year, _, _ in find_years(body)}
    return next((one.year for one in record.versions if one.year in years), None)


def _refuse_other_people(grounded: GroundedClaim, body: str, claimed: Claimed) -> GroundedClaim:
    """Return a claim, not verified if its text names people whom the work found does not have."""
    record = get_attached_record(grounded)
    other = _find_other_people(body, claimed, record) if record else ""
    if not other:
        return grounded
    reason = OTHER_WORK.format(other)
    return replace(grounded, status=ClaimStatus.UNSUPPORTED, attached=None, reason=reason)


def _find_other_people(body: str, claimed: Claimed, record: Record) -> str:
    """Return people in an entry who are not those of its work: "; also Nobody, A. (2021)"."""
    own = list_name_words(record.authors)
    venues = [version.venue for version in record.versions]
    titles = [*record.titles, claimed.title, claimed.venue, *venues]
    named = make_title_key(" ".join(filter(None, titles)))
    known = own | list_name_words((*claimed.authors, *claimed.editors))
    for mention in find_mentions(body):
        if all(make_title_key(name.family) in named for name in mention.names):
            continue  # words of the title or of the venue
        people = len(mention.names) > 1 or mention.et_al or any(name.given for name in mention.names)
        if mention.sure and people and known.isdisjoint(list_name_words(mention.names)):
            return mention.text
    rest = _blank_titles(body, filter(None, titles))
    return (_find_unknown_people(rest, own) if own else "") or _find_another_work(rest, record)


def _find_another_work(rest: str, record: Record) -> str:
    """Return what an entry without its work's title still says of another: a year in brackets, a title."""
    years = {version.year for version in record.versions if version.year}
    stated = {int(match["year"]): match[0] for match in BRACKETED_YEAR.finditer(rest)}
    near = 0 if years & {year for year, _, _ in find_years(rest)} else 1
    for year, words in stated.items():
        if years and min(abs(year - one) for one in years) > near:
            return words
    said = (words for _, _, words in find_set_off(rest, emphasised=False) if WALL not in words)
    return next((words for words in said if len(words.split()) > _SHORT_TITLE and is_title_case(words)), "")


def list_name_words(names: Sequence[Name]) -> set[str]:
    """Return the words of names, but initials."""
    words = (word for name in names for word in fold_words(f"{name.family} {name.given}").split())
    return {word for word in words if len(word) > 1}


def _blank_titles(body: str, titles: Iterable[str]) -> str:
    """Return an entry without the titles and venues that it has."""
    for title in titles:
        words = _WORDS.findall(title)[:_TITLE_WORDS]
        if len(words) > 1:
            body = re.sub(r"[\W_]+".join(map(re.escape, words)), WALL, body, flags=re.IGNORECASE)
    return body


def _find_unknown_people(body: str, own: set[str]) -> str:
    """Return people whom a text names as authors, and most of whom are not the work's own."""
    for people in find_people_named(body):
        around = body[max(0, people.start - _EDITOR) : people.end + _EDITOR]
        units = [fold_words(part).split() for part in split_people(people.words)]
        units = [unit for unit in units if any(len(word) > 1 for word in unit)]
        alone = len(units) == 1 and people.sure and not re.search(r"\.|\bal\b", people.words)  # "Retina DOI"
        unknown = [unit for unit in units if own.isdisjoint(unit)]
        if not alone and 2 * len(unknown) > len(units) and not _EDITED.search(around):
            return people.words
    return ""
