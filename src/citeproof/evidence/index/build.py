"""Building a snapshot: records stream in, an immutable folder comes out, or nothing yet.

1. plan       what is built of what, each input with its digest; a stopped build of the same plan continues
2. read       each reader yields records; bad ones are counted and listed with their place
3. finish     words, dictionary and blocks, key table, links between records of one work, facts
4. seal       manifest with every digest, then one rename

A step of 3 is written down with what it gave, once its files are on the disk; then what it was made from goes
away. A build that is stopped continues with the step that was not done.
"""

from __future__ import annotations

import gc
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from citeproof.errors import InputError
from citeproof.evidence.index import build_checkpoint, key_writer, manifest, record_blocks, snapshot_facts
from citeproof.evidence.index.build_checkpoint import (
    MADE,
    BuildCheckpoint,
    BuildLedger,
    BuildPlan,
    PlannedFile,
    PlannedInput,
)
from citeproof.evidence.index.build_workspace import Workspace, name_build_folder, open_workspace, sync_tree
from citeproof.evidence.index.coverage import CoverageClaim
from citeproof.evidence.index.full_text import TextWriter
from citeproof.evidence.index.key_writer import KeyPartitions
from citeproof.evidence.index.manifest import InputFact, Manifest, SourceFact
from citeproof.evidence.index.readers.base import find_reader
from citeproof.evidence.index.record_blocks import ABSTRACTS, RECORDS, Spool
from citeproof.evidence.index.record_intake import CHECKPOINT, BuildInput, BuildProgress, RecordIntake, Tell
from citeproof.evidence.index.snapshot_facts import FactTally
from citeproof.plumbing.clock import Clock, SystemClock, format_timestamp
from citeproof.vocabulary.quick_dataclass import dataclass

__all__ = ["BuildInput", "BuildOrder", "BuildProgress", "build", "build_snapshot", "count_stopped_records"]


class NoRecordsError(InputError):
    """Input that can be read and holds no record."""


def build(
    inputs: Sequence[BuildInput],
    out: Path,
    *,
    progress: Tell | None = None,
    clock: Clock | None = None,
    **choices: Any,  # noqa: ANN401 - the fields of BuildOrder, which checks their names
) -> Manifest:
    """Return the manifest of the snapshot built from `inputs` in the new folder `out`: `build_snapshot`."""
    return build_snapshot(BuildOrder(inputs, out, **choices), progress, clock)


def build_snapshot(order: BuildOrder, progress: Tell | None = None, clock: Clock | None = None) -> Manifest:
    """Return the manifest of the snapshot that was built as ordered; a stopped build continues."""
    if order.like is not None:
        manifest.load(order.like)
    tell = progress or (lambda _: None)
    with open_workspace(order.out, build_checkpoint.find_reached_state) as space, pause_collector():
        known = None if order.fresh else build_checkpoint.load_plan(space.folder)
        plan = make_plan(order, known)
        ledger, note = build_checkpoint.begin_build(space, plan, fresh=order.fresh)
        tell(BuildProgress("read", ledger.now.records, ledger.now.bad, note))
        if len(ledger.now.counts) < len(order.inputs):
            intake = RecordIntake(space, ledger, tell, order.every, abstracts=order.abstracts)
            read_inputs(space, intake, order.inputs)
        now = ledger.now
        if not now.records:
            raise explain_no_records(now, order.inputs)
        finished = finish_build(
            space, ledger, lambda step: tell(BuildProgress(step, now.records, now.bad)), order.like
        )
        tell(BuildProgress("seal", now.records, now.bad))
        return seal_manifest(space.snapshot, plan, now, finished, clock or SystemClock())


def count_stopped_records(out: Path) -> int:
    """Return after how many records a build of `out` that was stopped would continue; 0 if there is none."""
    left = build_checkpoint.find_reached_state(Workspace(name_build_folder(out)))
    return left.now.records if left else 0


def make_plan(order: BuildOrder, known: BuildPlan | None) -> BuildPlan:
    """Return the plan; the digests of files that have not changed are taken from the plan of before."""
    before = {
        (file.path, file.bytes, file.changed): file.sha256
        for source in (known.inputs if known else ())
        for file in source.files
    }
    return BuildPlan(
        citeproof=metadata.version("citeproof"),
        format=manifest.FORMAT,
        name=order.name,
        covers=tuple(sorted(str(claim) for claim in order.covers)),
        inputs=tuple(
            PlannedInput(
                source.reader,
                source.licence,
                source.read_at,
                tuple(_plan_file(p, before) for p in source.paths),
            )
            for source in order.inputs
        ),
        abstracts=order.abstracts,
    )


