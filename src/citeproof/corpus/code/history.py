"""Earlier versions of a cited file, from the git repository that the root is in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from citeproof.clock import Clock, SystemClock
from citeproof.corpus.code import begins
from citeproof.corpus.code.blobs import Blobs
from citeproof.corpus.code.git import PATIENCE, GitError, answer
from citeproof.corpus.code.log import Entry, of_all, of_file

IN_ALL = 60.0  # seconds that one run spends on histories
FEW = 8  # files that are asked for one by one; whoever cites more changed files is served by one log of all

_ID = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a file: the last commit that made it so, and how many changed the file since."""

    commit: str
    date: str
    data: bytes
    commits_since: int


class History:
    """The versions of the files of one root, each file's asked for once."""

    def __init__(self, root: Path, most: int = 500, *, clock: Clock | None = None) -> None:
        self._root, self._most, self._clock = root, most, clock or SystemClock()
        self._blobs = Blobs(root, self._clock)
        self._logs: dict[str, list[Entry] | str] = {}  # a sentence where there is none
        self._digests: dict[str, tuple[str, str]] = {}  # of a blob, and of it with CRLF line ends
        self._spent = 0.0

    def version(self, path: str, hash16: str) -> Version | None:
        """Return the newest version of a file whose SHA-256 begins with `hash16`."""
        began = self._clock.elapsed()
        try:
            return self._version(path, hash16)
        except GitError as error:
            self._logs[path] = str(error)
            return None
        finally:
            self._spent += self._clock.elapsed() - began

    def why(self, path: str) -> str:
        """Return why a version of a file was not found, as one sentence."""
        entries = self._logs.get(path, "the history of the file was not looked at")
        if isinstance(entries, str):
            return entries
        if not entries:
            return "the file was never committed"
        if len(entries) >= self._most:
            return f"the cited version is not among the last {self._most} of the file"
        if self.state[1]:
            return "the cited version is not in this shallow clone; `git fetch --unshallow` brings the rest"
        if len(entries) == 1:
            return "the one committed version of the file is another"
        return f"none of the {len(entries)} committed versions of the file is the cited one"

    def head(self) -> str:
        """Return what the answers depend on: the commit that is checked out, or why there is none."""
        commit, shallow = self.state
        return f"{commit}, shallow" if shallow else commit

    def close(self) -> None:
        """End the child process, if one runs."""
        self._blobs.close()

    @cached_property
    def state(self) -> tuple[str, bool]:
        """The commit that is checked out, or why there is none; whether the clone is shallow."""
        try:
            said = answer(self._root, ["rev-parse", "--is-shallow-repository", "HEAD^{commit}"]).split()
        except GitError as error:
            return str(error), False
        return said[-1].decode("ascii", "replace"), said[0] == b"true"

    @cached_property
    def _all(self) -> dict[str, list[Entry]] | None:
        return of_all(self._root)

    def _version(self, path: str, cited: str) -> Version | None:
        entries = self._entries(path)
        until = self._clock.elapsed() + PATIENCE
        for since, entry in enumerate(entries):
            if self._clock.elapsed() > until:
                raise GitError(f"reading the versions of the file took longer than {PATIENCE:g} s")
            plain, crlf = self._digest(entry.blob)
            if begins(plain, cited) or begins(crlf, cited):
                data = self._blobs.read(entry.blob) or b""
                data = data if begins(plain, cited) else _crlf(data)
                return Version(entry.commit, entry.date, data, since)
        return None

    def _entries(self, path: str) -> list[Entry]:
        """Return the versions of a file, newest first; GitError says why there are none."""
        if path not in self._logs:
            self._logs[path] = self._asked(path)
        entries = self._logs[path]
        if isinstance(entries, str):
            raise GitError(entries)
        return entries

    def _asked(self, path: str) -> list[Entry]:
        if not _ID.fullmatch(self.state[0]):
            raise GitError(self.state[0])
        if self._spent > IN_ALL:
            raise GitError(f"git took longer than {IN_ALL:g} s in all")
        if len(self._logs) >= FEW and self._all is not None:
            return self._all.get(path, [])[: self._most]
        return of_file(self._root, path, self._most)

    def _digest(self, blob: str) -> tuple[str, str]:
        if blob not in self._digests:
            data = self._blobs.read(blob)
            if data is None:
                self._digests[blob] = "", ""
            else:
                self._digests[blob] = sha256(data).hexdigest(), sha256(_crlf(data)).hexdigest()
        return self._digests[blob]


def _crlf(data: bytes) -> bytes:
    """Return text as a checkout with `core.autocrlf` writes it; what has such line ends stays."""
    return data if b"\r\n" in data else data.replace(b"\n", b"\r\n")
