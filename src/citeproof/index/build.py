"""Building a snapshot: records stream in, an immutable folder comes out, or nothing.

1. read       each reader yields records; bad ones are counted and kept with their place
2. store      packed records go to a spool, their keys to partition files, their words to tantivy
3. finish     dictionary and blocks, key table, links between records of one work, facts
4. seal       manifest with every digest, then one rename
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from citeproof.clock import Clock, SystemClock, timestamp
from citeproof.errors import InputError
from citeproof.index import facts, keytable, links, manifest
from citeproof.index.blocks import BlockWriter
from citeproof.index.coverage import Claim
from citeproof.index.entry import Entry
from citeproof.index.filing import Filer
from citeproof.index.fulltext import TextWriter
from citeproof.index.keytable import Partitions
from citeproof.index.manifest import BadFact, InputFact, Manifest, SourceFact
from citeproof.index.readers.base import BadRecord, entries, find
from citeproof.index.workspace import workspace

EVERY = 2048  # records between two words of progress
KEPT_BAD = 50  # bad records named in the manifest


@dataclass(frozen=True, slots=True)
class Input:
    """Files of one dump format. `licence` and `read_at` describe them in the manifest."""

    reader: str
    paths: tuple[Path, ...]
    licence: str = ""
    read_at: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is. `note` is a word to show the user, e.g. that a leftover was removed."""

    step: str  # "read", "store", "keys", "links", "text", "seal"
    records: int
    bad: int
    note: str = ""


class _Builder:
    """The open files of one build."""

    def __init__(self, folder: Path, progress: Callable[[Progress], None]) -> None:
        self._folder = folder
        self._progress = progress
        self._blocks = BlockWriter(folder, folder / "spool")
        self._keys = Partitions(folder / "partitions")
        self._works = Partitions(folder / "works")
        self._filer = Filer(self._keys, self._works)
        self._text = TextWriter(folder)
        self.bad: list[BadFact] = []
        self.bad_count = 0

    def take(self, source: Input) -> tuple[int, int]:
        """Store all records of `source`; return how many, and how many were bad."""
        before, bad_before = self._blocks.count, self.bad_count
        for item in entries(find(source.reader), source.paths):
            if isinstance(item, BadRecord):
                self._note_bad(item)
            else:
                self._store(item)
        return self._blocks.count - before, self.bad_count - bad_before

    def _store(self, entry: Entry) -> None:
        ordinal = self._blocks.count
        self._blocks.add(entry.packed)
        self._text.add(ordinal, self._filer.file(ordinal, entry))
        if ordinal % EVERY == 0:
            self.say("read")

    def _note_bad(self, bad: BadRecord) -> None:
        self.bad_count += 1
        if len(self.bad) < KEPT_BAD:
            where = f"{bad.place.file}:{bad.place.line}" if bad.place.line else bad.place.file
            self.bad.append(BadFact(where, bad.message[:300]))

    def say(self, step: str, note: str = "") -> None:
        self._progress(Progress(step, self._blocks.count, self.bad_count, note))

    def finish(self) -> tuple[str, str, int, int]:
        """Write everything; return the digests of records and keys, and how many records and works."""
        self._filer.flush(self._blocks.count - 1)
        self.say("text")
        self._text.finish()
        self.say("store")
        records = self._blocks.finish()
        self.say("keys")
        keys = keytable.write(self._folder, self._keys)
        self.say("links")
        saved = links.write(self._folder, self._works)
        facts.write(self._folder, self._filer.facts)
        return records, keys, self._blocks.count, self._blocks.count - saved

    def close(self) -> None:
        """Let go of all files, also after a failure."""
        self._blocks.close()
        self._keys.close()
        self._works.close()


def build(
    inputs: Sequence[Input],
    out: Path,
    *,
    covers: Sequence[Claim] = (),
    name: str = "",
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
) -> Manifest:
    """Return the manifest of the snapshot built from `inputs` in the new folder `out`."""
    described = [[_input_fact(path) for path in source.paths] for source in inputs]
    with workspace(out) as (folder, leftovers), _no_cycles():
        builder = _Builder(folder, progress or (lambda _: None))
        try:
            for leftover in leftovers:
                builder.say("read", f"removed {leftover}, left by a build that was killed")
            counts = [builder.take(source) for source in inputs]
            records, keys, count, works = builder.finish()
        finally:
            builder.close()
        if not count:
            raise _nothing(builder, inputs)
        builder.say("seal")
        sources = tuple(
            SourceFact(source.reader, good, bad, tuple(described_one), source.licence, source.read_at)
            for source, described_one, (good, bad) in zip(inputs, described, counts, strict=True)
        )
        claimed = tuple(sorted(str(claim) for claim in covers))
        files = {
            path.relative_to(folder).as_posix(): manifest.file_fact(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        made = Manifest(
            id=manifest.identity(records, keys, claimed, sources),
            format=manifest.FORMAT,
            citeproof=metadata.version("citeproof"),
            created=timestamp(clock or SystemClock()),
            name=name,
            records=count,
            works=works,
            bad=builder.bad_count,
            bytes=sum(fact.bytes for fact in files.values()),
            sources=sources,
            covers=claimed,
            files=files,
            bad_records=tuple(builder.bad),
        )
        (folder / manifest.FILE).write_bytes(manifest.dumps(made))
    return made


def _input_fact(path: Path) -> InputFact:
    try:
        fact = manifest.file_fact(path)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", place=str(path), mend="check the path and its permissions"
        ) from error
    return InputFact(path.name, fact.bytes, fact.sha256)


def _nothing(builder: _Builder, inputs: Sequence[Input]) -> InputError:
    first = builder.bad[0] if builder.bad else None
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
