"""The checkpoint of another log, taken into this one: who is watched is not rolled back unseen."""

from __future__ import annotations

from pathlib import Path

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.signed_note import NoteError, VerifierKey, open_note
from citeproof.proof.audit import log_state, merkle
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.log_state import (
    LogCheckpoint,
    convert_disk_errors,
    parse_checkpoint,
    read_small_file,
)
from citeproof.proof.audit.run_files import OBSERVED, SeenCheckpoint, find_last_seen, make_checkpoint_event
from citeproof.proof.audit.tiles import Tiles


class ObservedLogError(AuditError):
    """Another log that shows what its key did not sign, or something else than it did before."""


def observe_log(log: AuditLog, other: Path, key: VerifierKey) -> tuple[LogCheckpoint, bool]:
    """Return the checkpoint of another log, now logged, and whether it was shown to continue the last seen.

    `other` is the folder of that log or a checkpoint file. A rolled back or inconsistent one is refused.
    The event is signed at once: what was seen cannot be taken back.
    """
    place = other / log_state.CHECKPOINT if other.is_dir() else other
    if key == log.key or place.resolve() == (log.folder / log_state.CHECKPOINT).resolve():
        raise UsageError("a log cannot observe itself", place=str(other), hint="name another log and its key")
    now = _read_signed(place, key)
    before = find_last_seen(log.folder).get(now.origin)
    shown = before is None or before.size == now.size
    if before is not None:
        _refuse_older(before, now, place)
        shown = shown or (other.is_dir() and _check_continuation(before, now, other))
    event = make_checkpoint_event(
        SeenCheckpoint("checkpoint", now.origin, now.size, now.root.hex(), key.text)
    )
    if before is not None and shown:
        event["prior"] = before.root
    log.append(OBSERVED, [event])
    log.integrate()
    return now, shown


def _read_signed(place: Path, key: VerifierKey) -> LogCheckpoint:
    with convert_disk_errors(place, "the checkpoint cannot be read"):
        note = read_small_file(place)
    if note is None:
        raise UsageError(
            "no checkpoint found", place=str(place), hint="name the folder of a log, or a checkpoint"
        )
    try:
        checkpoint = parse_checkpoint(open_note(note, [key]).text)
    except NoteError as error:
        raise ObservedLogError(
            error.message, place=str(place), hint=error.hint or "name the key of that log"
        ) from error
    if checkpoint.origin != key.name:
        message = f"is of the log {checkpoint.origin[:80]}, and the key of {key.name}"
        hint = "name its key"
        raise ObservedLogError(message, place=str(place), hint=hint)
    return checkpoint


def _refuse_older(before: SeenCheckpoint, now: LogCheckpoint, place: Path) -> None:
    if now.size < before.size:
        message = f"the log {now.origin} was rolled back: it had {before.size:,} entries, now {now.size:,}"
        hint = "ask its operator for the newer log; keep this checkpoint as evidence"
        raise ObservedLogError(message, place=str(place), hint=hint)
    if now.size == before.size and now.root.hex() != before.root:
        raise _make_fork_error(now, place)


def _check_continuation(before: SeenCheckpoint, now: LogCheckpoint, folder: Path) -> bool:
    """Return True when the tiles show that the tree grew out of what was seen; raise when it did not."""
    try:
        proof = merkle.prove_consistency(before.size, now.size, Tiles(folder).hashes(now.size))
    except AuditError as error:  # of its files, not of ours
        message = f"the log {now.origin} cannot be shown to continue what was seen: {error.message}"
        hint = "ask its operator for the missing files; `citeproof audit verify` shows details"
        raise ObservedLogError(message, place=str(folder / error.place), hint=hint) from error
    if not merkle.check_consistency(before.size, bytes.fromhex(before.root), now.size, now.root, proof):
        raise _make_fork_error(now, folder)
    return True


def _make_fork_error(now: LogCheckpoint, place: Path) -> ObservedLogError:
    message = f"the log {now.origin} shows another tree than before: entries were changed"
    hint = "keep this checkpoint and the one logged here as evidence"
    return ObservedLogError(message, place=str(place), hint=hint)
