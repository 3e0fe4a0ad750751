"""The writer's thread: many events, one commit; anyone who waits for one waits for its whole batch.

What goes into a batch is written in this order: evidence, sidecar, log. An event is therefore never in the
log without what it names. The first failure ends the ledger: nothing after it is acknowledged.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from citeproof.errors import AuditError
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore
from citeproof.proof.audit.anchors.base import Anchor
from citeproof.proof.audit.audit_log import AuditLog, LogCommit
from citeproof.proof.audit.run_lock import RunLock
from citeproof.vocabulary.quick_dataclass import dataclass, field

WINDOW = 0.05  # seconds that the first event of a batch waits for others
LONG_WINDOW = 0.5  # the same where anyone who has nothing else to do says so (`hurry`)
MOST = 128  # references of a batch; more do not wait. Half of what is under way: one is written, one grows
_EVENTS = 3  # of a reference, about
HOUR = 3600.0
DAY = 24 * HOUR
HINT = "free some disk space or give write permission, then run again: answers are cached"
KNOWN = 1_000_000  # hashes remembered, so that a body is passed to the store once


Made = tuple[Sequence[Mapping[str, object]], Sequence[PrivateRow]]  # events, and what they commit to
Maker = Callable[[Sequence[Any]], Made]


@dataclass(slots=True)
class WriteBatch:
    """What is committed together; `done` when it is durable, or failed."""

    parts: list[tuple[Maker, list[Any]]] = field(default_factory=list)  # what makes events, and of what
    count: int = 0  # of all that events are made of
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    done: Future[None] = field(default_factory=Future)
    waiter: asyncio.Future[None] | None = None  # one for all who wait in the same loop

    async def wait_until_durable(self) -> None:
        """Wait until the batch is durable; raise what prevented that."""
        if not self.done.done():
            loop = asyncio.get_running_loop()
            if self.waiter is None or self.waiter.get_loop() is not loop:
                self.waiter = asyncio.wrap_future(self.done, loop=loop)
            await asyncio.shield(self.waiter)
        self.done.result()


class BatchWriter:
    """Takes events at any rate from any thread and commits them in batches, in one thread of its own."""

    def __init__(
        self,
        log: AuditLog,
        evidence: EvidenceStore,
        private: PrivateStore,
        run: str,
        clock: Clock,
        *,
        anchors: Sequence[Anchor] = (),
        every: int = 10_000,
        window: float = WINDOW,
        held: RunLock | None = None,
    ) -> None:
        self._log, self._evidence, self._private = log, evidence, private
        self.run = run
        self._clock, self._anchors, self._every = clock, anchors, every
        self._most, self._window = min(MOST, max(1, every // _EVENTS)), window
        self._held = held
        self._condition = threading.Condition()
        self._batch = WriteBatch()  # what is being gathered
        self._full: deque[WriteBatch] = deque()  # what waits for the thread
        self._known: set[str] = set()
        self._since_known = clock.elapsed()
        self._process = os.getpid()
        self._anchoring: threading.Thread | None = None
        self._hurry = self._closing = False
        self._broken: BaseException | None = None
        self._thread: threading.Thread | None = None
        self.sealed: LogCommit | None = None  # the last commit
        self._since = 0  # events since the last commit
        self._committed = clock.elapsed()

    def keep(self, digest: str, body: bytes) -> None:
        """Hand over evidence; it is stored with the next events."""
        with self._condition:
            if len(self._known) >= KNOWN or self._clock.elapsed() - self._since_known > DAY:
                self._known.clear()  # what is old may have been pruned meanwhile
                self._since_known = self._clock.elapsed()
            if digest in self._known:
                return
            self._known.add(digest)
            self._batch.bodies.append((digest, body))

    def put(self, events: Sequence[Mapping[str, object]], rows: Sequence[PrivateRow] = ()) -> WriteBatch:
        """Hand over events and what they commit to; the batch says when they are durable."""
        return self.put_later(lambda _: (events, rows), None)

    def put_later(self, make: Maker, item: object) -> WriteBatch:
        """Hand over what events are made of, in the writer's thread, together with others like it."""
        with self._condition:
            if self._broken is not None:
                raise self._broken
            if os.getpid() != self._process:
                raise AuditError("a child process has no log", hint="assemble one in the child")
            if self._closing:
                raise AuditError("the log was closed before this event", hint="report this as a bug")
            batch = self._batch
            if not batch.parts or batch.parts[-1][0] != make:
                batch.parts.append((make, []))
            batch.parts[-1][1].append(item)
            batch.count += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="audit", daemon=True)
                self._thread.start()
            if batch.count >= self._most:
                self._full.append(batch)
                self._batch = WriteBatch()
            if batch.count in (1, self._most):
                self._condition.notify()
            return batch

    def hurry(self, batch: WriteBatch | None = None) -> None:
        """Commit what is there at once, if it is that batch: somebody waits for it alone."""
        with self._condition:
            if batch is None or batch is self._batch:
                self._hurry = True
                self._condition.notify()

    def close(self) -> None:
        """Commit what is left, sign and anchor; raise what prevented that."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        try:
            if self._broken is not None:
                raise self._broken
            self._commit()
        finally:  # what is written ahead of a database goes into it
            for each in (self._log, self._evidence, self._private):
                each.close()
            if self._held is not None:
                self._held.let_go()

    # --- the thread ----------------------------------------------------------------------------

    def _write(self) -> None:
        while (batch := self._take_next_batch()) is not None:
            try:
                self._durable(batch)
            except BaseException as error:  # noqa: BLE001 - anyone who waits must hear of it
                self._fail(batch, error)
                return

    def _take_next_batch(self) -> WriteBatch | None:
        """Return the next batch when its time has come; None at the end."""
        with self._condition:
            while not (self._full or self._batch.count or self._closing):
                self._condition.wait(timeout=HOUR / 60)
                if not (self._full or self._batch.count) and self._is_commit_due():
                    return WriteBatch()
            if not self._must_hurry():
                self._condition.wait_for(self._must_hurry, timeout=self._window)
            if self._full:
                return self._full.popleft()
            batch, self._batch, self._hurry = self._batch, WriteBatch(), False
            return batch if batch.count or batch.bodies else None

    def _must_hurry(self) -> bool:
        return self._hurry or self._closing or bool(self._full)

    def _is_commit_due(self) -> bool:
        return self._since > 0 and self._clock.elapsed() - self._committed >= HOUR

    def _durable(self, batch: WriteBatch) -> None:
        made = [make(some) for make, some in batch.parts]
        events = [event for some, _ in made for event in some]
        if batch.bodies:
            self._evidence.put(batch.bodies)
        if rows := [row for _, some in made for row in some]:
            self._private.put(rows)
        if events:
            self._log.append(self.run, events)
            self._since += len(events)
        batch.parts, batch.bodies = [], []  # anyone who waits keeps the batch, not what was in it
        if not batch.done.cancelled():
            batch.done.set_result(None)
        if self._since >= self._every or self._is_commit_due():
            self._commit_beside()

    def _commit_beside(self) -> None:
        """Commit in another thread: no one waits for an anchor far away, but the end of the run."""
        if self._anchoring is not None and self._anchoring.is_alive():
            return
        self._since, self._committed = 0, self._clock.elapsed()
        anchoring = threading.Thread(target=self._seal, name="anchoring", daemon=True)
        anchoring.start()
        self._anchoring = anchoring  # started: others may wait for it

    def _seal(self) -> None:
        try:
            self.sealed = self._log.commit(self.run, self._anchors)
        except BaseException as error:  # noqa: BLE001 - raised at the next event
            self._fail(WriteBatch(), error)

    def _commit(self) -> None:
        if self._anchoring is not None:
            self._anchoring.join()
            if self._broken is not None:
                raise self._broken
        if self._since:
            self.sealed = self._log.commit(self.run, self._anchors)
        self._since, self._committed = 0, self._clock.elapsed()

    def _fail(self, batch: WriteBatch, error: BaseException) -> None:
        if not isinstance(error, AuditError):
            error = AuditError(f"cannot be written: {error}", place="the audit log", hint=HINT)
        with self._condition:
            self._broken = error
            left, self._batch, self._full = [*self._full, self._batch], WriteBatch(), deque()
        for each in (batch, *left):
            if not each.done.done():
                each.done.set_exception(error)
