"""Calls to a snapshot's server: gathered into few requests, tried again, faults in words.

At most `AT_ONCE` requests are on their way; what is asked meanwhile goes with the next one. Connections are
kept. A server that stays silent after all tries is left alone for `REST` seconds, so that a long run
does not wait for it at every reference.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from citeproof.errors import SnapshotError
from citeproof.index import snapshot_wire as wire
from citeproof.index.manifest import SNAPSHOT_ID
from citeproof.net.message import Request
from citeproof.net.request_policy import SentRequest
from citeproof.vocabulary import Cause, Secret

if TYPE_CHECKING:
    from citeproof.net.http_transport import HttpTransport, RawResponse

AT_ONCE = 2
BATCH_BYTES = 1_000_000  # of calls in one request
PAUSES = (0.3, 1.0, 3.0, 8.0, 15.0)  # seconds before each further try: a restart may open a big snapshot
REST = 15.0
LONGEST_WAIT = 10.0  # seconds that a server may ask us to wait
NOTED = 10_000  # requests of a run whose questions are kept for `--explain-network`; of more, only addresses
SHOWN = 2_000  # characters of a request's questions that `--explain-network` lists
BUSY = frozenset((408, 425, 429, 500, 502, 503, 504))
TOKEN = "set the token in CITEPROOF_SNAPSHOT_KEY"  # noqa: S105 - a hint


_WaitingCall: TypeAlias = "tuple[wire.SnapshotCall, bytes, asyncio.Future[wire.SnapshotReply]]"


class SnapshotServerError(SnapshotError):
    """A snapshot's server did not answer, or not as it should; `cause` is that of an unchecked lookup."""

    def __init__(self, cause: Cause, message: str, *, place: str, hint: str, again: bool = False) -> None:
        super().__init__(message, place=place, hint=hint)
        self.cause = cause
        self.again = again

    def describe(self) -> str:
        """Return it in one line."""
        return f"snapshot server {self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """How servers of snapshots are reached."""

    agent: str
    timeout: float
    proxy: str = ""
    token: Secret | None = None

    def open(self) -> HttpTransport:
        """Return a transport, which belongs to the event loop that first uses it."""
        from citeproof.net.http_transport import HttpTransport  # noqa: PLC0415 - few runs need it here

        return HttpTransport(self.agent, self.timeout, (), self.proxy)

    def make_request(self, source: str, url: str, most: int, body: bytes = b"") -> Request:
        """Return the request for an address below a server's."""
        secret = (("Authorization", "Bearer ", self.token),) if self.token else ()
        return Request(
            source, url, (wire.MEDIA, "application/json"), method="POST" if body else "GET", body=body,
            content_type=wire.MEDIA if body else "", secret_headers=secret, follow=False, max_body=most,
        )  # fmt: skip


