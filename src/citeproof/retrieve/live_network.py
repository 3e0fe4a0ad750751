"""The network's part of retrieval: identifiers at their registries, titles in waves, an end in time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field

from citeproof.clock import Clock
from citeproof.compare.raw_text import is_running_text
from citeproof.errors import CiteproofError
from citeproof.retrieve import source_order
from citeproof.retrieve.evidence_rules import is_contradicted, is_decided, is_identified, is_only_preprint
from citeproof.retrieve.reference_questions import make_id_questions, make_search_questions
from citeproof.sources.base import LiveSource
from citeproof.vocabulary import (
    WORK_IDS,
    Absent,
    Cause,
    Found,
    Lookup,
    LookupTiming,
    Question,
    Reach,
    Reference,
    Stop,
    StopReason,
    Unchecked,
)

PRICE = 2.0  # seconds one would rather wait than spend a source's budget on a search
PRICE_WITHOUT_KEY = 10.0  # same, where the budget is the small one for everybody
LOOK_AGAIN = 0.05  # seconds after which a reference whose time is almost over is looked at again
WEB = 9  # the order of web search: only when nothing structured was accepted
Pair = tuple[LiveSource, Question]


@dataclass(slots=True)
class ReferenceHearing:
    """What is known about one reference so far."""

    reference: Reference
    lookups: list[Lookup]
    saw: Callable[[LookupTiming], None] | None = None
    stops: list[Stop] = field(default_factory=list)
    asked: set[tuple[str, str, str]] = field(default_factory=set)  # source, by, value
    until: float = 0.0

    def is_decided(self) -> bool:
        return is_decided(self.reference, self.lookups)

    def is_identified(self) -> bool:
        return is_identified(self.reference, self.lookups)

    def enough(self) -> bool:
        """Return whether the work was found, and not only a preprint of what is cited as published."""
        return self.is_identified() and not is_only_preprint(self.reference, self.lookups)

    def is_found(self, question: Question) -> bool:
        """Return whether a live source has a record for this identifier."""
        pair = (question.by, question.value)
        records = (r for x in self.lookups if isinstance(x, Found) and x.by == question.by for r in x.records)
        return any(pair in record.ids.pairs for record in records)

    def is_refused(self, question: Question) -> bool:
        """Return whether the identifier's own registry says that it does not exist."""
        own = (x for x in self.lookups if isinstance(x, Absent) and x.by == question.by)
        return any(x.reach is Reach.COMPLETE for x in own)

    def has_heard(self, pairs: Iterable[Pair]) -> bool:
        """Return whether one of these sources has answered; one that could not tells nothing."""
        names = {(source.name, question.by) for source, question in pairs}
        return any((x.source, x.by) in names for x in self.lookups if not isinstance(x, Unchecked))

    def stop(self, reason: StopReason, pairs: Iterable[Pair]) -> None:
        open_ = (p for p in pairs if (p[0].name, p[1].by, p[1].value) not in self.asked)
        names = tuple(sorted({f"{source.name}/{question.by}" for source, question in open_}))
        if names:
            self.stops.append(Stop(reason, names))


