"""Which questions are put to which sources, and when the evidence is enough.

1. Identifiers first, each at every source that answers for it.
2. Stop early when an identified record agrees in title and authors; the stop is recorded.
3. Title search; the raw text as well when the parse is weak or there is no title.
4. When the title leads nowhere or to other people: the raw text it was cut from, and who else wrote
   as these authors (this explains chimeras and finds works cited under a changed title).

The result is a set: it does not depend on the order in which the sources answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from citeproof.compare.authors import compare_authors
from citeproof.compare.running import is_running
from citeproof.compare.title import agrees as title_agrees
from citeproof.errors import CiteproofError
from citeproof.vocabulary import (
    ID_ORDER,
    WORK_IDS,
    Cause,
    Found,
    Lookup,
    Outcome,
    Question,
    Record,
    Reference,
    Retrieved,
    Source,
    SourceFacts,
    Stop,
    Unchecked,
)

WEAK_PARSE = 0.9  # a title read with less certainty is also searched by the raw text
_AGREE = (Outcome.SAME, Outcome.VARIANT)
_MORE_IDS = ("acl", "openreview", "dblp")  # named works too, though no registry of §5 is theirs


class Retriever:
    """Asks the sources about one reference at a time, in parallel across sources."""

    def __init__(self, sources: Sequence[Source], *, raise_bugs: bool = False) -> None:
        self._sources = tuple(sources)
        self._raise_bugs = raise_bugs

    @property
    def sources(self) -> tuple[Source, ...]:
        return self._sources

    async def retrieve(self, reference: Reference) -> Retrieved:
        """Return everything the sources say about `reference`."""
        facts = _merge(source.facts(reference) for source in self._sources)
        lookups = list(await self._ask(identifier_questions(reference)))
        searches = search_questions(reference)
        if _settled(reference, lookups):
            stop = Stop("identifier_and_title_agree", tuple(self._names(searches)))
            return Retrieved(tuple(lookups), (stop,), facts)
        lookups += await self._ask(searches)
        if _unclear(reference, lookups):
            lookups += await self._ask(further_questions(reference, searches))
        return Retrieved(tuple(lookups), (), facts)

    async def _ask(self, questions: Sequence[Question]) -> list[Lookup]:
        pairs = [(s, q) for q in questions for s in self._sources if q.by in s.answers]
        return list(await asyncio.gather(*(self._one(source, question) for source, question in pairs)))

    async def _one(self, source: Source, question: Question) -> Lookup:
        try:
            return await source.lookup(question)
        except CiteproofError:
            raise
        except Exception as bug:  # a source's bug must not cost the run; tests set raise_bugs
            if self._raise_bugs:
                raise
            return Unchecked(source.name, question.by, Cause.BUG, f"{type(bug).__name__}: {bug}"[:200])

    def _names(self, questions: Iterable[Question]) -> list[str]:
        return [f"{s.name}/{q.by}" for q in questions for s in self._sources if q.by in s.answers]


def identifier_questions(reference: Reference) -> list[Question]:
    """Return one question for each cited identifier, in the order of the contract."""
    ids = reference.claimed.ids
    return [Question(by, value, reference) for by in (*ID_ORDER, *_MORE_IDS) for value in ids.all(by)]


def search_questions(reference: Reference) -> list[Question]:
    """Return the title question, and the raw one when the parse is weak or there is no title."""
    title = reference.claimed.title
    questions = [Question("title", title, reference)] if title else []
    if reference.raw and (not title or reference.claimed.confidence("title") < WEAK_PARSE):
        questions.append(Question("raw", reference.raw, reference))
    return questions


def further_questions(reference: Reference, asked: Sequence[Question]) -> list[Question]:
    """Return what else to ask when the title leads nowhere or to other people.

    The raw text, when the title was cut out of it: the cut may be wrong. And the people.
    """
    raw = is_running(reference) and not any(question.by == "raw" for question in asked)
    questions = [Question("raw", reference.raw, reference)] if raw else []
    if reference.claimed.authors:
        questions.append(Question("authors", _people(reference), reference))
    return questions


def _people(reference: Reference) -> str:
    return "; ".join(name.display for name in reference.claimed.authors)


def _settled(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether an identified record already agrees in title and authors."""
    found = [x for x in lookups if isinstance(x, Found) and x.by in WORK_IDS]
    return any(_agrees(reference, record, _AGREE) for lookup in found for record in lookup.records)


def _unclear(reference: Reference, lookups: Sequence[Lookup]) -> bool:
    """Return whether no record so far has the cited title and people that do not contradict."""
    found = [record for x in lookups if isinstance(x, Found) for record in x.records]
    return not any(_agrees(reference, record, (*_AGREE, Outcome.UNKNOWN)) for record in found)


def _agrees(reference: Reference, record: Record, people: tuple[Outcome, ...]) -> bool:
    claimed = reference.claimed
    if not title_agrees(claimed.title, record.titles):
        return False
    authors = compare_authors(
        claimed.authors, record.authors, et_al=claimed.et_al, complete=record.authors_complete
    )
    return authors.outcome in people


def _merge(facts: Iterable[SourceFacts]) -> SourceFacts:
    """Return what all sources together know: one that has seen it is enough."""
    rows = list(facts)
    return SourceFacts(
        doi_prefix_seen=_any(row.doi_prefix_seen for row in rows),
    )


def _any(answers: Iterable[bool | None]) -> bool | None:
    known = [answer for answer in answers if answer is not None]
    return any(known) if known else None
