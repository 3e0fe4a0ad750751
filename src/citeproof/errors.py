"""The few exceptions a caller may meet, the exit codes, and what messages share.

    CiteproofError            everything of ours; carries a message, a place and the hint
    ├── UsageError            wrong flags, settings or arguments            (exit 2)
    ├── InputError            a document that cannot be read at all         (exit 2)
    │   └── NotADocumentError      a file in no format of documents         (exit 2)
    ├── SnapshotError         a snapshot that cannot be opened or built     (exit 2)
    ├── NothingFoundError     a log, run or event that is not there         (exit 3)
    └── AuditError            an audit log that cannot be written or read   (exit 5)
        └── StoreUnreachableError  a shared database that cannot be used    (exit 5)

"Could not check" is never an exception: it is the value `Unchecked`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

_LONGEST_WORD = 100  # letters that are compared with the known words


class Exit(IntEnum):
    """Exit codes of every command."""

    CLEAN = 0
    PROBLEMS = 1
    USAGE = 2
    NOTHING = 3
    UNCHECKED = 4
    AUDIT = 5
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class CiteproofError(Exception):
    """What went wrong, where, and how to fix it."""

    def __init__(self, message: str, *, place: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        head = f"{self.place}: {self.message}" if self.place else self.message
        return f"{head}\n  hint: {self.hint}" if self.hint else head


class UsageError(CiteproofError):
    """Wrong flags, settings or arguments."""


class InputError(CiteproofError):
    """A document that cannot be read at all."""


class NotADocumentError(InputError):
    """A file in no known format of documents, or in another one than its name says."""

    words = "not a document"

    def __init__(self, message: str, *, place: str = "", hint: str = "see docs/formats.md") -> None:
        super().__init__(f"{self.words}: {message}", place=place, hint=hint)


class SnapshotError(CiteproofError):
    """A snapshot that cannot be opened or built."""


class NothingFoundError(CiteproofError):
    """Something to work on that is not there: an audit log, a run, an event."""


class AuditError(CiteproofError):
    """An audit log that cannot be written or read; nothing that is not in it is shown."""


class StoreUnreachableError(AuditError):
    """A database of several machines that cannot be used, now or at all."""


def suggest_word(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `did you mean 'acl'?` for a mistyped word, `otherwise` where no known word is like it."""
    from difflib import get_close_matches  # noqa: PLC0415 - only who mistyped needs it

    near = get_close_matches(word[:_LONGEST_WORD], known, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def format_count(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 issue`, `2 issues`, `2,000 entries`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
