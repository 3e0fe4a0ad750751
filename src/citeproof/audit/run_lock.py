"""A run that is being written: the log is not rotated under it, and its name is nobody else's.

Two at once under one name would number their references alike.
"""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path
from typing import Self

from citeproof.errors import AuditError, UsageError

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # what a run or hypothesis may be called
OPEN = "lock.runs"  # shared by all who write runs; whoever rotates the log wants it alone
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class RunLock:
    """The right to log a run, under a name of its own if it has one, until it is let go."""

    def __init__(self, folder: Path, run: str = "") -> None:
        """Take the name, or say that another process has it."""
        self._path = folder / f"lock.run-{run}"
        self._handle: int | None = None
        self._open: int | None = None
        try:
            self._open = os.open(folder / OPEN, _FLAGS, 0o600)
            fcntl.flock(self._open, fcntl.LOCK_SH)
            if run:
                self._take()
        except BlockingIOError:
            self.let_go()
            raise UsageError(
                f"another process is logging under the name {run}",
                place="--audit-run",
                hint="wait until it ends, or use another name",
            ) from None
        except OSError as error:
            self.let_go()
            hint = "give this user write permission for the folder"
            raise AuditError(error.strerror or str(error), place=str(self._path), hint=hint) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def _take(self) -> None:
        while True:
            handle = os.open(self._path, _FLAGS, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_there(handle):
                    self._handle = handle
                    return
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # whoever had it took the file away meanwhile

    def _is_there(self, handle: int) -> bool:
        try:
            there = self._path.lstat()
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(handle))

    def let_go(self) -> None:
        """Give the name back; its file goes with it."""
        if self._open is not None:
            os.close(self._open)
            self._open = None
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        try:
            if self._is_there(handle):
                self._path.unlink()
        except OSError:
            pass  # a file without a lock on it is in nobody's way
        finally:
            os.close(handle)
