"""A language model behind HTTP: asks through `net`, within its ceilings, and decodes what comes back.

1. The evidence becomes one message with a boundary of its own; the instructions come first, for the cache.
2. The worst case is reserved (`Spending`); what does not fit is not sent.
3. One try over the one client, which keeps to the server's rate and to `Retry-After`.
4. The reserve is settled: by what the provider counted, at nothing if it refused, at the worst if unknown.
5. Another try where it may help: busy servers, a broken or short answer, an option this model does not take.
6. The text is decoded into the Struct of the question. What does not fit is asked for once more.
7. An answer that fits is kept: the same question to the same server is not sent again, and costs nothing.
8. After some questions in a row without a reply, the model is left alone: a run ends without it.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field, replace

import msgspec

from citeproof.judgement.models.base import (
    ModelAnswer,
    ModelFailure,
    ModelFault,
    ModelQuestion,
    TokenUsage,
    Value,
)
from citeproof.judgement.models.evidence_message import (
    build_evidence_message,
    make_answer_schema,
    make_boundary,
)
from citeproof.judgement.models.spending import Spending, is_free_status
from citeproof.judgement.models.wire_format import (
    PATIENCE,
    SOURCE,
    ModelPrompt,
    ProviderReply,
    WireFormat,
    count_image_bytes,
    read_error,
)
from citeproof.plumbing.net.client import Client
from citeproof.plumbing.net.message import Answer, Failure, Request, Secret
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Cause

BUSY_TRIES = 3  # for 429 and 5xx, the first included
READ_TRIES = 2  # for an answer that does not fit, the first included
PAUSE = 0.5  # seconds; doubles with each try for a busy server
GIVE_UP_AFTER = 5  # questions in a row without a reply, all their tries included
GIVE_UP_FOR = 600.0  # seconds; a service that runs for days asks again
SHORT_PATIENCE = 5.0  # seconds to wait for a server that gave no reply for as long as patience lasts
ROOM = 8  # times more output for a model that thinks before it answers
MAX_RAW = 8_000  # characters of the model's text that are kept
_THOUGHT = re.compile(r"<(?:think(?:ing)?|thought|reasoning)>|\[THINK\]|<\|channel\|>analysis", re.IGNORECASE)
_THOUGHT_END = re.compile(
    r"</(?:think(?:ing)?|thought|reasoning)>|\[/THINK\]|<\|channel\|>final\b[^{]{0,40}<\|message\|>",
    re.IGNORECASE,
)
_REFUSED = ("answered 400", "answered 422")  # a server need not say what it does not take
_FAULTS = {
    Cause.RATE_LIMITED: ModelFault.RATE_LIMITED,
    Cause.OVER_BUDGET: ModelFault.OVER_BUDGET,
    Cause.NEEDS_KEY: ModelFault.REJECTED,
    Cause.BOT_WALL: ModelFault.REJECTED,
    Cause.NOT_COVERED: ModelFault.REJECTED,
    Cause.TIMEOUT: ModelFault.TIMEOUT,
}
_NO_REPLY = frozenset(
    {ModelFault.RATE_LIMITED, ModelFault.SERVER_ERROR, ModelFault.TIMEOUT, ModelFault.REJECTED}
)  # the model itself said nothing


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Where a model is served, and how it is spoken to."""

    wire: WireFormat
    model: str
    url: str
    key: Secret | None = None
    seconds: float = 60.0
    at_once: int = 4  # questions under way; the others have nothing reserved and may still be declined

    @property
    def name(self) -> str:
        return f"{self.wire.provider}:{self.model}"


@dataclass(slots=True)
class _Abilities:
    """What this model was found to take; learnt from what its server rejects."""

    temperature: bool = True
    schema: bool = True
    schema_decided: bool = False  # an answer came with a schema, or the server refused with and without
    old_limit_name: bool = True  # `max_tokens`, where chat completions are not OpenAI's own
    room: int = 1


@dataclass(slots=True)
class _QuestionTries:
    """The tries for one question."""

    cost: int | None = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    busy: int = 0
    unread: int = 0
    exchange: tuple[Request, Answer] | None = None  # the last that had a reply


