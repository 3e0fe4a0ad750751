"""Settings to an open log: its folder, stores, key and anchors, for one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

from citeproof.audit import erasure
from citeproof.audit.anchors import base as anchors
from citeproof.audit.anchors.base import Anchor, AnchorContext
from citeproof.audit.audit_log import AuditLog
from citeproof.audit.batch_writer import LONG_WINDOW, WINDOW, BatchWriter
from citeproof.audit.events import GROUNDING
from citeproof.audit.key_store import KeyStore
from citeproof.audit.run_lock import RunLock
from citeproof.audit.run_recorder import (
    EarlierAttempt,
    RunRecorder,
    RunStart,
    check_run_name,
    digest_row,
    make_run_name,
)
from citeproof.clock import Clock
from citeproof.settings import Settings
from citeproof.stores.evidence_store import EvidenceStore
from citeproof.stores.private_store import PrivateStore

OWN = "folder:commits"  # the write-once folder inside the log, which every log has


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run is about to use, for its first event."""

    stage: str
    judge: str
    model: bytes
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    wired: Mapping[str, object]  # base URLs, which sources had a key, whether a contact was told
    lists_pin: str = ""  # SHA-256 of the pinned set of lists


def open_batch_writer(settings: Settings, folder: Path, clock: Clock) -> BatchWriter:
    """Return the writer of the log in `folder`, which is made if it is not there."""
    run = check_run_name(settings.audit_run) if settings.audit_run else make_run_name(clock)
    chosen = make_anchors(settings, folder, clock)
    log = open_log(settings, folder, clock)
    held = RunLock(folder, settings.audit_run)  # before the stores: from now on nobody rotates the log
    private = PrivateStore(folder)
    erasure.finish_erasures(log, private)  # what a crash kept from being erased
    return BatchWriter(
        log,
        EvidenceStore(folder, clock=clock),
        private,
        run,
        clock,
        anchors=chosen,
        every=settings.audit_every,
        window=LONG_WINDOW if settings.offline else WINDOW,
        held=held,
    )


def open_log(settings: Settings, folder: Path, clock: Clock) -> AuditLog:
    """Return the log in `folder`, open for writing; a new one gets a key of its own."""
    return AuditLog.open_or_create(folder, clock, KeyStore(settings.audit_keys), every=settings.audit_every)


def make_anchors(settings: Settings, folder: Path, clock: Clock) -> Sequence[Anchor]:
    """Return the anchors of a log: the write-once folder inside it, then those of the settings."""
    around = AnchorContext(folder, clock, proxy=settings.proxy, offline=settings.offline)
    return [anchors.make(text, around) for text in (OWN, *settings.audit_anchors)]


def _describe_allowance(settings: Settings) -> dict[str, bool]:
    """Return what a replay needs to know of a run that verifies claims without knowing of retractions."""
    return {"allow_unchecked_retractions": True} if settings.allow_unchecked_retractions else {}


def make_recorder(
    settings: Settings, ledger: BatchWriter, facts: RunFacts, resumed: Mapping[str, int] | None = None
) -> RunRecorder:
    """Return the observer that puts one run into the log.

    `resumed`: verdicts of the references that an earlier attempt at this run has checked; the next one
    has the number after them.
    """
    folder = settings.audit_dir
    assert folder is not None
    place = folder / f"{ledger.run}.jsonl"
    free = resumed is None or facts.stage == GROUNDING  # whose references have no place in a document
    head = RunStart(
        facts.stage,
        metadata.version("citeproof"),
        facts.judge,
        facts.model,
        facts.snapshots,
        facts.sources,
        settings.offline,
        {**facts.wired, "settings": settings.digest(), **_describe_allowance(settings)},
        facts.lists_pin,
    )
    return RunRecorder(
        ledger,
        head,
        place,
        strict=settings.audit_durability == "strict",
        clear=settings.audit_clear,
        first=find_last_number(place) + 1 if free else sum((resumed or {}).values()) + 1,
        earlier=None if resumed is None else find_earlier_attempt(folder, ledger.run, resumed),
    )


class _CommittedRow(msgspec.Struct):
    case: str = ""
    claim: str = ""
    set: str = ""
    complete: bool = False  # of a run's last event


def find_earlier_attempt(folder: Path, run: str, counts: Mapping[str, int]) -> EarlierAttempt:
    """Return what the log has of a run; a row that no event names was written by a process that died."""
    decoder = msgspec.json.Decoder(_CommittedRow)
    named: set[str] = set()
    complete = False
    path = folder / f"{run}.jsonl"
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        named |= {row.case, row.claim, row.set}
        complete = complete or row.complete
    store = PrivateStore(folder)
    try:
        rows = Counter(
            digest_row(row.kind, row.data) for row in store.list_run_rows(run) if row.commitment in named
        )
    finally:
        store.close()
    return EarlierAttempt(counts, rows, complete)


class _NumberedReference(msgspec.Struct):
    ref: int = 0
    last: int = 0


def find_last_number(path: Path) -> int:
    """Return the highest number of a reference in the file of a run, 0 if there is none."""
    if not path.is_file():
        return 0
    decoder = msgspec.json.Decoder(_NumberedReference)
    highest = 0
    with path.open("rb") as lines:
        for line in lines:
            try:
                numbered = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            highest = max(highest, numbered.ref, numbered.last)
    return highest
