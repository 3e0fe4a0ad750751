"""What changes on the disk while somebody works on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from citeproof.corpus.kept import signature

Look: TypeAlias = Mapping[str, tuple[int, ...]]


def signatures(paths: Iterable[Path]) -> dict[str, tuple[int, ...]]:
    """Return the signature of each path; that of one that is not there is empty, so that its coming shows."""
    found: dict[str, tuple[int, ...]] = {}
    for path in paths:
        try:
            found[os.fspath(path)] = signature(path.stat())
        except (OSError, ValueError):
            found[os.fspath(path)] = ()
    return found


def changes(
    look: Callable[[], Look], every: float, sleep: Callable[[float], None], since: Look | None = None
) -> Iterator[frozenset[str]]:
    """Yield the paths that came, went or changed, once two looks in a row agree.

    An editor writes a file in several steps, a checkout thousands of files: a run in between would show what
    nobody wrote. Changes made while the caller works show at the next look; those made before the first one
    show if `since` has signatures from before. Paths that `look` gives for the first time count as changed:
    whether they are new on the disk or only to `look` cannot be told.
    """
    last: Look = {**look(), **(since or {})}
    while True:
        sleep(every)
        now = look()
        if now == last:
            continue
        while True:
            sleep(every)
            again = look()
            if again == now:
                break
            now = again
        if different := _different(last, now):  # else all came back to what it was
            yield different
        last = now


def _different(before: Look, after: Look) -> frozenset[str]:
    return frozenset(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
