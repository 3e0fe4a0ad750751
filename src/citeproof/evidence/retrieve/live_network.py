"""The network's part of retrieval: identifiers at their registries, titles in waves, an end in time."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import replace

from citeproof.errors import CiteproofError
from citeproof.evidence.retrieve.route_plan import (
    PlannedLookup,
    RouteStage,
    RouteStep,
    make_id_questions,
    make_search_questions,
)
from citeproof.evidence.sources.base import LiveSource
from citeproof.judgement.compare import Evidence
from citeproof.judgement.compare.credit_table import name_origin
from citeproof.judgement.compare.linked_records import is_web_record
from citeproof.judgement.compare.raw_text import is_running_text
from citeproof.judgement.judge.features import extract_features
from citeproof.plumbing.clock import Clock
from citeproof.text.ids import expand_doi
from citeproof.vocabulary import (
    WORK_IDS,
    Absent,
    Cause,
    Compared,
    Lookup,
    LookupTiming,
    Outcome,
    Question,
    Reach,
    Reference,
    Stop,
    StopReason,
    Unchecked,
)

PRICE = 2.0  # seconds one would rather wait than spend a source's budget on a search
PRICE_WITHOUT_KEY = 10.0  # same, where the budget is the small one for everybody
LOOK_AGAIN = 0.05  # seconds after which a reference whose time is almost over is examined again
TOGETHER = 2.0  # times as long as the soonest: who takes no longer is asked at the same time after a miss
PREPRINTS = "arxiv"  # the source that tells whether a year is that of a preprint
WITNESSES = 2  # sources that are asked for another record of a work, one after the other
WEB = 9  # the order of web search: only when nothing structured was accepted
Pair = tuple[LiveSource, Question]


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
        web_first: bool = False,
    ) -> None:
        """Take the sources; `expected(name, lane, ahead)` says how soon one could answer.

        `queued(names)` says for how long requests to them have waited for their turn so far: that time
        does not count against `deadline`. `web_first`: web search is asked before the registries.
        """
        self._sources = {source.name: source for source in sources}
        self._clock = clock
        self._expected = expected
        self._queued = queued
        self._deadline = deadline
        self._web_first = web_first
        self._promised: Counter[str] = Counter()  # searches that were given to a source and are not answered
        self._searching = 0  # references that look for their title now

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sources)

    async def hear(
        self,
        evidence: Evidence,
        saw: Callable[[LookupTiming], None] | None = None,
        *,
        only: Question | None = None,
        raise_bugs: bool = False,
    ) -> None:
        """Add to `evidence` what the live sources say, until it decides or the time is up.

        `only`: what every source that can answer says to this one question.
        """
        until = self._clock.elapsed() + self._deadline
        asking = _QuestionRunner(evidence, self._clock, self._queued, until, saw, raise_bugs=raise_bugs)
        if only is not None:
            await asking.ask_all(self._pairs(self._sources, only))
            return
        if self._web_first:
            await asking.ask_all(self._web_pairs(make_search_questions(evidence.reference)))
        await self._identifiers(asking)
        await self._titles(asking)
        await self._ask_witnesses(asking)
        evidence.stops.sort(key=lambda stop: (stop.reason, stop.not_asked))

    def list_steps(self, reference: Reference) -> list[RouteStep]:
        """Return the steps that `hear` takes at most, in order; nobody is asked."""
        questions = make_id_questions(reference)
        web = self._web_pairs(make_search_questions(reference)) if self._web_first else []
        steps = [_plan_step(RouteStage.WEB, web)]
        for question in questions:
            able = [s for s in self._sources.values() if question.by in s.answers and s.suits(question)]
            first = list_first_sources(question, able)
            later = list_next_sources(question, able, answered=True)
            steps += [
                _plan_step(RouteStage.IDENTIFIERS, self._pairs(names, question)) for names in (first, *later)
            ]
        for wave in self._waves(reference):
            is_web = wave[0][0].profile.search_order == WEB
            steps.append(_plan_step(RouteStage.WEB if is_web else RouteStage.REGISTRIES, wave))
        return [step for step in steps if step.lookups]

    # --- identifiers ---------------------------------------------------------------------------

    async def _identifiers(self, asking: _QuestionRunner) -> None:
        evidence = asking.evidence
        questions, ids = make_id_questions(evidence.reference), evidence.reference.claimed.ids
        by_doi = {pair for doi in ids.all("doi") for pair in expand_doi(doi) if pair[0] not in WORK_IDS}
        implied = [question for question in questions if (question.by, question.value) in by_doi]
        stated = [question for question in questions if question not in implied]
        await asyncio.gather(*(self._identifier(asking, question) for question in stated))
        if not evidence.is_decided():  # a DOI that leaves nothing open speaks for what it implies
            await asyncio.gather(*(self._identifier(asking, question) for question in implied))
        if evidence.is_decided():
            pairs = (pair for question in implied for pair in self._pairs(self._sources, question))
            asking.stop(StopReason.EVIDENCE_DECIDES, pairs)
            return
        doubted = [q for q in questions if q.by in WORK_IDS and evidence.is_contradicted(q.by)]
        await asking.ask_all(
            [p for q in doubted for p in self._pairs(list_second_sources(q, self._sources.values()), q)]
        )

    async def _identifier(self, asking: _QuestionRunner, question: Question) -> None:
        """Ask the identifier's own registry first, then others step by step while it leads nowhere."""
        able = [s for s in self._sources.values() if question.by in s.answers and s.suits(question)]
        evidence = asking.evidence
        first = list_first_sources(question, able)
        await asking.ask_all(self._pairs(first, question))
        answered = any(isinstance(x, Absent) and x.source in first for x in evidence.lookups)
        steps = [
            self._pairs(names, question) for names in list_next_sources(question, able, answered=answered)
        ]
        while steps and not (
            evidence.has_record(question.by, question.value) or evidence.is_denied(question.by)
        ):
            await asking.ask_all(steps.pop(0))
        asking.stop(StopReason.IDENTIFIER_ANSWERED, (pair for step in steps for pair in step))

    def _pairs(self, names: Iterable[str], question: Question) -> list[Pair]:
        here = (self._sources[name] for name in names if name in self._sources)
        return [(s, question) for s in here if question.by in s.answers and s.suits(question)]

    # --- titles --------------------------------------------------------------------------------

    async def _titles(self, asking: _QuestionRunner) -> None:
        evidence = asking.evidence
        waves = self._waves(evidence.reference)
        by_page = self._web_first and agrees_in_all(evidence, pages=True)
        for number, wave in enumerate(waves):
            if by_page or (evidence.is_decided() if number == 0 else evidence.is_enough()):
                asking.stop(StopReason.EVIDENCE_DECIDES, (p for rest in (wave, *waves) for p in rest))
                return
            if number == 0:
                self._searching += 1
                try:
                    await asyncio.sleep(0)  # references that begin at the same time count each other
                    await self._soonest(asking, wave)
                finally:
                    self._searching -= 1
            else:
                await asking.ask_all(wave)

    async def _ask_witnesses(self, asking: _QuestionRunner) -> None:
        """Ask sources of other origins for the work that was found, while its record may be what is wrong."""
        evidence = asking.evidence
        for _ in range(WITNESSES):
            record, fields = evidence.find_doubted_record() or (None, set())
            if record is None or not record.title:
                return
            question = Question("title", record.title, evidence.reference)
            heard = evidence.list_origins(record)
            able = [
                pair
                for pair in asking.open(self._pairs(self._sources, question))
                if 0 < pair[0].profile.search_order < WEB
                and name_origin(replace(record, source=pair[0].name, marks=())) not in heard
            ]
            if fields == {"year"} and PREPRINTS in self._sources:  # may have the work, whatever is cited
                able = asking.open([(self._sources[PREPRINTS], question)]) or able
            if not able:
                return
            likely = min(able, key=lambda pair: (pair[0].reach(question) is Reach.PARTIAL, self._delay(pair)))
            await asking.ask_all([likely])

    def _waves(self, reference: Reference) -> Iterator[list[Pair]]:
        """Yield who is asked for the title: the main sources (one first), the others, the web."""
        questions = make_search_questions(reference)
        main = [pair for question in questions for pair in self._main_pairs(question)]
        if main:
            yield main
        others = [
            pair
            for question in questions
            for pair in self._pairs(self._sources, question)
            if 0 < pair[0].profile.search_order < WEB and pair not in main
        ]
        if is_running_text(reference) and not any(q.by == "raw" for q in questions):
            raw = Question("raw", reference.raw, reference)
            others += self._pairs([n for n, s in self._sources.items() if s.profile.search_order == 1], raw)
        web = [] if self._web_first else self._web_pairs(questions)
        yield from (wave for wave in (others, web) if wave)

    def _main_pairs(self, question: Question) -> list[Pair]:
        """Return those whose answer to the search settles most."""
        first = (name for name, source in self._sources.items() if source.profile.search_order in (1, 2))
        able = self._pairs(first, question)
        return [pair for pair in able if pair[0].reach(question) is not Reach.PARTIAL] or able

    def _web_pairs(self, questions: Iterable[Question]) -> list[Pair]:
        web = [source for source in self._sources.values() if source.profile.search_order == WEB]
        return [
            (source, question) for source in web for question in questions if question.by in source.answers
        ]

    async def _soonest(self, asking: _QuestionRunner, wave: list[Pair]) -> None:
        """Ask one of the main sources, a second one for its opinion on what differs, or else all.

        Whoever is so busy that the others will have answered before is asked when they did not settle it.
        """
        await asking.add_cached(wave)
        while left := asking.open(wave):
            if asking.evidence.is_decided():
                asking.stop(StopReason.EVIDENCE_DECIDES, left)
                return
            delays = [self._delay(pair) for pair in left]
            likely_absent = asking.has_answer_of(wave) and not asking.evidence.is_identified()
            limit = (TOGETHER * min(delays)[0], "") if likely_absent else min(delays)
            chosen = {pair[0].name for pair, delay in zip(left, delays, strict=True) if delay <= limit}
            self._promised.update(chosen)
            try:
                await asking.ask_all(pair for pair in left if pair[0].name in chosen)
            finally:
                self._promised.subtract(chosen)

    def _delay(self, pair: Pair) -> tuple[float, str]:
        source, question = pair
        lane = "list" if "list" in source.profile.lanes else ""
        fitting = source.batches.get(question.by, 1)  # in one request, whose time and price they share
        price = (PRICE if source.wiring.key else PRICE_WITHOUT_KEY) if source.profile.budget else 0.0
        price /= min(fitting, max(1, self._searching))
        ahead = max(self._promised[source.name], self._searching - 1) // fitting  # if all asked there
        return self._expected(source.name, lane, ahead) + price, source.name