def _plan_file(path: Path, before: dict[tuple[str, int, int], str]) -> PlannedFile:
    try:
        facts = path.stat()
        if not (
            stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)
        ):  # it is read twice, and a pipe can be read once
            hint = "save it to a file first, and name that"
            raise InputError("is not a plain file", place=str(path), hint=hint)
        known = before.get((str(path), facts.st_size, facts.st_mtime_ns))
        sha256 = known or manifest.make_file_fact(path).sha256
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", place=str(path), hint="check the path and its permissions"
        ) from error
    return PlannedFile(str(path), facts.st_size, sha256, facts.st_mtime_ns)


def read_inputs(space: Workspace, intake: RecordIntake, inputs: Sequence[BuildInput]) -> None:
    """Have all inputs read; a damaged one means that nothing can continue."""
    try:
        intake.read(inputs)
    except InputError:
        space.lost = True  # a fixed file is another file
        raise
    finally:
        intake.close()


def seal_manifest(
    folder: Path, plan: BuildPlan, now: BuildCheckpoint, finished: FinishedBuild, clock: Clock
) -> Manifest:
    """Return the manifest, written next to the files that it describes."""
    sources = tuple(
        _make_source_fact(planned, *counts) for planned, counts in zip(plan.inputs, now.counts, strict=True)
    )
    files = {
        path.relative_to(folder).as_posix(): manifest.make_file_fact(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / manifest.FILE
    }
    made = Manifest(
        id=manifest.make_identity(finished.records, finished.keys, plan.covers, sources, finished.abstracts),
        format=plan.format,
        citeproof=plan.citeproof,
        created=format_timestamp(clock),
        name=plan.name,
        records=now.records,
        works=finished.works,
        bad=now.bad,
        bytes=sum(fact.bytes for fact in files.values()),
        sources=sources,
        covers=plan.covers,
        files=files,
        bad_records=now.bad_records,
        abstracts=now.with_abstract if plan.abstracts else None,
    )
    (folder / manifest.FILE).write_bytes(manifest.dumps(made))
    return made


def _make_source_fact(planned: PlannedInput, records: int, bad: int) -> SourceFact:
    return SourceFact(
        reader=planned.reader,
        records=records,
        bad=bad,
        inputs=tuple(InputFact(Path(file.path).name, file.bytes, file.sha256) for file in planned.files),
        licence=planned.licence,
        read_at=planned.read_at,
        covers=find_reader(planned.reader).covers_note,
    )


def explain_no_records(now: BuildCheckpoint, inputs: Sequence[BuildInput]) -> InputError:
    first = now.bad_records[0] if now.bad_records else None
    readers = ", ".join(source.reader for source in inputs)
    return NoRecordsError(
        f"no record could be read: {first.message}" if first else "the input holds no records",
        place=first.place if first else ", ".join(str(p) for s in inputs for p in s.paths),
        hint=f"check that the files are of the format named by --from ({readers})",
    )


@contextmanager
def pause_collector() -> Iterator[None]:
    """Switch the cycle collector off: a build makes millions of objects and no cycles (15 % of its time)."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """What is built of what, and where.

    A stopped build of the same order continues at its last checkpoint, of which there is one after `every`
    items; with `fresh` it starts again. With `abstracts` those that the inputs have are stored too. Records
    are compressed with the dictionary of the snapshot `like`, if there is one: then what has not changed
    since keeps its bytes, and `index pull` fetches less.
    """

    inputs: Sequence[BuildInput]
    out: Path  # the new folder
    covers: Sequence[CoverageClaim] = ()
    name: str = ""
    fresh: bool = False
    every: int = CHECKPOINT
    abstracts: bool = False
    like: Path | None = None


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


def finish_build(
    space: Workspace, ledger: BuildLedger, say: Callable[[str], None], like: Path | None = None
) -> FinishedBuild:
    """Write everything and return what came out; `like` is a snapshot whose dictionaries are used again."""
    steps = _list_steps(ledger, like)
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


def _finish_blocks(space: Workspace, ledger: BuildLedger, name: str, stem: str, like: Path | None) -> str:
    state = ledger.now.abstracts if stem == ABSTRACTS else ledger.now.spool
    with closing(Spool(space.folder / name, state, *ledger.now.lengths[name])) as spool:
        return record_blocks.write_blocks(space.snapshot, spool, stem, like)


def _finish_keys(space: Workspace, ledger: BuildLedger) -> str:
    with closing(KeyPartitions(space.folder / "partitions", ledger.now.lengths["partitions"])) as keys:
        return key_writer.write_keys(space.snapshot, keys)


def _finish_links(space: Workspace, ledger: BuildLedger) -> str:
    with closing(KeyPartitions(space.folder / "works", ledger.now.lengths["works"])) as works:
        return str(key_writer.write_links(space.snapshot, works))


def _finish_facts(space: Workspace, ledger: BuildLedger) -> str:
    tally = FactTally(space.folder / "tally", ledger.now.lengths["tally"])
    with closing(tally.file):
        snapshot_facts.write_facts(space.snapshot, tally)
    return ""
