"""What a language model is asked and what comes back: one Protocol, whatever the provider.

A model is never trusted. It sees our instructions as the system prompt and everything else as data:
`build_evidence_message` makes the only message that carries text of strangers. What comes back is decoded
into a msgspec Struct or is a `ModelFailure`; the world's faults are values, never exceptions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Generic, Protocol, TypeVar

import msgspec

SHOWN_TYPES = frozenset(("image/png", "image/jpeg", "image/webp"))  # that all three providers take
MOST_IMAGE_BYTES = 1_500_000
Value = TypeVar("Value", bound=msgspec.Struct)


class ModelFault(StrEnum):
    """Why a model gave no usable answer."""

    REFUSAL = "refusal"  # the model, or a filter of its provider, declined
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"  # 5xx, overloaded, or an answer that is no answer of this API
    TRUNCATED = "truncated"  # the output limit was reached, or the body is not whole
    SCHEMA = "schema"  # the answer does not fit the schema, twice
    TIMEOUT = "timeout"  # no answer in time, no connection, or one that broke off
    OVER_BUDGET = "over_budget"  # the ceiling on money or requests would be passed
    OFFLINE = "offline"  # the run may not use the network
    REJECTED = "rejected"  # 4xx: wrong key, unknown model, a request the server does not take


@dataclass(frozen=True, slots=True)
class QuestionImage:
    """An image that a model is shown. It is anybody's, as the texts are."""

    media_type: str  # of `SHOWN_TYPES`
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ModelQuestion(Generic[Value]):
    """One question: our instructions, and strangers' text as evidence.

    `instructions` are ours and stay the same for all questions of a task, so that providers can cache them.
    `decoder` is a Struct type, best with `forbid_unknown_fields=True`; its JSON schema goes to the provider.
    """

    task: str  # "comparator", "reviewer", "screen", "parser", ...
    prompt_version: str
    instructions: str
    evidence: tuple[tuple[str, str], ...]  # (label, text); the label is ours, the text is anybody's
    decoder: type[Value]
    max_output_tokens: int = 600
    temperature: float = 0.0
    evidence_limit: int = 6_000  # characters of each text; the rest is cut, and the cut is marked
    images: tuple[QuestionImage, ...] = ()

    def digest(self) -> str:
        """Return the SHA-256 of the question: the same for equal questions, whatever the boundary was."""
        told = (
            *(self.task, self.prompt_version, self.instructions, self.evidence, self.decoder.__name__),
            *(self.max_output_tokens, self.temperature, self.evidence_limit),
            *((one.media_type, sha256(one.data).hexdigest()) for one in self.images),
        )
        return sha256(ascii(told).encode()).hexdigest()  # halves of characters are no UTF-8


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider counted them; `cached` and `written` are parts of `input`."""

    input: int = 0
    output: int = 0
    cached: int = 0  # read from the provider's prompt cache
    written: int = 0  # written to it

    def add(self, more: TokenUsage) -> TokenUsage:
        """Return the sum."""
        return TokenUsage(
            self.input + more.input,
            self.output + more.output,
            self.cached + more.cached,
            self.written + more.written,
        )


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[Value]):
    """A decoded answer, and what is to be told about where it came from."""

    value: Value
    raw: str  # the model's text, bounded
    model: str  # as the provider reports it: the exact version, where it says so
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: int | None = None  # micro-dollars, rounded up, of all tries; None if the price is unknown
    request_id: str = ""
    digest: str = ""  # of the question
    temperature: float | None = 0.0  # that was sent; None: this model takes none


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """No usable answer, and why."""

    cause: ModelFault
    detail: str
    model: str = ""
    cost: int | None = None  # micro-dollars that were spent all the same
    digest: str = ""


class LanguageModel(Protocol):
    """One model of one provider."""

    @property
    def name(self) -> str:
        """Return "provider:model", as the user chose it."""
        ...

    async def ask(self, question: ModelQuestion[Value]) -> ModelAnswer[Value] | ModelFailure:
        """Return the decoded answer or why there is none. Raises nothing for the world's faults."""
        ...


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """The model of a run that may not use the network: it answers no question."""

    name: str

    async def ask(self, question: ModelQuestion[Value]) -> ModelAnswer[Value] | ModelFailure:
        return ModelFailure(ModelFault.OFFLINE, "the run is offline", digest=question.digest())
