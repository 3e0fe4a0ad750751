"""The readable copies: `<run>.jsonl` has the entries of one run, byte for byte, in order.

They are written after the journal and without waiting for the disk, so a crash can leave them behind it.
Who takes the lock next notices (`has_last_entry`) and puts them right from the journal (`repair_run_files`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import MORE, sync_folder, write_all, write_synced
from citeproof.proof.audit.log_journal import JournalEntry, decode_line
from citeproof.text.typed_decoding import decode_json

OBSERVED = "observed"  # the run of what was seen of other logs

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_BACK = 1 << 16  # bytes examined first, from the end


def make_run_path(folder: Path, run: str) -> Path:
    return folder / f"{run}.jsonl"


def append_lines(folder: Path, run: str, lines: list[bytes]) -> bool:
    """Return whether the lines were all added to the run's file; the journal has them in any case."""
    data = b"\n".join(lines) + b"\n"
    try:
        handle = os.open(make_run_path(folder, run), _FLAGS, 0o600)
    except OSError:
        return False
    try:
        return os.write(handle, data) == len(data)
    except OSError:
        return False
    finally:
        _close_handle(handle)


def has_last_entry(folder: Path, last: JournalEntry) -> bool:
    """Return whether the file of the last entry's run ends with that entry."""
    wanted = b"\n" + last.data + b"\n"
    try:
        handle = os.open(make_run_path(folder, last.line.run), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        size = os.fstat(handle).st_size
        start = max(0, size - len(wanted))
        whole = size == len(wanted) - 1  # it is the first line of the file too
        return os.pread(handle, len(wanted), start) == (wanted[1:] if whole else wanted)
    finally:
        _close_handle(handle)


def repair_run_files(
    folder: Path, entries: Iterable[JournalEntry], start: int, ts: str, *, sync: bool = False
) -> None:
    """Make the file of every run end with exactly its lines of the journal that begins at `start`."""
    by_run: dict[str, list[bytes]] = {}
    for entry in entries:
        by_run.setdefault(entry.line.run, []).append(entry.data)
    for run, lines in by_run.items():
        handle = os.open(make_run_path(folder, run), _FLAGS, 0o600)
        try:
            _repair_run_file(handle, b"\n".join(lines) + b"\n", start, folder / f"{run}.jsonl.torn-{ts}")
            if sync:
                os.fsync(handle)
        finally:
            _close_handle(handle)
    if sync and by_run:
        sync_folder(folder)


def _repair_run_file(handle: int, wanted: bytes, start: int, torn: Path) -> None:
    size = os.fstat(handle).st_size
    begin = size - len(wanted)
    begins_line = begin == 0 or (begin > 0 and os.pread(handle, 1, begin - 1) == b"\n")
    if begins_line and os.pread(handle, len(wanted), begin) == wanted:
        return
    begin = _find_settled_end(handle, size, start)
    there = os.pread(handle, size - begin, begin)
    if not wanted.startswith(there):  # its writer may want to know what it was
        write_synced(torn, there, MORE)
        os.ftruncate(handle, begin)
        there = b""
    write_all(handle, wanted[len(there) :])


def _find_settled_end(handle: int, size: int, start: int) -> int:
    """Return where the lines end that are in the tiles: those numbered below `start`."""
    span = _BACK
    while True:
        begin = max(0, size - span)
        data = os.pread(handle, size - begin, begin)
        lines = data.split(b"\n")
        place = begin + len(data) - len(lines.pop())
        for line in reversed(lines[1:] if begin else lines):  # the first may begin further up
            read = decode_line(line)
            if read is not None and read.seq < start:
                return place
            place -= len(line) + 1
        if begin == 0:
            return 0
        span *= 4


def _close_handle(handle: int) -> None:
    with suppress(OSError):
        os.close(handle)


class SeenCheckpoint(msgspec.Struct, frozen=True):
    """A `checkpoint` event, as far as the next one builds on it."""

    ev: str
    origin: str = ""
    size: int = 0
    root: str = ""
    key: str = ""


def make_checkpoint_event(seen: SeenCheckpoint) -> dict[str, object]:
    """Return the event that names the checkpoint."""
    return msgspec.to_builtins(seen)  # type: ignore[no-any-return]


def find_last_seen(folder: Path) -> dict[str, SeenCheckpoint]:
    """Return the largest checkpoint of every other log that this log has seen."""
    best: dict[str, SeenCheckpoint] = {}
    try:
        with make_run_path(folder, OBSERVED).open("rb") as file:
            for line in file:
                seen = decode_json(line, type=SeenCheckpoint)
                if seen.ev == "checkpoint" and seen.size >= best.get(seen.origin, seen).size:
                    best[seen.origin] = seen
    except FileNotFoundError:
        return best
    except (OSError, msgspec.DecodeError) as error:
        message = f"cannot be read: {error}"
        hint = "run `citeproof audit verify`"
        raise AuditError(message, place=str(folder / f"{OBSERVED}.jsonl"), hint=hint) from error
    return best
