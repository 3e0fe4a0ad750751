"""The writer of an audit log: durable appends, a signed tree, commits to anchors. Safe between processes.

What is acknowledged (`append` returned) is on the disk, in the journal. All else can be made again from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import msgspec

from citeproof.errors import AuditError
from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.disk_files import hold_lock, replace_durably
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.signed_note import NoteError, VerifierKey, add_signature
from citeproof.proof.audit import log_creation, log_state, run_files
from citeproof.proof.audit.anchors.base import Anchor, AnchorOutcome
from citeproof.proof.audit.key_store import KeyStore, make_origin
from citeproof.proof.audit.log_journal import OURS, JournalEntry, encode_entry
from citeproof.proof.audit.log_state import convert_disk_errors
from citeproof.proof.audit.log_view import COMMIT, LogView, integrate_journal, read_published, read_view
from citeproof.proof.audit.run_files import OBSERVED, find_last_seen, make_checkpoint_event
from citeproof.proof.audit.run_lock import OPEN, RUN
from citeproof.proof.audit.tiles import Tiles
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

_MOST = 400  # characters of what an anchor says
_SIGNED = 4  # cosignatures taken from one anchor

EVERY = 10_000  # entries in the journal before they go into the tree by themselves
MOST = 32 << 20  # bytes in the journal before they do
SKEW = 2.0  # seconds that a clock may go back silently
_OURS = frozenset(OURS)
LOG = "log"  # the run of what the log says of itself


@dataclass(frozen=True, slots=True)
class LogCommit:
    """A commit: the checkpoint published at its end, the number of its event, what each anchor said.

    `root` and `size` are of the tree that the event names and the anchors hold, without the event itself.
    """

    checkpoint: bytes
    seq: int
    outcomes: tuple[AnchorOutcome, ...]
    root: bytes
    size: int


class AuditLog:
    """An audit log, open for writing. Any number of them may be open on one folder, in any process."""

    def __init__(
        self, folder: Path, clock: Clock, keys: KeyStore, every: int = EVERY, most: int = MOST
    ) -> None:
        self.folder, self.clock, self.keys = folder, clock, keys
        self._every, self._most = every, most
        self._patience = every
        self._view: LogView | None = None  # None: to be read again from the disk
        self._seen: LogView | None = None  # the last one: what was checked then need not be again
        self._is_behind = False  # the clock, behind the last entry
        self._mend = False  # a readable copy may lack what the journal has

    @classmethod
    def open(
        cls, folder: Path, clock: Clock, keys: KeyStore, *, every: int = EVERY, most: int = MOST
    ) -> Self:
        """Return the log of `folder`, fixed where a crash left something half done."""
        check_output_folder(folder)
        if not (folder / log_state.HEAD).exists() and not (folder / log_state.ROTATING).exists():
            raise AuditError(
                "this folder has no audit log", place=str(folder), hint="name the folder of a log"
            )
        log = cls(folder, clock, keys, every, most)
        with log._hold_lock():
            return log

    @classmethod
    def open_or_create(
        cls,
        folder: Path,
        clock: Clock,
        keys: KeyStore,
        origin: str | None = None,
        *,
        every: int = EVERY,
        most: int = MOST,
    ) -> Self:
        """Return the log of `folder`, a new one where there was none."""
        log_creation.create_log(folder, origin, clock, keys)
        return cls.open(folder, clock, keys, every=every, most=most)

    def append(self, run: str, events: Sequence[Mapping[str, object]]) -> list[int]:
        """Return the numbers of the events, which are on the disk by then."""
        if not events:
            return []
        with self._hold_lock() as view:
            first = self._append(view, run, events)
            try:
                self._settle_if_due(view)
            except (AuditError, OSError):  # the events are safe; the next signature reports it
                self._forget()
            return list(range(first, first + len(events)))

    def integrate(self) -> bytes:
        """Return the checkpoint over everything logged so far, signed and published."""
        with self._hold_lock() as view:
            return integrate_journal(self.folder, self.keys, view)

    def is_committed(self, anchors: Sequence[Anchor] = ()) -> bool:
        """Return whether nothing was logged since the last commit, and each of the anchors took that."""
        with self._hold_lock() as view:
            size, public = view.state.size, read_published(self.folder, view.key.verifier)
            if not size or view.journal.count or public is None or public[1].size != size:
                return False
            return is_fully_anchored(Tiles(self.folder).entry(size - 1, size), anchors)

    def commit(self, run: str, anchors: Sequence[Anchor] = ()) -> LogCommit:
        """Sign, hand the checkpoint to the anchors, log what they said, sign again."""
        _check_run(run)
        with convert_disk_errors(self.folder), hold_lock(self.folder / log_state.COMMITTING, shared=True):
            return self._commit(run, anchors)

    def _commit(self, run: str, anchors: Sequence[Anchor]) -> LogCommit:
        # 1 the checkpoint of what is there
        with self._hold_lock() as view:
            first, then = integrate_journal(self.folder, self.keys, view), view.state
        # 2 outside; no one who appends waits for the network
        hour = f"{self.clock.now().astimezone(UTC):%Y-%m-%dT%H}"
        outcomes = tuple(ask_anchor(anchor, run, hour, first) for anchor in anchors)
        # 3 what became of it
        with self._hold_lock() as view:
            self._publish(view, first, outcomes)
            before = view.find_last_commit(view.journal.entries())
            prior = before.root if before else None
            event = {
                "ev": COMMIT,
                "root": then.root,
                "size": then.size,
                "prior": prior,
                **describe_outcomes(outcomes),
            }
            seq = self._append(view, run, [event])
            # 4 signed again, with itself; witnesses see that too
            last = integrate_journal(self.folder, self.keys, view)
        pairs = zip(anchors, outcomes, strict=True)
        witnesses = [witness for witness, outcome in pairs if outcome.cosignatures]
        if witnesses:
            seen = [ask_anchor(witness, run, hour, last) for witness in witnesses]
            with self._hold_lock() as view:
                last = self._publish(view, last, seen)
        return LogCommit(last, seq, outcomes, bytes.fromhex(then.root), then.size)

    @property
    def size(self) -> int:
        with self._hold_lock() as view:
            return view.journal.next

    @property
    def key(self) -> VerifierKey:
        with self._hold_lock() as view:
            return view.key.verifier

    def rotate(self, anchors: Sequence[Anchor] = (), origin: str | None = None) -> Path:
        """Return the folder in which this log is closed; the log continues as a new one that is tied to it.

        Between runs only: what one under way keeps next to the log would go to the wrong one.
        """
        with self._between_runs():
            key = self.keys.make(origin or make_origin())
            self.commit(LOG, anchors)
            with hold_lock(self.folder / log_state.COMMITTING), self._hold_lock() as view:
                integrate_journal(self.folder, self.keys, view)
                known = [
                    (OBSERVED, make_checkpoint_event(seen)) for seen in find_last_seen(self.folder).values()
                ]
                self._append(view, LOG, [{"ev": "log_closed", "origin": key.name, "key": key.verifier.text}])
                integrate_journal(self.folder, self.keys, view)
                ts = max(format_timestamp(self.clock), view.state.ts)
                closed = log_creation.rotate_log(
                    self.folder, view, key, ts, known, list_anchor_folders(anchors)
                )
            with self._hold_lock() as view:  # the new log, its readable copy written
                integrate_journal(self.folder, self.keys, view)
                return closed

    @contextmanager
    def _between_runs(self) -> Iterator[None]:
        """Keep runs from being begun; raise where one is being written."""
        with convert_disk_errors(self.folder), ExitStack() as held:
            try:
                held.enter_context(hold_lock(self.folder / OPEN, wait=False))
            except BlockingIOError:
                hint = "wait until it has ended, then rotate"
                raise AuditError("a run is being written", place=str(self.folder), hint=hint) from None
            yield

    def close(self) -> None:
        """Let go of the journal; what was acknowledged is on the disk already."""
        self._forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- under the lock ------------------------------------------------------------------------

    @contextmanager
    def _hold_lock(self) -> Iterator[LogView]:
        """Hold the lock, with what other processes did known; whatever fails makes us read all again."""
        with convert_disk_errors(self.folder), hold_lock(self.folder / log_state.LOCK):
            try:
                yield self._current()
            except BaseException:
                self._forget()
                raise

    def _current(self) -> LogView:
        view = self._view
        if (
            view is not None
            and view.stamp == log_state.read_state_stamp(self.folder)
            and view.journal.is_current()
        ):
            if view.journal.is_unread():
                self._catch_up(view, *view.journal.read_new_entries())
        else:
            self._forget()
            log_creation.resume_rotation(self.folder)
            view, entries, torn = read_view(self.folder, self.keys, self._seen)
            self._view = self._seen = view
            run_files.repair_run_files(self.folder, entries, view.state.size, format_timestamp(self.clock))
            self._catch_up(view, [], torn)
        if self._mend:
            now = format_timestamp(self.clock)
            with suppress(OSError):  # they are fixed at the latest before the journal goes
                run_files.repair_run_files(self.folder, view.journal.entries(), view.state.size, now)
                self._mend = False
        return view

    def _catch_up(self, view: LogView, entries: list[JournalEntry], torn: bytes) -> None:
        """Take up where other processes stopped, or were stopped."""
        if torn:
            ts = format_timestamp(self.clock)
            view.journal.cut(torn, ts)
            event = {"ev": "recovered", "bytes": len(torn), "kept": f"journal.torn-{ts}"}
            self._append(view, LOG, [event])
        self._mend = self._mend or bool(entries and not run_files.has_last_entry(self.folder, entries[-1]))

    def _append(self, view: LogView, run: str, events: Sequence[Mapping[str, object]]) -> int:
        """Return the number of the first event; what the clock did may be before it."""
        _check_run(run)
        for event in events:
            if not isinstance(event.get("ev"), str) or not _OURS.isdisjoint(event):
                raise AuditError(
                    f"an event needs a name in `ev`, but not one of {', '.join(OURS)}", place=run
                )
        now, last = format_timestamp(self.clock), view.journal.ts
        behind = bool(last) and now < last
        far = behind and (datetime.fromisoformat(last) - datetime.fromisoformat(now)).total_seconds() > SKEW
        tell, self._is_behind = far and not self._is_behind, far
        before = [{"ev": "clock_skew", "clock": now}] if tell else []
        ts, first = max(now, last), view.journal.next
        lines = [encode_entry(run, event, ts, seq) for seq, event in enumerate([*before, *events], first)]
        view.journal.write(lines, ts)
        self._mend = not run_files.append_lines(self.folder, run, lines) or self._mend
        return first + len(before)

    def _settle_if_due(self, view: LogView) -> None:
        if view.journal.count < self._patience and view.journal.offset < self._most:
            return
        self._patience = view.journal.count + self._every  # should it fail: not again at once
        integrate_journal(self.folder, self.keys, view)
        self._patience = self._every

    def _publish(self, view: LogView, note: bytes, outcomes: Sequence[AnchorOutcome]) -> bytes:
        """Return the checkpoint with the signatures of witnesses, published unless a later one is."""
        with_them = add_cosignatures(note, outcomes)
        public = read_published(self.folder, view.key.verifier)
        if public is not None and public[0] == note and with_them != note:
            replace_durably(self.folder / log_state.CHECKPOINT, with_them)
        return with_them

    def _forget(self) -> None:
        if self._view is not None:
            self._view.journal.close()
        self._view = None


def _check_run(run: str) -> None:
    if not RUN.fullmatch(run):
        hint = "use up to 100 letters, digits, dots, dashes and underscores, a letter or digit first"
        raise AuditError("not a valid run name", place=run[:120], hint=hint)


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
    fields: dict[str, object] = {"anchors": [_describe_outcome(outcome) for outcome in outcomes]}
    for outcome in outcomes[::-1]:  # the first bucket counts
        if outcome.ok and outcome.place.startswith("s3://"):
            fields["s3"] = outcome.place[:_MOST]
    return fields


def _describe_outcome(outcome: AnchorOutcome) -> dict[str, object]:
    said: dict[str, object] = {"name": outcome.name[:_MOST], "ok": outcome.ok, "place": outcome.place[:_MOST]}
    if outcome.detail:
        said["detail"] = outcome.detail[:_MOST]
    if outcome.cosignatures:  # so that they outlive the checkpoint file, which the next one replaces
        lines = [line.decode("utf-8", "replace").strip()[:_MOST] for line in outcome.cosignatures[:_SIGNED]]
        said["cosignatures"] = lines
    return said


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
