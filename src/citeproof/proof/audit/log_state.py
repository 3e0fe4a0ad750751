"""What a log folder says of itself: who it is (log.json), and how much is in its tiles (state.json).

Here, too: a checkpoint (which log, how many entries, which root: the text that is signed, and stored
elsewhere), its folders and small files, and the message when the disk fails.
"""

from __future__ import annotations

import base64
import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import read_plain_file, replace_durably, sync_folder
from citeproof.plumbing.signed_note import NoteError, decode_base64
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

FORMAT = "citeproof-audit-1"
HEAD, STATE, CHECKPOINT, LOCK, ROTATING = "log.json", "state.json", "checkpoint", "lock", "rotating.json"
COMMITTING = "lock.commit"  # held by commits while they wait for anchors: the log is not rotated under them
_LARGEST = 64 << 20  # bytes of a file of these; a rotation that carries much over is the largest
ELSEWHERE = "name an empty or new folder"
Stamp = tuple[int, int, int]
_HINTS = {
    errno.ENOSPC: "free some space; what was acknowledged is safe",
    errno.EDQUOT: "free some space of your quota; what was acknowledged is safe",
    errno.EFBIG: "raise the limit on the size of files; what was acknowledged is safe",
    errno.EACCES: "give this user write permission, or name another folder",
    errno.EPERM: "give this user write permission, or name another folder",
    errno.EROFS: "mount it for writing, or name another folder",
    errno.ENOTDIR: "name a folder",
    errno.EMFILE: "raise the limit on open files",
    errno.ENOENT: "restore the folder if it was moved or removed",
}
LARGEST = 2**63 - 1
LONGEST = 255  # characters of an origin
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class LogHead(msgspec.Struct, frozen=True):
    """What log.json holds: written once, never changed."""

    created: str
    format: str
    key: str
    origin: str


class LastCommit(msgspec.Struct, frozen=True):
    """The tree that the last `merkle_commit` names, and the number of that event."""

    root: str
    size: int
    seq: int = -1  # not known: all is read to find it


class LogState(msgspec.Struct, frozen=True):
    """What is in the tiles.

    `journal` names the journal whose lines came in last: until it is removed, a crash left it.
    """

    size: int
    root: str
    ts: str
    commit: LastCommit | None = None
    journal: int = 0


class RotationPlan(msgspec.Struct, frozen=True):
    """A rotation under way: where the old log goes, and what the new one is."""

    to: str
    head: LogHead
    first: str  # the first lines of the new log
    moved: bool = False
    also: tuple[str, ...] = ()  # folders in the log that its anchors have


Kept = TypeVar("Kept", bound=msgspec.Struct)


def load_head(folder: Path) -> LogHead | None:
    """Return who the log of the folder is, None where there is none; raise for a file of something else."""
    head = load_state_file(folder, HEAD, LogHead, f"restore it from a backup, or {ELSEWHERE}")
    if head is not None and head.format != FORMAT:
        message = f"has the log format {head.format[:40]!r}, which this version cannot write"
        hint = f"use the version of citeproof that made it, or {ELSEWHERE}"
        raise AuditError(message, place=str(folder / HEAD), hint=hint)
    return head


def load_state_file(
    folder: Path, name: str, kind: type[Kept], hint: str = "restore the folder from a backup"
) -> Kept | None:
    """Return what the file `name` holds, None where there is none."""
    data = read_small_file(folder / name, _LARGEST)
    if data is None:
        return None
    try:
        return decode_json(data, type=kind)
    except msgspec.DecodeError as error:
        raise AuditError(f"is damaged: {error}", place=str(folder / name), hint=hint) from error


def save_state_file(folder: Path, name: str, what: msgspec.Struct) -> None:
    replace_durably(folder / name, encode_canonical(msgspec.to_builtins(what)) + b"\n")


def read_state_stamp(folder: Path) -> Stamp | None:
    """Return what changes whenever anybody replaces state.json."""
    try:
        seen = (folder / STATE).stat()
    except FileNotFoundError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns


@contextmanager
def convert_disk_errors(place: Path, doing: str = "the audit log cannot be written") -> Iterator[None]:
    """Turn the faults of disks and permissions into our error, with the place and the hint."""
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "check the disk; what was acknowledged is safe")
        where = str(error.filename or place)
        raise AuditError(f"{doing}: {error.strerror or error}", place=where, hint=hint) from error


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user only; their names last."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", str(folder)) from None
    with suppress(PermissionError):  # who may add a name to a folder need not have the right to read it
        sync_folder(folder.parent)


def read_small_file(path: Path, most: int = 1 << 20) -> bytes | None:
    """Return the bytes of a small file of ours, None where there is none."""
    try:
        return read_plain_file(path, most)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        hint = "restore it from a backup"
        raise AuditError("is too large", place=str(path), hint=hint) from error


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
