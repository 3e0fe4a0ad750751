"""Anchors asked, whatever they do; what they said, as a `merkle_commit` tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from citeproof.audit.anchors.base import Anchor, AnchorOutcome
from citeproof.audit.log_view import COMMIT
from citeproof.audit.signed_note import NoteError, add_signature
from citeproof.typed_decoding import decode_json

_MOST = 400  # characters of what an anchor says
_SIGNED = 4  # cosignatures taken from one anchor


def ask_anchor(anchor: Anchor, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
    """Return what the anchor made of the checkpoint; its failure is an outcome too."""
    try:
        return anchor.put(run, hour, checkpoint)
    except Exception as error:  # noqa: BLE001 - an anchor is somebody else's code and world
        why = error.strerror if isinstance(error, OSError) else error  # without the path, which names people
        return AnchorOutcome(anchor.name, ok=False, place="", detail=f"{type(error).__name__}: {why}")


def list_anchor_folders(anchors: Sequence[Anchor]) -> tuple[str, ...]:
    """Return the names in the log's folder that belong to its anchors."""
    return tuple({name: None for anchor in anchors if (name := getattr(anchor, "inside", ""))})


def describe_outcomes(outcomes: Sequence[AnchorOutcome]) -> dict[str, object]:
    """Return the fields of the event: each anchor's answer, and where S3 holds the checkpoint."""
    told: dict[str, object] = {"anchors": [_describe_outcome(outcome) for outcome in outcomes]}
    buckets = [one.place for one in outcomes if one.ok and one.place.startswith("s3://")]
    if buckets:
        told["s3"] = buckets[0][:_MOST]
    return told


def _describe_outcome(outcome: AnchorOutcome) -> dict[str, object]:
    told: dict[str, object] = {"name": outcome.name[:_MOST], "ok": outcome.ok, "place": outcome.place[:_MOST]}
    if outcome.detail:
        told["detail"] = outcome.detail[:_MOST]
    if outcome.cosignatures:  # so that they outlive the checkpoint file, which the next one replaces
        lines = [line.decode("utf-8", "replace").strip()[:_MOST] for line in outcome.cosignatures[:_SIGNED]]
        told["cosignatures"] = lines
    return told


class _AnchorAnswer(msgspec.Struct, frozen=True):
    name: str
    ok: bool


class _CommitEvent(msgspec.Struct, frozen=True):
    ev: str
    anchors: list[_AnchorAnswer] = []


def is_fully_anchored(entry: bytes, anchors: Sequence[Anchor]) -> bool:
    """Return whether the entry is a commit that every one of the anchors took."""
    try:
        event = decode_json(entry, type=_CommitEvent)
    except msgspec.DecodeError:  # an event that uses the name for something else
        return False
    took = Counter(answer.name for answer in event.anchors if answer.ok)
    return event.ev == COMMIT and Counter(anchor.name[:_MOST] for anchor in anchors) <= took


def add_cosignatures(note: bytes, outcomes: Sequence[AnchorOutcome]) -> bytes:
    """Return the note with the signatures that the anchors gave; a malformed one is left out."""
    for outcome in outcomes:
        for line in outcome.cosignatures[:_SIGNED] if outcome.ok else ():
            try:
                note = add_signature(note, line)
            except NoteError:
                continue
    return note
