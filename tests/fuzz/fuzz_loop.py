"""Feeds one target with damaged documents; keeps what reaches new lines, tells crashes, hangs and growth."""

from __future__ import annotations

import gc
import hashlib
import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

import citeproof
from citeproof.errors import CiteproofError
from tests.fuzz.fuzz_targets import FuzzTarget, list_inputs
from tests.fuzz.mutations import damage

PACKAGE = str(Path(citeproof.__file__).parent)
HANG = 20.0  # CPU-seconds that one document may take, while its lines are counted
GROWTH = 150_000_000  # bytes that a process may grow by after its first tenth
COUNTED = 0.3  # of the documents: to count lines makes them several times slower
KEPT = 400  # documents that a run goes on from


class HangingInput(BaseException):
    """A document that took too long. No `except Exception` of the target may swallow it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong, where in our code, and the document."""

    kind: str
    place: str
    data: bytes = field(repr=False)
    trace: str = field(repr=False, default="")


@dataclass(slots=True)
class FuzzRun:
    """What became of a run."""

    tried: int = 0
    lines: int = 0
    seconds: float = 0.0
    pool: list[bytes] = field(default_factory=list)  # what a later run goes on from
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)


class LineCounter:
    """Remembers which lines of the package ran."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int]] = set()
        self._ours: dict[CodeType, bool] = {}

    def count(self, work: Callable[[], Finding | None]) -> tuple[Finding | None, bool]:
        """Return what `work` returns, and whether it reached a line that none reached before."""
        before = len(self.seen)
        sys.settrace(self._enter)
        try:
            found = work()
        finally:
            sys.settrace(None)
        return found, len(self.seen) > before

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Callable[..., object] | None:
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = code.co_filename.startswith(PACKAGE)
        return self._step if ours else None

    def _step(self, frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        if event == "line":
            self.seen.add((frame.f_code, frame.f_lineno))
        return self._step


def try_input(target: FuzzTarget, data: bytes, seconds: float = HANG) -> Finding | None:
    """Return what went wrong with one document, if something did."""

    def stop(*_: object) -> None:
        raise HangingInput

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        target.run(data)
    except CiteproofError:
        return None
    except HangingInput:
        return Finding("hang", _find_place(), data, traceback.format_exc())
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return Finding(type(error).__name__, _find_place(), data, traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return None


def _find_place() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])
    ours = [one for one in frames if one.filename.startswith(PACKAGE)] or list(frames)
    return f"{ours[-1].filename.removeprefix(PACKAGE)}:{ours[-1].lineno}"


def run_target(
    target: FuzzTarget,
    seconds: float,
    seed: int,
    current: Path,
    tries: int = sys.maxsize,
    kept: Sequence[bytes] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> FuzzRun:
    """Return what `seconds` of CPU, or so many tries, brought to light.

    `current` always holds the document being tried. `kept` are documents of an earlier run to go on from.
    """
    done, counter, draw = FuzzRun(), LineCounter(), random.Random(seed)
    pool = done.pool
    began, base = time.process_time(), 0
    waiting = [*kept, *(list_inputs(target) or [b""])]
    while (
        (done.seconds < seconds and done.tried < tries) or (waiting and done.seconds < 2 * seconds)
    ) and not stopped():
        counted = bool(waiting) or draw.random() < COUNTED
        data = waiting.pop() if waiting else damage(draw.choice(pool), pool, draw)
        current.write_bytes(data)
        work = partial(try_input, target, data)
        found, fresh = counter.count(work) if counted else (work(), False)
        done.tried += 1
        if found is not None:
            done.findings.setdefault((found.kind, found.place), found)
        elif fresh or not pool:
            pool.append(data)
            if len(pool) > KEPT:
                pool.pop(draw.randrange(KEPT))
        done.seconds = time.process_time() - began
        if not base and done.seconds > seconds / 10:
            base = _measure_memory()
    grown = _measure_memory() - base if base else 0
    if grown > GROWTH:
        done.findings["growth", ""] = Finding(
            "growth", f"{grown / 1e6:.0f} MB in {done.tried} documents", b""
        )
    done.lines = len(counter.seen)
    return done


def _measure_memory() -> int:
    gc.collect()
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    held = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
    return int(held[1]) * 1024 if held else 0


def shrink(target: FuzzTarget, found: Finding, tries: int = 300) -> bytes:
    """Return a shorter document with the same fault, as far as `tries` get."""
    data, size = found.data, max(1, len(found.data) // 2)
    at = 0
    while tries and size:
        shorter = data[:at] + data[at + size :]
        tries -= 1
        again = try_input(target, shorter) if found.kind != "hang" else None
        if again and (again.kind, again.place) == (found.kind, found.place):
            data = shorter
        else:
            at += size
        if at >= len(data):
            at, size = 0, size // 2
    return data


def name_input(data: bytes) -> str:
    """Return the file name of a document in the corpus."""
    return hashlib.sha256(data).hexdigest()[:16]
