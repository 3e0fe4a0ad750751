"""The one client: every request of the product goes through `fetch`, and comes back as a value.

1. A cached answer that is recent enough is used again.
2. The same request in flight is shared.
3. A server that asked to be left alone, or whose circuit is open, is left alone.
4. Budget, slot and moment are shared with all processes of this machine (`rate_limiter`), or of several.
5. One try on the wire (`http_transport`); what came back is judged by status and content type.
6. Limits and budgets that the server states are learnt.
7. Another try only where it may help, and only as long as retries stay a small part of all requests.

Only answers that a source understood are stored (`keep`); a failure never is.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net import response_rules
from citeproof.plumbing.net.http_transport import HttpTransport, RawResponse, TransportError
from citeproof.plumbing.net.message import (
    KEPT_HEADERS,
    Answer,
    Failure,
    Rate,
    Request,
    RequestPolicy,
    SentRequest,
    WaitingSources,
)
from citeproof.plumbing.net.rate_limiter import QueueClock, ServerLimiter, check_limits_folder
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLife, CachedAnswer
from citeproof.vocabulary import PAUSED, Cause

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from citeproof.plumbing.net.cross_machine_limiter import PostgresLimits

RETRIES = 2
RETRY_SHARE = 0.15  # of all requests to a source; a storm must not be answered with a storm
PATIENCE = 20.0  # seconds to wait for a server that asked to be left alone
FREE = Rate(1, 1.0, at_once=2)  # for any host that is no configured source
_SHOWN = 2000  # bytes of a body that are shown


class Client:
    """Fetches, politely, and remembers what it sent."""

    def __init__(
        self,
        policies: Mapping[str, RequestPolicy],
        store: AnswerCache,
        folder: Path,
        clock: Clock,
        *,
        agent: str,
        timeout: float = 8.0,
        allowed: Iterable[str] = (),
        proxy: str = "",
        trouble: str = "",
        record: Callable[[str, bytes], None] | None = None,
        contact: str = "",
        limits: PostgresLimits | None = None,
    ) -> None:
        """Take the sources' policies; `folder` has the limits of this machine, `limits` those of several.

        `record` is passed the SHA-256 and the body of every answer that is used, stored ones too.
        """
        self._policies = policies
        self._store = store
        self._trouble = trouble
        self._record = record
        self._contact = contact
        self._limits = limits
        self._unshared = check_limits_folder(folder)
        self._folder = folder if not self._unshared else Path(os.devnull) / "limits"
        self._clock = clock
        self._wire = HttpTransport(agent, timeout, allowed, proxy)
        self._servers: dict[str, ServerLimiter] = {}
        self._gates: dict[str, asyncio.Semaphore] = {}
        self._queues: dict[str, QueueClock] = {}
        self._tries: Counter[tuple[str, bool]] = Counter()
        self._flights: dict[str, asyncio.Task[Answer | Failure]] = {}
        self.sent: list[SentRequest] = []
        self.waiting = WaitingSources()

    @property
    def trouble(self) -> str:
        """What is wrong with the settings, or keeps answers from being stored or limits from being shared."""
        shared = self._limits.trouble if self._limits else ""
        return "; ".join(filter(None, (self._trouble, self._store.trouble, self._unshared, shared)))

    async def close(self) -> None:
        """Cancel requests without a caller, then close the connections and the store."""
        flights = list(self._flights.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)
        await self._wire.close()
        self._store.close()
        self.close_limits()

    def close_limits(self) -> None:
        """Close the limits that machines share, for who only looked at them."""
        if self._limits is not None:
            self._limits.close()

    # --- the cache -----------------------------------------------------------------------------

    def get_cached(self, request: Request) -> Answer | None:
        """Return the stored answer to this very request, if it is young enough."""
        cached = self._store.get(_make_request_key(request))
        return self._record_answer(_unpack_answer(cached), request) if cached else None

    def keep(self, request: Request, answer: Answer, *, found: bool, notice: bool) -> None:
        """Keep an answer that was understood, for as long as such answers live."""
        if not answer.cached:
            self._server_for(request)[0].was_read()
            stored = CachedAnswer(
                _make_request_key(request), request.source, answer.url, answer.status, answer.media,
                answer.at, answer.body, answer.absent,
                {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers},
            )  # fmt: skip
            self._store.put(stored, _choose_life(found=found, notice=notice))

    def note_refusal(self, request: Request, why: str, cause: Cause) -> None:
        """Note that the server refused `request` in the body of its answer, not by its status."""
        self._server_for(request)[0].went_badly(why, refused=cause is Cause.RATE_LIMITED, cause=cause)

    def note_unreadable(self, request: Request, why: str) -> None:
        self._server_for(request)[0].was_unreadable(why)

    def recall_batch(self, scope: str, by: str, value: str) -> Answer | None:
        """Return the stored answer of a batch in which this question was answered."""
        cached = self._store.item(scope, by, value)
        return self._record_answer(_unpack_answer(cached)) if cached else None

    def remember(
        self, scope: str, by: str, value: str, request: Request, answer: Answer, *, found: bool, notice: bool
    ) -> None:
        """Keep which answer of a batch answered this question."""
        life = _choose_life(found=found, notice=notice)
        self._store.put_item(scope, by, value, _make_request_key(request), answer.at, life)
        self._record_answer(answer, request)

    # --- the network ---------------------------------------------------------------------------

    async def fetch(self, request: Request) -> Answer | Failure:
        """Return the answer, from the cache or the server; a failure is a value."""
        key = _make_request_key(request)
        if cached := self._store.get(key):
            return self._record_answer(_unpack_answer(cached), request)
        flight = self._flights.get(key)
        if flight is None:
            flight = asyncio.ensure_future(self._fetch(request))
            self._flights[key] = flight
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        outcome = await asyncio.shield(flight)
        return outcome if isinstance(outcome, Failure) else self._record_answer(outcome, request)

    def _record_answer(self, answer: Answer, request: Request | None = None) -> Answer:
        if self._record is not None and (request is None or request.recorded):
            self._record(answer.sha256, answer.body)
        return answer

    def estimate_wait(self, source: str, lane: str = "", ahead: int = 0) -> float:
        """Return about how many seconds from now an answer could be here.

        All requests that wait or are open at the server are before it, and at least `ahead`.
        """
        server, lanes = self._server_of(source, lane)
        state = server.look()
        typical = state.seconds or self._policy(source).typical
        every = max(typical / server.rate.at_once, *(s.rate.every for s in (server, *lanes)))
        queue = max(ahead * every, server.waiting(state), *(lane.waiting() for lane in lanes))
        return server.get_block(state)[0] + queue + typical

    def measure_queueing(self, sources: Iterable[str]) -> float:
        """Return for how many seconds so far requests to any of `sources` have waited for their turn."""
        return sum(self._queues[source].seconds() for source in sources if source in self._queues)

    def servers(self) -> dict[str, ServerLimiter]:
        """Return the shared state of each source, by its name."""
        return {name: self._server_of(name)[0] for name in self._policies}

    async def _fetch(self, request: Request) -> Answer | Failure:
        server, lanes = self._server_for(request)
        tries = 0
        while True:
            with self.waiting.wait_for(request.source):
                outcome = await self._try(request, server, lanes)
            most = RETRIES if request.retries is None else request.retries
            again = isinstance(outcome, Failure) and outcome.again and tries < most
            sent, repeated = (self._tries[request.source, retried] for retried in (False, True))
            if not again or repeated >= max(1, RETRY_SHARE * sent):
                return outcome
            tries += 1
            self._tries[request.source, True] += 1
            await asyncio.sleep(random.uniform(0, min(0.3 * 2**tries, 4.0)))  # noqa: S311 - jitter

    async def _try(
        self, request: Request, server: ServerLimiter, lanes: list[ServerLimiter]
    ) -> Answer | Failure:
        """Return what one try gives; a failure may say that another is worth it."""
        queue = self._queues.setdefault(request.source, QueueClock(self._clock))
        for limiter in (server, *lanes):
            limiter.announce()
        async with self._slot(server, queue):
            while True:
                if refused := await self._wait_for_block(server, request):
                    return refused
                self.waiting.tell_reason(request.source, "its turn")
                with queue.waiting():
                    await asyncio.sleep(max(limiter.reserve() for limiter in (server, *lanes)))
                    for limiter in (server, *lanes):
                        while (left := limiter.depart()) > 0:  # noqa: ASYNC110 - other processes may go first
                            await asyncio.sleep(left)
                if not server.get_block()[0]:  # it may have been blocked while we waited for our moment
                    break
            if not server.spend(request.cost or float(self._policy(request.source).budget == "requests")):
                return Failure(Cause.OVER_BUDGET, "less than a tenth of the budget is left", sent=False)
            return await self._send(request, server, lanes)

    async def _wait_for_block(self, server: ServerLimiter, request: Request) -> Failure | None:
        """Wait while the server is blocked for a short while; return why not to wait any longer."""
        waited, patience = 0.0, PATIENCE if request.patience is None else request.patience
        while True:
            state = server.look()
            left, why = server.get_block(state)
            if not left and server.may_probe(state):
                return None
            pause = left + random.uniform(0.02, 0.2)  # noqa: S311 - jitter
            broken = server.is_circuit_open(state)
            if (left and broken) or waited + pause > patience:
                usual = Cause.TIMEOUT if broken else Cause.RATE_LIMITED
                cause = Cause(state.cause) if state.cause in set(Cause) else usual
                return Failure(cause, f"{PAUSED}{why or 'it is recovering'}", sent=False)
            self.waiting.tell_reason(request.source, f"left alone for {pause:.0f} s")
            await asyncio.sleep(pause)
            waited += pause

    @asynccontextmanager
    async def _slot(self, server: ServerLimiter, queue: QueueClock) -> AsyncIterator[None]:
        """Hold one of the slots that all processes share; `queue` counts the time until one is free."""
        gate = self._gates.setdefault(server.name, asyncio.Semaphore(server.rate.at_once))
        with queue.waiting():
            await gate.acquire()
        try:
            with queue.waiting():
                while (handle := server.take_slot()) is None:  # noqa: ASYNC110 - another process holds them
                    await asyncio.sleep(random.uniform(*server.look_again))  # noqa: S311 - jitter
            try:
                yield
            finally:
                server.free_slot(handle)
        finally:
            gate.release()

    async def _send(
        self, request: Request, server: ServerLimiter, lanes: list[ServerLimiter]
    ) -> Answer | Failure:
        started = self._clock.elapsed()
        self._tries[request.source, False] += 1
        self.waiting.tell_reason(request.source, "")
        try:
            raw = response_rules.blank_contact(await self._wire.send(request), self._contact)
        except TransportError as error:
            if error.cause is Cause.NOT_COVERED:  # an address that must not be reached: nothing was sent
                return Failure(error.cause, error.detail, sent=False)
            self._note(request, error.cause, started)
            server.went_badly(error.detail, refused=False, gone=error.gone, cause=error.cause)
            return Failure(error.cause, error.detail, error.again, sent=error.sent)
        self._note(request, str(raw.status), started)
        for hop in raw.hops if not response_rules.repeats_key(raw, request) else ():
            self._note(replace(request, method="GET", url=hop, body=b""), "redirect", started)
        self._learn(raw, request, server, lanes)
        outcome = response_rules.judge_response(raw, request, self._clock)
        if isinstance(outcome, Failure) and outcome.cause is Cause.MALFORMED and 400 <= raw.status < 500:
            server.went_well(self._clock.elapsed() - started)  # it does not like this request; it is well
        elif isinstance(outcome, Failure):
            refused = outcome.cause is Cause.RATE_LIMITED
            server.went_badly(
                outcome.detail,
                refused=refused,
                retry_after=response_rules.read_retry_after(raw, self._clock),
                cause=outcome.cause,
                status=0 if 200 <= raw.status < 300 else raw.status,
            )
        else:
            server.went_well(self._clock.elapsed() - started)
        return outcome

    def _learn(
        self, raw: RawResponse, request: Request, server: ServerLimiter, lanes: list[ServerLimiter]
    ) -> None:
        policy = self._policy(request.source)
        every = response_rules.read_pace(raw.headers)
        if every is not None:
            (lanes[0] if lanes else server).note_rate(every / policy.pace)
        stated = response_rules.read_budget(raw.headers, policy.budget, self._clock)
        if stated is not None:
            server.note_budget(*stated)

    def _note(self, request: Request, outcome: str, started: float) -> None:
        size, seconds = len(request.url) + len(request.body), self._clock.elapsed() - started
        form = request.body[:_SHOWN].partition(b"\r\nContent-Type: application/pdf")[0]  # not the file itself
        shown = (size, outcome, seconds, form.decode("utf-8", "replace"))
        self.sent.append(SentRequest(request.source, request.method, request.url, *shown))

    def _policy(self, source: str) -> RequestPolicy:
        return self._policies.get(source) or RequestPolicy(FREE, source)

    def _server_for(self, request: Request) -> tuple[ServerLimiter, list[ServerLimiter]]:
        return self._server_of(request.source, request.lane, request.url if request.free else "")

    def _server_of(
        self, source: str, lane: str = "", url: str = ""
    ) -> tuple[ServerLimiter, list[ServerLimiter]]:
        policy = self._policy(source)
        if url:
            return self._server(f"host-{_hash_short(response_rules.get_netloc(url))}", FREE), []
        lanes = [self._server(f"{policy.group}-{lane}", policy.lanes[lane])] if lane in policy.lanes else []
        return self._server(policy.group, policy.rate), lanes

    def _server(self, name: str, rate: Rate) -> ServerLimiter:
        if name not in self._servers and self._limits is None:
            self._servers[name] = ServerLimiter(self._folder, name, rate, self._clock)
        elif name not in self._servers and self._limits is not None:
            from citeproof.plumbing.net.cross_machine_limiter import CrossMachineLimiter  # noqa: PLC0415 - few runs need it

            self._servers[name] = CrossMachineLimiter(self._folder, name, rate, self._clock, self._limits)
        return self._servers[name]


def _hash_short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _make_request_key(request: Request) -> str:
    """Return the name of a request: equal questions, asked with the same rights, share an answer."""
    secrets = request.list_secrets()
    scope = _hash_short("\0".join(secrets)) if secrets else ""
    asked = (request.source, request.method, request.url, request.accept, request.body, request.headers)
    return sha256(msgspec.json.encode((1, *asked, scope))).hexdigest()


def _choose_life(*, found: bool, notice: bool) -> AnswerLife:
    if notice:
        return AnswerLife.NOTICE
    return AnswerLife.FOUND if found else AnswerLife.ABSENT


def _unpack_answer(cached: CachedAnswer) -> Answer:
    digest = sha256(cached.body).hexdigest()
    values = (cached.status, cached.body, cached.media, digest, cached.url, cached.at, cached.absent)
    return Answer(*values, cached=True, headers=cached.headers)
