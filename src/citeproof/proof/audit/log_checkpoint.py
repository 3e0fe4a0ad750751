"""A checkpoint: which log, how many entries, which root. The text that is signed, and stored elsewhere."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from citeproof.plumbing.signed_note import NoteError, decode_base64
from citeproof.text import lazy_patterns as re

LARGEST = 2**63 - 1
LONGEST = 255  # characters of an origin
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class LogCheckpoint:
    """The state of a log; `extra` are extension lines, which others' logs may have."""

    origin: str
    size: int
    root: bytes
    extra: tuple[str, ...] = ()

    def body(self) -> str:
        """The text that is signed (c2sp.org/tlog-checkpoint)."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extra)
        return "".join(f"{line}\n" for line in lines)


def parse_checkpoint(text: str) -> LogCheckpoint:
    """The checkpoint written as `text`; NoteError when it is not one."""
    lines = text.split("\n", 3)
    if len(lines) < 4 or (lines[3] and not lines[3].endswith("\n")):
        raise NoteError("a checkpoint has three lines: origin, size, root")
    origin, digits, coded, rest = lines
    root = decode_base64(coded)
    extra = tuple(rest.split("\n")[:-1])
    size = parse_number(digits)
    named = 0 < len(origin) <= LONGEST and origin.isprintable()
    if not named or size is None or root is None or len(root) != 32 or not all(extra):
        raise NoteError(f"this is not a checkpoint: {text[:60]!r}")
    return LogCheckpoint(origin, size, root, extra)


def parse_number(digits: str) -> int | None:
    """The decimal number (no sign, no leading zero, below 2**63) written as `digits`, or None."""
    if not _SIZE.fullmatch(digits) or int(digits) > LARGEST:
        return None
    return int(digits)


def parse_unverified(note: bytes) -> LogCheckpoint:
    """The checkpoint that a note says it is; no signature is examined. NoteError when it is not one."""
    return parse_checkpoint(note.rpartition(b"\n\n")[0].decode("utf-8", "replace") + "\n")
