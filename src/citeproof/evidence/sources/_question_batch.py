"""Questions that come within a moment, asked in one request where a source can answer many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from citeproof.evidence.sources._source_session import NOTICES, CannotAnswerError, SourceSession
from citeproof.judgement.compare.title import is_known_title
from citeproof.plumbing.net.message import Answer, Request, UnreadableError, make_exchange
from citeproof.text.title import STOPWORDS, split_words
from citeproof.vocabulary import Absent, Cause, Kind, Lookup, Question, Record
from citeproof.vocabulary.quick_dataclass import dataclass, replace

if TYPE_CHECKING:
    from citeproof.evidence.sources.base import LiveSource

GATHER = 0.05  # seconds that the first question of a batch waits for others


class QuestionBatcher:
    """Collects questions that come within a moment, and asks them in one request."""

    def __init__(self, source: LiveSource) -> None:
        self._source = source
        self._open: dict[str, _WaitingBatch] = {}

    async def lookup(self, question: Question) -> Lookup:
        """Return the answer to `question`, asked together with others."""
        if kept := self.recall(question):
            return kept
        loop = asyncio.get_running_loop()
        waiting = _WaitingQuestion(question, loop.create_future())
        batch = self._open.setdefault(question.by, {})
        batch.setdefault(_name_asked(question), []).append(waiting)
        if len(batch) >= self._source.batches[question.by]:
            self._start(question.by)
        elif len(batch) == 1:
            loop.call_later(GATHER, self._start, question.by, batch)
        return await waiting.future

    def recall(self, question: Question) -> Lookup | None:
        """Return the answer that an earlier batch gave, if it is stored."""
        source = self._source
        answer = source.net.recall_batch(source.scope, question.by, question.value)
        if answer is None:
            return None
        try:
            records = () if answer.absent else source.batch_records(question.by, answer)
        except UnreadableError:
            return None
        return self._make_lookup(question, _match_records(question, records), answer, None)

    def _start(self, by: str, batch: _WaitingBatch | None = None) -> None:
        if batch is not None and self._open.get(by) is not batch:
            return  # it was full, and is under way
        begun = self._open.pop(by, None)
        if begun:
            task = asyncio.ensure_future(self._send(by, begun))
            _RUNNING.add(task)
            task.add_done_callback(_RUNNING.discard)

    async def _send(self, by: str, batch: _WaitingBatch) -> None:
        try:
            answers = await self._answers(by, batch)
        except Exception as error:  # noqa: BLE001 - every one who waits must hear of it, also of a bug
            _deliver_outcomes(batch, dict.fromkeys(batch, error))
        else:
            _deliver_outcomes(batch, answers)

    async def _answers(self, by: str, batch: _WaitingBatch) -> dict[_Asked, Lookup]:
        source, visit = self._source, SourceSession(self._source.net)
        questions = [waiting[0].question for waiting in batch.values()]
        if by == "title" and len(questions) == 1:
            return await self._one_by_one(questions, batch)
        request = source.batch(by, [question.value for question in questions])
        try:
            answer = await visit.get(replace(request, recorded=by != "title"))  # until it answers a question
            records = tuple(source.batch_records(by, answer)) if answer is not None else ()
        except (CannotAnswerError, UnreadableError) as error:
            cause = getattr(error, "cause", Cause.MALFORMED)
            if isinstance(error, UnreadableError):
                visit.report_unreadable(str(error))
            else:
                visit.report_refusal(error)
            if cause is Cause.MALFORMED or source.has_second_service:  # one bad identifier may have spoilt it
                return await self._one_by_one(questions, batch)
            return {_name_asked(q): source.make_unchecked(q, cause, str(error)) for q in questions}
        matched = {_name_asked(question): _match_records(question, records) for question in questions}
        alone: list[Question] = []
        if by == "title":  # that a list of several searches lacks one proves nothing
            alone = [question for question in questions if not matched[_name_asked(question)]]
        elif not any(matched.values()) and (records or not source.batch_is_sure):
            return await self._double_check(questions, batch, request, visit)
        visit.close(records, found=True)
        answered = {
            _name_asked(q): self._remember_answer(q, matched[_name_asked(q)], request, visit)
            for q in questions
            if q not in alone
        }
        _deliver_outcomes(batch, answered)  # they do not wait for what is asked alone
        return answered | await self._one_by_one(alone, batch)

    def _remember_answer(
        self, question: Question, records: Sequence[Record], request: Request, visit: SourceSession
    ) -> Lookup:
        source, answer = self._source, visit.last
        assert answer is not None
        notice = any(NOTICES.intersection(record.marks) for record in records)
        source.net.remember(
            source.scope, question.by, question.value, request, answer, found=bool(records), notice=notice
        )
        return self._make_lookup(question, records, answer, request)

    def _make_lookup(
        self, question: Question, records: Sequence[Record], answer: Answer, request: Request | None
    ) -> Lookup:
        """Return the lookup with what it rests on: the answer to the whole batch."""
        lookup = self._source.make_lookup(question, records, answer)
        return replace(lookup, value=question.value, heard=(make_exchange(request, answer, batch=True),))

    async def _double_check(
        self, questions: list[Question], batch: _WaitingBatch, request: Request, visit: SourceSession
    ) -> dict[_Asked, Lookup]:
        """A batch that has none of its questions: ask two alone before it is believed."""
        asked = await self._one_by_one(questions[:2], batch)
        if any(not isinstance(lookup, Absent) for lookup in asked.values()):
            return asked | await self._one_by_one(questions[2:], batch)
        visit.close((), found=False)
        return asked | {_name_asked(q): self._remember_answer(q, (), request, visit) for q in questions[2:]}

    async def _one_by_one(self, questions: Sequence[Question], batch: _WaitingBatch) -> dict[_Asked, Lookup]:
        """Return the answers to questions that are asked alone; each is delivered as soon as it is there."""

        async def ask(question: Question) -> tuple[_Asked, Lookup]:
            lookup = await self._source.ask_alone(question, SourceSession(self._source.net))
            _deliver_outcomes(batch, {_name_asked(question): lookup})
            return _name_asked(question), lookup

        return dict(await asyncio.gather(*map(ask, questions)))


@dataclass(frozen=True, slots=True)
class _WaitingQuestion:
    question: Question
    future: asyncio.Future[Lookup]


_Asked = tuple[str, Kind | None]
_WaitingBatch = dict[_Asked, list[_WaitingQuestion]]

_RUNNING: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly


def _name_asked(question: Question) -> _Asked:
    """Return what two questions with the same answer share; silence depends on the kind of work."""
    return question.value, question.reference.kind if question.by == "title" else None


def _match_records(question: Question, records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records with the identifier; with the title or all its words, if one has that title."""
    if question.by != "title":
        return tuple(record for record in records if (question.by, question.value) in record.ids.pairs)
    titled = {record.id for record in records if is_known_title(question.value, record.titles)}
    words = set(split_words(question.value)) - STOPWORDS
    near = {r.id for r in records if any(words <= {*split_words(t)} for t in r.titles)} if titled else set()
    return tuple(record for record in records if record.id in titled | near)


def _deliver_outcomes(batch: _WaitingBatch, outcomes: Mapping[_Asked, Lookup | Exception]) -> None:
    for asked, outcome in outcomes.items():
        for each in batch[asked]:
            if each.future.done():  # the caller has given up
                continue
            if isinstance(outcome, Exception):
                each.future.set_exception(outcome)
            else:
                each.future.set_result(outcome)
