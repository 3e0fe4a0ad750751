"""What a person decides about a reference of a run: first the event in the audit log, then the store."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from citeproof.errors import UsageError
from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.stores.decision_store import MAX_NOTE, DecisionChoice, DecisionStore, RunDecision
from citeproof.plumbing.stores.private_store import make_commitment
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.log_setup import make_anchors, open_log
from citeproof.settings import Settings

STAGE = "decision"
WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True)
class DecidedReference:
    """The reference that is decided about: its run in the store and in the log, its number from 0."""

    run: str
    log_run: str
    number: int


class DecisionKeeper:
    """Keeps decisions. Safe between threads."""

    def __init__(self, settings: Settings, store: DecisionStore, clock: Clock) -> None:
        self._settings, self._store, self._clock = settings, store, clock
        self._log: AuditLog | None = None
        self._lock = threading.Lock()

    def decide(self, about: DecidedReference, choice: str, note: str) -> None:
        """Log and store a decision; `withdraw` takes it back. UsageError for a choice that is none."""
        if choice == WITHDRAW:
            if about.number in self._store.load(about.run):
                self._write_event(about, {"choice": WITHDRAW})
                self._store.withdraw(about.run, about.number)
            return
        if choice not in set(DecisionChoice):
            hint = f"say one of {', '.join(DecisionChoice)}"
            raise UsageError(f"{choice[:40]!r} is not a decision", place="choice", hint=hint)
        note = note.replace("\r\n", "\n").strip()
        if len(note) > MAX_NOTE:
            message = f"has {len(note):,} characters, at most {MAX_NOTE:,} are kept"
            raise UsageError(message, place="note", hint="shorten it")
        made = RunDecision(about.number, DecisionChoice(choice), note, format_timestamp(self._clock))
        event = {"choice": choice}
        if note:
            salt, event["note"] = make_commitment(encode_canonical({"choice": choice, "note": note}))
            made = replace(made, salt=salt)
        self._write_event(about, event)
        self._store.put(about.run, made)

    def _write_event(self, about: DecidedReference, decision: Mapping[str, object]) -> None:
        folder = self._settings.audit_dir
        if folder is None:
            return
        with self._lock:
            self._log = self._log or open_log(self._settings, folder, self._clock)
            event = {"ev": "decided", "stage": STAGE, "reference": about.number + 1, **decision}
            self._log.append(about.log_run, [event])
            own = make_anchors(replace(self._settings, audit_anchors=()), folder, self._clock)
            self._log.commit(about.log_run, own)  # signed now; the next run hands it to the other anchors

    def close(self) -> None:
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None
