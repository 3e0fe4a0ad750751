"""What a verification found: problems, notes, and what could not be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

MOST = 50  # problems of one kind that are told one by one


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it was logged; `seq`, `run` and `line` where it is one event."""

    # "checkpoint", "event", "tile", "line", "journal", "rollback", "commit", "evidence", "private" or "file"
    kind: str
    place: str
    what: str
    run: str = ""
    line: int = 0
    seq: int = -1


@dataclass(frozen=True, slots=True)
class Verified:
    """What can be said about a log: sound when there are no problems and nothing was left unchecked."""

    origin: str
    size: int
    root: str
    key: str
    problems: tuple[Problem, ...]
    more: int  # problems beyond those that are told
    notes: tuple[str, ...]
    unchecked: tuple[str, ...]
    counts: Mapping[str, int]
    times: tuple[tuple[str, int], ...] = ()  # (witness, seconds since 1970) of valid cosignatures

    @property
    def sound(self) -> bool:
        """Whether nothing speaks against the log."""
        return not self.problems


@dataclass(slots=True)
class Findings:
    """Grows while a log is looked at; bounded, however bad the log is."""

    problems: list[Problem] = field(default_factory=list)
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
        self.problems.append(Problem(kind, place, what, run, line, seq))

    def note(self, text: str) -> None:
        """Note what a reader should know and that speaks against nothing."""
        self.notes.append(text)
