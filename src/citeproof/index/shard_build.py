"""Building one shard: a share of the records, read, filed and sealed, to be merged with the other shares.

    shard.json   the plan, the share, counts, and the size of every file
    spool, abstracts, partitions/, works/, tally/, text/    what a build holds when it has read its input

A shard is no snapshot: its keys are not sorted yet, which is what makes merging cheap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from citeproof.errors import SnapshotError
from citeproof.index import build_checkpoint, build_resume
from citeproof.index.build import make_plan, pause_collector, read_inputs
from citeproof.index.build_checkpoint import BuildCheckpoint, BuildPlan
from citeproof.index.build_order import BuildOrder
from citeproof.index.build_workspace import Workspace, open_workspace
from citeproof.index.record_blocks import ABSTRACTS
from citeproof.index.record_intake import BuildProgress, RecordIntake, Tell
from citeproof.index.shard_share import ShardShare
from citeproof.typed_decoding import decode_json

FILE = "shard.json"
MAX_BYTES = 200_000_000
_GROWN = ("spool", ABSTRACTS, "partitions", "works", "tally")


@dataclass(frozen=True, slots=True)
class ShardManifest:
    """What a shard is of and what it holds."""

    plan: BuildPlan
    read: BuildCheckpoint
    files: dict[str, int]  # bytes

    @property
    def share(self) -> ShardShare:
        return ShardShare(*self.plan.share)


def build_shard(order: BuildOrder, share: ShardShare, progress: Tell | None = None) -> ShardManifest:
    """Return what the shard holds that was built as ordered, without `like`; a stopped one continues."""
    tell = progress or (lambda _: None)
    with open_workspace(order.out, build_resume.find_reached_state) as space, pause_collector():
        _move_grown(space.snapshot, space.folder)  # a run that was killed while it sealed
        known = None if order.fresh else build_checkpoint.load_plan(space.folder)
        plan = make_share_plan(order, share, known)
        ledger, note = build_resume.begin_build(space, plan, fresh=order.fresh)
        tell(BuildProgress("read", ledger.now.records, ledger.now.bad, note))
        if len(ledger.now.counts) < len(order.inputs):
            intake = RecordIntake(space, ledger, tell, order.every, abstracts=order.abstracts, share=share)
            read_inputs(space, intake, order.inputs)
        tell(BuildProgress("seal", ledger.now.records, ledger.now.bad))
        return _seal_shard(space, plan, ledger.now)


def make_share_plan(order: BuildOrder, share: ShardShare, known: BuildPlan | None) -> BuildPlan:
    """Return the plan of one share; the digests of unchanged files are taken from the plan of before."""
    return replace(make_plan(order, known), share=(share.number, share.count, share.stretch))


def _seal_shard(space: Workspace, plan: BuildPlan, read: BuildCheckpoint) -> ShardManifest:
    _move_grown(space.folder, space.snapshot)
    files = {
        path.relative_to(space.snapshot).as_posix(): path.stat().st_size
        for path in sorted(space.snapshot.rglob("*"))
        if path.is_file() and path != space.snapshot / FILE
    }
    made = ShardManifest(plan, read, files)
    (space.snapshot / FILE).write_bytes(msgspec.json.encode(made))
    return made


def _move_grown(source: Path, target: Path) -> None:
    for name in _GROWN:
        if (source / name).exists() and not (target / name).exists():
            (source / name).rename(target / name)


def load_shard(folder: Path) -> ShardManifest:
    """Return what the shard in `folder` holds; say what is wrong when it is none."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            return decode_json(file.read(MAX_BYTES), type=ShardManifest)
    except OSError as error:
        hint = "give read permission, then try again"
        raise SnapshotError(f"cannot be read: {error.strerror}", place=str(path), hint=hint) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_shard_error(f"is damaged: {error}", path) from error


def make_shard_error(what: str, place: Path) -> SnapshotError:
    """Return the error for a shard that only a new build of it can fix."""
    return SnapshotError(what, place=str(place), hint="run the same command again with --fresh")