class LiveNetwork:
    """The live sources of one run."""

    def __init__(
        self,
        sources: Sequence[LiveSource],
        clock: Clock,
        *,
        expected: Callable[[str, str, int], float],
        queued: Callable[[Iterable[str]], float] = lambda _: 0.0,
        deadline: float = 120.0,
    ) -> None:
        """Take the sources; `expected(name, lane, ahead)` says how soon one could answer.

        `queued(names)` says for how long requests to them have waited for their turn so far: that time
        does not count against `deadline`.
        """
        self._sources = {source.name: source for source in sources}
        self._clock = clock
        self._expected = expected
        self._queued = queued
        self._deadline = deadline
        self._promised: Counter[str] = Counter()  # searches that were given to a source and are not answered

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sources)

    async def hear(self, hearing: ReferenceHearing, *, raise_bugs: bool = False) -> None:
        """Add to `hearing` what the live sources say, until it decides or the time is up."""
        hearing.until = self._clock.elapsed() + self._deadline
        asking = _QuestionRunner(hearing, self._clock, self._queued, raise_bugs=raise_bugs)
        await self._identifiers(asking)
        await self._titles(asking)
        hearing.stops.sort(key=lambda stop: (stop.reason, stop.not_asked))

    # --- identifiers ---------------------------------------------------------------------------

    async def _identifiers(self, asking: _QuestionRunner) -> None:
        questions = make_id_questions(asking.hearing.reference)
        await asyncio.gather(*(self._identifier(asking, question) for question in questions))
        if asking.hearing.is_decided():
            return
        doubted = [q for q in questions if q.by in WORK_IDS and self._is_contradicted(asking.hearing, q)]
        pairs = (self._pairs(source_order.list_second_sources(q, self._sources.values()), q) for q in doubted)
        await asking.ask_all(pair for second in pairs for pair in second)

    def _is_contradicted(self, hearing: ReferenceHearing, question: Question) -> bool:
        return is_contradicted(hearing.reference, hearing.lookups, question.by)

    async def _identifier(self, asking: _QuestionRunner, question: Question) -> None:
        """Ask the identifier's own registry first, then others step by step while it leads nowhere."""
        able = [s for s in self._sources.values() if question.by in s.answers and s.suits(question)]
        hearing = asking.hearing
        first = source_order.list_first_sources(question, able)
        await asking.ask_all(self._pairs(first, question))
        answered = any(isinstance(x, Absent) and x.source in first for x in hearing.lookups)
        steps = [
            self._pairs(names, question)
            for names in source_order.list_next_sources(question, able, answered=answered)
        ]
        while steps and not (hearing.is_found(question) or hearing.is_refused(question)):
            await asking.ask_all(steps.pop(0))
        hearing.stop(StopReason.IDENTIFIER_ANSWERED, (pair for step in steps for pair in step))

    def _pairs(self, names: Iterable[str], question: Question) -> list[Pair]:
        here = (self._sources[name] for name in names if name in self._sources)
        return [(s, question) for s in here if question.by in s.answers and s.suits(question)]

    # --- titles --------------------------------------------------------------------------------

    async def _titles(self, asking: _QuestionRunner) -> None:
        hearing = asking.hearing
        waves = self._waves(hearing)
        for number, wave in enumerate(waves):
            if hearing.is_decided() if number == 0 else hearing.enough():
                hearing.stop(StopReason.EVIDENCE_DECIDES, (p for rest in waves[number:] for p in rest))
                return
            if number == 0:
                await self._soonest(asking, wave)
            else:
                await asking.ask_all(wave)

    def _waves(self, hearing: ReferenceHearing) -> list[list[Pair]]:
        """Return who is asked for the title: the main sources (one first), the others, the web."""
        questions = make_search_questions(hearing.reference)
        main: list[Pair] = []
        others: list[Pair] = []
        for question in questions:
            able = [s for s in self._sources.values() if question.by in s.answers and s.profile.search_order]
            able = [s for s in able if s.suits(question)]
            first, rest = source_order.split_title_sources(
                [(s.name, s.profile.search_order, s.reach(question)) for s in able]
            )
            main += self._pairs(first, question)
            others += self._pairs(rest, question)
        if is_running_text(hearing.reference) and not any(q.by == "raw" for q in questions):
            raw = Question("raw", hearing.reference.raw, hearing.reference)
            others += self._pairs([n for n, s in self._sources.items() if s.profile.search_order == 1], raw)
        web = [(s, q) for s in self._sources.values() for q in questions
               if s.profile.search_order == WEB and q.by in s.answers]  # fmt: skip
        return [wave for wave in (main, others, web) if wave]

    async def _soonest(self, asking: _QuestionRunner, wave: list[Pair]) -> None:
        """Ask one of the main sources, a second one for its opinion on what differs, or else all."""
        await asking.add_cached(wave)
        while left := asking.open(wave):
            if asking.hearing.is_decided():
                asking.hearing.stop(StopReason.EVIDENCE_DECIDES, left)
                return
            if asking.hearing.has_heard(wave) and not asking.hearing.is_identified():
                await asking.ask_all(left)
                return
            chosen = min(left, key=self._delay)[0]
            self._promised[chosen.name] += 1
            try:
                await asking.ask_all(p for p in left if p[0] is chosen)
            finally:
                self._promised[chosen.name] -= 1

    def _delay(self, pair: Pair) -> tuple[float, str]:
        source = pair[0]
        lane = "list" if "list" in source.profile.lanes else ""
        price = (PRICE if source.wiring.key else PRICE_WITHOUT_KEY) if source.profile.budget else 0.0
        return self._expected(source.name, lane, self._promised[source.name]) + price, source.name


