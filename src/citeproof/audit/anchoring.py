"""Anchors asked, whatever they do; what they said, as a `merkle_commit` tells it."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.audit.anchors.base import Anchor, Outcome
from citeproof.audit.note import NoteError, add

_MOST = 400  # characters of what an anchor says
_SIGNED = 4  # cosignatures taken from one anchor


def asked(anchor: Anchor, run: str, hour: str, checkpoint: bytes) -> Outcome:
    """Return what the anchor made of the checkpoint; its failure is an outcome too."""
    try:
        return anchor.put(run, hour, checkpoint)
    except Exception as error:  # noqa: BLE001 - an anchor is somebody else's code and world
        return Outcome(anchor.name, ok=False, place="", detail=f"{type(error).__name__}: {error}")


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


def cosigned(note: bytes, outcomes: Sequence[Outcome]) -> bytes:
    """Return the note with the signatures that the anchors gave; a malformed one is left out."""
    for outcome in outcomes:
        for line in outcome.cosignatures[:_SIGNED] if outcome.ok else ():
            try:
                note = add(note, line)
            except NoteError:
                continue
    return note
