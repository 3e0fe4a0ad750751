"""Logs that were closed by rotations: the first entry of a log names the end of the one before it."""

from __future__ import annotations

from citeproof.audit import merkle
from citeproof.audit.checkpoint import Checkpoint, unverified
from citeproof.audit.looking.findings import Findings, plural
from citeproof.audit.looking.passing import Tie
from citeproof.audit.looking.rebuilding import BLOCK
from citeproof.audit.merkle import SIZE
from citeproof.audit.note import NoteError
from citeproof.audit.tiles import WIDTH, path
from citeproof.audit.untrusted import Unreadable, Untrusted

_NOTE = 1_000_000
FOLDER = "closed"


def check(files: Untrusted, tie: Tie | None, findings: Findings) -> None:
    """Hold the end of the closed log that stands here against what this log says of it.

    Its own signature is for a verification of its own folder: its key is another one.
    """
    ends = {name: end for name in files.names(FOLDER) if (end := _end(files, name)) is not None}
    if ends:
        logs, stand = plural(len(ends), "closed log"), "stands" if len(ends) == 1 else "stand"
        findings.note(f"{logs} {stand} in {FOLDER}: verify each of them for itself")
    if tie is None:
        return
    before = {name: end for name, end in ends.items() if end.origin == tie.origin}
    for name, end in before.items():
        if not _continues(files, name, end, tie):
            what = f"it ends with {plural(end.size, 'event')}, and not as event {tie.seq} of this log says"
            findings.problem("rollback", f"{FOLDER}/{name[:200]}", what, seq=tie.seq)
    if not before:
        findings.note(f"the log before this one, {tie.origin[:100]}, is not here")


def _continues(files: Untrusted, name: str, end: Checkpoint, tie: Tie) -> bool:
    """Return whether the closed log still begins as it was tied; erasing in it adds events at its end."""
    if end.size <= tie.size:
        return (end.size, end.root.hex()) == (tie.size, tie.root)

    def hashes(level: int, index: int) -> bytes:
        above, inside = divmod(level, BLOCK)
        number, at = divmod(index << inside, WIDTH)
        width = min(WIDTH, (end.size >> (BLOCK * above)) - number * WIDTH)
        tile = files.read(f"{FOLDER}/{name}/{path(above, number, width)}", SIZE * WIDTH)
        rows = [tile[row : row + SIZE] for row in range(SIZE * at, SIZE * (at + (1 << inside)), SIZE)]
        return merkle.root(rows)

    try:
        now, then = merkle.root_of(end.size, hashes), merkle.root_of(tie.size, hashes)
    except Unreadable:
        return False
    return now == end.root and then.hex() == tie.root


def _end(files: Untrusted, name: str) -> Checkpoint | None:
    try:
        return unverified(files.read(f"{FOLDER}/{name}/checkpoint", _NOTE))
    except (Unreadable, NoteError):
        return None
