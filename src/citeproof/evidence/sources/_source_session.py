"""One lookup's way to the network, and what can go wrong on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from citeproof.plumbing.net.message import Answer, Failure, Request, make_exchange
from citeproof.vocabulary import Cause, Exchange, Record

NOTICES = frozenset(
    ("retracted", "withdrawn", "removed", "partial_retraction", "expression_of_concern")
)  # marks


class CannotAnswerError(Exception):
    """Raised inside a source when it cannot answer; becomes `Unchecked`."""

    def __init__(self, cause: Cause, detail: str, *, noted: bool = False) -> None:
        """Take why; `noted` when `net` knows already that the server refused."""
        super().__init__(detail)
        self.cause = cause
        self.detail = detail
        self.noted = noted


class SourceClient(Protocol):
    """What a source needs of `net.Client`."""

    async def fetch(self, request: Request) -> Answer | Failure: ...

    def keep(self, request: Request, answer: Answer, *, found: bool, notice: bool) -> None:
        """Keep an answer that was understood, for as long as such answers live."""

    def note_refusal(self, request: Request, why: str, cause: Cause) -> None:
        """Note that the server refused `request` in the body of its answer, not by its status."""

    def note_unreadable(self, request: Request, why: str) -> None:
        """Note that the answer to `request` was unreadable."""

    def recall_batch(self, scope: str, by: str, value: str) -> Answer | None:
        """Return the stored answer of a batch in which this question was answered."""

    def remember(
        self, scope: str, by: str, value: str, request: Request, answer: Answer, *, found: bool, notice: bool
    ) -> None:
        """Keep which answer of a batch answered this question."""

    def get_cached(self, request: Request) -> Answer | None:
        """Return the stored answer to this very request, if it is young enough."""


class NoKeptAnswerError(Exception):
    """Raised inside a source that may only use stored answers, when there is none."""


class SourceSession:
    """One lookup's way to the network: fetches, and remembers what was fetched."""

    def __init__(self, net: SourceClient, *, only_kept: bool = False) -> None:
        self._net = net
        self.only_kept = only_kept
        self._seen: list[tuple[Request, Answer]] = []
        self._heard: list[tuple[Request, Answer | Failure]] = []

    async def get(self, request: Request) -> Answer | None:
        """Return the answer, or None where its status says "no such thing".

        Raises `CannotAnswerError` when there is no answer; let it pass.
        """
        answer = self._net.get_cached(request) if self.only_kept else await self._net.fetch(request)
        if answer is None:
            raise NoKeptAnswerError
        self._heard.append((request, answer))
        if isinstance(answer, Failure):
            raise CannotAnswerError(answer.cause, answer.detail, noted=True)
        self._seen.append((request, answer))
        return None if answer.absent else answer

    @property
    def last_outcome(self) -> Answer | Failure | None:
        """What came of the last request."""
        return self._heard[-1][1] if self._heard else None

    @property
    def last(self) -> Answer | None:
        return self._seen[-1][1] if self._seen else None

    @property
    def heard(self) -> tuple[Exchange, ...]:
        """Every request of this visit and what came of it, failures too."""
        return tuple(make_exchange(request, outcome) for request, outcome in self._heard)

    def close(self, records: Sequence[Record], *, found: bool) -> None:
        """Keep the answers: they were understood. `found`: they have what was asked for."""
        notice = any(NOTICES.intersection(record.marks) for record in records)
        for request, answer in self._seen:
            self._net.keep(request, answer, found=found, notice=notice)

    def report_unreadable(self, why: str) -> None:
        """Tell that the last answer could not be read."""
        if self._seen and not self._seen[-1][1].cached:
            self._net.note_unreadable(self._seen[-1][0], why)

    def report_refusal(self, error: CannotAnswerError) -> None:
        """Tell that the last answer was a refusal in words."""
        refused = error.cause in (Cause.RATE_LIMITED, Cause.BOT_WALL) and not error.noted
        if refused and self._seen and not self._seen[-1][1].cached:
            self._net.note_refusal(self._seen[-1][0], error.detail, error.cause)
