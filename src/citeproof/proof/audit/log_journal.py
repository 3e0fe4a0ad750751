"""The journal: the truth for entries that are not yet in tiles, one canonical JSON line each, in order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path
from typing import NamedTuple

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import MORE, NOFOLLOW, sync_folder, write_synced
from citeproof.proof.audit.canonical_json import PlainObject, encode_canonical, encode_plain
from citeproof.proof.audit.run_lock import RUN
from citeproof.vocabulary.quick_dataclass import dataclass

LONGEST = 65_535  # bytes of an entry: its length is in two bytes of a bundle
OURS = ("v", "ts", "seq", "run")
_PIECE = 1 << 22


class LogLine(msgspec.Struct, frozen=True):
    """What the log itself reads of an entry."""

    seq: int
    ts: str
    run: str
    ev: str


_LINE = msgspec.json.Decoder(LogLine)


class JournalEntry(NamedTuple):
    """One line with what was read of it."""

    line: LogLine
    data: bytes  # without the line end


def encode_entry(run: str, event: Mapping[str, object], ts: str, seq: int) -> bytes:
    """Return the canonical line of an event, without its end."""
    encode = encode_plain if type(event) is PlainObject else encode_canonical
    try:
        made = encode({**event, "run": run, "seq": seq, "ts": ts, "v": 1})
    except (ValueError, TypeError) as error:
        raise AuditError(f"an event cannot be written as JSON: {error}", place=run) from error
    if len(made) > LONGEST:
        hint = "store large values as evidence and log their hash"
        raise AuditError(f"an event of {len(made):,} bytes is larger than {LONGEST:,}", place=run, hint=hint)
    return made


def make_journal_path(folder: Path, start: int) -> Path:
    return folder / f"journal-{start}"


def create_journal(folder: Path, start: int, first: bytes = b"") -> None:
    """Make the journal whose first line has number `start`; one that a crash left half made is replaced."""
    write_synced(make_journal_path(folder, start), first, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW)
    sync_folder(folder)


@dataclass(slots=True)
class Journal:
    """An open journal, and how far this process has read it."""

    folder: Path
    start: int
    before: str  # the time of the last entry in tiles
    handle: int
    ts: str  # of the last line, or of what is in tiles
    count: int = 0
    offset: int = 0

    @classmethod
    def open(cls, folder: Path, start: int, ts: str) -> Journal:
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        return cls(folder, start, ts, os.open(make_journal_path(folder, start), flags), ts)

    @property
    def next(self) -> int:
        return self.start + self.count

    def close(self) -> None:
        handle, self.handle = self.handle, -1
        if handle >= 0:
            with suppress(OSError):
                os.close(handle)

    def __del__(self) -> None:
        self.close()

    def is_current(self) -> bool:
        """Return whether the file is still there: it is removed once it is integrated."""
        return os.fstat(self.handle).st_nlink > 0

    def is_unread(self) -> bool:
        return os.fstat(self.handle).st_size != self.offset

    def read_new_entries(self) -> tuple[list[JournalEntry], bytes]:
        """Return the last of the entries that others wrote, and torn bytes after it: a quick `catch_up`.

        Its number shows how many they are. Their writer read the ones before; a signer reads all.
        """
        size = os.fstat(self.handle).st_size
        if size < self.offset:
            message = "the journal is shorter than it was"
            hint = "restore the folder from a backup, or log to a new one"
            raise AuditError(message, place=str(make_journal_path(self.folder, self.start)), hint=hint)
        tail = _read_range(self.handle, max(self.offset, size - LONGEST - 2), size)
        before, _, line = tail[:-1].rpartition(b"\n")
        last = (
            decode_line(line)
            if tail.endswith(b"\n") and (before or len(tail) == size - self.offset)
            else None
        )
        if last is None or last.seq < self.next or last.ts < self.ts or not RUN.fullmatch(last.run):
            return self.catch_up()
        self.count, self.ts, self.offset = last.seq - self.start + 1, last.ts, size
        return [JournalEntry(last, line)], b""

    def catch_up(self) -> tuple[list[JournalEntry], bytes]:
        """Return the entries that were not read yet, and the torn bytes after them that a crash left."""
        lines = _read_range(self.handle, self.offset).split(b"\n")
        torn = lines.pop()
        entries: list[JournalEntry] = []
        seq, ts, runs = self.next, self.ts, set[str]()
        for line in lines:
            read = decode_line(line)
            if read is None or read.seq != seq or read.ts < ts or len(line) > LONGEST:
                break
            if read.run not in runs:
                if not RUN.fullmatch(read.run):
                    break
                runs.add(read.run)
            entries.append(JournalEntry(read, line))
            seq, ts = seq + 1, read.ts
        self.count, self.ts = seq - self.start, ts
        self.offset += sum(len(entry.data) + 1 for entry in entries)
        if len(entries) < len(lines):
            if len(entries) + 1 < len(lines) or torn:
                raise self._bad()
            torn = lines[-1] + b"\n"
        return entries, torn

    def entries(self) -> list[JournalEntry]:
        """Return every entry, read again from the disk; raise unless each follows the one before."""
        again = Journal(self.folder, self.start, self.before, os.dup(self.handle), self.before)
        try:
            entries, torn = again.catch_up()
        finally:
            again.close()
        if torn or again.offset != self.offset:
            raise again._bad()
        return entries

    def write(self, lines: list[bytes], ts: str) -> None:
        """Append durably, or leave the journal as it was and raise."""
        data = b"\n".join(lines) + b"\n"
        try:
            if os.write(self.handle, data) != len(data):
                raise OSError(ENOSPC, "only a part could be written")  # noqa: TRY301 - it is cut off below
            os.fdatasync(self.handle)
        except BaseException:
            with suppress(OSError):  # else the next reader cuts it off, or finds whole lines no one waits for
                os.ftruncate(self.handle, self.offset)
            raise
        self.count, self.ts, self.offset = self.count + len(lines), ts, self.offset + len(data)

    def cut(self, torn: bytes, ts: str) -> None:
        """Cut off what a crash left half written; its bytes are stored next to it."""
        write_synced(self.folder / f"journal.torn-{ts}", torn, MORE)
        sync_folder(self.folder)
        os.ftruncate(self.handle, self.offset)
        os.fdatasync(self.handle)

    def _bad(self) -> AuditError:
        message = f"line {self.count + 1} is damaged or out of order, and lines follow it"
        hint = "restore the folder from a backup, or log to a new one; see `citeproof audit verify`"
        return AuditError(message, place=str(make_journal_path(self.folder, self.start)), hint=hint)


def decode_line(line: bytes) -> LogLine | None:
    """Return what the log reads of an entry, None when it is not one."""
    try:
        return _LINE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _read_range(handle: int, start: int, end: int | None = None) -> bytes:
    pieces: list[bytes] = []
    while end is None or start < end:
        piece = os.pread(handle, _PIECE if end is None else min(_PIECE, end - start), start)
        if not piece:
            break
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)
