"""Bodies of requests while they come: each has a least rate, each client a bound, and all share what is read.

A body that comes at once costs nothing here. One that is still on its way after `GRACE` seconds is slow: of
these a client has `EACH` at a time, and all clients `MOST`. One more ends the slowest of the client, or of
the client that has most: a slow sender keeps out only slow senders.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from citeproof.plumbing.clock import Clock

SLOWEST = 50_000  # bytes a second that a large body must come with, and an answer must be read with
GRACE = 1.0
EACH = 16
MOST = 256
HEAD_START = 64_000  # bytes that every body is thought to have sent: a new one is not the slowest
INTAKE = 20_000_000  # bytes a second that are read of all large uploads together
PARSED = 5  # so many times slower is what is read at once when it is there: JSON, and forms without files
DRAINED = 4 * 1024 * 1024  # bytes of a refused body that are thrown away, so that the refusal arrives
DRAIN_SECONDS = 5.0  # that they may take
LAST_SECONDS = 2.0  # that a connection stays after its last answer, which closing at once could lose


class SlowBodies:
    """The slow bodies of one server. Used in one thread."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._of: dict[str, set[ArrivingBody]] = {}
        self._next = 0.0  # when the next part is read

    def add(self, body: ArrivingBody) -> None:
        """Count one more, and end the slowest if there are too many."""
        own = self._of.setdefault(body.client, set())
        own.add(body)
        if len(own) > EACH or sum(map(len, self._of.values())) > MOST:
            crowd = own if len(own) > EACH else max(self._of.values(), key=len)
            now = self.clock.elapsed()
            min(crowd, key=lambda a: (a.came + HEAD_START) / (now - a.begun + GRACE)).give_up()

    def discard(self, body: ArrivingBody) -> None:
        """Count one less, if it was counted."""
        own = self._of.get(body.client, set())
        own.discard(body)
        if not own:
            self._of.pop(body.client, None)

    def book(self, size: int) -> float:
        """Return the seconds after which so many bytes more are read."""
        now = self.clock.elapsed()
        self._next = max(self._next, now) + size / INTAKE
        return self._next - now


class ArrivingBody:
    """The body of one request."""

    def __init__(
        self, slow: SlowBodies, receive: Receive, client: str, seconds: float, *, ends: bool, upload: bool
    ) -> None:
        """Take where it comes from, and the seconds that it has; `ends`: there is none."""
        self._cost = 1 if upload else PARSED
        self._slow, self._receive, self._seconds = slow, receive, seconds
        self.client, self.complete, self.came, self.begun = client, ends, 0, slow.clock.elapsed()
        self._patience: asyncio.Timeout | None = None
        self._timer = None if ends else asyncio.get_running_loop().call_later(GRACE, slow.add, self)

    async def receive(self) -> Message:
        """Return the next message; TimeoutError if it does not come in time.

        Who sends a byte now and then would stay for ever: a body has so many seconds, and more only as it
        comes.
        """
        if self.complete:
            return await self._receive()
        allowed = self._seconds + self.came / SLOWEST
        return await self._receive_within(allowed - (self._slow.clock.elapsed() - self.begun))

    async def _receive_within(self, seconds: float) -> Message:
        if seconds <= 0:  # what is there already would not wait, and so not be too late
            raise TimeoutError
        try:
            async with asyncio.timeout(seconds) as self._patience:
                message = await self._receive()
                size = len(message.get("body", b""))
                self.came += size
                self.complete = not message.get("more_body")
                if not self.complete and self.came > HEAD_START:
                    await asyncio.sleep(self._slow.book(size * self._cost))
        finally:
            self._patience = None
        if self.complete:
            self.close()
        return message

    async def drain(self) -> None:
        """Read what is still sent: a connection that is closed before would lose the answer on its way.

        A body without end is not read to its end: its sender may see a broken connection instead.
        """
        most, until = self.came + DRAINED, self._slow.clock.elapsed() + DRAIN_SECONDS
        with suppress(TimeoutError, ClientDisconnect):
            while not self.complete and self.came < most:
                await self._receive_within(until - self._slow.clock.elapsed())

    def give_up(self) -> None:
        """End it: others are sent faster."""
        self._seconds = float("-inf")
        self.close()
        if self._patience is not None:
            self._patience.reschedule(0)

    def close(self) -> None:
        """Count it no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._slow.discard(self)
