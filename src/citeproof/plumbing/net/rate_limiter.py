"""How often each server may be asked, stored in one small file per server for all processes of a user.

- A token bucket without a burst (GCRA): a process reserves the next free moment and sleeps until then.
- Slots: as many locked files as requests may be open at once. The kernel frees them with the process,
  so `kill -9` leaks none.
- A block until a moment, after 429 or 503 and after repeated failures (the circuit breaker). When it ends,
  one request goes first as a probe.
- What is left of a budget, and the last error, for `citeproof sources`.

A file that cannot be read counts as empty; without file locks (not POSIX) limits hold for one process.
Numbers and our own words for causes are all that is written: what a server said stays in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.own_files import RefusedFileError, make_private_folder, open_own_file
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Cause

if TYPE_CHECKING:
    from citeproof.plumbing.net.cross_machine_limiter import SharedSlot

try:
    import fcntl
except ImportError:  # pragma: no cover - not POSIX
    fcntl = None  # type: ignore[assignment]

SLACK = 1.08  # requests leave a little later than allowed, so that jitter on the way breaks no rate
FAILURES = 3  # in a row open the circuit
UNREAD = 6  # answers in a row that could not be read do, too
OPEN = 5.0  # seconds; doubles with every failed probe
LONGEST = 600.0  # seconds a server is left alone at most, whatever Retry-After says
# Bytes of a state, always as many: one write under the lock changes it, and the file is never cut. A new file
# in its place for every request would cost 3 ms each on ext4, which then writes through to the disk.
_SIZE = 2048
_LEAD = 60.0  # seconds; further ahead than this and all open requests only a clock that went back can be
_FAR = 3600.0  # a reservation further ahead was written by a clock that went back


class ServerState(msgspec.Struct, omit_defaults=True):
    """What all processes know about one server. Moments are seconds since 1970."""

    next: float = 0.0  # the next free moment of the bucket
    last: float = 0.0  # when the last request really left
    busy: float = 0.0  # when it will have answered all that wait or are open, of every process
    until: float = 0.0  # blocked until
    probing: float = 0.0  # a probe is under way since
    refused: int = 0  # 429 and the like, in a row
    failed: int = 0  # timeouts, resets, 5xx, walls, in a row
    unread: int = 0  # answers that could not be read, in a row
    cause: str = ""  # why it is blocked
    slower: float = 1.0  # how many times slower than allowed it is asked, after refusals
    rate: float = 0.0  # seconds between requests that the server itself asked for
    budget: float | None = None  # what it said is left
    budget_of: float | None = None
    budget_until: float = 0.0
    error: str = ""  # the cause of the last error
    error_at: float = 0.0
    status: int = 0  # and what it answered, if that was the error
    seconds: float = 0.0  # how long it takes to answer, lately


_ALONE = "limits hold within this process alone"
_WORDS = {
    Cause.TIMEOUT: "did not answer",
    Cause.RATE_LIMITED: "asked for fewer requests",
    Cause.MALFORMED: "gave an answer that cannot be read",
    Cause.TOO_LARGE: "gave an answer that is too large",
    Cause.BOT_WALL: "refuses to be asked by a program",
    Cause.NEEDS_KEY: "wants a key",
    Cause.OVER_BUDGET: "has no budget left for us",
}


class QueueClock:
    """Counts the seconds in which at least one request waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting = 0
        self._since = 0.0
        self._total = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting."""
        if not self._waiting:
            self._since = self._clock.elapsed()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._total += self._clock.elapsed() - self._since

    def seconds(self) -> float:
        return self._total + (self._clock.elapsed() - self._since if self._waiting else 0.0)


class ServerLimiter:
    """The shared state of one server (or of one stricter lane of it)."""

    look_again = (0.01, 0.05)  # seconds until the next look for a free slot, from and to

    def __init__(self, folder: Path, name: str, rate: Rate, clock: Clock) -> None:
        self._folder, self._path, self._clock = folder, folder / f"{name}.json", clock
        self.name, self.rate = name, rate
        self._alone = ServerState()  # for a folder that cannot be written: see `check_limits_folder`
        self._last = self._alone  # as it was examined last
        self._heard = (0.0, "")  # the last error that this process met, in the server's own words

    def now(self) -> float:
        return self._clock.now().timestamp()

    def look(self) -> ServerState:
        try:
            handle = open_own_file(self._path, os.O_RDONLY)
        except OSError:
            return self._alone
        try:
            if fcntl:
                fcntl.flock(handle, fcntl.LOCK_SH)  # else half of what another process writes could be read
            self._last = decode_state(os.pread(handle, _SIZE, 0))
        finally:
            os.close(handle)
        return self._last

    def _open_shared(self, path: Path) -> int:
        """Return our own file to be changed; the folder is made, or fixed, only where that fails."""
        try:
            return open_own_file(path, os.O_RDWR | os.O_CREAT)
        except OSError:
            make_private_folder(self._folder)
            return open_own_file(path, os.O_RDWR | os.O_CREAT)

    @contextmanager
    def change(self) -> Iterator[ServerState]:
        """Yield the state to be changed, alone among all processes; without a file, among our own tasks."""
        try:
            handle = self._open_shared(self._path)
        except OSError:
            yield self._alone
            return
        try:
            if fcntl:
                fcntl.flock(handle, fcntl.LOCK_EX)
            state = decode_state(os.pread(handle, _SIZE, 0))
            yield state
            with suppress(OSError):  # a full disk: the limits are those of the last state
                os.pwrite(handle, msgspec.json.encode(state).ljust(_SIZE)[:_SIZE], 0)
        finally:
            os.close(handle)

    def announce(self) -> None:
        """Note that a request joins those that wait: `waiting` counts it until its turn should be over."""
        with self.change() as state:
            now = self.now()
            every = max(self._every(state), state.seconds / self.rate.at_once)
            state.busy = max(now, min(state.busy, now + _FAR)) + every

    def _every(self, state: ServerState) -> float:
        return max(self.rate.every * SLACK * state.slower, state.rate)

    def reserve(self) -> float:
        """Return the seconds to wait before the next request; the moment is taken."""
        with self.change() as state:
            now = self.now()
            every = self._every(state)
            ahead = (self.rate.burst - 1) * every
            most = _LEAD + (self.rate.at_once + 1) * every + ahead
            free = state.next if now - 1 < state.next <= now + most else now
            state.next = max(now, free) + every
        return max(0.0, free - ahead - now)

    def depart(self) -> float:
        """Return 0 and note that a request leaves now; or the seconds to wait, if one left just before.

        A process that is late for its moment must not come too close to the next one.
        """
        if self.rate.burst > 1:
            return 0.0
        with self.change() as state:
            now = self.now()
            left = state.last + self._every(state) - now
            if 0 < left < _FAR and state.last <= now:
                return left
            state.last = now
        return 0.0

    def waiting(self, state: ServerState | None = None) -> float:
        """Return about how long a request would wait for its moment."""
        state, ahead = state or self.look(), (self.rate.burst - 1) * self.rate.every * SLACK
        return max(0.0, min(max(state.next, state.busy) - ahead - self.now(), _FAR))

    def get_block(self, state: ServerState | None = None) -> tuple[float, str]:
        """Return the seconds for which the server is to be left alone, and why; 0 when it is free."""
        state = state or self.look()
        left = state.until - self.now()
        return (left, self._describe(state, state.cause)) if 0 < left <= LONGEST else (0.0, "")

    def last_error(self, state: ServerState) -> str:
        """Return the last error in words; nothing if there was none."""
        return self._describe(state, state.error) if state.error else ""

    def _describe(self, state: ServerState, cause: str) -> str:
        """Return a cause in words: the message of the server if this process received it."""
        if state.unread >= UNREAD and cause == Cause.MALFORMED:
            return "its answers cannot be read"
        if self._heard[0] == state.error_at and self._heard[1]:
            return self._heard[1]
        if state.status:
            return f"answered {state.status}"
        return next((words for known, words in _WORDS.items() if known == cause), "failed" if cause else "")

    def is_circuit_open(self, state: ServerState | None = None) -> bool:
        """Return whether the circuit is open, or was and has not been tried since."""
        state = state or self.look()
        return state.failed >= FAILURES or state.unread >= UNREAD

    def may_probe(self, state: ServerState | None = None) -> bool:
        """Return whether to go ahead; after a block only one request does, the others wait for it."""
        state = state or self.look()
        if not state.refused and not self.is_circuit_open(state):
            return True
        with self.change() as state:
            now = self.now()
            if 0 <= now - state.probing < 10.0:
                return False
            state.probing = now
        return True

    def went_well(self, seconds: float) -> None:
        """Note an answer: the circuit closes."""
        state = self.look()
        quiet = not (state.refused or state.failed or state.probing) and state.slower == 1.0
        if quiet and abs(state.seconds - seconds) < 0.3 * seconds:
            return  # nothing worth a write
        with self.change() as state:
            state.refused = state.failed = 0
            state.probing = state.until = 0.0
            state.cause = ""
            state.slower = max(1.0, 0.9 * state.slower)
            state.seconds = seconds if not state.seconds else 0.7 * state.seconds + 0.3 * seconds

    def was_read(self) -> None:
        """Note that an answer was understood; `went_well` has looked a moment ago."""
        if self._last.unread:
            with self.change() as state:
                state.unread = 0

    def was_unreadable(self, why: str) -> None:
        """Note an unreadable answer; a server that gives no other answers is not asked again."""
        with self.change() as state:
            now = self.now()
            state.unread += 1
            self._note(state, why, Cause.MALFORMED, 0)
            if state.unread >= UNREAD:
                state.until = now + OPEN * 2.0 ** min(state.unread - UNREAD, 4)
                state.cause, state.probing = Cause.MALFORMED, 0.0

    def went_badly(
        self,
        why: str,
        *,
        refused: bool,
        retry_after: float | None = None,
        gone: bool = False,
        cause: Cause = Cause.TIMEOUT,
        status: int = 0,
    ) -> None:
        """Note a failure, and block the server as it asks or past failures suggest; at once if `gone`."""
        with self.change() as state:
            now = self.now()
            state.failed = max(state.failed, FAILURES - 1) if gone else state.failed
            self._note(state, why, cause, status)
            state.probing = 0.0
            pause = self._pause(state, refused=refused, retry_after=retry_after)
            if pause > 0:
                earlier = state.until if state.until <= now + LONGEST else 0.0
                state.until = max(earlier, now + min(pause, LONGEST))
                state.cause = cause

    def _note(self, state: ServerState, why: str, cause: Cause, status: int) -> None:
        """Note the cause of an error; its words, which may be a server's, stay in this process."""
        state.error, state.error_at, state.status = cause, self.now(), status
        self._heard = (state.error_at, why[:200])

    @staticmethod
    def _pause(state: ServerState, *, refused: bool, retry_after: float | None) -> float:
        if refused:
            state.refused += 1
            state.slower = min(2 * state.slower, 16.0)
            own = 2.0 ** min(state.refused - 1, 7)
            if retry_after is None:
                return own
            return retry_after if state.refused <= FAILURES else max(retry_after, own)
        state.failed += 1
        return OPEN * 2.0 ** min(state.failed - FAILURES, 4) if state.failed >= FAILURES else 0.0

    def note_rate(self, every: float) -> None:
        """Note the pace that the server states in its headers, if it is slower than ours."""
        slower = min(every, 60.0) if every > self.rate.every * SLACK else 0.0
        if abs(self.look().rate - slower) > 1e-6:
            with self.change() as state:
                state.rate = slower

    def note_budget(self, left: float, of: float | None, until: float) -> None:
        """Note the remaining budget that the server reported, and until when."""
        with self.change() as state:
            state.budget, state.budget_of, state.budget_until = left, of, until

    def spend(self, cost: float) -> bool:
        """Take `cost` from the budget; return False when less than a tenth of it would be left."""
        if cost <= 0:
            return True
        state = self.look()
        if state.budget is None or state.budget_until <= self.now():
            return True
        with self.change() as state:
            left = (state.budget or 0.0) - cost
            if left < 0.1 * (state.budget_of or 0.0) or left < 0:
                return False
            state.budget = left
        return True

    def take_slot(self) -> int | SharedSlot | None:
        """Return what represents one open request, here a file handle, or None when all are taken."""
        if not fcntl:  # pragma: no cover - not POSIX
            return os.open(os.devnull, os.O_RDONLY)
        for number in range(self.rate.at_once):
            path = self._folder / f"{self.name}.{number}.slot"
            try:
                handle = self._open_shared(path)
            except OSError:
                return os.open(os.devnull, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(handle)
            else:
                return handle
        return None

    def free_slot(self, slot: int | SharedSlot) -> None:
        if isinstance(slot, int):
            os.close(slot)


def check_limits_folder(folder: Path) -> str:
    """Return why limits cannot be shared through `folder`; nothing when they can."""
    try:
        make_private_folder(folder)
    except RefusedFileError as error:
        return f"{folder}: {_ALONE}: it {error.strerror} (hint: {error.hint})"
    except OSError as error:
        return f"{folder}: {_ALONE}: {error.strerror}"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder}: {_ALONE}: it cannot be written"


def decode_state(data: bytes) -> ServerState:
    """Return a state that was written; an empty one if it cannot be read."""
    with suppress(msgspec.DecodeError, msgspec.ValidationError):
        return decode_json(data, type=ServerState) if data else ServerState()
    return ServerState()
