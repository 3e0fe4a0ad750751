"""Building a snapshot: records stream in, an immutable folder comes out, or nothing yet.

1. plan       what is built of what, each input with its digest; a stopped build of the same plan goes on
2. read       each reader yields records; bad ones are counted and kept with their place
3. finish     words, dictionary and blocks, key table, links between records of one work, facts
4. seal       manifest with every digest, then one rename
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from citeproof.clock import Clock, SystemClock, timestamp
from citeproof.errors import InputError
from citeproof.index import checkpoint, manifest, resume
from citeproof.index.checkpoint import Checkpoint, Plan, PlannedFile, PlannedInput
from citeproof.index.coverage import Claim
from citeproof.index.finishing import Finished, finish
from citeproof.index.intake import CHECKPOINT, Input, Intake, Progress, Tell
from citeproof.index.manifest import InputFact, Manifest, SourceFact
from citeproof.index.readers.base import find
from citeproof.index.workspace import Workspace, place, workspace

__all__ = ["Input", "Progress", "build", "stopped"]


def build(
    inputs: Sequence[Input],
    out: Path,
    *,
    covers: Sequence[Claim] = (),
    name: str = "",
    progress: Tell | None = None,
    clock: Clock | None = None,
    fresh: bool = False,
    every: int = CHECKPOINT,
) -> Manifest:
    """Return the manifest of the snapshot built from `inputs` in the new folder `out`.

    A build of the same inputs that was stopped before it was done goes on at its last checkpoint, of which
    there is one after `every` items; with `fresh` it starts anew.
    """
    tell = progress or (lambda _: None)
    with workspace(out, resume.reached) as space, _no_cycles():
        plan = _plan(inputs, covers, name, None if fresh else checkpoint.load_plan(space.folder))
        ledger, note = resume.begin(space, plan, fresh=fresh)
        tell(Progress("read", ledger.now.records, ledger.now.bad, note))
        if len(ledger.now.counts) < len(inputs):
            _read(space, Intake(space, ledger, tell, every), inputs)
        now = ledger.now
        if not now.records:
            raise _nothing(now, inputs)
        finished = finish(space, ledger, lambda step: tell(Progress(step, now.records, now.bad)))
        tell(Progress("seal", now.records, now.bad))
        return _sealed(space.snapshot, plan, now, finished, clock or SystemClock())


def stopped(out: Path) -> int:
    """Return after how many records a build of `out` that was stopped would go on; 0 if there is none."""
    left = resume.reached(Workspace(place(out)))
    return left.now.records if left else 0


def _plan(inputs: Sequence[Input], covers: Sequence[Claim], name: str, known: Plan | None) -> Plan:
    """Return the plan; the digests of files that have not changed are taken from the plan of before."""
    before = {
        (file.path, file.bytes, file.changed): file.sha256
        for source in (known.inputs if known else ())
        for file in source.files
    }
    return Plan(
        citeproof=metadata.version("citeproof"),
        format=manifest.FORMAT,
        name=name,
        covers=tuple(sorted(str(claim) for claim in covers)),
        inputs=tuple(
            PlannedInput(
                source.reader,
                source.licence,
                source.read_at,
                tuple(_planned(p, before) for p in source.paths),
            )
            for source in inputs
        ),
    )


def _planned(path: Path, before: dict[tuple[str, int, int], str]) -> PlannedFile:
    try:
        facts = path.stat()
        known = before.get((str(path), facts.st_size, facts.st_mtime_ns))
        sha256 = known or manifest.file_fact(path).sha256
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", place=str(path), mend="check the path and its permissions"
        ) from error
    return PlannedFile(str(path), facts.st_size, sha256, facts.st_mtime_ns)


def _read(space: Workspace, intake: Intake, inputs: Sequence[Input]) -> None:
    try:
        intake.read(inputs)
    except InputError:
        space.lost = True  # a mended file is another file
        raise
    finally:
        intake.close()


def _sealed(folder: Path, plan: Plan, now: Checkpoint, finished: Finished, clock: Clock) -> Manifest:
    """Return the manifest, written beside the files that it describes."""
    sources = tuple(
        _source(planned, *counts) for planned, counts in zip(plan.inputs, now.counts, strict=True)
    )
    files = {
        path.relative_to(folder).as_posix(): manifest.file_fact(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / manifest.FILE
    }
    made = Manifest(
        id=manifest.identity(finished.records, finished.keys, plan.covers, sources),
        format=plan.format,
        citeproof=plan.citeproof,
        created=timestamp(clock),
        name=plan.name,
        records=now.records,
        works=finished.works,
        bad=now.bad,
        bytes=sum(fact.bytes for fact in files.values()),
        sources=sources,
        covers=plan.covers,
        files=files,
        bad_records=now.bad_records,
    )
    (folder / manifest.FILE).write_bytes(manifest.dumps(made))
    return made


def _source(planned: PlannedInput, records: int, bad: int) -> SourceFact:
    return SourceFact(
        reader=planned.reader,
        records=records,
        bad=bad,
        inputs=tuple(InputFact(Path(file.path).name, file.bytes, file.sha256) for file in planned.files),
        licence=planned.licence,
        read_at=planned.read_at,
        covers=find(planned.reader).covers_note,
    )


def _nothing(now: Checkpoint, inputs: Sequence[Input]) -> InputError:
    first = now.bad_records[0] if now.bad_records else None
    readers = ", ".join(source.reader for source in inputs)
    return InputError(
        f"no record could be read: {first.message}" if first else "the input holds no records",
        place=first.place if first else ", ".join(str(p) for s in inputs for p in s.paths),
        mend=f"check that the files are of the format named by --from ({readers})",
    )


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Switch the cycle collector off: a build makes millions of objects and no cycles (15 % of its time)."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
