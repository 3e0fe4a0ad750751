"""Settings to an open log: its folder, stores, key and anchors, for one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec

from citeproof.audit import erasing
from citeproof.audit.anchors import base as anchors
from citeproof.audit.anchors.base import Anchor, Around
from citeproof.audit.keys import KeyStore
from citeproof.audit.ledger import Ledger
from citeproof.audit.log import Log
from citeproof.audit.naming import Held
from citeproof.audit.recording import Head, Recorder, checked_name, run_name
from citeproof.clock import Clock
from citeproof.settings import Settings
from citeproof.stores.evidence import Evidence
from citeproof.stores.private import Private

OWN = "folder:commits"  # the write-once folder inside the log, which every log has


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run is about to use, for its first event."""

    stage: str
    judge: str
    model: bytes
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    wired: Mapping[str, object]  # base URLs, which sources had a key, whether a contact was told


def ledger(settings: Settings, folder: Path, clock: Clock) -> Ledger:
    """Return the writer of the log in `folder`, which is made if it is not there."""
    run = checked_name(settings.audit_run) if settings.audit_run else run_name(clock)
    chosen = anchors_of(settings, folder, clock)
    log = open_log(settings, folder, clock)
    held = Held(folder, settings.audit_run)  # before the stores: from now on nobody rotates the log
    private = Private(folder)
    erasing.finish(log, private)  # what a crash kept from being erased
    return Ledger(
        log,
        Evidence(folder, clock=clock),
        private,
        run,
        clock,
        anchors=chosen,
        every=settings.audit_every,
        held=held,
    )


def open_log(settings: Settings, folder: Path, clock: Clock) -> Log:
    """Return the log in `folder`, open for writing; a new one gets a key of its own."""
    return Log.open_or_create(folder, clock, KeyStore(settings.audit_keys), every=settings.audit_every)


def anchors_of(settings: Settings, folder: Path, clock: Clock) -> Sequence[Anchor]:
    """Return the anchors of a log: the write-once folder inside it, then those of the settings."""
    around = Around(folder, clock, proxy=settings.proxy, offline=settings.offline)
    return [anchors.make(text, around) for text in (OWN, *settings.audit_anchors)]


def recorder(settings: Settings, ledger: Ledger, facts: Facts) -> Recorder:
    """Return the observer that puts one run into the log."""
    folder = settings.audit_dir
    assert folder is not None
    place = folder / f"{ledger.run}.jsonl"
    head = Head(
        facts.stage,
        metadata.version("citeproof"),
        facts.judge,
        facts.model,
        facts.snapshots,
        facts.sources,
        settings.offline,
        {**facts.wired, "settings": settings.digest()},
    )
    return Recorder(
        ledger,
        head,
        place,
        strict=settings.audit_durability == "strict",
        clear=settings.audit_clear,
        first=last_number(place) + 1,
    )


class _Numbered(msgspec.Struct):
    ref: int = 0
    last: int = 0


def last_number(path: Path) -> int:
    """Return the highest number of a reference in the file of a run, 0 if there is none."""
    if not path.is_file():
        return 0
    decoder = msgspec.json.Decoder(_Numbered)
    highest = 0
    with path.open("rb") as lines:
        for line in lines:
            try:
                numbered = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            highest = max(highest, numbered.ref, numbered.last)
    return highest
