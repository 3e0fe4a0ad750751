"""The works that a claim mentions by author and year, as candidates for grounding.

What is claimed of such a work is what the claim says: people, year and journal, no title. The identifier
is that of the work found, so that it can be resolved and compared like any other candidate.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Protocol

from citeproof.claims.mention_people import list_named_authors
from citeproof.claims.mention_search import MentionCandidate, MentionSearch
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.vocabulary import (
    CandidateOrigin,
    CitationCandidate,
    Claim,
    Claimed,
    Kind,
    Lookup,
    Question,
    Record,
    Reference,
)

MOST_MENTIONS = 20  # of one claim
WHOLE = 0.9  # share of a proposed reference that its mention must be
MOST_OFFERED = 3  # works of one mention
LIKELY = 0.3  # a work that is less likely meant is no candidate: it would be a guess
_MEANT_ONES = 2  # works of the same people and year that a mention may mean
UNKNOWN = 0.05  # confidence of a mention for which no work was likely enough


class QuestionSources(Protocol):
    """Who is asked about mentions: snapshots first, then the network."""

    async def ask_at_hand(self, question: Question) -> Sequence[Lookup]: ...

    async def ask_network(self, question: Question) -> Sequence[Lookup]: ...


def make_mentioned_finder(
    sources: QuestionSources, references: Sequence[Reference] = (), document: str = ""
) -> Callable[[Claim], Awaitable[Sequence[CitationCandidate]]]:
    """Return what finds the works that a claim mentions; `references` and text are those of its document."""
    search = MentionSearch(
        [sources.ask_at_hand, sources.ask_network], references=references, document=document
    )

    async def find_mentioned(claim: Claim) -> Sequence[CitationCandidate]:
        stated = any(one.origin is not CandidateOrigin.MENTION for one in claim.references)
        if references and stated:
            return ()  # the document says itself which of its references the sentence cites
        found: dict[str, CitationCandidate] = {}
        for mention in _list_mentions(claim):
            works = await _offer_works(search, mention, claim.text, LIKELY)
            for one in works or [make_unknown_candidate(mention)]:
                found.setdefault(f"{one.identifier} {one.claimed}", one)
        return tuple(found.values())

    return find_mentioned


def make_mention_search(
    sources: QuestionSources, likely: float
) -> Callable[[AuthorYearMention, str, str], Awaitable[Sequence[CitationCandidate]]]:
    """Return what finds the works that a mention in a document may mean, if it is so likely one of them."""

    @lru_cache(maxsize=1)  # the mentions of one document are looked up one after another
    def make_search(document: str) -> MentionSearch:
        return MentionSearch([sources.ask_at_hand, sources.ask_network], document=document)

    async def search_mention(
        mention: AuthorYearMention, sentence: str, document: str
    ) -> Sequence[CitationCandidate]:
        answer = await make_search(document).search(mention, sentence)
        works = answer.candidates[:_MEANT_ONES]
        known = sum(work.confidence for work in works) >= likely  # which of them is meant, nobody need know
        return [_make_candidate(mention, work) for work in works if known]

    return search_mention


async def _offer_works(
    search: MentionSearch, mention: AuthorYearMention, sentence: str, likely: float
) -> list[CitationCandidate]:
    answer = await search.search(mention, sentence)
    works = [one for one in answer.candidates if one.confidence >= likely][:MOST_OFFERED]
    return [_make_candidate(mention, work) for work in works]


def _list_mentions(claim: Claim) -> list[AuthorYearMention]:
    """Return the mentions of a claim, and those that are all there is of a proposed reference.

    A claim about one mention is about no other one of its sentence.
    """
    alone = any(one.origin is CandidateOrigin.MENTION for one in claim.references)
    found = [] if alone else [one for one in find_mentions(claim.text) if one.sure]
    for proposed in claim.references:
        if not proposed.claimed.ids.pairs:
            text = proposed.text.strip(" .()[]")
            found += [one for one in find_mentions(text) if len(one.text) >= WHOLE * len(text)]
    return found[:MOST_MENTIONS]


def make_unknown_candidate(mention: AuthorYearMention) -> CitationCandidate:
    """Return a mention of which no work is likely, so that it is tried and accounted for."""
    claimed = Claimed(authors=mention.names, et_al=mention.et_al, year=mention.year, venue=mention.venue)
    return CitationCandidate(claimed, UNKNOWN, CandidateOrigin.MENTION, mention.text)


def _make_candidate(mention: AuthorYearMention, work: MentionCandidate) -> CitationCandidate:
    if work.reference is not None:  # all that the document's own list says of it is claimed
        kind = work.reference.kind
        return CitationCandidate(work.claimed, work.confidence, CandidateOrigin.MENTION, mention.text, kind)
    record = work.records[0]
    return CitationCandidate(
        _claim_mention(mention, record),
        work.confidence,
        CandidateOrigin.MENTION,
        mention.text,
        record.kind if record.kind is not Kind.UNKNOWN else Kind.ARTICLE,
    )


def _claim_mention(mention: AuthorYearMention, record: Record) -> Claimed:
    """Return what the mention claims, with the record's identifiers; its title only if it has none."""
    named = list_named_authors(mention, record.authors)
    return Claimed(
        title=None if record.ids.pairs else record.title,
        authors=named or mention.names,
        et_al=mention.et_al or len(named) < len(record.authors),
        year=mention.year,
        venue=mention.venue,
        ids=record.ids,
    )
