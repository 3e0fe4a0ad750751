"""The versions of files that a repository's log names, newest first: of one file, or of all of a root."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citeproof.corpus.code.git import GitError, answer

COMMITS = 20_000  # of a repository whose log is read as a whole
BYTES = 32_000_000  # of that log

_LOG = (
    *("log", "--find-renames", "-l200", "-c", "--raw", "--no-abbrev", "-z", "--format=%x01%H %cI"),
    *("--no-textconv", "--no-ext-diff", "--no-color", "--no-decorate", "--no-notes", "--no-show-signature"),
    *("--no-mailmap", "--no-relative", "--ignore-submodules"),
)
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) ([0-9T:+-]{19,32}|[0-9T:-]{19}Z)")
# `:old-mode new-mode old-id new-id M`; a merge has one colon, mode and id for each parent more.
_RAW = re.compile(rb"\n?:{1,99}(?:[0-7]{6} ){2,99}(?:[0-9a-f]{40,64} ){1,99}([0-9a-f]{40,64}) ([A-Z])")


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of one file: the commit that made it so, and where its content is."""

    commit: str
    date: str
    blob: str


@dataclass(frozen=True, slots=True)
class _Touched:
    entry: Entry
    path: str
    before: str  # another name that the file had until this commit


def of_file(root: Path, path: str, most: int) -> list[Entry]:
    """Return the versions of one file, through renames; GitError when git cannot tell."""
    said = answer(root, [*_LOG, "--follow", f"--max-count={most}", "--", path])
    return [touched.entry for touched in _touched(said) if _content(touched.entry)]


def of_all(root: Path) -> dict[str, list[Entry]] | None:
    """Return the versions of every file below the root, through renames; None if the log is too long."""
    words = ["--full-history", f"--max-count={COMMITS}", "--", "."]
    try:
        above = os.fsdecode(answer(root, ["rev-parse", "--show-prefix"]).removesuffix(b"\n"))
        said = answer(root, [*_LOG, *words], most=BYTES)
    except GitError:
        return None
    if said.count(b"\x01") >= COMMITS:
        return None  # what is older would be missing
    found: dict[str, list[Entry]] = {}
    now: dict[str, str] = {}  # a name of earlier -> the name today
    for touched in _touched(said):
        name = now.get(touched.path, touched.path)
        if touched.before:
            now[touched.before] = name
        if _content(touched.entry):
            for known in {name, touched.path}:  # whoever cited the name of then may mean what it was then
                found.setdefault(known.removeprefix(above), []).append(touched.entry)
    return found


def _content(entry: Entry) -> bool:
    """Return whether there is a file after the commit: one that took it away names no content."""
    return entry.blob.strip("0") != ""


def _touched(said: bytes) -> Iterator[_Touched]:
    """Yield every file that a commit touched, in the order of a log whose parts are ended by NULs."""
    commit = date = ""
    parts = iter(said.split(b"\0"))
    for part in parts:
        if head := _HEAD.fullmatch(part):
            commit, date = head[1].decode(), head[2].decode().replace("Z", "+00:00")
        elif raw := _RAW.match(part):
            path = os.fsdecode(next(parts, b""))
            before, path = (path, os.fsdecode(next(parts, b""))) if raw[2] in b"RC" else ("", path)
            yield _Touched(Entry(commit, date, raw[1].decode()), path, before if raw[2] == b"R" else "")
