"""Earlier versions of a cited file, from the git repository that the root is in, and from its submodules."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from citeproof.corpus.code import is_digest_prefix
from citeproof.corpus.code.blobs import MOST, Blobs
from citeproof.corpus.code.drift import ComparisonCache
from citeproof.corpus.code.git import PATIENCE, run_git
from citeproof.corpus.code.git_log import (
    FileRemoval,
    FileVersion,
    GitLogEntry,
    find_removal,
    list_all_versions,
    list_file_versions,
)
from citeproof.corpus.code.repository import (
    GitError,
    TransientGitError,
    find_repository,
    has_own_repository,
    read_small_file,
)
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.text.unicode import show_one_line

MOST_SUBMODULES = 20  # submodules that are examined
_LISTING = 100_000  # of the file that lists them
_FAULTS = (GitError, OSError, RuntimeError, ValueError)  # RuntimeError: links in a circle, before 3.13
_SUBMODULE_PATH = re.compile(
    r'^[ \t]{0,40}path[ \t]{0,40}=[ \t]{0,40}"?([^"\n]{1,1000}?)"?[ \t\r]{0,40}$', re.MULTILINE
)

IN_ALL = 60.0  # seconds that one run spends on histories
SOUGHT = 10.0  # seconds that it spends on files that are gone
FEW = 8  # files that are asked for one by one; for more, one log of all is read

_UNREAD = ("", "")  # for the digests of a content that is missing or too large
_ID = re.compile(r"[0-9a-f]{40,64}")


class FileHistory:
    """The versions of the files of one root and of its submodules, each file's asked for once."""

    def __init__(
        self, root: Path, most: int = 500, *, clock: Clock | None = None, module: bool = False
    ) -> None:
        """A `module` is a submodule: what it holds of its own is not examined."""
        self._root, self._most, self._clock, self._module = root, most, clock or SystemClock(), module
        self._blobs = Blobs(root, self._clock)
        self._logs: dict[str, list[GitLogEntry] | str] = {}  # a sentence where there is none
        self._digests: dict[str, tuple[str, str]] = {}  # of a blob, and of it with CRLF line ends
        self._gone: dict[str, FileRemoval | None] = {}
        self._spent = self._sought = 0.0
        self.comparisons = ComparisonCache(self._clock)  # of its versions with files as they are now

    def version(self, path: str, hash16: str) -> FileVersion | None:
        """Return the newest version of a file whose SHA-256 begins with `hash16`, 16 hex digits."""
        began = self._clock.elapsed()
        try:
            if (name := self._find_submodule(path)) and self._spent <= IN_ALL:
                return self._modules[name].version(path[len(name) + 1 :], hash16)
            return self._version(path, hash16)
        except GitError as error:
            self._logs[path] = str(error)
            return None
        finally:
            self._spent += self._clock.elapsed() - began

    def explain_missing(self, path: str) -> str:
        """Return why a version of a file was not found, as one sentence."""
        if (name := self._find_submodule(path)) and path not in self._logs:
            return (
                f"in the submodule {show_one_line(name)[:200]}, "
                f"{self._modules[name].explain_missing(path[len(name) + 1 :])}"
            )
        entries = self._logs.get(path, "the history of the file was not searched")
        if isinstance(entries, str):
            return entries
        if not entries and (other := find_nested_repository(self._root, path)):
            return f"the file is in another repository inside the root: {show_one_line(other)[:200]}"
        if not entries:
            return "the file was never committed"
        if len(entries) >= self._most:
            return f"the cited version is not among the last {self._most} of the file"
        if any(self._digests.get(entry.blob) == _UNREAD for entry in entries):
            return f"the cited version is not among the readable versions of up to {MOST / 1e6:g} MB"
        if self.state[1]:
            return "the cited version is not in this shallow clone; run `git fetch --unshallow`"
        if len(entries) == 1:
            return "the only committed version of the file differs from the cited one"
        return f"none of the {len(entries)} committed versions of the file is the cited one"

    def find_removal(self, path: str) -> FileRemoval | None:
        """Return how a file that is not there went away, None if it never was; GitError if git fails."""
        if path not in self._gone:
            if self._sought > SOUGHT:
                raise GitError(f"searching for deleted files took longer than {SOUGHT:g} s in all")
            began = self._clock.elapsed()
            try:
                if name := self._find_submodule(path):
                    removal = self._modules[name].find_removal(path[len(name) + 1 :])
                    self._gone[path] = removal and replace(removal, to=removal.to and f"{name}/{removal.to}")
                else:
                    self._gone[path] = find_removal(self._root, path, SOUGHT / 2)
            finally:
                self._sought += self._clock.elapsed() - began
        return self._gone[path]

    def head(self) -> str:
        """Return what the answers depend on: the commits that are checked out, or why there are none."""
        commit, shallow = self.state
        own = f"{commit}, shallow" if shallow else commit
        return "; ".join([own, *(f"{name}: {module.head()}" for name, module in self._modules.items())])

    def close(self) -> None:
        self._blobs.close()
        for module in self.__dict__.get("_modules", {}).values():
            module.close()

    @cached_property
    def state(self) -> tuple[str, bool]:
        """The commit that is checked out, or why there is none; whether the clone is shallow."""
        try:
            said = run_git(self._root, ["rev-parse", "--is-shallow-repository", "HEAD^{commit}"]).split()
        except GitError as error:
            return str(error), False
        return said[-1].decode("ascii", "replace"), said[0] == b"true"

    @cached_property
    def _all(self) -> dict[str, list[GitLogEntry]] | None:
        return list_all_versions(self._root)

    @cached_property
    def _modules(self) -> dict[str, FileHistory]:
        names = () if self._module else list_submodules(self._root)
        return {
            name: FileHistory(self._root / name, self._most, clock=self._clock, module=True) for name in names
        }

    def _find_submodule(self, path: str) -> str:
        """Return the submodule that a file lies in, empty if it lies in none."""
        return next((name for name in self._modules if path.startswith(f"{name}/")), "")

    def _version(self, path: str, cited: str) -> FileVersion | None:
        if path not in self._logs:
            self._logs[path] = self._list_versions(path)
        entries = self._logs[path]
        if isinstance(entries, str):
            raise GitError(entries)
        until = self._clock.elapsed() + PATIENCE
        for since, entry in enumerate(entries):
            if self._clock.elapsed() > until:
                raise TransientGitError(f"reading the versions of the file took longer than {PATIENCE:g} s")
            plain, crlf = self._digest(entry.blob)
            if is_digest_prefix(plain, cited) or is_digest_prefix(crlf, cited):
                data = self._blobs.read(entry.blob) or b""
                data = data if is_digest_prefix(plain, cited) else _convert_to_crlf(data)
                return FileVersion(entry.commit, entry.date, data, since)
        return None

    def _list_versions(self, path: str) -> list[GitLogEntry]:
        if not _ID.fullmatch(self.state[0]):
            raise GitError(self.state[0])
        if self._spent > IN_ALL:
            raise TransientGitError(f"git took longer than {IN_ALL:g} s in all")
        if len(self._logs) >= FEW and self._all is not None:
            return self._all.get(path, [])[: self._most]
        return list_file_versions(self._root, path, self._most)

    def _digest(self, blob: str) -> tuple[str, str]:
        if blob not in self._digests:
            data = self._blobs.read(blob)
            if data is None:
                self._digests[blob] = _UNREAD
            else:
                self._digests[blob] = sha256(data).hexdigest(), sha256(_convert_to_crlf(data)).hexdigest()
        return self._digests[blob]


