"""Settings to an open log: its folder, stores, key and anchors, for one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citeproof.answers.serializers.judgements import GROUNDING
from citeproof.answers.serializers.report import get_version
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import erasure
from citeproof.proof.audit.anchors import base as anchors
from citeproof.proof.audit.anchors.base import Anchor, AnchorContext
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.batch_writer import LONG_WINDOW, WINDOW, BatchWriter
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.run_lock import RunLock
from citeproof.proof.audit.run_recorder import (
    EarlierAttempt,
    RunRecorder,
    RunStart,
    check_run_name,
    digest_row,
    make_run_name,
)
from citeproof.settings import Settings

OWN = "folder:commits"  # the write-once folder inside the log, which every log has


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run is about to use, for its first event."""

    stage: str
    judge: str
    model: bytes
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    wired: Mapping[str, object]  # base URLs, which sources had a key, whether a contact was given
    lists_pin: str = ""  # SHA-256 of the pinned set of lists


def open_batch_writer(settings: Settings, folder: Path, clock: Clock) -> BatchWriter:
    """Return the writer of the log in `folder`, which is made if it is not there."""
    run = check_run_name(settings.audit_run) if settings.audit_run else make_run_name(clock)
    chosen = make_anchors(settings, folder, clock)
    log = open_log(settings, folder, clock)
    held = RunLock(folder, settings.audit_run)  # before the stores: from now on no one rotates the log
    private = PrivateStore(folder)
    erasure.finish_erasures(log, private)  # what was not erased because of a crash
    evidence, every = EvidenceStore(folder, clock=clock), settings.audit_every
    window = LONG_WINDOW if settings.offline else WINDOW
    return BatchWriter(
        log, evidence, private, run, clock, anchors=chosen, every=every, window=window, held=held
    )


def open_log(settings: Settings, folder: Path, clock: Clock) -> AuditLog:
    """Return the log in `folder`, open for writing; a new one gets a key of its own."""
    return AuditLog.open_or_create(folder, clock, KeyStore(settings.audit_keys), every=settings.audit_every)


def make_anchors(settings: Settings, folder: Path, clock: Clock) -> Sequence[Anchor]:
    """Return the anchors of a log: the write-once folder inside it, then those of the settings."""
    around = AnchorContext(folder, clock, proxy=settings.proxy, offline=settings.offline)
    return [anchors.make(text, around) for text in (OWN, *settings.audit_anchors)]


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
    config = {**facts.wired, "settings": settings.digest()}
    if settings.allow_unchecked_retractions:  # a replay must know it
        config["allow_unchecked_retractions"] = True
    head = RunStart(
        facts.stage, get_version(), facts.judge, facts.model, facts.snapshots, facts.sources,
        settings.offline, config, facts.lists_pin,
    )  # fmt: skip
    return RunRecorder(
        ledger,
        head,
        place,
        strict=settings.audit_durability == "strict",
        clear=settings.audit_clear,
        first=find_last_number(place) + 1 if free else sum((resumed or {}).values()) + 1,
        earlier=None if resumed is None else find_earlier_attempt(folder, ledger.run, resumed),
    )


class _RunRow(msgspec.Struct):
    case: str = ""
    claim: str = ""
    set: str = ""
    complete: bool = False  # of a run's last event
    ref: int = 0
    last: int = 0


def _read_rows(path: Path) -> Iterator[_RunRow]:
    """Yield the lines of a run's file; one that cannot be read is skipped."""
    decoder = msgspec.json.Decoder(_RunRow)
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        yield row


def find_earlier_attempt(folder: Path, run: str, counts: Mapping[str, int]) -> EarlierAttempt:
    """Return what the log has of a run; a row that no event names was written by a process that died."""
    named: set[str] = set()
    complete = False
    for logged in _read_rows(folder / f"{run}.jsonl"):
        named |= {logged.case, logged.claim, logged.set}
        complete = complete or logged.complete
    with closing(PrivateStore(folder)) as store:
        stored = (row for row in store.list_run_rows(run) if row.commitment in named)
        rows = Counter(digest_row(row.kind, row.data) for row in stored)
    return EarlierAttempt(counts, rows, complete)


def find_last_number(path: Path) -> int:
    """Return the highest number of a reference in the file of a run, 0 if there is none."""
    return max((max(row.ref, row.last) for row in _read_rows(path)), default=0)