class SnapshotCaller:
    """Puts calls to one served snapshot. Used in one event loop."""

    def __init__(self, address: str, id_: str, source: str, access: ServerAccess) -> None:
        self.address, self._id, self._source = address, id_, source
        self._url = f"{address}/v1/snapshots/{id_}/calls"
        self._access = access
        self._wire: HttpTransport | None = None
        self._waiting: deque[_WaitingCall] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._running = 0  # workers that look for calls: a task that has ended may still be in the set
        self._down: SnapshotServerError | None = None
        self._rests_until = 0.0
        self.note: Callable[[SentRequest], None] | None = None  # is told every request
        self._noted = 0
        self.trouble = ""  # the last fault that kept a call from being answered

    async def ask(self, call: wire.SnapshotCall) -> wire.SnapshotReply:
        """Return the reply to a call; SnapshotServerError if there is none."""
        if not wire.is_bounded((call,)):
            raise self._make_error(Cause.NOT_COVERED, "not asked: the reference is too long for one request")
        loop = asyncio.get_running_loop()
        if self._down is not None and loop.time() < self._rests_until:
            raise _copy_error(self._down)
        answered: asyncio.Future[wire.SnapshotReply] = loop.create_future()
        self._waiting.append((call, wire.ENCODER.encode(call), answered))
        if self._running < AT_ONCE:
            self._running += 1
            worker = asyncio.ensure_future(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)
        return await answered

    async def close(self) -> None:
        """Close the connections."""
        for worker in list(self._workers):
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        if self._wire is not None:
            await self._wire.close()
            self._wire = None

    async def _work(self) -> None:
        try:
            await asyncio.sleep(0)  # others that are ready put their calls first
            while self._waiting:
                await self._answer(self._take_batch())
        finally:
            self._running -= 1  # nothing is awaited after the last look: no call is left behind

    async def _answer(self, taken: Sequence[_WaitingCall]) -> None:
        try:
            replies = await self._send([call for call, _, _ in taken], [data for _, data, _ in taken])
        except Exception as error:  # noqa: BLE001 - whoever waits is told, a bug as well
            for _, _, answered in taken:
                if not answered.done():
                    answered.set_exception(_copy_error(error))
            return
        except BaseException:
            for _, _, answered in taken:
                answered.cancel()
            raise
        for (_, _, answered), reply in zip(taken, replies, strict=False):
            if not answered.done():
                answered.set_result(reply)
        self._waiting.extendleft(reversed(taken[len(replies) :]))  # the server left them for later

    def _take_batch(self) -> list[_WaitingCall]:
        share = -(-len(self._waiting) // max(1, AT_ONCE - self._running + 1))
        taken: list[_WaitingCall] = []
        size = 0
        while self._waiting and len(taken) < min(share, wire.MAX_CALLS) and size < BATCH_BYTES:
            one = self._waiting.popleft()
            if not one[2].done():  # nobody waits for it any more
                taken.append(one)
                size += len(one[1])
        return taken

    async def _send(
        self, calls: Sequence[wire.SnapshotCall], packed: Sequence[bytes]
    ) -> list[wire.SnapshotReply]:
        if not calls:
            return []
        loop = asyncio.get_running_loop()
        body = wire.ENCODER.encode([msgspec.Raw(data) for data in packed])
        request = self._access.make_request(self._source, self._url, wire.MAX_ANSWER, body)
        pauses = PAUSES if self._down is None else ()  # a server that was silent gets one try
        for pause in (*pauses, None):
            try:
                replies = self._read(await self._try(request, calls), len(calls))
            except SnapshotServerError as error:
                if error.again and pause is not None:
                    await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - jitter
                    continue
                self._down, self._rests_until = error, loop.time() + REST
                self.trouble = error.describe()
                raise
            self._down = None
            return replies
        raise AssertionError("every try ends in an answer or an error")

    async def _try(self, request: Request, calls: Sequence[wire.SnapshotCall]) -> RawResponse:
        from citeproof.net.http_transport import TransportError  # noqa: PLC0415 - loaded with the transport

        self._wire = self._wire or self._access.open()
        begun, outcome = asyncio.get_running_loop().time(), ""
        try:
            raw = await self._wire.send(request)
            outcome = str(raw.status)
        except TransportError as error:
            outcome = error.cause.value
            raise self._make_error(error.cause, error.detail, again=error.again or error.gone) from error
        finally:
            if self.note is not None:
                self._noted += 1
                told = "; ".join(map(wire.describe_call, calls))[:SHOWN] if self._noted <= NOTED else ""
                size, seconds = (
                    len(request.url) + len(request.body),
                    asyncio.get_running_loop().time() - begun,
                )
                self.note(SentRequest(self._source, "POST", request.url, size, outcome, seconds, told))
        if raw.status != 200:
            raise await self._explain_status(raw)
        return raw

    async def _explain_status(self, raw: RawResponse) -> SnapshotServerError:
        if raw.status in (404, 410):
            here = ", ".join(dict.fromkeys(SNAPSHOT_ID.findall(raw.body[:10_000].decode("utf-8", "replace"))))
            now = f"it has {here[:200]} now" if here else "nothing says what it has now"
            hint = "run again to check everything against one snapshot"
            what = f"it no longer has the snapshot that the run began with ({self._id}); {now}"
            return self._make_error(Cause.MALFORMED, what, hint=hint)
        if raw.status in (401, 403):
            return self._make_error(
                Cause.NEEDS_KEY, f"it wants a token (it answered {raw.status})", hint=TOKEN
            )
        if raw.status in BUSY:
            stated = raw.headers.get("retry-after", "").strip()
            wait = min(float(stated), LONGEST_WAIT) if stated.isdecimal() and len(stated) <= 6 else 0.0
            await asyncio.sleep(wait)
            cause = Cause.RATE_LIMITED if raw.status == 429 else Cause.TIMEOUT
            return self._make_error(cause, f"it answered {raw.status}", again=True)
        return self._make_error(Cause.MALFORMED, f"it answered {raw.status}")

    def _read(self, raw: RawResponse, asked: int) -> list[wire.SnapshotReply]:
        """Return the replies of an answer, as many as there are; SnapshotServerError for a wrong one."""
        try:
            answer = wire.ANSWER.decode(raw.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            what = "its answer cannot be read: it is cut, or something else answers there"
            raise self._make_error(Cause.MALFORMED, what, again=True) from error
        if answer.wire != wire.WIRE or answer.id != self._id or not 0 < len(answer.replies) <= asked:
            raise self._make_error(Cause.MALFORMED, "its answer is for something else", again=True)
        return answer.replies

    def _make_error(
        self, cause: Cause, message: str, *, hint: str = "", again: bool = False
    ) -> SnapshotServerError:
        hint = hint or "see whether `citeproof index serve` runs there, then run again"
        return SnapshotServerError(cause, message, place=self.address, hint=hint, again=again)


def _copy_error(error: Exception) -> Exception:
    """Return an error of its own for each who waits: one that is raised many times keeps every trace."""
    if not isinstance(error, SnapshotServerError):
        return error
    made = SnapshotServerError(
        error.cause, error.message, place=error.place, hint=error.hint, again=error.again
    )
    made.__cause__ = error.__cause__
    return made
