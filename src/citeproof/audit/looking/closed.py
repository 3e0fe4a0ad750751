"""Logs that were closed by rotations: the first entry of a log names the end of the one before it."""

from __future__ import annotations

from citeproof.audit.checkpoint import Checkpoint, parse
from citeproof.audit.looking.findings import Findings
from citeproof.audit.looking.passing import Tie
from citeproof.audit.note import NoteError
from citeproof.audit.untrusted import Unreadable, Untrusted

_NOTE = 1_000_000
FOLDER = "closed"


def check(files: Untrusted, tie: Tie | None, findings: Findings) -> None:
    """Hold the end of the closed log that stands here against what this log says of it.

    Its own signature is for a verification of its own folder: its key is another one.
    """
    ends = {name: end for name in files.names(FOLDER) if (end := _end(files, name)) is not None}
    if ends:
        findings.note(f"{len(ends):,} closed logs stand in {FOLDER}: verify each of them for itself")
    if tie is None:
        return
    before = {name: end for name, end in ends.items() if end.origin == tie.origin}
    for name, end in before.items():
        if (end.size, end.root.hex()) != (tie.size, tie.root):
            what = f"it ends with {end.size} events, and not as event {tie.seq} of this log says"
            findings.problem("rollback", f"{FOLDER}/{name[:200]}", what, seq=tie.seq)
    if not before:
        findings.note(f"the log before this one, {tie.origin[:100]}, is not here")


def _end(files: Untrusted, name: str) -> Checkpoint | None:
    try:
        note = files.read(f"{FOLDER}/{name}/checkpoint", _NOTE)
        return parse((note.rpartition(b"\n\n")[0] + b"\n").decode())
    except (Unreadable, NoteError, UnicodeDecodeError):
        return None
