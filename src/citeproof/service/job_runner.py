"""Jobs that are run: a bounded queue on the job store, and workers that survive a restart.

All but `wait` and `follow` read or write a file: an event loop calls them in a thread. A job that did
not end is taken up again: its results stay, and what its run has in the audit log is not logged twice.
A server's process holds a lock in the folder, so that another one knows at once when it has died.
While a database of jobs cannot be reached, workers wait: a job is given back or its lease ends, never failed.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from citeproof.errors import AuditError, CiteproofError, SnapshotError, StoreUnreachableError
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.disk_files import hold_lock, take_lock
from citeproof.plumbing.stores.job_store import LEASE, Job, JobState, JobStore
from citeproof.plumbing.stores.postgres_database import read_notices
from citeproof.service.engine_pool import EnginePool
from citeproof.service.input_documents import JobRequest
from citeproof.service.job_work import JobContext, JobTail, perform_job
from citeproof.service.stored_values import encode_value
from citeproof.settings import Settings
from citeproof.vocabulary import Extraction

PATIENCE = 2.0  # seconds after which a listener looks by itself: another process may have done the work


@dataclass(slots=True, eq=False)
class JobListener:
    """One waiter: wakes when its job has changed, and every few seconds."""

    loop: asyncio.AbstractEventLoop
    event: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.event.wait(), PATIENCE)
        self.event.clear()


class JobSignals:
    """All listeners of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, set[JobListener]] = {}

    @contextmanager
    def listen(self, job: str) -> Iterator[JobListener]:
        listener = JobListener(asyncio.get_running_loop())
        with self._lock:
            self._listeners.setdefault(job, set()).add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                left = self._listeners.get(job, set())
                left.discard(listener)
                if not left:
                    self._listeners.pop(job, None)

    def tell(self, job: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(job, ()))
        for listener in listeners:
            with suppress(RuntimeError):  # its loop is closed
                listener.loop.call_soon_threadsafe(listener.event.set)

    def close(self) -> None:
        """Wake everybody: the server stops."""
        for job in list(self._listeners):
            self.tell(job)


WORKERS = 2  # jobs at a time
MOST_WAITING = 100  # jobs that are not ended
SHARE = 4  # for each job of one who has no token, so many more must have room
MOST_ATTEMPTS = 5  # after which a job that kills its process is given up
SECONDS = 3600.0  # for one attempt at a job
KEPT = 30 * 24 * 3600.0  # seconds that an ended job is stored
LEAST_FREE = 200_000_000  # bytes that stay free on the disk of the store
_LOOK = 1.0  # seconds between looks for jobs of other processes
_SELDOM = 5.0  # where these tell of their jobs, and only those of dead ones are looked for
_HOUR = 3600.0


class QueueFullError(Exception):
    """More jobs wait than may wait: try again later."""


class StoreFullError(QueueFullError):
    """The disk of the store has hardly any room left: a job that is taken could not be finished."""


