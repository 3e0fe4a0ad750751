"""Which questions are put to which sources, and when the evidence is enough.

A memory, if there is one (`recall_work`):
0. A work that was judged matched before and agrees in all that is cited: nobody else is asked.

Snapshots, always first:
1. Identifiers, each at every source that answers for it. Stop when an identified record agrees in
   title and authors.
2. Title search; the raw text as well when the parse is weak or there is no title.
3. When the title leads nowhere or to other people: the raw text it was cut from, and who else wrote
   as these authors (this explains chimeras and finds works cited under a changed title).

On the network, unless that decided (`live`):
4. Identifiers at their own registries, many references in one request; then at others that know them.
5. The title at one general index, the one that can answer soonest; then at the others that cover the
   type of work; then at those that may know it; web search last, and only if it was asked for. With the
   route `web-first` it comes before 4, and a page that agrees in all that is cited ends the route before 5.
Whatever is kept from an earlier run is used before anything is asked. Every stop is recorded.

The result is a set: it does not depend on the order in which the sources answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from citeproof.errors import CiteproofError
from citeproof.evidence.retrieve.live_network import LiveNetwork, agrees_in_all
from citeproof.evidence.retrieve.route_plan import (
    RoutePlan,
    make_further_questions,
    make_id_questions,
    make_search_questions,
    plan_route,
)
from citeproof.judgement.compare import Evidence
from citeproof.vocabulary import (
    Cause,
    Found,
    Lookup,
    LookupTiming,
    Question,
    Reference,
    Source,
    SourceFacts,
    Stop,
    StopReason,
    Unchecked,
)

__all__ = ["LiveNetwork", "Retriever", "make_id_questions", "make_search_questions"]


NOBODY = "offline, and there is no snapshot to look in; `citeproof index starter` makes one"


class Retriever:
    """Asks the sources available about one reference, then the network."""

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        network: LiveNetwork | None = None,
        memory: Source | None = None,
        raise_bugs: bool = False,
    ) -> None:
        self._sources = tuple(sources)
        self._memory = memory
        self._network = network
        self._raise_bugs = raise_bugs

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of all sources that may be asked."""
        live = self._network.names if self._network else ()
        memory = (self._memory.name,) if self._memory else ()
        return (*memory, *(source.name for source in self._sources), *live)

    @property
    def network(self) -> LiveNetwork | None:
        return self._network

    async def retrieve(
        self, reference: Reference, today: date = date.max, saw: Callable[[LookupTiming], None] | None = None
    ) -> Evidence:
        """Return everything the sources say about `reference`; `saw` hears of every live lookup."""
        facts = _merge_facts(source.facts(reference) for source in self._sources)
        if self._memory and (recalled := await recall_work(self._memory, reference, facts, today)):
            return recalled
        evidence = Evidence(reference, facts, today)
        await self._ask_at_hand(evidence)
        if self._network is None:
            if not evidence.lookups:
                asked = (*make_id_questions(reference), *make_search_questions(reference))
                by = asked[0].by if asked else "title"
                evidence.lookups.append(Unchecked("network", by, Cause.OFFLINE, NOBODY))
        elif evidence.is_decided():
            evidence.stops.append(Stop(StopReason.DECIDED_AT_HAND, ("the network",)))
        else:
            evidence.stops.clear()
            await self._network.hear(evidence, saw, raise_bugs=self._raise_bugs)
            evidence.lookups.sort(key=_make_sort_key)
        return evidence

    def plan(self, reference: Reference) -> RoutePlan:
        """Return who would be asked about `reference`, in what order; nobody is."""
        return plan_route(reference, self._sources, self._network)

    async def ask_at_hand(self, question: Question) -> Sequence[Lookup]:
        """Return what the snapshots say to one question."""
        return await self._ask([question])

    async def ask_network(self, question: Question) -> Sequence[Lookup]:
        """Return what the live sources say to one question, in the same order in every run."""
        if self._network is None:
            return ()
        evidence = Evidence(question.reference)
        await self._network.hear(evidence, only=question, raise_bugs=self._raise_bugs)
        return sorted(evidence.lookups, key=_make_sort_key)

    async def _ask_at_hand(self, evidence: Evidence) -> None:
        reference = evidence.reference
        evidence.lookups += await self._ask(make_id_questions(reference))
        searches = make_search_questions(reference)
        if evidence.is_settled():
            evidence.stops.append(Stop(StopReason.IDENTIFIER_AND_TITLE_AGREE, tuple(self._names(searches))))
            return
        evidence.lookups += await self._ask(searches)
        if evidence.is_unclear():
            evidence.lookups += await self._ask(make_further_questions(reference, searches))

    async def _ask(self, questions: Sequence[Question]) -> list[Lookup]:
        pairs = [(s, q) for q in questions for s in self._sources if q.by in s.answers]
        return [await self._ask_one(source, question) for source, question in pairs]  # none of them waits

    async def _ask_one(self, source: Source, question: Question) -> Lookup:
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


def _make_sort_key(lookup: Lookup) -> tuple[str, str, str]:
    """Sort key: lookups are in the same order in every run."""
    return lookup.source, lookup.by, type(lookup).__name__


def _merge_facts(facts: Iterable[SourceFacts]) -> SourceFacts:
    """Return what all sources together know: one that has seen it is enough."""
    rows = list(facts)
    return SourceFacts(
        doi_prefix_seen=_combine_answers(row.doi_prefix_seen for row in rows),
        venue_seen=_combine_answers(row.venue_seen for row in rows),
        venue_known=_combine_answers(row.venue_known for row in rows),
    )


def _combine_answers(answers: Iterable[bool | None]) -> bool | None:
    known = [answer for answer in answers if answer is not None]
    return any(known) if known else None


_NOT_ASKED = ("snapshots", "the network")


async def recall_work(
    memory: Source, reference: Reference, facts: SourceFacts, today: date
) -> Evidence | None:
    """Return the evidence of the memory alone where it is enough, else None."""
    evidence = Evidence(reference, facts, today)
    named = make_id_questions(reference)
    if not all(question.by in memory.answers for question in named):
        return None  # a link or an ISBN is asked about elsewhere
    searches = [question for question in make_search_questions(reference) if question.by == "title"]
    for question in named or searches:
        lookup = await memory.lookup(question)
        if not isinstance(lookup, Found):
            return None
        evidence.lookups.append(lookup)
    if not evidence.lookups or not agrees_in_all(evidence):
        return None
    evidence.stops.append(Stop(StopReason.RECALLED, _NOT_ASKED))
    return evidence
