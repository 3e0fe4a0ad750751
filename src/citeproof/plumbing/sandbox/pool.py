"""The parent's side: helpers that wait for jobs, one job each at a time, as many as there are processors."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from citeproof.plumbing.programs import make_python_command, start_program
from citeproof.plumbing.sandbox import Limits, StoppedError, frames

Tell = Callable[[int, int], None]

MODE = "fork" if hasattr(os, "fork") else "once"
_GRACE = 5.0  # seconds after which the parent itself ends a job that its helper did not end
_DYING = 0.5  # seconds that a helper may take to end when it is asked to
_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
_BOOT += "from citeproof.plumbing.sandbox import forkserver; forkserver.main(sys.argv[2], int(sys.argv[3]))"


class HelperLostError(Exception):
    """The helper went away before it answered."""


class HelperProcess:
    """One helper process and the two pipes to it."""

    def __init__(self, mode: str = MODE) -> None:
        self.mode = mode
        self.process = start_program(
            make_python_command("-c", _BOOT, json.dumps(_list_import_folders()), mode, str(os.getpid())),
            {"PATH": os.defpath, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            bufsize=0,  # a buffer has a lock, which a thread may hold while another one forks this process
            own_session=True,  # so that Ctrl-C reaches us alone
        )

    def do(self, entry: str, payload: bytes, limits: Limits, tell: Tell | None) -> bytes:
        """Return what the function made of the payload; StoppedError says why it made nothing."""
        late = threading.Event()

        def end_late() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(limits.longest + _GRACE, end_late)
        timer.daemon = True
        timer.start()
        try:
            self._send(entry, payload, limits)
            return self._answer(limits, tell)
        except (frames.BrokenFrameError, OSError, ValueError) as error:  # ValueError: the pipe was closed
            if late.is_set():
                raise StoppedError("wall", "", limits) from error
            raise HelperLostError from error
        finally:
            timer.cancel()

    def _send(self, entry: str, payload: bytes, limits: Limits) -> None:
        order = {"entry": entry} | {
            name: getattr(limits, name) for name in ("memory", "seconds", "longest", "answer")
        }
        assert self.process.stdin is not None
        pipe = self.process.stdin.fileno()
        frames.write_frame(pipe, frames.JOB, json.dumps(order).encode("ascii"))
        frames.write_frame(pipe, frames.DATA, payload)

    def _answer(self, limits: Limits, tell: Tell | None) -> bytes:
        assert self.process.stdout is not None
        longest = max(limits.answer, frames.MAX_WORDS)
        while (frame := frames.read_frame(self.process.stdout, longest)) is not None:
            kind, body = frame
            if kind == frames.ANSWER:
                return body
            if kind == frames.STOPPED:
                why = json.loads(body)
                raise StoppedError(str(why["kind"]), str(why["detail"]), limits)
            if tell is not None and kind == frames.PROGRESS:
                tell(*frames.PAIR.unpack(body))
        raise frames.BrokenFrameError("the helper went away")

    def alive(self) -> bool:
        """Return whether it can take a job."""
        return self.process.poll() is None

    def kill(self) -> None:
        """End it now, and the child that it has at work."""
        self.process.terminate()
        try:
            self.process.wait(_DYING)
        except subprocess.TimeoutExpired:
            self.process.kill()  # the kernel ends the child with it
            self.process.wait()

    def dismiss(self) -> None:
        """End it and close our ends of the pipes."""
        self.kill()
        self.close()

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _list_import_folders() -> list[str]:
    """Return the folders that we import from: by itself, `-I` would leave out those that the user added.

    The working folder, which may be anybody's, is not among them.
    """
    ours = Path(__file__).parents[3]
    return [str(Path(folder).absolute()) for folder in sys.path if folder] + [str(ours)]


class HelperPool:
    """The helpers of this process; safe to use from many threads and after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starting = threading.RLock()  # no fork while a helper is started: it would keep its pipes open
        self._idle: list[HelperProcess] = []
        self._all: set[HelperProcess] = set()
        self._turns = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))

    def run(self, entry: str, payload: bytes, limits: Limits, tell: Tell | None) -> bytes:
        """Return what a helper's child made of the payload; a helper that is lost is replaced once."""
        with self._turns:
            try:
                return self._run_once(entry, payload, limits, tell)
            except HelperLostError:
                pass
            try:
                return self._run_once(entry, payload, limits, tell)
            except HelperLostError as error:
                raise StoppedError("crash", "the process that reads files went away", limits) from error

    def _run_once(self, entry: str, payload: bytes, limits: Limits, tell: Tell | None) -> bytes:
        helper = self._take_helper()
        sound = False
        try:
            answer = helper.do(entry, payload, limits, tell)
            sound = True
        except StoppedError:
            sound = helper.alive()
            raise
        else:
            return answer
        finally:
            with self._lock:
                if sound and helper.mode == "fork":
                    self._idle.append(helper)
                else:
                    helper.kill()
                    self._bury(helper)

    def _take_helper(self) -> HelperProcess:
        with self._lock:
            while self._idle:
                helper = self._idle.pop()
                if helper.alive():
                    return helper
                self._bury(helper)
        with self._starting:
            try:
                helper = HelperProcess()
            except OSError as error:
                raise HelperLostError from error
            with self._lock:
                self._all.add(helper)
        return helper

    def _bury(self, helper: HelperProcess) -> None:
        helper.close()
        self._all.discard(helper)

    def close(self) -> None:
        """End every helper that waits for a job."""
        with self._lock:
            waiting, self._idle = self._idle, []
            self._all.difference_update(waiting)
        for helper in waiting:
            helper.dismiss()

    def hold(self) -> None:
        """Start no helper until `let_go`: this process is about to fork."""
        self._starting.acquire()

    def let_go(self) -> None:
        self._starting.release()

    def forget(self) -> None:
        """Leave the helpers to the process that this one was forked from."""
        for helper in self._all:
            helper.close()
            helper.process.returncode = 0  # they are not ours to wait for
        self.__init__()  # type: ignore[misc] # locks may be held by threads that this process does not have


POOL = HelperPool()
atexit.register(POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=POOL.hold, after_in_parent=POOL.let_go, after_in_child=POOL.forget)
