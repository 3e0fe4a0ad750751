"""Versions of files compared with what the files are now: each pair once, and only for so long in a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from citeproof.clock import Clock
from citeproof.corpus.code.drift import VersionComparison
from citeproof.corpus.code.git_log import FileVersion
from citeproof.corpus.code.repository import TransientGitError
from citeproof.corpus.corpus_types import Drift

IN_ALL = 30.0  # seconds that one run spends on comparing
_HELD = 20_000_000  # bytes of the versions that are held; what is worked out from them takes more

Key: TypeAlias = tuple[str, str, str]  # the path, the hash of the cited version, that of the file now


@dataclass(frozen=True, slots=True)
class VersionPair:
    """The cited version of a file, compared with what the file is now."""

    version: FileVersion
    both: VersionComparison


class ComparisonCache:
    """The pairs that were used last, and the time that comparing them took."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[Key, VersionPair | str] = {}
        self._size = 0
        self._spent = 0.0

    def pair(self, key: Key, make: Callable[[], VersionPair | str]) -> VersionPair | str:
        """Return a pair, made if it is not held, or why there is none."""
        found = self._held.pop(key, None)
        if found is None:
            found = make()
            self._size += _estimate_size(found)
        self._held[key] = found
        while self._size > _HELD and len(self._held) > 1:
            self._size -= _estimate_size(self._held.pop(next(iter(self._held))))
        return found

    def find_drift(self, both: VersionComparison, lines: str) -> Drift:
        """Return what became of cited lines; PassingError if there is no time left."""
        if self._spent > IN_ALL:
            raise TransientGitError(f"comparing versions took longer than {IN_ALL:g} s in all")
        began = self._clock.elapsed()
        try:
            return both.find_drift(lines)
        finally:
            self._spent += self._clock.elapsed() - began


def _estimate_size(of: VersionPair | str) -> int:
    return of.both.size if isinstance(of, VersionPair) else 1_000