class _QuestionRunner:
    """Puts questions to sources for one reference: each once, kept answers first, never past the end."""

    def __init__(
        self,
        evidence: Evidence,
        clock: Clock,
        queued: Callable[[Iterable[str]], float],
        until: float,
        saw: Callable[[LookupTiming], None] | None,
        *,
        raise_bugs: bool,
    ) -> None:
        self.evidence = evidence
        self._clock = clock
        self._queued = queued
        self._until = until
        self._saw = saw
        self._raise_bugs = raise_bugs
        self._asked: set[tuple[str, str, str]] = set()  # source, by, value
        self._recalled: set[tuple[str, str, str]] = set()  # those whose kept answers were searched for

    def open(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs that were not asked yet."""
        return [pair for pair in pairs if _name_pair(pair) not in self._asked]

    def has_answer_of(self, pairs: Iterable[Pair]) -> bool:
        """Return whether one of these sources has answered."""
        names = {(source.name, question.by) for source, question in pairs}
        return any((x.source, x.by) in names for x in self.evidence.lookups if not isinstance(x, Unchecked))

    def stop(self, reason: StopReason, pairs: Iterable[Pair]) -> None:
        """Record which questions are not asked, and why."""
        names = tuple(sorted({f"{source.name}/{question.by}" for source, question in self.open(pairs)}))
        if names:
            self.evidence.stops.append(Stop(reason, names))

    async def add_cached(self, pairs: Iterable[Pair]) -> None:
        """Add what is kept from earlier runs; what was not there a moment ago, `lookup` will find."""
        for source, question in self.open(pairs):
            name = _name_pair((source, question))
            if name in self._recalled:
                continue
            self._recalled.add(name)
            started = self._clock.elapsed()
            lookup = await self._catch_bug(source.recall(question), source, question)
            if lookup is not None:
                self._add(source, question, lookup, started, kept=True)

    async def ask_all(self, pairs: Iterable[Pair]) -> None:
        """Ask every source that was not asked yet, all at once."""
        pairs = self.open(pairs)
        await self.add_cached(pairs)
        waits = await asyncio.gather(*(self._ask(s, question) for s, question in self.open(pairs)))
        self._until += max(waits, default=0.0)

    async def _ask(self, source: LiveSource, question: Question) -> float:
        """Ask one source; return the seconds for which it let others go first."""
        started = self._clock.elapsed()
        servers = (source.name, *source.profile.further)
        before = self._queued(servers)
        lookup: Lookup | None = None
        if self._until > started:
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
                left = self._until + waited - self._clock.elapsed()
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
        self._asked.add(_name_pair((source, question)))
        self.evidence.lookups.append(lookup)
        if self._saw is not None:
            seconds = self._clock.elapsed() - started
            outcome = lookup.cause.value if isinstance(lookup, Unchecked) else type(lookup).__name__.lower()
            self._saw(LookupTiming(source.name, question.by, outcome, seconds, kept=kept))


def _plan_step(stage: RouteStage, pairs: Iterable[Pair]) -> RouteStep:
    """Return the step that asks these; web search also fetches the pages that it finds."""
    lookups = [
        PlannedLookup(
            source.name, question.by, 1 + source.profile.pages, source.profile.typical, source.profile.budget
        )
        for source, question in pairs
    ]
    return RouteStep(stage, tuple(lookups))


def _name_pair(pair: Pair) -> tuple[str, str, str]:
    return pair[0].name, pair[1].by, pair[1].value


def list_first_sources(question: Question, able: Sequence[LiveSource]) -> tuple[str, ...]:
    """Return the sources to ask first for an identifier; all that describe it when its own is missing."""
    first = tuple(source.name for source in able if source.choose_turn(question) == 1)
    return first or tuple(sorted(source.name for source in able if source.profile.describes))


def list_next_sources(
    question: Question, able: Iterable[LiveSource], *, answered: bool
) -> tuple[tuple[str, ...], ...]:
    """Return the sources to ask, step by step, if the first found nothing.

    A DOI that its agency does not have may not exist, which the handle system says at once. One whose
    agency did not answer most likely does; others that describe it are asked before.
    """
    steps: dict[tuple[bool, int], list[str]] = defaultdict(list)
    for source in able:
        if (turn := source.choose_turn(question)) > 1:
            steps[not (answered or source.profile.describes), turn].append(source.name)
    return tuple(tuple(names) for _, names in sorted(steps.items()))


def list_second_sources(question: Question, sources: Iterable[LiveSource]) -> tuple[str, ...]:
    """Return who may confirm what an identifier leads to."""
    return tuple(source.name for source in sources if question.by in source.profile.confirms)


def agrees_in_all(evidence: Evidence, *, pages: bool = False) -> bool:
    """Return whether one work, and only one, agrees in everything that is cited; web `pages` if asked for."""
    if not evidence.is_decided(pages=pages):
        return False
    best, *others = evidence.compare()
    people = best.of("authors")
    too_little = ("title", "authors", "venue", "volume", "issue", "pages", "publisher")
    has_another_sign = any(c.outcome.agrees for c in best.comparisons if c.field not in too_little)
    if people is None or not people.outcome.agrees or not has_another_sign:
        return False
    if any(
        _has_same_title(other) and not (bool(best.record.work) and best.record.work == other.record.work)
        for other in others
        if not (pages and is_web_record(other.record))
    ):
        return False
    cited = [comparison for comparison in best.comparisons if comparison.outcome is not Outcome.ABSENT]
    return all(comparison.outcome.agrees for comparison in cited) and not extract_features(best)


def _has_same_title(compared: Compared) -> bool:
    title = compared.of("title")
    return title is not None and title.outcome.agrees
