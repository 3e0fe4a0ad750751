"""The checkpoint of another log, taken into this one: who is watched is not rolled back unseen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof.audit import copies, merkle, state
from citeproof.audit.checkpoint import Checkpoint, parse
from citeproof.audit.durable import read_small, told
from citeproof.audit.note import NoteError, VerifierKey, opened
from citeproof.audit.tiles import Tiles
from citeproof.errors import AuditError, UsageError

if TYPE_CHECKING:
    from citeproof.audit.log import Log

OBSERVED = "observed"  # the run of what was seen of other logs


class ContradictedError(AuditError):
    """Another log that shows what its key did not sign, or something else than it did before."""


class Seen(msgspec.Struct, frozen=True):
    """A `checkpoint` event, as far as the next one builds on it."""

    ev: str
    origin: str = ""
    size: int = 0
    root: str = ""
    key: str = ""


def observe(log: Log, other: Path, key: VerifierKey) -> tuple[Checkpoint, bool]:
    """Return the checkpoint of another log, now logged, and whether it was shown to continue the last seen.

    `other` is the folder of that log or a checkpoint file. A rolled back or inconsistent one is refused.
    The event is signed at once: what was seen cannot be taken back.
    """
    place = other / state.CHECKPOINT if other.is_dir() else other
    if key == log.key or place.resolve() == (log.folder / state.CHECKPOINT).resolve():
        raise UsageError("a log cannot observe itself", place=str(other), mend="name another log and its key")
    now = _signed(place, key)
    before = last_seen(log.folder).get(now.origin)
    shown = before is None or before.size == now.size
    if before is not None:
        _refuse_older(before, now, place)
        shown = shown or (other.is_dir() and _continues(before, now, other))
    event = event_of(Seen("checkpoint", now.origin, now.size, now.root.hex(), key.text))
    if before is not None and shown:
        event["prior"] = before.root
    log.append(OBSERVED, [event])
    log.integrate()
    return now, shown


def _signed(place: Path, key: VerifierKey) -> Checkpoint:
    with told(place, "the checkpoint cannot be read"):
        note = read_small(place)
    if note is None:
        raise UsageError(
            "there is no checkpoint", place=str(place), mend="name the folder of a log, or a checkpoint"
        )
    try:
        found = parse(opened(note, [key]).text)
    except NoteError as error:
        raise ContradictedError(
            error.message, place=str(place), mend=error.mend or "name the key of that log"
        ) from error
    if found.origin != key.name:
        raise ContradictedError(
            f"is of the log {found.origin[:80]}, and the key of {key.name}",
            place=str(place),
            mend="name its key",
        )
    return found


def event_of(seen: Seen) -> dict[str, object]:
    """Return the event that tells of the checkpoint."""
    return msgspec.to_builtins(seen)  # type: ignore[no-any-return]


def last_seen(folder: Path) -> dict[str, Seen]:
    """Return the largest checkpoint of every other log that this log has seen."""
    best: dict[str, Seen] = {}
    try:
        with copies.path_of(folder, OBSERVED).open("rb") as file:
            for line in file:
                seen = msgspec.json.decode(line, type=Seen)
                if seen.ev == "checkpoint" and seen.size >= best.get(seen.origin, seen).size:
                    best[seen.origin] = seen
    except FileNotFoundError:
        return best
    except (OSError, msgspec.DecodeError) as error:
        raise AuditError(
            f"cannot be read: {error}",
            place=str(folder / f"{OBSERVED}.jsonl"),
            mend="say `citeproof audit verify`",
        ) from error
    return best


def _refuse_older(before: Seen, now: Checkpoint, place: Path) -> None:
    if now.size < before.size:
        raise ContradictedError(
            f"the log {now.origin} was rolled back: it had {before.size:,} entries, now {now.size:,}",
            place=str(place),
            mend="ask whoever runs it for the newer log; keep this checkpoint as evidence",
        )
    if now.size == before.size and now.root.hex() != before.root:
        raise _fork(now, place)


def _continues(before: Seen, now: Checkpoint, folder: Path) -> bool:
    """Return True when the tiles show that the tree grew out of what was seen; raise when it did not."""
    try:
        proof = merkle.consistency(before.size, now.size, Tiles(folder).hashes(now.size))
    except AuditError as error:  # of its files, not of ours
        raise ContradictedError(
            f"the log {now.origin} cannot be shown to continue what was seen: {error.message}",
            place=str(folder / error.place),
            mend="ask whoever runs it for the missing files; `citeproof audit verify` tells more",
        ) from error
    if not merkle.check_consistency(before.size, bytes.fromhex(before.root), now.size, now.root, proof):
        raise _fork(now, folder)
    return True


def _fork(now: Checkpoint, place: Path) -> ContradictedError:
    return ContradictedError(
        f"the log {now.origin} shows another tree than before: entries were changed",
        place=str(place),
        mend="keep this checkpoint and the one logged here as evidence",
    )
