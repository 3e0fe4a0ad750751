"""A new log in a folder, or in the place of one that is closed: there as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.disk_files import hold_lock, sync_folder
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.signed_note import SignerKey
from citeproof.proof.audit import log_state, merkle
from citeproof.proof.audit.key_store import KeyStore, check_origin, make_origin
from citeproof.proof.audit.log_journal import create_journal, encode_entry
from citeproof.proof.audit.log_state import (
    LogHead,
    LogState,
    RotationPlan,
    convert_disk_errors,
    make_folder,
    read_small_file,
)
from citeproof.proof.audit.log_view import LogView
from citeproof.proof.audit.run_lock import RUN
from citeproof.text import lazy_patterns as re

CLOSED = "closed"
Carried = Sequence[tuple[str, Mapping[str, object]]]  # runs, and events of theirs
# no anchor's, whatever it says
_STAY = frozenset({log_state.LOCK, log_state.COMMITTING, log_state.ROTATING, CLOSED})
_MOVED = re.compile(  # what a log is made of; locks stay, and so do keys and whatever else users put here
    r"\.?(log\.json|state\.json|checkpoint|witness-[0-9a-f]{8}\.size)(\.new)?|tile|commits"
    r"|journal-[0-9]+|journal\.torn-.*|(evidence|private)\.sqlite(-wal|-shm|-journal)?"
    rf"|{RUN.pattern}\.jsonl(\.torn-.*)?"
)
_OURS = re.compile(r".*\.(jsonl|sqlite)|tile|commits|checkpoint|state\.json|journal-.*", re.DOTALL)


def create_log(folder: Path, origin: str | None, clock: Clock, keys: KeyStore) -> None:
    """Make a log in `folder`, unless one is there."""
    if origin is not None:
        check_origin(origin)
    check_output_folder(folder)
    with convert_disk_errors(folder):
        _refuse_keys_inside(folder, keys)
        make_folder(folder)
        _refuse_foreign(folder)
        with hold_lock(folder / log_state.LOCK):
            if (folder / log_state.HEAD).exists() or (folder / log_state.ROTATING).exists():
                return
            # A second tree over the files of a log that lost its log.json would ruin both.
            if (name := _find_remains(folder)) is not None:
                raise _make_taken_error(folder, name)
            key = keys.find_unused()
            if key is not None and origin not in (None, key.name):
                message = f"is the key of {key.name}, not of {origin}"
                raise AuditError(message, place=str(keys.place), hint="name another key")
            key = key or keys.make(origin or make_origin())
            write_empty_log(folder, make_head(key, format_timestamp(clock)), b"")


def make_head(key: SignerKey, created: str) -> LogHead:
    return LogHead(created, log_state.FORMAT, key.verifier.text, key.name)


def write_empty_log(folder: Path, head: LogHead, first: bytes) -> None:
    """Write an empty log, log.json last: without it there is no log, and this is done again."""
    create_journal(folder, 0, first)
    log_state.save_state_file(folder, log_state.STATE, LogState(0, merkle.EMPTY.hex(), head.created))
    log_state.save_state_file(folder, log_state.HEAD, head)


def rotate_log(
    folder: Path, view: LogView, key: SignerKey, ts: str, known: Carried = (), also: tuple[str, ...] = ()
) -> Path:
    """Return where the log went that ends with `view`; in its place stands a new one that names its root.

    What the old one `known` is said again in the new one. `also` names folders of anchors, which move too.
    """
    check_output_folder(folder / CLOSED)
    name = f"{view.head.origin.rpartition('/')[2]}-{ts[:19].replace('-', '').replace(':', '')}"
    taken = {path.name for path in (folder / CLOSED).iterdir()} if (folder / CLOSED).exists() else set()
    to = next(candidate for n in count(1) if (candidate := f"{name}-{n}" if n > 1 else name) not in taken)
    old = {"origin": view.head.origin, "size": view.state.size, "root": view.state.root, "key": view.head.key}
    said: Carried = [("log", {"ev": "log_opened", **old}), *known]
    first = "".join(
        f"{encode_entry(run, event, ts, seq).decode()}\n" for seq, (run, event) in enumerate(said)
    )
    log_state.save_state_file(
        folder, log_state.ROTATING, RotationPlan(to, make_head(key, ts), first, also=also)
    )
    resume_rotation(folder)
    return folder / CLOSED / to


def resume_rotation(folder: Path) -> None:
    """Complete a rotation that was begun; a step that was done is not done again."""
    plan = log_state.load_state_file(folder, log_state.ROTATING, RotationPlan)
    if plan is None:
        return
    closed = folder / CLOSED / plan.to
    check_output_folder(closed)
    if not plan.moved:
        make_folder(closed)
        sync_folder(folder / CLOSED)
        for path in sorted(folder.iterdir()):
            if _MOVED.fullmatch(path.name) or path.name in {*plan.also} - _STAY:
                path.rename(closed / path.name)
        sync_folder(closed)
        sync_folder(folder)
        plan = RotationPlan(plan.to, plan.head, plan.first, moved=True, also=plan.also)
        log_state.save_state_file(folder, log_state.ROTATING, plan)
    if not (folder / log_state.HEAD).exists():
        write_empty_log(folder, plan.head, plan.first.encode())
    (folder / log_state.ROTATING).unlink()
    sync_folder(folder)


def _refuse_keys_inside(folder: Path, keys: KeyStore) -> None:
    """Raise where the key of a new log would be in it: who copies or restores the log would have both."""
    if (folder / log_state.HEAD).exists() or (folder / log_state.ROTATING).exists():
        return
    if keys.folder.resolve().is_relative_to(folder.resolve()):
        hint = "set CITEPROOF_AUDIT_KEY to another place, or use another folder for the log"
        raise AuditError("the keys of a log must not be inside its folder", place=str(keys.place), hint=hint)


def _refuse_foreign(folder: Path) -> None:
    """Raise, with nothing written, where something else stands: a log of ours begins with its lock."""
    if log_state.load_head(folder) is None and not (folder / log_state.ROTATING).exists():
        name = _find_remains(folder)
        if name is not None and not (folder / log_state.LOCK).exists():  # no one begins a log at this moment
            raise _make_taken_error(folder, name)


def _find_remains(folder: Path) -> str | None:
    """Return the name of something that a log would write to, but for what one that was half begun left."""
    names = sorted(path.name for path in folder.iterdir())
    return next((name for name in names if _OURS.fullmatch(name) and not _is_begun(folder, name)), None)


def _is_begun(folder: Path, name: str) -> bool:
    """Return whether the file is one that `write_empty_log` writes before log.json, as it writes it."""
    try:
        if name == "journal-0":
            return read_small_file(folder / name, 0) == b""
        begun = log_state.load_state_file(folder, name, LogState) if name == log_state.STATE else None
    except (AuditError, OSError):
        return False
    return begun is not None and begun.size == 0


def _make_taken_error(folder: Path, name: str) -> AuditError:
    message = f"holds {name[:80]} of something else, or of a log that lost its {log_state.HEAD}"
    hint = f"{log_state.ELSEWHERE}, or restore {log_state.HEAD} from a backup"
    return AuditError(message, place=str(folder), hint=hint)
