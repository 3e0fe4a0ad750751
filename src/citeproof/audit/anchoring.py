"""Anchors asked, whatever they do; what they said, as a `merkle_commit` tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from citeproof.audit.anchors.base import Anchor, Outcome
from citeproof.audit.note import NoteError, add
from citeproof.audit.opening import COMMIT

_MOST = 400  # characters of what an anchor says
_SIGNED = 4  # cosignatures taken from one anchor


def asked(anchor: Anchor, run: str, hour: str, checkpoint: bytes) -> Outcome:
    """Return what the anchor made of the checkpoint; its failure is an outcome too."""
    try:
        return anchor.put(run, hour, checkpoint)
    except Exception as error:  # noqa: BLE001 - an anchor is somebody else's code and world
        why = error.strerror if isinstance(error, OSError) else error  # without the path, which names people
        return Outcome(anchor.name, ok=False, place="", detail=f"{type(error).__name__}: {why}")


def inside(anchors: Sequence[Anchor]) -> tuple[str, ...]:
    """Return the names in the log's folder that belong to its anchors."""
    return tuple({name: None for anchor in anchors if (name := getattr(anchor, "inside", ""))})


def told_of(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Return the fields of the event: each anchor's answer, and where S3 holds the checkpoint."""
    told: dict[str, object] = {"anchors": [_told(outcome) for outcome in outcomes]}
    buckets = [one.place for one in outcomes if one.ok and one.place.startswith("s3://")]
    if buckets:
        told["s3"] = buckets[0][:_MOST]
    return told


def _told(outcome: Outcome) -> dict[str, object]:
    told: dict[str, object] = {"name": outcome.name[:_MOST], "ok": outcome.ok, "place": outcome.place[:_MOST]}
    if outcome.detail:
        told["detail"] = outcome.detail[:_MOST]
    if outcome.cosignatures:  # so that they outlive the checkpoint file, which the next one replaces
        lines = [line.decode("utf-8", "replace").strip()[:_MOST] for line in outcome.cosignatures[:_SIGNED]]
        told["cosignatures"] = lines
    return told


class _Answer(msgspec.Struct, frozen=True):
    name: str
    ok: bool


class _Event(msgspec.Struct, frozen=True):
    ev: str
    anchors: list[_Answer] = []


def taken(entry: bytes, anchors: Sequence[Anchor]) -> bool:
    """Return whether the entry is a commit that every one of the anchors took."""
    try:
        event = msgspec.json.decode(entry, type=_Event)
    except msgspec.DecodeError:  # an event that uses the name for something else
        return False
    took = Counter(answer.name for answer in event.anchors if answer.ok)
    return event.ev == COMMIT and Counter(anchor.name[:_MOST] for anchor in anchors) <= took


def cosigned(note: bytes, outcomes: Sequence[Outcome]) -> bytes:
    """Return the note with the signatures that the anchors gave; a malformed one is left out."""
    for outcome in outcomes:
        for line in outcome.cosignatures[:_SIGNED] if outcome.ok else ():
            try:
                note = add(note, line)
            except NoteError:
                continue
    return note
