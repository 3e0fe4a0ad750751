"""What a verification found: problems, notes, and what could not be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MOST = 50  # problems of one kind that are reported one by one


def name_events(first: int, last: int) -> str:
    """Return the name of some events in a row: event 80, events 80 to 82."""
    return f"event {first}" if first == last else f"events {first} to {last}"


@dataclass(frozen=True, slots=True)
class LogProblem:
    """One thing that is not as it was logged; `seq`, `run` and `line` where it is one event."""

    # "checkpoint", "event", "tile", "line", "journal", "rollback", "commit", "evidence", "private" or "file"
    kind: str
    place: str
    what: str
    run: str = ""
    line: int = 0
    seq: int = -1


@dataclass(frozen=True, slots=True)
class LogVerification:
    """What can be said about a log: sound when there are no problems and nothing was left unchecked."""

    origin: str
    size: int
    root: str
    key: str
    problems: tuple[LogProblem, ...]
    more: int  # problems beyond those that are reported
    notes: tuple[str, ...]
    unchecked: tuple[str, ...]
    counts: Mapping[str, int]
    times: tuple[tuple[str, int], ...] = ()  # (witness, seconds since 1970) of valid cosignatures

    @property
    def sound(self) -> bool:
        """Whether all was checked and nothing speaks against the log."""
        return not self.problems and not self.unchecked


@dataclass(slots=True)
class ProblemCollector:
    """Grows while a log is examined; bounded, however bad the log is."""

    problems: list[LogProblem] = field(default_factory=list)
    more: int = 0
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _of: Counter[str] = field(default_factory=Counter)

    def problem(
        self, kind: str, place: str, what: str, *, run: str = "", line: int = 0, seq: int = -1
    ) -> None:
        """Note a problem; beyond MOST of a kind they are only counted."""
        self._of[kind] += 1
        if self._of[kind] > MOST:
            self.more += 1
            return
        self.problems.append(LogProblem(kind, place, what, run, line, seq))

    def take(self, other: ProblemCollector, at: int, excused: Callable[[LogProblem], bool]) -> None:
        """Put the problems of another in at `at`, but for those that are excused."""
        left = [problem for problem in other.problems if not excused(problem)]
        self.problems[at:at] = left
        self.more += other.more if len(left) == len(other.problems) else 0

    def has_problem(self, kind: str, place: str = "") -> bool:
        """Return whether a problem of this kind was reported, at any place or at this one."""
        return any(problem.kind == kind and place in ("", problem.place) for problem in self.problems)

    def note(self, text: str) -> None:
        """Note what a reader should know and that speaks against nothing."""
        self.notes.append(text)
