"""The versions of files that a repository's log names, newest first: of one file, or of all of a root."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citeproof.corpus.code.git import run_git
from citeproof.corpus.code.repository import GitError

COMMITS = 20_000  # of a repository whose log is read as a whole
BYTES = 32_000_000  # of that log

_LOG = (
    *("log", "--find-renames", "-l200", "-c", "--raw", "--no-abbrev", "-z", "--format=%x01%H %cI"),
    *("--no-textconv", "--no-ext-diff", "--no-color", "--no-decorate", "--no-notes", "--no-show-signature"),
    *("--no-mailmap", "--no-relative", "--ignore-submodules"),
)
_RENAMES = (
    *("diff-tree", "-r", "--find-renames", "-l200", "--raw", "--no-abbrev", "-z", "--diff-filter=R"),
    *("--no-textconv", "--no-ext-diff", "--no-relative", "--ignore-submodules"),
)
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) ([0-9T:+-]{19,32}|[0-9T:-]{19}Z)")
# `:old-mode new-mode old-id new-id M`; a merge has one colon, mode and id for each parent more.
_RAW = re.compile(rb"\n?:{1,99}(?:[0-7]{6} ){2,99}(?:[0-9a-f]{40,64} ){1,99}([0-9a-f]{40,64}) ([A-Z])")


@dataclass(frozen=True, slots=True)
class GitLogEntry:
    """One version of one file: the commit that made it so, and where its content is."""

    commit: str
    date: str
    blob: str


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One version of a file: the last commit that made it so, and how many changed the file since."""

    commit: str
    date: str
    data: bytes
    commits_since: int


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """How a file went away: by which commit (none yet if it is in the last one), and under which name."""

    commit: str = ""
    date: str = ""
    to: str = ""  # what it was renamed to, a project path; empty if it was deleted


@dataclass(frozen=True, slots=True)
class _TouchedFile:
    entry: GitLogEntry
    path: str
    before: str  # another name that the file had until this commit


def list_file_versions(root: Path, path: str, most: int) -> list[GitLogEntry]:
    """Return the versions of one file, through renames; GitError when git cannot tell."""
    said = run_git(root, [*_LOG, "--follow", f"--max-count={most}", "--", path])
    return [touched.entry for touched in _parse_log(said) if _has_content(touched.entry)]


def find_removal(root: Path, path: str, patience: float) -> FileRemoval | None:
    """Return how a file that is not there went away, None if it was never committed; GitError as above."""
    if b" blob " in run_git(root, ["ls-tree", "-z", "HEAD", "--", path], patience).partition(b"\t")[0]:
        return FileRemoval()
    above = _find_root_prefix(root)
    said = run_git(root, [*_LOG, "--max-count=1", "--diff-filter=D", "--", path], patience)
    taken = (
        file.entry for file in _parse_log(said) if file.path == above + path and not _has_content(file.entry)
    )
    if (last := next(taken, None)) is None:
        return None
    said = run_git(root, [*_RENAMES, f"{last.commit}^", last.commit], patience)
    to = next((file.path for file in _parse_log(said) if file.before == above + path), "")
    return FileRemoval(last.commit, last.date, to.removeprefix(above) if to.startswith(above) else "")


def list_all_versions(root: Path) -> dict[str, list[GitLogEntry]] | None:
    """Return the versions of every file below the root, through renames; None if the log is too long."""
    words = ["--full-history", f"--max-count={COMMITS}", "--", "."]
    try:
        above = _find_root_prefix(root)
        said = run_git(root, [*_LOG, *words], most=BYTES)
    except GitError:
        return None
    if said.count(b"\x01") >= COMMITS:
        return None  # what is older would be missing
    versions: dict[str, list[GitLogEntry]] = {}
    now: dict[str, str] = {}  # a name of earlier -> the name today
    for touched in _parse_log(said):
        name = now.get(touched.path, touched.path)
        if touched.before:
            now[touched.before] = name
        if _has_content(touched.entry):
            for known in {name, touched.path}:  # a citation of the old name may mean the old file
                versions.setdefault(known.removeprefix(above), []).append(touched.entry)
    return versions


def _find_root_prefix(root: Path) -> str:
    """Return where a root is in its repository: what its project paths begin with in a log."""
    return os.fsdecode(run_git(root, ["rev-parse", "--show-prefix"]).removesuffix(b"\n"))


def _has_content(entry: GitLogEntry) -> bool:
    """Return whether there is a file after the commit: one that took it away names no content."""
    return entry.blob.strip("0") != ""


def _parse_log(said: bytes) -> Iterator[_TouchedFile]:
    """Yield every file that a commit touched, in the order of a log whose parts are ended by NULs."""
    commit = date = ""
    parts = iter(said.split(b"\0"))
    for part in parts:
        if head := _HEAD.fullmatch(part):
            commit, date = head[1].decode(), head[2].decode().replace("Z", "+00:00")
        elif raw := _RAW.match(part):
            path = os.fsdecode(next(parts, b""))
            before, path = (path, os.fsdecode(next(parts, b""))) if raw[2] in b"RC" else ("", path)
            yield _TouchedFile(
                GitLogEntry(commit, date, raw[1].decode()), path, before if raw[2] == b"R" else ""
            )
