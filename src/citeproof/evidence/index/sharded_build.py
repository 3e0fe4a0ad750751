"""A build by several processes of this machine: each builds a shard, then the shards are merged.

The shards grow in `<out>.shards` next to the target. What a run that was stopped left there is used again:
shards that are whole as they are, others from their last checkpoint.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from citeproof.errors import InputError, SnapshotError, UsageError
from citeproof.evidence.index import build_checkpoint, shard_merge
from citeproof.evidence.index.build import BuildOrder
from citeproof.evidence.index.build_workspace import Workspace, check_target, name_build_folder
from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.readers.base import STRETCH, ShardShare
from citeproof.evidence.index.record_intake import BuildProgress, Tell
from citeproof.evidence.index.shard_merge import merge_shards
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.worker_processes import WorkerProcesses
from citeproof.text.typed_decoding import decode_json

_POLL = 0.5  # seconds between two looks at how far the shards are
_ERRORS = {kind.__name__: kind for kind in (InputError, SnapshotError, UsageError)}


class _ShardAnswer(msgspec.Struct):
    kind: str = ""
    message: str = ""
    place: str = ""
    hint: str = ""


class ParentGoneError(Exception):
    """The process that started this one is gone: no process waits for the shard."""


class ShardWork:
    """Builds shards in another process."""

    def __init__(self, order: BuildOrder) -> None:
        self._order, self._parent = order, os.getppid()

    def do(self, payload: bytes) -> bytes:
        """Build the share that is asked for; return what went wrong."""
        try:
            _build_share(self._order, decode_json(payload, type=ShardShare), self._parent)
        except (InputError, SnapshotError, UsageError) as error:
            answer = _ShardAnswer(type(error).__name__, error.message, error.place, error.hint)
            return msgspec.json.encode(answer)
        except ParentGoneError:
            os._exit(1)
        return msgspec.json.encode(_ShardAnswer())

    def close(self) -> None: ...


def build_in_processes(
    order: BuildOrder,
    processes: int,
    progress: Tell | None = None,
    clock: Clock | None = None,
    *,
    stretch: int = STRETCH,
) -> Manifest:
    """Return the manifest of the snapshot that `processes` processes built as ordered.

    Records, keys and id are those of `build_snapshot`.
    """
    out = order.out.absolute()
    check_target(out)
    tell = progress or (lambda _: None)
    home = name_shards_folder(out)
    if order.fresh:
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(name_build_folder(out), ignore_errors=True)
    home.mkdir(parents=True, exist_ok=True)
    shares = [ShardShare(number, processes, stretch) for number in range(processes)]
    _run_shares(replace(order, out=out, fresh=False), shares, tell)
    folders = [_locate_shard(out, share) for share in shares]
    made = merge_shards(folders, out, progress=tell, clock=clock, like=order.like)
    shutil.rmtree(home, ignore_errors=True)
    return made


def name_shards_folder(out: Path) -> Path:
    """Return where the shards of the snapshot `out` are built."""
    return out.absolute().with_name(f"{out.name}.shards")


def _locate_shard(out: Path, share: ShardShare) -> Path:
    return name_shards_folder(out) / f"{share.number + 1}-of-{share.count}"


def _locate_count(out: Path, share: ShardShare) -> Path:
    return name_shards_folder(out) / f"{share.number + 1}-of-{share.count}.count"


def _run_shares(order: BuildOrder, shares: Sequence[ShardShare], tell: Tell) -> None:
    waiting = list(shares)
    workers: WorkerProcesses[ShardShare] = WorkerProcesses(len(shares), partial(ShardWork, order))
    try:
        while waiting or workers.busy:
            while waiting and workers.ready():
                if not workers.send(waiting[0], msgspec.json.encode(waiting[0])):
                    raise SnapshotError(
                        "no process could be started", place=str(order.out), hint="build without --processes"
                    )
                waiting.pop(0)
            for answer in workers.answers(_POLL):
                _check_answer(answer.body, answer.job, order)
            tell(BuildProgress("read", sum(_read_count(order.out, share) for share in shares), 0))
        workers.dismiss()
    finally:
        workers.kill()


def _check_answer(body: bytes | None, share: ShardShare, order: BuildOrder) -> None:
    if body is None:
        hint = "run the same command again to continue; if it was killed for memory, use fewer --processes"
        raise SnapshotError(f"the process of share {share} died", place=str(order.out), hint=hint)
    answer = decode_json(body, type=_ShardAnswer)
    if answer.kind:
        raise _ERRORS[answer.kind](answer.message, place=answer.place, hint=answer.hint)


def _read_count(out: Path, share: ShardShare) -> int:
    try:
        return int(_locate_count(out, share).read_bytes() or 0)
    except (OSError, ValueError):
        return 0


def _build_share(order: BuildOrder, share: ShardShare, parent: int) -> None:
    target = _locate_shard(order.out, share)
    if target.is_dir():
        if _is_usable(order, share, target):
            return
        shutil.rmtree(target)
    count = _locate_count(order.out, share)

    def tell(progress: BuildProgress) -> None:
        if os.getppid() != parent:
            raise ParentGoneError
        count.write_bytes(str(progress.records).encode())

    shard_merge.build_shard(replace(order, out=target), share, tell)


def _is_usable(order: BuildOrder, share: ShardShare, folder: Path) -> bool:
    """Return whether a shard that is there is the one that is wanted, whole or merged already."""
    try:
        shard = shard_merge.load_shard(folder)
    except SnapshotError:
        return False
    if shard.plan != shard_merge.make_share_plan(order, share, shard.plan):
        return False
    whole = all((folder / name).is_file() for name in shard.files)
    return whole or build_checkpoint.find_reached_state(Workspace(name_build_folder(order.out))) is not None
