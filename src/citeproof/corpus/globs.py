"""Path patterns as in ignore files: `*` within a part, `**` over parts, one without `/` at any depth.

A pattern that matches a folder matches all that is below it. The cost is bounded by the length of the path
times that of the pattern, whatever either says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePosixPath

WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern: `None` is `**`, a string represents itself."""

    parts: tuple[str | re.Pattern[str] | None, ...]
    ending: str  # the suffix that it asks for, if it does

    def matches(self, path: Sequence[str]) -> bool:
        """Return whether a path, given by its parts, or a folder above it matches."""
        return any(
            self.match_name(self.match_folder(path[:length]), path[length]) for length in range(len(path))
        )

    def match_folder(self, folder: Sequence[str]) -> frozenset[int]:
        """Return the places of the pattern that a folder leads to; none: nothing in it can match."""
        at = _skip_wildcards({0}, self.parts)
        for part in folder:
            at = _skip_wildcards({step for now in at for step in self._steps(now, part)}, self.parts)
        return frozenset(at)

    def match_name(self, at: frozenset[int], name: str) -> bool:
        """Return whether a name completes the pattern from the places that its folder led to."""
        end = len(self.parts)
        return any(
            end in _skip_wildcards({step}, self.parts) for now in at for step in self._steps(now, name)
        )

    def _steps(self, now: int, part: str) -> tuple[int, ...]:
        """Return where one part of a path leads from a place in the pattern."""
        if now == len(self.parts):
            return ()
        wanted = self.parts[now]
        if wanted is None:
            return (now,)
        if isinstance(wanted, str):
            return (now + 1,) if wanted == part else ()
        return (now + 1,) if wanted.match(part) else ()


@lru_cache(maxsize=256)
def compile_glob(pattern: str) -> Glob:
    """Return a pattern ready to match; an empty one matches nothing."""
    pattern = pattern.strip().rstrip("/")
    if not pattern.strip("./"):
        return Glob(("",), "")
    return compile_glob_below((), pattern if "/" in pattern else f"**/{pattern}")


def compile_glob_below(folder: Sequence[str], pattern: str) -> Glob:
    """Return a pattern below a folder, whose own name is meant as it is."""
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    deep = parts[-1:] == ["**"] and len(parts) > 1
    if deep:
        parts.pop()  # `a/**` matches what is below `a`: so does `a`, without examining it
    ending = "" if deep else PurePosixPath(parts[-1]).suffix
    compiled = (re.compile(translate(part)) if WILD.search(part) else part for part in parts)
    wanted = (None if part == "**" else one for part, one in zip(parts, compiled, strict=True))
    return Glob((*folder, *wanted), "" if WILD.search(ending) else ending)


def _skip_wildcards(at: set[int], parts: Sequence[object]) -> set[int]:
    """Return places in a pattern and those behind the `**` that may represent nothing."""
    for now in sorted(at):
        step = now
        while step < len(parts) and parts[step] is None:
            step += 1
            at.add(step)
    return at