class ServedModel:
    """One model of one provider."""

    def __init__(self, client: Client, server: ModelServer, spending: Spending) -> None:
        self._client = client
        self._server = server
        self.spending = spending
        self._abilities = _Abilities()
        self._gate = asyncio.Semaphore(server.at_once)
        self._unanswered = 0  # questions in a row
        self._silent_since: float | None = None  # no reply to any question from then on
        self._given_up_at = 0.0
        self.given_up: ModelFailure | None = None  # the last failure, once the model was left alone
        self.recalled = 0  # questions that an earlier run had asked

    @property
    def name(self) -> str:
        return self._server.name

    async def ask(self, question: ModelQuestion[Value]) -> ModelAnswer[Value] | ModelFailure:
        """Return the decoded answer or why there is none. Raises nothing for the world's faults."""
        tries, place = _QuestionTries(), f"{self._server.name} {self._server.url}"
        outcome: ModelAnswer[Value] | ModelFailure
        if kept := self._client.recall_batch(SOURCE, place, question.digest()):
            reply = _read_outcome(self._server.wire, kept)
            outcome = self._read_reply(reply, self._build_prompt(question), question, tries)
            if isinstance(outcome, ModelAnswer):
                self.recalled += 1
                return outcome
        while True:
            async with self._gate:
                if self.given_up is not None and _read_time() < self._given_up_at + GIVE_UP_FOR:
                    return self._decline(self.given_up, question, tries)
                prompt = self._build_prompt(question)
                reply = await self._try_once(prompt, tries)
                self._note_silence(reply.fault)
            outcome = self._read_reply(reply, prompt, question, tries)
            if not self._may_try_again(outcome, prompt, tries):
                self._note_outcome(outcome)
                if tries.exchange and isinstance(outcome, ModelAnswer):
                    self._client.keep(*tries.exchange, found=True, notice=False)
                    told = (place, question.digest(), *tries.exchange)
                    self._client.remember(SOURCE, *told, found=True, notice=False)
                return outcome
            if tries.busy:
                await asyncio.sleep(random.uniform(0.5, 1.0) * PAUSE * 2**tries.busy)  # noqa: S311 - jitter

    def _decline(
        self, last: ModelFailure, question: ModelQuestion[Value], tries: _QuestionTries
    ) -> ModelFailure:
        """Return the failure of a question that is not sent, or not sent again."""
        told = f"not asked any more: {GIVE_UP_AFTER} questions in a row had no reply; the last: {last.detail}"
        cost = tries.cost if self.spending.spent is not None else None
        return ModelFailure(last.cause, told, last.model, cost, question.digest())

    def _note_outcome(self, outcome: ModelAnswer[Value] | ModelFailure) -> None:
        """Count questions in a row without a reply; what our own ceiling stopped says nothing."""
        cause = outcome.cause if isinstance(outcome, ModelFailure) else None
        if cause is ModelFault.OVER_BUDGET:
            return
        self._unanswered = self._unanswered + 1 if cause in _NO_REPLY else 0
        if isinstance(outcome, ModelFailure) and self._unanswered >= GIVE_UP_AFTER:
            self.given_up, self._given_up_at = outcome, _read_time()

    def _note_silence(self, fault: ModelFault | None) -> None:
        if fault not in _NO_REPLY:
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = _read_time()

    def _choose_patience(self) -> float:
        """Return how long a try may wait for a server that wants to be left alone, in seconds.

        All questions together wait no longer than one would, or many would add up to hours.
        """
        waited = 0.0 if self._silent_since is None else _read_time() - self._silent_since
        return max(PATIENCE - waited, min(SHORT_PATIENCE, PATIENCE))

    def _build_prompt(self, question: ModelQuestion[Value]) -> ModelPrompt:
        schema, system = make_answer_schema(question.decoder), question.instructions
        able = self._abilities
        if not able.schema:
            told = msgspec.json.encode(schema).decode()
            system = f"{system}\n\nAnswer with one JSON object and nothing else. Its JSON schema is:\n{told}"
        return ModelPrompt(
            self._server.model,
            system,
            build_evidence_message(question.evidence, question.evidence_limit, make_boundary()),
            f"{question.task}_{question.prompt_version}".replace(".", "_")[:64],
            schema if able.schema else None,
            question.max_output_tokens * able.room,
            question.temperature if able.temperature else None,
            self._server.seconds,
            able.old_limit_name,
            question.images,
        )

    async def _try_once(self, prompt: ModelPrompt, tries: _QuestionTries) -> ProviderReply:
        """Return what one request gives; its cost is settled whatever happens, even if we are cancelled."""
        server = self._server
        request = server.wire.build_request(prompt, server.url, server.key)
        request = replace(request, patience=self._choose_patience())
        text = len(request.body) - count_image_bytes(prompt)
        reserved = self.spending.reserve(text, prompt.max_tokens, images=len(prompt.images))
        if isinstance(reserved, str):
            return ProviderReply(fault=ModelFault.OVER_BUDGET, detail=reserved)
        outcome: Answer | Failure = Failure(Cause.TIMEOUT, "given up")
        reply = ProviderReply()
        try:
            outcome = await self._client.fetch(request)
            reply = _read_outcome(server.wire, outcome)
            tries.exchange = (request, outcome) if isinstance(outcome, Answer) else None
        finally:
            self._settle(reserved, outcome, reply, tries)
        return reply

    def _settle(
        self, reserved: int, outcome: Answer | Failure, reply: ProviderReply, tries: _QuestionTries
    ) -> None:
        if isinstance(outcome, Failure) and (not outcome.sent or is_free_status(outcome.status)):
            self.spending.release(reserved, sent=outcome.sent)
            return
        if isinstance(outcome, Answer) and outcome.absent:
            self.spending.release(reserved, sent=True)
            return
        cost = self.spending.settle(reserved, reply.usage)
        tries.cost = None if cost is None or tries.cost is None else tries.cost + cost
        tries.usage = tries.usage.add(reply.usage or TokenUsage())

    def _read_reply(
        self, reply: ProviderReply, prompt: ModelPrompt, question: ModelQuestion[Value], tries: _QuestionTries
    ) -> ModelAnswer[Value] | ModelFailure:
        digest = question.digest()
        cost = tries.cost if self.spending.spent is not None else None
        if reply.fault is not None:
            return ModelFailure(reply.fault, reply.detail, reply.model, cost, digest)
        try:
            value = _decode_text(reply.text, question.decoder)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            wrong = show_one_line(str(error))[:200]
            return ModelFailure(
                ModelFault.SCHEMA, f"the answer does not fit: {wrong}", reply.model, cost, digest
            )
        told = (reply.model or prompt.model, tries.usage, cost, reply.request_id, digest, prompt.temperature)
        return ModelAnswer(value, reply.text[:MAX_RAW], *told)

    def _may_try_again(
        self, outcome: ModelAnswer[Value] | ModelFailure, prompt: ModelPrompt, tries: _QuestionTries
    ) -> bool:
        """Return whether another try may help; what this model does not take is left out from now on."""
        able = self._abilities
        if isinstance(outcome, ModelAnswer):
            able.schema_decided = True
            return False
        match outcome.cause:
            case ModelFault.RATE_LIMITED | ModelFault.SERVER_ERROR | ModelFault.TIMEOUT:
                tries.busy += 1
                if outcome.cause is ModelFault.SERVER_ERROR and tries.busy >= BUSY_TRIES - 1:
                    self._doubt_schema(prompt)  # some answer 500 to what they do not know
                return tries.busy < BUSY_TRIES
            case ModelFault.SCHEMA:
                tries.unread += 1
                return tries.unread < READ_TRIES
            case ModelFault.TRUNCATED:
                tries.unread += 1
                able.room = ROOM
                return tries.unread < READ_TRIES
            case ModelFault.REJECTED:
                return self._drop_option(outcome.detail.lower(), prompt)
            case _:
                return False

    def _drop_option(self, detail: str, prompt: ModelPrompt) -> bool:
        """Leave out the option that the server complains about; return whether there was one."""
        if prompt.temperature is not None and "temperature" in detail:
            self._abilities.temperature = False
        elif prompt.schema is not None and any(word in detail for word in _SCHEMA_WORDS):
            self._abilities.schema = False
        elif prompt.old_limit_name and "max_completion_tokens" in detail:
            self._abilities.old_limit_name = False
        else:
            return detail.startswith(_REFUSED) and self._doubt_schema(prompt)
        return True

    def _doubt_schema(self, prompt: ModelPrompt) -> bool:
        """Leave the schema out, once in a run; return whether that is to be tried. It is not what was refused
        if the server refuses the same without it."""
        able = self._abilities
        if prompt.schema is not None and able.schema:
            able.schema = able.schema_decided
        elif prompt.schema is None and not able.schema_decided:
            able.schema = able.schema_decided = True
        return prompt.schema is not None and not able.schema