def _convert_to_crlf(data: bytes) -> bytes:
    """Return text as a checkout with `core.autocrlf` writes it; what has such line ends stays."""
    return data if b"\r\n" in data else data.replace(b"\n", b"\r\n")


def list_submodules(root: Path) -> tuple[str, ...]:
    """Return the project paths of submodules below a root, those within other ones left out."""
    try:
        above, real = find_repository(root), root.resolve(strict=True)
        listed = above / ".gitmodules"
        if not stat.S_ISREG(listed.lstat().st_mode):
            return ()
        named = dict.fromkeys(_SUBMODULE_PATH.findall(read_small_file(listed, _LISTING)))
    except _FAULTS:
        return ()
    return tuple(
        name for path in list(named)[:MOST_SUBMODULES] if (name := _locate_submodule(real, above, path))
    )


def find_nested_repository(root: Path, path: str) -> str:
    """Return the project path of another repository that a file of the root lies in, empty if in none."""
    parts = path.split("/")[:-1]
    ways = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((way for way in ways if os.path.lexists(root / way / ".git")), "")


def _locate_submodule(root: Path, above: Path, name: str) -> str:
    """Return the project path of a submodule; empty if it is not one of the root, or nothing is there."""
    folder = above / name
    try:
        fine = folder.resolve() == folder and root in folder.parents and has_own_repository(above, folder)
    except _FAULTS:
        return ""
    return folder.relative_to(root).as_posix() if fine else ""
