"""A run that is being written: the log is not rotated under it, and no other run has its name.

Two at once under one name would number their references alike.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.disk_files import FLAGS, is_still_named, take_lock
from citeproof.text import lazy_patterns as re

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # what a run or hypothesis may be called
OPEN = "lock.runs"  # shared by all who write runs; anyone who rotates the log wants it alone


class RunLock:
    """The right to log a run, under a name of its own if it has one, until it is let go."""

    def __init__(self, folder: Path, run: str = "") -> None:
        """Take the name, or say that another process has it."""
        self._path = folder / f"lock.run-{run}"
        self._handle: int | None = None
        self._open: int | None = None
        try:
            self._open = os.open(folder / OPEN, FLAGS, 0o600)
            fcntl.flock(self._open, fcntl.LOCK_SH)
            if run:
                self._handle = take_lock(self._path)
        except BlockingIOError:
            self.let_go()
            message = f"another process is logging under the name {run}"
            hint = "wait until it ends, or use another name"
            raise UsageError(message, place="--audit-run", hint=hint) from None
        except OSError as error:
            self.let_go()
            hint = "give this user write permission for the folder"
            raise AuditError(error.strerror or str(error), place=str(self._path), hint=hint) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Give the name back; its file goes with it."""
        if self._open is not None:
            os.close(self._open)
            self._open = None
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        try:
            if is_still_named(self._path, handle):
                self._path.unlink()
        except OSError:
            pass  # a file without a lock on it does no harm
        finally:
            os.close(handle)
