"""Logs that were closed by rotations: the first entry of a log names the end of the one before it.

A rotation that was cut short has a part of the old log in `closed/` already.
"""

from __future__ import annotations

import msgspec

from citeproof.errors import format_count
from citeproof.plumbing.signed_note import NoteError
from citeproof.proof.audit import merkle
from citeproof.proof.audit.log_checkpoint import LogCheckpoint, parse_unverified
from citeproof.proof.audit.merkle import SIZE
from citeproof.proof.audit.tiles import WIDTH, make_tile_path
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.entry_pass import PriorLogTie
from citeproof.proof.audit.verify.log_files import BAD
from citeproof.proof.audit.verify.log_problems import ProblemCollector
from citeproof.proof.audit.verify.tree_walk import BLOCK
from citeproof.text.typed_decoding import decode_json

_NOTE = 1_000_000
FOLDER = "closed"
PLAN = "rotating.json"
CUT_SHORT = "a rotation was cut short; the next writer completes it. Then verify again"
_LARGEST = 64 << 20  # bytes of a plan that carries much over


class UntrustedRotation(msgspec.Struct, frozen=True):
    """Where the old log goes."""

    to: str


def is_log_moving(files: UntrustedFolder) -> bool:
    """Return whether no whole log is here, since one is being moved."""
    try:
        to = decode_json(files.read(PLAN, _LARGEST), type=UntrustedRotation).to
    except (UnreadableFileError, *BAD):
        return False
    moved = files.names(f"{FOLDER}/{to}") if to not in ("", ".", "..") and "/" not in to else []
    begun = "log.json" in moved and files.has("log.json")  # the new log is whole; only the plan is left
    return bool(moved) and not begun


def check_closed_logs(files: UntrustedFolder, tie: PriorLogTie | None, findings: ProblemCollector) -> None:
    """Hold the end of the closed log that is here against what this log says of it.

    Its own signature is for a verification of its own folder: its key is another one.
    """
    ends = {name: end for name in files.names(FOLDER) if (end := _read_end(files, name)) is not None}
    if ends:
        logs, stand = format_count(len(ends), "closed log"), "stands" if len(ends) == 1 else "stand"
        findings.note(f"{logs} {stand} in {FOLDER}: verify each of them separately")
    if tie is None:
        return
    before = {name: end for name, end in ends.items() if end.origin == tie.origin}
    for name, end in before.items():
        if not _is_continued(files, name, end, tie):
            what = f"it ends with {format_count(end.size, 'event')}, not as event {tie.seq} of this log says"
            findings.problem("rollback", f"{FOLDER}/{name[:200]}", what, seq=tie.seq)
    if not before:
        findings.note(f"the log before this one, {tie.origin[:100]}, is not here")


def _is_continued(files: UntrustedFolder, name: str, end: LogCheckpoint, tie: PriorLogTie) -> bool:
    """Return whether the closed log still begins as it was tied; erasing in it adds events at its end."""
    if end.size <= tie.size:
        return (end.size, end.root.hex()) == (tie.size, tie.root)

    def hashes(level: int, index: int) -> bytes:
        above, inside = divmod(level, BLOCK)
        number, at = divmod(index << inside, WIDTH)
        width = min(WIDTH, (end.size >> (BLOCK * above)) - number * WIDTH)
        tile = files.read(f"{FOLDER}/{name}/{make_tile_path(above, number, width)}", SIZE * WIDTH)
        rows = [tile[row : row + SIZE] for row in range(SIZE * at, SIZE * (at + (1 << inside)), SIZE)]
        return merkle.compute_root(rows)

    try:
        now, then = merkle.compute_root_at(end.size, hashes), merkle.compute_root_at(tie.size, hashes)
    except UnreadableFileError:
        return False
    return now == end.root and then.hex() == tie.root


def _read_end(files: UntrustedFolder, name: str) -> LogCheckpoint | None:
    try:
        return parse_unverified(files.read(f"{FOLDER}/{name}/checkpoint", _NOTE))
    except (UnreadableFileError, NoteError):
        return None
