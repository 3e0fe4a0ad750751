"""How far a build has come, on disk: what a build that was stopped continues from.

    plan.json       what is built of what; another plan cannot continue with this one's files
    progress.json   the last two checkpoints and the steps that are done, under their SHA-256

Two checkpoints, because the words are tantivy's and are committed by a rename of its own: the last
checkpoint counts if they were committed after it was written, else the one before it does.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from citeproof.evidence.index import key_table, key_writer, record_blocks, snapshot_facts
from citeproof.evidence.index.build_workspace import LOCK, Workspace
from citeproof.evidence.index.full_text import count_committed
from citeproof.evidence.index.growing_files import is_grown
from citeproof.evidence.index.manifest import BadFact
from citeproof.evidence.index.record_blocks import SpoolState
from citeproof.plumbing.disk_files import PERMISSIONS, replace_durably
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

PLAN, PROGRESS = "plan.json", "progress.json"
# What each step makes of which files that grew; these go away when it is done.
MADE = {
    "store": ("spool", record_blocks.list_block_files(record_blocks.RECORDS)),
    "abstracts": ("abstracts", record_blocks.list_block_files(record_blocks.ABSTRACTS)),
    "keys": ("partitions", key_table.FILES),
    "links": ("works", (key_table.LINKS,)),
    "facts": ("tally", snapshot_facts.FILES),
}


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One input file as it is now. Equal content is equal, whenever it was changed."""

    path: str
    bytes: int
    sha256: str
    changed: int = field(compare=False)  # nanoseconds; unchanged files are not hashed again


@dataclass(frozen=True, slots=True)
class PlannedInput:
    reader: str
    licence: str
    read_at: str | None
    files: tuple[PlannedFile, ...]


@dataclass(frozen=True, slots=True)
class BuildPlan:
    citeproof: str
    format: int
    name: str
    covers: tuple[str, ...]
    inputs: tuple[PlannedInput, ...]
    abstracts: bool = False  # whether they are stored


@dataclass(frozen=True, slots=True)
class BuildCheckpoint:
    """A moment of a build when all that had been read was on the disk."""

    records: int = 0
    bad: int = 0
    bad_records: tuple[BadFact, ...] = ()
    counts: tuple[tuple[int, int], ...] = ()  # good and bad records of each input that was read whole
    pieces: int = 0  # of the current input: where its bookmark stood
    items: int = 0
    spool: SpoolState = field(default_factory=SpoolState)
    abstracts: SpoolState = field(default_factory=SpoolState)
    with_abstract: int = 0  # records that have one
    lengths: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the files that grow


@dataclass(frozen=True, slots=True)
class BuildState:
    """Where a build stands: the last checkpoint, the one before it, and what each done step gave."""

    now: BuildCheckpoint = field(default_factory=BuildCheckpoint)
    before: BuildCheckpoint | None = None
    done: dict[str, str] = field(default_factory=dict)


class _SealedState(msgspec.Struct):
    sha256: str
    stand: msgspec.Raw


class BuildLedger:
    """Keeps where a build is, in memory and on disk."""

    def __init__(self, folder: Path, stand: BuildState) -> None:
        self._folder = folder
        self.stand = stand

    @property
    def now(self) -> BuildCheckpoint:
        return self.stand.now

    def advance(self, now: BuildCheckpoint) -> None:
        self._save(BuildState(now, self.stand.now))

    def mark_done(self, step: str, result: str) -> None:
        self._save(replace(self.stand, done={**self.stand.done, step: result}))

    def _save(self, stand: BuildState) -> None:
        body = msgspec.json.encode(stand)
        sealed = _SealedState(hashlib.sha256(body).hexdigest(), msgspec.Raw(body))
        replace_durably(self._folder / PROGRESS, msgspec.json.encode(sealed), PERMISSIONS)
        self.stand = stand


def load_state(folder: Path) -> BuildState | None:
    """Return where the build in `folder` stood; None if that is not known."""
    try:
        sealed = decode_json((folder / PROGRESS).read_bytes(), type=_SealedState)
        if hashlib.sha256(sealed.stand).hexdigest() != sealed.sha256:
            return None
        return decode_json(sealed.stand, type=BuildState)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def load_plan(folder: Path) -> BuildPlan | None:
    """Return what the build in `folder` was to be of; None if that is not known."""
    try:
        return decode_json((folder / PLAN).read_bytes(), type=BuildPlan)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def begin_build(space: Workspace, plan: BuildPlan, *, fresh: bool) -> tuple[BuildLedger, str]:
    """Return the ledger of the build stopped in `space`, or a new one; and a note about it for the user."""
    known = load_plan(space.folder)
    left, why = _find_resumable(space, plan, known, fresh=fresh)
    if left is not None:
        note = f"going on after {left.now.records:,} records of a build that was stopped"
        return BuildLedger(space.folder, left), note
    space.clear()
    space.snapshot.mkdir()
    replace_durably(space.folder / PLAN, msgspec.json.encode(plan), PERMISSIONS)
    note = f"removed {space.folder.name}, left by a build that was stopped: {why}" if why else ""
    return BuildLedger(space.folder, BuildState()), note


def _find_resumable(
    space: Workspace, plan: BuildPlan, known: BuildPlan | None, *, fresh: bool
) -> tuple[BuildState | None, str]:
    """Return where a stopped build of `plan` is known to have stood; if none, why it cannot continue."""
    if all(path.name == LOCK for path in space.folder.iterdir()):
        return None, ""
    if fresh:
        return None, "as --fresh asks"
    if known is not None and known != plan:
        return None, "it was of other files, claims or settings"
    if known is not None and not (space.folder / PROGRESS).exists():
        return None, "it had not come far"
    stand = load_state(space.folder)
    if known is None or stand is None:
        return None, "how far it had come cannot be read"
    if left := find_reached_state(space):
        return left, ""
    first = stand.before is None or not stand.before.records
    return None, "it had not come far" if first else "its files are damaged"


def find_reached_state(space: Workspace) -> BuildState | None:
    """Return where a build was at the last checkpoint that counts; None if nothing can continue from it."""
    stand = load_state(space.folder)
    for now in (stand.now, stand.before) if stand else ():
        if stand and now and now.records and _is_whole(space, now, stand.done):
            return replace(stand, now=now, before=None)
    return None


def _is_whole(space: Workspace, now: BuildCheckpoint, done: dict[str, str]) -> bool:
    """Return whether all that a checkpoint speaks of is there."""
    for step, (name, made) in MADE.items():
        if step in done:
            if not all((space.snapshot / file).is_file() for file in made):
                return False
        elif not now.lengths.get(name):
            continue  # abstracts that were not asked for
        elif not is_grown(_list_files(space.folder, name), now.lengths.get(name, ())):
            return False
    return count_committed(space.snapshot) == now.records


def _list_files(folder: Path, name: str) -> tuple[Path, ...]:
    match name:
        case "spool" | record_blocks.ABSTRACTS:
            return (folder / name,)
        case "tally":
            return snapshot_facts.list_tally_files(folder / name)
    return key_writer.list_partition_files(folder / name)
