"""What comes after reading: the files that grew become those of the snapshot, one step after another.

A step is written down with what it gave, once its files are on the disk; then what it was made from goes
away. A build that is stopped continues with the step that was not done.

In a merge, records and keys stay in the shards until the step that wants them: nothing is written twice, and
steps that do not wait for each other gather at the same time.

    sources.json   where each shard is, and where its runs of records begin in it and in the whole
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from citeproof.errors import SnapshotError
from citeproof.evidence.index import key_table, record_blocks, snapshot_facts
from citeproof.evidence.index.build_checkpoint import MADE, BuildLedger, BuildState, load_state
from citeproof.evidence.index.build_workspace import Workspace, sync_tree
from citeproof.evidence.index.full_text import TextWriter
from citeproof.evidence.index.key_table import PAIR, U32, U64, KeyPartitions, PairSource
from citeproof.evidence.index.record_blocks import ABSTRACTS, RECORDS, Spool, SpoolReader, SpoolState
from citeproof.evidence.index.snapshot_facts import FactTally
from citeproof.plumbing.disk_files import PERMISSIONS, replace_durably
from citeproof.plumbing.worker_processes import WorkerProcesses
from citeproof.text.typed_decoding import decode_json

SIDE_BY_SIDE = ("keys", "store", "abstracts", "links", "facts")  # the long ones first
SOURCES = "sources.json"


@dataclass(frozen=True, slots=True)
class FinishedBuild:
    """What the manifest needs to know: the digests of records and keys, and how many works there are."""

    records: str
    keys: str
    works: int
    abstracts: str = ""  # the digest of the abstracts; empty if none were asked for


def _list_steps(ledger: BuildLedger, like: Path | None) -> dict[str, Callable[[Workspace, BuildLedger], str]]:
    steps: dict[str, Callable[[Workspace, BuildLedger], str]] = {
        "text": _finish_text,
        "store": partial(_finish_blocks, name="spool", stem=RECORDS, like=like),
        "abstracts": partial(_finish_blocks, name=ABSTRACTS, stem=ABSTRACTS, like=like),
        "keys": _finish_keys,
        "links": _finish_links,
        "facts": _finish_facts,
    }
    if ABSTRACTS not in ledger.now.lengths:
        del steps["abstracts"]  # none were asked for
    return steps


class StepWork:
    """Does steps of a build in another process; which ones are done is written down by the first."""

    def __init__(self, folder: Path, like: Path | None) -> None:
        self._space, self._like = Workspace(folder), like

    def do(self, payload: bytes) -> bytes:
        """Do the step of this name; return what it gave, or nothing but a blank if it failed."""
        ledger = BuildLedger(self._space.folder, load_state(self._space.folder) or BuildState())
        try:
            return b"+" + _list_steps(ledger, self._like)[payload.decode()](self._space, ledger).encode()
        except (OSError, ValueError, KeyError):  # the first process does it again, and explains
            return b" "

    def close(self) -> None: ...


def _finish_together(space: Workspace, ledger: BuildLedger, like: Path | None, processes: int) -> None:
    """Do the steps that do not wait for each other at the same time; those that fail are left."""
    waiting = [step for step in SIDE_BY_SIDE if step in _list_steps(ledger, like)]
    waiting = [step for step in waiting if step not in ledger.stand.done]
    workers: WorkerProcesses[str] = WorkerProcesses(processes, partial(StepWork, space.folder, like))
    try:
        while waiting or workers.busy:
            while waiting and workers.ready():
                if not workers.send(waiting[0], waiting[0].encode()):
                    return
                waiting.pop(0)
            for answer in workers.answers(None):
                if answer.body and answer.body.startswith(b"+"):
                    sync_tree(space.snapshot)
                    ledger.mark_done(answer.job, answer.body[1:].decode())
        workers.dismiss()
    finally:
        workers.kill()


def finish_build(
    space: Workspace,
    ledger: BuildLedger,
    say: Callable[[str], None],
    like: Path | None = None,
    processes: int = 1,
) -> FinishedBuild:
    """Write everything and return what came out; `like` is a snapshot whose dictionaries are used again."""
    steps = _list_steps(ledger, like)
    if processes > 1 and "text" in ledger.stand.done:
        say("store")
        _finish_together(space, ledger, like, processes)
    for name, work in steps.items():
        if name not in ledger.stand.done:
            say(name)
            result = work(space, ledger)
            sync_tree(space.snapshot)
            ledger.mark_done(name, result)
        if name in MADE:
            made_from = space.folder / MADE[name][0]  # it may have gone already in the run before
            if made_from.is_dir():
                shutil.rmtree(made_from)
            else:
                made_from.unlink(missing_ok=True)
    done = ledger.stand.done
    return FinishedBuild(
        done["store"], done["keys"], ledger.now.records - int(done["links"]), done.get("abstracts", "")
    )


def _finish_text(space: Workspace, _: BuildLedger) -> str:
    with closing(TextWriter(space.snapshot)) as writer:
        writer.finish()
    return ""


def _open_spool(space: Workspace, ledger: BuildLedger, name: str, state: SpoolState) -> Spool:
    """Return the records that were read, or those of all shards, which are gathered now."""
    if shards := load_sources(space.folder):
        return gather_records(shards, name, space.folder / name)
    return Spool(space.folder / name, state, *ledger.now.lengths[name])


def _open_pairs(space: Workspace, ledger: BuildLedger, name: str) -> PairSource:
    if shards := load_sources(space.folder):
        return ShardPairs(shards, name)
    return KeyPartitions(space.folder / name, ledger.now.lengths[name])


def _finish_blocks(space: Workspace, ledger: BuildLedger, name: str, stem: str, like: Path | None) -> str:
    state = ledger.now.abstracts if stem == ABSTRACTS else ledger.now.spool
    with closing(_open_spool(space, ledger, name, state)) as spool:
        return record_blocks.write_blocks(space.snapshot, spool, stem, like)


def _finish_keys(space: Workspace, ledger: BuildLedger) -> str:
    with closing(_open_pairs(space, ledger, "partitions")) as keys:
        return key_table.write_keys(space.snapshot, keys)


def _finish_links(space: Workspace, ledger: BuildLedger) -> str:
    with closing(_open_pairs(space, ledger, "works")) as works:
        return str(key_table.write_links(space.snapshot, works))


def _finish_facts(space: Workspace, ledger: BuildLedger) -> str:
    tally = FactTally(space.folder / "tally", ledger.now.lengths["tally"])
    with closing(tally.file):
        snapshot_facts.write_facts(space.snapshot, tally)
    return ""


class ShardSource(msgspec.Struct, frozen=True):
    """One shard: its runs of records in the order it has them, and the sizes of its files."""

    folder: str
    starts: tuple[int, ...]
    places: tuple[int, ...]
    lengths: tuple[int, ...]  # records of each run
    spools: dict[str, SpoolState]
    sizes: dict[str, int]

    def locate(self, name: str) -> Path:
        """Return the path of a file of the shard; raise if it is not what it was."""
        path = Path(self.folder, name)
        if path.stat().st_size != self.sizes.get(name, 0):
            hint = "copy the shard again, or build it again"
            raise SnapshotError("has another size than when the shard was built", place=str(path), hint=hint)
        return path


def write_sources(folder: Path, shards: Sequence[ShardSource]) -> None:
    """Write down, in the workspace `folder`, what is merged there."""
    replace_durably(folder / SOURCES, msgspec.json.encode(shards), PERMISSIONS)


def load_sources(folder: Path) -> list[ShardSource]:
    """Return what is merged in the workspace `folder`; nothing if it is a build of files."""
    try:
        return decode_json((folder / SOURCES).read_bytes(), type=list[ShardSource])
    except FileNotFoundError:
        return []


def gather_records(shards: Sequence[ShardSource], name: str, target: Path) -> Spool:
    """Return the records of all shards in one spool, in the order of the whole."""
    with ExitStack() as opened:
        readers = [
            opened.enter_context(closing(SpoolReader(shard.locate(name), shard.spools[name])))
            for shard in shards
        ]
        runs = sorted(
            (place, number, count)
            for number, shard in enumerate(shards)
            for place, count in zip(shard.places, shard.lengths, strict=True)
        )
        made = Spool(target)
        with ExitStack() as failing:
            failing.callback(made.close)
            for _, number, count in runs:
                readers[number].move(count, made)
            failing.pop_all()
    return made


class ShardPairs:
    """Pairs of key and ordinal of all shards, sorted as those of one build would be."""

    def __init__(self, shards: Sequence[ShardSource], name: str) -> None:
        self._shards = shards
        self._names = [path.as_posix() for path in key_table.list_partition_files(Path(name))]
        size = sum(shard.sizes.get(name, 0) for shard in shards for name in self._names)
        self.count = size // PAIR.itemsize

    def sort_partitions(self) -> Iterator[tuple[U64, U32]]:
        """Yield each partition's keys and ordinals, sorted by key, then ordinal."""
        for name in self._names:
            parts = [_read_shifted(shard, name) for shard in self._shards]
            keys = np.concatenate([keys for keys, _ in parts])
            yield key_table.sort_pairs(keys, np.concatenate([ordinals for _, ordinals in parts]))

    def close(self) -> None: ...


def _read_shifted(shard: ShardSource, name: str) -> tuple[U64, U32]:
    """Return the pairs of one file, with the ordinals of the whole."""
    pairs = np.fromfile(shard.locate(name), PAIR)
    ordinals = np.ascontiguousarray(pairs["ordinal"])
    starts = np.array(shard.starts or (0,), np.uint32)
    shift = np.array(shard.places or (0,), np.uint32) - starts  # never below zero: others only come between
    ordinals += shift[starts.searchsorted(ordinals, side="right") - 1]
    return np.ascontiguousarray(pairs["key"]), ordinals
