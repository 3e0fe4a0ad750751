"""An audit log verified with everything that speaks for it from outside: keys, checkpoints, anchors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import NoteError, VerifierKey, list_signatures
from citeproof.proof.audit.anchors.base import Anchor, HeldStatus
from citeproof.proof.audit.event_proof import is_log_key
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import parse_unverified
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.export_check import is_export, verify_export
from citeproof.proof.audit.verify.log_check import Progress
from citeproof.proof.audit.verify.log_check import verify as verify_log
from citeproof.proof.audit.verify.log_files import BAD, KeptCheckpoint, UntrustedHead
from citeproof.proof.audit.verify.log_problems import LogProblem, LogVerification
from citeproof.settings import Settings
from citeproof.text.typed_decoding import decode_json

_NOTE = 1_000_000
MOST = 100_000  # checkpoints of one anchor that are compared


@dataclass(slots=True)
class AnchorReport:
    kept: list[KeptCheckpoint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    problems: list[LogProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AuditLogRequest:
    """Which log or export is to be verified, with which public keys and checkpoints, and how."""

    folder: Path
    keys: Sequence[VerifierKey] = ()  # none: the log's own key, which anyone who writes to it can replace
    checkpoints: Sequence[Path] = ()  # files with checkpoints of this log, stored elsewhere
    anchors: bool = False  # ask the anchors of the settings
    deep: bool = False  # check the format of every entry too


def verify_audit_log(
    wanted: AuditLogRequest, settings: Settings, progress: Progress | None = None
) -> LogVerification:
    """Return what was found of a log or of an export; NoLogError if there is none. Writes nothing."""
    folder, keys = wanted.folder, wanted.keys
    origins = {key.name for key in keys if is_log_key(key)} or {key.name for key in _read_own_key(folder)}
    kept = [_read_checkpoint(path, origins) for path in wanted.checkpoints]
    if is_export(folder):
        if wanted.anchors or wanted.deep:
            hint = "leave --anchors and --deep out; hold it against a checkpoint with --checkpoint FILE"
            raise UsageError("this is an exported archive, not a log", place=str(folder), hint=hint)
        return verify_export(folder, keys, kept)
    outside = _ask_anchors(wanted, settings) if wanted.anchors else AnchorReport()
    kept += [*_list_signed_checkpoints(settings, folder, keys), *outside.kept]
    inside = verify_log(folder, keys, kept=kept, deep=wanted.deep, progress=progress)
    return replace(
        inside,
        problems=(*inside.problems, *outside.problems),
        notes=(*inside.notes, *outside.notes),
        unchecked=(*inside.unchecked, *outside.unchecked),
    )


def _read_checkpoint(path: Path, origins: set[str]) -> KeptCheckpoint:
    """Return a checkpoint of this log out of a file that the user names."""
    hint = "name a file that holds a checkpoint of this log"
    try:
        with path.open("rb") as file:
            note = file.read(_NOTE + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    try:
        list_signatures(note)
        checkpoint = parse_unverified(note)
    except NoteError as error:
        raise UsageError("this is no checkpoint", place=str(path), hint=hint) from error
    if origins and checkpoint.origin not in origins:
        other, ours = checkpoint.origin[:80], min(origins)[:80]
        what = f"this is a checkpoint of another log, {other!r}, not of {ours!r}"
        raise UsageError(what, place=str(path), hint=hint)
    return KeptCheckpoint(str(path), note)


def _list_signed_checkpoints(
    settings: Settings, folder: Path, given: Sequence[VerifierKey]
) -> list[KeptCheckpoint]:
    """Return the last checkpoints that the log's keys signed on this machine, if it knows."""
    store, signed = KeyStore(settings.audit_keys), list[KeptCheckpoint]()
    for key in [*given, *_read_own_key(folder)]:
        with suppress(AuditError, OSError):
            note = store.last_signed(key)
            if note is not None and note not in [checkpoint.note for checkpoint in signed]:
                place = f"the last checkpoint signed with {key.name}+{key.id.hex()}"
                signed.append(KeptCheckpoint(place, note, early=True))
    return signed


def _read_own_key(folder: Path) -> list[VerifierKey]:
    with suppress(UnreadableFileError, AuditError, *BAD), UntrustedFolder(folder) as files:
        return [VerifierKey.parse(decode_json(files.read("log.json", 100_000), type=UntrustedHead).key)]
    return []


def _ask_anchors(wanted: AuditLogRequest, settings: Settings) -> AnchorReport:
    from citeproof.proof.audit.anchors.base import AnchorContext, make  # noqa: PLC0415 - a plain verification needs none

    if not settings.audit_anchors:
        return AnchorReport(notes=["the settings name no anchor besides the folder inside the log"])
    around = AnchorContext(wanted.folder, SystemClock(), proxy=settings.proxy, offline=settings.offline)
    origins = {key.name for key in wanted.keys or _read_own_key(wanted.folder)}
    return ask_anchors((make(text, around) for text in settings.audit_anchors), origins)


def ask_anchors(anchors: Iterable[Anchor], origins: Iterable[str]) -> AnchorReport:
    """Return what `anchors` hold of the logs with these origins; one anchor may serve many logs."""
    outside = AnchorReport()
    heads = tuple(f"{origin}\n".encode() for origin in origins)
    for anchor in anchors:
        for held, _ in zip(anchor.list_held(), range(MOST), strict=False):
            place, detail = held.place[:300], held.detail[:300]
            if held.checkpoint and held.checkpoint.startswith(heads):
                outside.kept.append(KeptCheckpoint(place, held.checkpoint))
            if held.standing is HeldStatus.NOTED:
                outside.notes.append(f"{place}: {detail}")
            elif held.standing is HeldStatus.UNREAD:
                outside.unchecked.append(f"{place}: {detail}")
            elif held.standing is HeldStatus.CONTRADICTED:
                outside.problems.append(LogProblem("anchor", place, detail))
    return outside
