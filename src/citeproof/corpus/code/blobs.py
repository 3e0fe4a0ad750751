"""Contents of a repository by their ids, from one long-lived `git cat-file`."""

from __future__ import annotations

import os
import subprocess
import weakref
from pathlib import Path

from citeproof.corpus.code.git import PATIENCE, end_process, is_stream_ready, start_git
from citeproof.corpus.code.repository import GitError, TransientGitError
from citeproof.plumbing.clock import Clock

MOST = 5_000_000  # bytes of one content; a larger one is skipped
_PIECE = 1 << 20
_ENDED = "git ended before it answered"


class Blobs:
    """The contents of one repository. The child starts with the first question and ends with `close`."""

    def __init__(self, folder: Path, clock: Clock, patience: float = PATIENCE) -> None:
        self._folder, self._clock, self._patience = folder, clock, patience
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._rest = b""  # read already, of the next answer
        self._until = 0.0

    def read(self, name: str) -> bytes | None:
        """Return one content, None if it is missing, too large or no file; GitError when git fails."""
        self._until = self._clock.elapsed() + self._patience
        if self._owner != os.getpid():  # we were forked: that child and its answers are our parent's
            self._child, self._rest, self._owner = None, b"", os.getpid()
        try:
            if self._child is None:
                self._child = start_git(self._folder, ["cat-file", "--batch"])
                weakref.finalize(self, _end_child, self._child, self._owner)  # if `close` is forgotten
            stdin = self._child.stdin
            assert stdin is not None
            stdin.write(name.encode("ascii") + b"\n")
            stdin.flush()
            return self._answer()
        except GitError:
            self.close()  # its answers would no longer be those to our questions
            raise
        except OSError as error:
            self.close()
            raise TransientGitError(_ENDED) from error

    def close(self) -> None:
        child, self._child, self._rest = self._child, None, b""
        if child is not None:
            _end_child(child, self._owner)

    def _answer(self) -> bytes | None:
        """Return the content of one answer: `<id> <type> <size>`, a newline, the bytes, a newline."""
        while b"\n" not in self._rest:
            self._rest += self._read_more()
        head, _, self._rest = self._rest.partition(b"\n")
        words = head.split()
        if len(words) != 3 or not words[2].isdigit():  # "<id> missing"
            return None
        size = int(words[2])
        wanted = size <= MOST and words[1] == b"blob"
        data = self._read_bytes(size + 1, wanted=wanted)
        return data[:-1] if wanted else None

    def _read_bytes(self, size: int, *, wanted: bool) -> bytes:
        """Return the next `size` bytes, or nothing of them if they are not wanted."""
        pieces, left = list[bytes](), size
        while left:
            piece = self._rest or self._read_more()
            self._rest = piece[left:]
            piece = piece[:left]
            left -= len(piece)
            if wanted:
                pieces.append(piece)
        return b"".join(pieces)

    def _read_more(self) -> bytes:
        """Return some bytes of the child's; GitError when none come in time."""
        assert self._child is not None
        stdout = self._child.stdout
        assert stdout is not None
        left = self._until - self._clock.elapsed()
        if not is_stream_ready(stdout, left):
            raise TransientGitError(f"git took longer than {self._patience:g} s")
        piece = os.read(stdout.fileno(), _PIECE)
        if not piece:
            raise TransientGitError(_ENDED)
        return piece


def _end_child(child: subprocess.Popen[bytes], owner: int) -> None:
    """End a child of ours; one that a fork brought along is left to whom it belongs."""
    if owner == os.getpid():
        end_process(child)
