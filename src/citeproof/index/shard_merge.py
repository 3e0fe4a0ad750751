"""Merging shards: the records in their order, as if one build had read them, then the steps of any build.

1. check     all shares of one plan, every file as it was built
2. gather    records, keys and counts in the order of the input; of the words the segments as they are
3. finish    as a build in one go: the same records, keys and id
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from citeproof.clock import Clock, SystemClock
from citeproof.errors import InputError, SnapshotError
from citeproof.index import build_resume, key_table, manifest, segment_ordinals
from citeproof.index.build import pause_collector, seal_manifest
from citeproof.index.build_checkpoint import BuildCheckpoint, BuildLedger, BuildPlan
from citeproof.index.build_steps import finish_build
from citeproof.index.build_workspace import Workspace, open_workspace, sync_tree
from citeproof.index.fact_tally import list_tally_files
from citeproof.index.full_text import FOLDER as TEXT
from citeproof.index.growing_files import GrowingFiles, sync_groups
from citeproof.index.key_table import KeyPartitions
from citeproof.index.manifest import Manifest
from citeproof.index.record_blocks import ABSTRACTS
from citeproof.index.record_intake import EVERY, KEPT_BAD, BuildProgress, Tell
from citeproof.index.record_spool import Spool, SpoolReader, SpoolState
from citeproof.index.segment_ordinals import ShardText
from citeproof.index.shard_build import FILE as SHARD
from citeproof.index.shard_build import ShardManifest, check_shard, load_shard

_AT_ONCE = 1 << 20  # pairs of key and record moved at a time


@dataclass(frozen=True, slots=True)
class _ShardPart:
    """One shard, and where each of its runs of records begins in it and in the whole."""

    folder: Path
    made: ShardManifest
    starts: tuple[int, ...]
    places: tuple[int, ...]


def merge_shards(
    folders: Sequence[Path],
    out: Path,
    *,
    progress: Tell | None = None,
    clock: Clock | None = None,
    like: Path | None = None,
    own: bool = False,
    processes: int = 1,
) -> Manifest:
    """Return the manifest of the snapshot in the new folder `out` made of all shards of one build.

    A merge that was stopped continues. `own`: the shards were built here for this and are not checked
    again; of each only shard.json stays.
    """
    if like is not None:
        manifest.load(like)
    tell = progress or (lambda _: None)
    made = sorted(((load_shard(folder), folder) for folder in folders), key=lambda one: one[0].share.number)
    plan = _join_plans(made)
    with open_workspace(out, build_resume.find_reached_state) as space, pause_collector():
        ledger, note = build_resume.begin_build(space, plan, fresh=False)
        tell(BuildProgress("merge", ledger.now.records, ledger.now.bad, note))
        if not ledger.now.records:
            for shard, folder in () if own else made:
                tell(BuildProgress("check", shard.read.records, shard.read.bad))
                check_shard(folder, shard)
            _ShardGathering(space, ledger, tell, _place_runs(made)).run()
        if own:
            _remove_gathered(folders)
        now = ledger.now
        finished = finish_build(
            space, ledger, lambda step: tell(BuildProgress(step, now.records, now.bad)), like, processes
        )
        tell(BuildProgress("seal", now.records, now.bad))
        return seal_manifest(space.snapshot, plan, now, finished, clock or SystemClock())


def _join_plans(made: Sequence[tuple[ShardManifest, Path]]) -> BuildPlan:
    """Return the plan of the whole; raise if these are not all shares of one plan."""
    if not made:
        raise SnapshotError("there is nothing to merge", place="index merge", hint="name the shards")
    first, folder = made[0]
    digests = []
    for shard, other in made:
        if _describe_plan(shard.plan) != _describe_plan(first.plan):
            hint = "build all shards with the same command, but for K of --shard K/N and --out"
            what = f"is a shard of another build than {folder.name}: other files, claims or settings"
            raise SnapshotError(what, place=str(other), hint=hint)
        digests.append(sha256(msgspec.json.encode(shard.files)).hexdigest())
    numbers = [shard.share.number for shard, _ in made]
    count = first.share.count
    if numbers != list(range(count)):
        double = next((one for one in numbers if numbers.count(one) > 1), None)
        if double is not None:
            what = f"share {double + 1}/{count} is named twice"
        else:
            lacking = ", ".join(f"{one + 1}/{count}" for one in range(count) if one not in numbers)
            what = f"not all shards are here; missing: {lacking}"
        raise SnapshotError(what, place=str(folder), hint="name every shard of the build once")
    if not any(shard.read.records for shard, _ in made):
        bad = next((one for shard, _ in made for one in shard.read.bad_records), None)
        hint = "check that the files are of the format named by --from"
        what = f"no record could be read: {bad.message}" if bad else "the input holds no records"
        raise InputError(what, place=bad.place if bad else str(folder), hint=hint)
    return replace(first.plan, format=manifest.PARTED, share=(), shards=tuple(digests))


def _describe_plan(plan: BuildPlan) -> object:
    """Return what shards of one build have in common: paths may differ from machine to machine."""
    inputs = [(one.reader, one.licence, one.read_at, [f.sha256 for f in one.files]) for one in plan.inputs]
    return plan.format, plan.citeproof, plan.name, plan.covers, plan.abstracts, plan.share[1:], inputs


def _place_runs(made: Sequence[tuple[ShardManifest, Path]]) -> list[_ShardPart]:
    """Return the shards with the places of their runs: in the order of the input."""
    runs = sorted(
        (run.unit, number, at)
        for number, (shard, _) in enumerate(made)
        for at, run in enumerate(shard.read.runs)
    )
    placed: list[list[int]] = [[0] * len(shard.read.runs) for shard, _ in made]
    total = 0
    for _, number, at in runs:
        placed[number][at] = total
        total += made[number][0].read.runs[at].records
    parts = []
    for (shard, folder), places in zip(made, placed, strict=True):
        lengths = [run.records for run in shard.read.runs]
        starts = tuple(int(end) - length for end, length in zip(np.cumsum(lengths), lengths, strict=True))
        parts.append(_ShardPart(folder, shard, starts, tuple(places)))
    return parts


class _ShardGathering:
    """Brings the files of all shards together in the workspace of the whole."""

    def __init__(self, space: Workspace, ledger: BuildLedger, tell: Tell, parts: list[_ShardPart]) -> None:
        self._space, self._ledger, self._tell, self._parts = space, ledger, tell, parts
        self._plan = parts[0].made.plan
        self._open = ExitStack()
        self._records = sum(part.made.read.records for part in parts)

    def run(self) -> None:
        """Gather all, make it last and write that it is done."""
        with ExitStack() as self._open:
            lengths, states = self._gather_files()
        self._gather_text()
        sync_tree(self._space.folder)
        self._write_checkpoint(lengths, states)

    def _gather_files(self) -> tuple[dict[str, tuple[int, ...]], dict[str, SpoolState]]:
        """Return the lengths of the files that grew, and where the spools are."""
        spool = self._gather_records("spool", [part.made.read.spool for part in self._parts])
        groups: dict[str, GrowingFiles] = {"spool": spool.file}
        states = {"spool": spool.state()}
        if self._plan.abstracts:
            kept = self._gather_records(ABSTRACTS, [part.made.read.abstracts for part in self._parts])
            groups[ABSTRACTS], states[ABSTRACTS] = kept.file, kept.state()
        for name in ("partitions", "works"):
            groups[name] = self._gather_keys(name).file
        groups["tally"] = self._gather_tally()
        return dict(zip(groups, sync_groups(groups.values()), strict=True)), states

    def _write_checkpoint(self, lengths: dict[str, tuple[int, ...]], states: dict[str, SpoolState]) -> None:
        read = [part.made.read for part in self._parts]
        bad = sorted(
            (unit, at, fact)
            for one in read
            for at, (unit, fact) in enumerate(zip(one.bad_units, one.bad_records, strict=True))
        )
        now = BuildCheckpoint(
            records=self._records,
            bad=sum(one.bad for one in read),
            bad_records=tuple(fact for _, _, fact in bad[:KEPT_BAD]),
            counts=tuple(
                (sum(good for good, _ in column), sum(wrong for _, wrong in column))
                for column in zip(*(one.counts for one in read), strict=True)
            ),
            spool=states["spool"],
            abstracts=states.get(ABSTRACTS, SpoolState()),
            with_abstract=sum(one.with_abstract for one in read),
            lengths=lengths,
        )
        self._ledger.finish_reading(now, {"text": ""})  # tantivy would renumber the segments

    def _gather_records(self, name: str, states: Sequence[SpoolState]) -> Spool:
        """Return the records of all shards in one spool, in the order of the whole."""
        made = Spool(self._space.folder / name)
        self._open.callback(made.file.close)
        readers = [
            self._open.enter_context(closing(SpoolReader(part.folder / name, state)))
            for part, state in zip(self._parts, states, strict=True)
        ]
        runs = sorted(
            (place, number, run.records)
            for number, part in enumerate(self._parts)
            for place, run in zip(part.places, part.made.read.runs, strict=True)
        )
        for place, number, count in runs:
            readers[number].move(count, made)
            if place % EVERY < count:
                self._tell(BuildProgress("merge", place + count, 0))
        return made

    def _gather_keys(self, name: str) -> KeyPartitions:
        """Return the keys of all shards, with the ordinals of the whole."""
        made = KeyPartitions(self._space.folder / name)
        self._open.callback(made.file.close)
        for part in self._parts:
            starts = np.array(part.starts or (0,), np.int64)
            shift = np.array(part.places or (0,), np.int64) - starts
            for source, target in zip(
                key_table.list_partition_files(part.folder / name), made.file.files, strict=True
            ):
                with source.open("rb") as file:
                    while len(pairs := np.fromfile(file, key_table.PAIR, _AT_ONCE)):
                        own = pairs["ordinal"].astype(np.int64)
                        own += shift[starts.searchsorted(own, side="right") - 1]
                        pairs["ordinal"] = own.astype(np.uint32)
                        target.write(pairs.tobytes())
        return made

    def _gather_tally(self) -> GrowingFiles:
        (self._space.folder / "tally").mkdir(exist_ok=True)
        targets = GrowingFiles(list_tally_files(self._space.folder / "tally"))
        self._open.callback(targets.close)
        for part in self._parts:
            for source, target in zip(list_tally_files(part.folder / "tally"), targets.files, strict=True):
                with source.open("rb") as file:
                    shutil.copyfileobj(file, target, 1 << 20)
        return targets

    def _gather_text(self) -> None:
        """Take over the segments of the words, and write down where their records are."""
        target = self._space.snapshot / TEXT
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        shards = []
        for part in self._parts:
            folder = part.folder / TEXT
            for path in sorted(folder.iterdir()):
                if path.name not in {segment_ordinals.META, segment_ordinals.MANAGED}:
                    shutil.copyfile(path, target / path.name)
            names = tuple(segment_ordinals.list_segments(folder))
            shards.append(ShardText(names, part.starts, part.places))
        segment_ordinals.join_segments([part.folder / TEXT for part in self._parts], target)
        (target / segment_ordinals.FILE).write_bytes(msgspec.json.encode(shards))


def _remove_gathered(folders: Sequence[Path]) -> None:
    for path in [path for folder in folders for path in folder.iterdir() if path.name != SHARD]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