class _QuestionRunner:
    """Puts questions to sources for one hearing: each once, kept answers first, never past the end."""

    def __init__(
        self,
        hearing: ReferenceHearing,
        clock: Clock,
        queued: Callable[[Iterable[str]], float],
        *,
        raise_bugs: bool,
    ) -> None:
        self.hearing = hearing
        self._clock = clock
        self._queued = queued
        self._raise_bugs = raise_bugs

    def open(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs that were not asked yet."""
        return [(s, q) for s, q in pairs if (s.name, q.by, q.value) not in self.hearing.asked]

    async def add_cached(self, pairs: Iterable[Pair]) -> None:
        """Add what is kept from earlier runs."""
        for source, question in self.open(pairs):
            started = self._clock.elapsed()
            lookup = await self._catch_bug(source.recall(question), source, question)
            if lookup is not None:
                self._add(source, question, lookup, started, kept=True)

    async def ask_all(self, pairs: Iterable[Pair]) -> None:
        """Ask every source that was not asked yet, all at once."""
        pairs = self.open(pairs)
        await self.add_cached(pairs)
        waits = await asyncio.gather(*(self._ask(s, question) for s, question in self.open(pairs)))
        self.hearing.until += max(waits, default=0.0)

    async def _ask(self, source: LiveSource, question: Question) -> float:
        """Ask one source; return the seconds for which it let others go first."""
        started = self._clock.elapsed()
        servers = (source.name, *source.profile.further)
        before = self._queued(servers)
        lookup: Lookup | None = None
        if self.hearing.until > started:
            lookup = await self._in_time(self._catch_bug(source.lookup(question), source, question), servers)
        if lookup is None:
            detail = "the time for one reference was over"
            lookup = source.make_unchecked(question, Cause.TIMEOUT, detail)
        self._add(source, question, lookup, started)
        return self._queued(servers) - before

    async def _in_time(
        self, lookup: Coroutine[None, None, Lookup | None], servers: tuple[str, ...]
    ) -> Lookup | None:
        """Return the lookup; None if the reference's time is over, the waiting for `servers` not counted."""
        before = self._queued(servers)
        answer = asyncio.ensure_future(lookup)
        try:
            while not answer.done():
                waited = self._queued(servers) - before
                left = self.hearing.until + waited - self._clock.elapsed()
                if left <= 0:
                    return None
                await asyncio.wait({answer}, timeout=max(left, LOOK_AGAIN))
            return answer.result()
        finally:
            answer.cancel()

    async def _catch_bug(
        self, answer: Awaitable[Lookup | None], source: LiveSource, question: Question
    ) -> Lookup | None:
        try:
            return await answer
        except (CiteproofError, TimeoutError, asyncio.CancelledError):
            raise
        except Exception as bug:
            if self._raise_bugs:
                raise
            return source.make_unchecked(question, Cause.BUG, f"{type(bug).__name__}: {bug}"[:200])

    def _add(
        self, source: LiveSource, question: Question, lookup: Lookup, started: float, *, kept: bool = False
    ) -> None:
        self.hearing.asked.add((source.name, question.by, question.value))
        self.hearing.lookups.append(lookup)
        if self.hearing.saw is not None:
            seconds = self._clock.elapsed() - started
            self.hearing.saw(
                LookupTiming(source.name, question.by, _describe_lookup(lookup), seconds, kept=kept)
            )


def _describe_lookup(lookup: Lookup) -> str:
    return lookup.cause.value if isinstance(lookup, Unchecked) else type(lookup).__name__.lower()