_SCHEMA_WORDS = (
    *("response_format", "output_config", "schema", "structured output", "responsejsonschema"),
    *("grammar", "guided_json", "json mode"),
)


def _read_outcome(wire: WireFormat, outcome: Answer | Failure) -> ProviderReply:
    if isinstance(outcome, Failure):
        return ProviderReply(fault=_choose_fault(outcome), detail=outcome.detail)
    if outcome.absent:
        told = read_error(outcome.body)
        detail = f"answered {outcome.status}" + (f": {told}" if told else "")
        return ProviderReply(fault=ModelFault.REJECTED, detail=detail)
    try:
        return wire.read_reply(outcome.body)
    except msgspec.ValidationError as error:
        return ProviderReply(
            fault=ModelFault.SERVER_ERROR, detail=f"not an answer of this API: {error}"[:200]
        )
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ProviderReply(fault=ModelFault.TRUNCATED, detail="the answer is not whole: no JSON")


def _read_time() -> float:
    return asyncio.get_running_loop().time()


def _choose_fault(failure: Failure) -> ModelFault:
    if failure.status >= 500:
        return ModelFault.SERVER_ERROR
    if 400 <= failure.status < 500 and failure.cause is Cause.MALFORMED:
        return ModelFault.REJECTED
    return _FAULTS.get(failure.cause, ModelFault.SERVER_ERROR)


def _decode_text(text: str, decoder: type[Value]) -> Value:
    """Return the answer, which a server without schemas puts behind thoughts, into a fence or between words.

    Thoughts may quote an answer that the evidence dictates: what comes behind the last of them counts.
    """
    answer = text.strip()
    if not answer.startswith("{"):
        answer = _THOUGHT_END.split(answer)[-1]
        start = answer.find("{")
        if _THOUGHT.search(answer[: start if start >= 0 else None]):
            raise msgspec.DecodeError("it ends inside the model's thoughts")
        answer = answer[max(start, 0) : answer.rfind("}") + 1 or None]
    return decode_json(answer.encode(), type=decoder)