class JobRunner:
    """The jobs of one folder, and the workers of this process."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        *,
        workers: int = WORKERS,
        most_waiting: int = MOST_WAITING,
        seconds: float = SECONDS,
        clock: Clock | None = None,
        store: str = "",
        tell_trouble: Callable[[str, str], None] = lambda _event, _trouble: None,
    ) -> None:
        """Take the settings of every run; `store`: a PostgreSQL database for the jobs of several machines.

        `tell_trouble` hears "store" and why it cannot be used, and nothing when it can again; "files" and why
        a job could not use one of ours.
        """
        self.pool = EnginePool(settings)
        self.store = JobStore(store or folder)
        self._shared = store  # where other servers can be heard; empty: nowhere
        self.signals = JobSignals()
        self.ready = False
        self.trouble = ""  # why the store cannot be used; empty while it can
        self._tell_trouble = tell_trouble
        self._folder, self._clock = folder, clock or SystemClock()
        self._workers, self._most, self._seconds = workers, most_waiting, seconds
        self._process = secrets.token_hex(8)
        self._lock: int | None = None
        self._clients: dict[str, str] = {}  # who submitted the jobs that wait, as far as this process knows
        self._read: dict[str, Extraction] = {}  # documents of jobs that this process has read already
        self._tasks: set[asyncio.Task[object]] = set()
        self._running: dict[str, asyncio.Task[JobTail]] = {}
        self._wake: asyncio.Event | None = None
        self._listening: asyncio.Task[None] | None = None
        self._hears = False
        self._stopping = False
        self._cleaned = 0.0
        self._counting = threading.Lock()

    # --- for interfaces -----------------------------------------------------------------------------

    def submit(
        self,
        request: JobRequest,
        owner: str,
        *,
        client: str = "",
        once: str | None = None,
        extraction: Extraction | None = None,
        at_once: bool = False,
    ) -> Job:
        """Return a new job, or the one that was made with the same `once`.

        `client`: who has only a share of the queue; the owner, or one of many who are one owner.
        `at_once`: it does not wait for a worker; the caller bounds how many of these there are.
        QueueFullError: too many jobs wait; StoreFullError: the disk is almost full; JobConflictError: `once`
        was used for another request.
        """
        if shutil.disk_usage(self._folder).free < LEAST_FREE + len(request.data):
            raise StoreFullError
        with self._counting:
            if self._stopping or self._is_full(owner, client, self._most * (2 if at_once else 1)):
                raise QueueFullError
            row = (request.kind, owner, request.data, request.encode_options(), self._now())
            job = self.store.add(*row, once=once, tell=not at_once)
            self._clients[job.id] = client
        if job.state is not JobState.QUEUED:
            return job
        if extraction is not None and len(self._read) < self._most:
            self._read[job.id] = extraction
        if at_once:
            self.pool.loop.run(self._start_at_once(job.id))
        else:
            self.pool.loop.run(self._wake_workers())
        return job

    def _is_full(self, owner: str, client: str, most: int) -> bool:
        """Return whether the queue is full, for all or for this client.

        An owner may have as many jobs as there is room left for others, so that there always is some; who
        shares being owner with many, a quarter of that.
        """
        waiting = dict(self.store.list_waiting())
        self._clients = {job: who for job, who in self._clients.items() if job in waiting}
        free = most - len(waiting)
        if not client:
            return free <= 0
        own, shared = Counter(waiting.values())[owner], Counter(self._clients.values())[client]
        return own >= free or (client != owner and SHARE * shared >= free)

    def cancel(self, job: str, owner: str | None = None) -> Job | None:
        """Return the job, which is not worked on any more; None if the owner has none of that name."""
        if self.store.find(job, owner) is None:
            return None
        self.store.finish(job, JobState.CANCELLED, self._now())
        self.pool.loop.run(self._cancel_here(job))
        self.signals.tell(job)
        return self.store.find(job, owner)

    async def wait(self, job: str, seconds: float) -> Job:
        """Return the job when it has ended, or as it is after so many seconds. In the caller's loop."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), aclosing(self.follow(job)) as changes:
                async for current in changes:
                    if current.state.ended:
                        return current
        latest = await asyncio.to_thread(self.store.find, job)
        assert latest is not None
        return latest

    async def follow(self, job: str) -> AsyncGenerator[Job]:
        """Yield the job whenever it has changed, and every few seconds; the last time when it has ended."""
        with self.signals.listen(job) as changed:
            while (current := await asyncio.to_thread(self.store.find, job)) is not None:
                yield current
                if current.state.ended or self._stopping:
                    return
                await changed.wait()

    # --- for a server --------------------------------------------------------------------------

    def start(self) -> None:
        """Open the engine, take up what dead processes left, and begin to work."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with hold_lock(self._folder / "lock.start"):
            self._lock = take_lock(self._folder / f"process-{self._process}.lock")
            for worker in self.store.list_workers():
                if not self._is_alive(worker):
                    self.store.release(worker)
            for path in self._folder.glob("process-*.lock"):
                self._remove_dead(path)
        self._delete_old()
        self.pool.prepare()
        self.pool.loop.run(self._start_workers())
        self.ready = True

    def begin_stop(self) -> None:
        """Take no more jobs, and tell those who follow one that the server ends."""
        self.ready, self._stopping = False, True
        self.signals.close()

    def stop(self, seconds: float = 10.0) -> None:
        """Take no more jobs, wait for those that are run, give back what does not end in time, and close."""
        self.begin_stop()
        self.pool.loop.run(self._stop_workers(seconds))
        self.pool.close()
        self.store.close()
        if self._lock is not None:
            (self._folder / f"process-{self._process}.lock").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def count_running(self) -> int:
        return len(self._running)

    # --- in the pool's loop --------------------------------------------------------------------

    async def _start_workers(self) -> None:
        self._wake = asyncio.Event()
        for number in range(self._workers):
            self._keep_task(self._work(f"{self._process}:{number}"))
        if self._shared:
            self._listening = asyncio.ensure_future(self._listen(self._shared))

    async def _listen(self, url: str) -> None:
        """Act at once on what the servers of a database say."""
        while True:
            async with aclosing(read_notices(url)) as notices:
                async for notice in notices:
                    if self._stopping:  # before Python 3.12 a cancellation is lost if something comes with it
                        return
                    self._hears = True
                    if notice.state in ("", JobState.QUEUED):
                        await self._wake_workers()
                    else:
                        self._read.pop(notice.job, None)  # another server has it
                    if notice.state == JobState.CANCELLED:
                        await self._cancel_here(notice.job)
                    self.signals.tell(notice.job)
            self._hears = False
            if self._stopping:
                return
            await asyncio.sleep(_LOOK)

    def _keep_task(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wake_workers(self) -> None:
        if self._wake is not None:
            self._wake.set()

    async def _start_at_once(self, job: str) -> None:
        self._keep_task(self._try_to_work(f"{self._process}:{job}", job))

    async def _cancel_here(self, job: str) -> None:
        if (task := self._running.get(job)) is not None:
            task.cancel()

    async def _work(self, worker: str) -> None:
        assert self._wake is not None
        while not self._stopping:
            self._wake.clear()
            if not await self._try_to_work(worker):
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), _SELDOM if self._hears else _LOOK)

    async def _try_to_work(self, worker: str, wanted: str | None = None) -> bool:
        """Return whether there was a job to work on; a store that cannot be reached has none."""
        try:
            worked = await self._work_once(worker, wanted)
            if not worked and self._clock.elapsed() - self._cleaned > _HOUR:
                await asyncio.to_thread(self._delete_old)
        except StoreUnreachableError as error:
            self._note_trouble(str(error))
            return False
        return worked

    def _note_trouble(self, trouble: str) -> None:
        """Tell that the store cannot be used, or can again, once each time."""
        changed = bool(trouble) != bool(self.trouble)
        self.trouble = trouble
        if changed:
            self._tell_trouble("store", trouble)

    async def _work_once(self, worker: str, wanted: str | None = None) -> bool:
        job = await asyncio.to_thread(self.store.claim, worker, self._now(), wanted)
        self._note_trouble("")
        if job is None:
            return False
        await self._wake_workers()  # there may be more than this one
        extraction = self._read.pop(job.id, None)
        tell = partial(self.signals.tell, job.id)
        context = JobContext(self.pool, self.store, self._clock, job, tell, extraction)
        task = self._running[job.id] = asyncio.ensure_future(self._limit(context))
        renewal = asyncio.ensure_future(self._renew(job.id, worker, task))
        try:
            await self._end_job(job, worker, task)
        finally:
            renewal.cancel()
            self._running.pop(job.id, None)
            self.signals.tell(job.id)
        return True

    async def _limit(self, context: JobContext) -> JobTail:
        if context.job.attempts > MOST_ATTEMPTS:
            hint = "check the document with `citeproof check` and report what happens"
            raise CiteproofError(f"given up after {MOST_ATTEMPTS} attempts", place="job", hint=hint)
        async with asyncio.timeout(self._seconds):
            return await perform_job(context)

    async def _end_job(self, job: Job, worker: str, task: asyncio.Task[JobTail]) -> None:
        state, error, tail = JobState.DONE, "", None
        try:
            tail = encode_value(await asyncio.shield(task))
        except asyncio.CancelledError:
            if not task.done():  # this worker is stopped, not the job
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            await asyncio.to_thread(self.store.release, worker)
            return
        except StoreUnreachableError:
            await asyncio.to_thread(self.store.release, worker)  # if that cannot be stored, its lease ends
            raise
        except TimeoutError:
            state, error = JobState.FAILED, f"took longer than {self._seconds:g} seconds"
        except CiteproofError as problem:
            state, error = JobState.FAILED, self._describe_failure(problem)
        except Exception as problem:  # noqa: BLE001 - a bug in one job must not end the others
            state, error = JobState.FAILED, f"internal error ({type(problem).__name__})"
        ended = (job.id, state, self._now(), error)
        await asyncio.to_thread(self.store.finish, *ended, tail=tail, worker=worker)

    async def _renew(self, job: str, worker: str, task: asyncio.Task[JobTail]) -> None:
        """Keep the claim; end the work if it is not ours any more, or if it is unknown whose it is."""
        until = self._clock.elapsed() + LEASE
        while True:
            await asyncio.sleep(LEASE / 3)
            began = self._clock.elapsed()
            try:
                ours = await asyncio.to_thread(self.store.renew, job, worker, self._now())
                until = began + LEASE
            except StoreUnreachableError as error:
                self._note_trouble(str(error))
                ours = self._clock.elapsed() < until - LEASE / 3
            if not ours:
                task.cancel()
                return

    async def _stop_workers(self, seconds: float) -> None:
        await self._wake_workers()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- small things --------------------------------------------------------------------------

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _is_alive(self, worker: str) -> bool:
        """Return whether the process of a worker still holds its lock; another machine's is not seen here."""
        process = worker.partition(":")[0]
        path = self._folder / f"process-{process}.lock"
        if process == self._process or not process.isalnum():
            return process == self._process
        return not self._remove_dead(path) if path.exists() else bool(self._shared)

    def _remove_dead(self, path: Path) -> bool:
        """Return whether the process of a lock is dead; its file is removed then."""
        try:
            handle = take_lock(path)
        except BlockingIOError:
            return False
        path.unlink(missing_ok=True)
        os.close(handle)
        return True

    def _delete_old(self) -> None:
        self._cleaned = self._clock.elapsed()
        self.store.delete_ended(self._now() - KEPT)

    def _describe_failure(self, error: CiteproofError) -> str:
        """Return an error for the one whose job it is; what is wrong with our own files is only logged."""
        if not isinstance(error, AuditError | SnapshotError):
            return f"{error.message}\n{error.place}\n{error.hint}"
        self._tell_trouble("files", str(error))
        return "the audit log or a snapshot cannot be used\nserver\ntell the operator of this server"
