"""A log -> one archive that a stranger can verify with Python alone: the same log gives the same bytes.

What is signed goes in, nothing after it. With `runs`, entries of other runs stay out: their hashes are in the
tiles, by which each line that is in is proved.
"""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import BinaryIO

from citeproof.errors import AuditError, NothingFoundError
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import tiles
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.log_state import LogCheckpoint, parse_unverified
from citeproof.proof.audit.merkle import SIZE, hash_leaf
from citeproof.proof.audit.tiles import WIDTH, Tiles
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.log_files import decode_head
from citeproof.proof.audit.verify.tree_walk import BLOCK, RebuiltTree

TOP = "audit"  # the folder in the archive
FORMAT = "citeproof-export-1"
_NOTE = 1_000_000
_HINT = "run `citeproof audit verify` to see what is wrong with the log"

Make = Callable[[], bytes]


@dataclass(slots=True)
class ExportResult:
    """What went into an archive."""

    origin: str
    size: int
    runs: int = 0
    events: int = 0  # of those runs
    doubted: list[int] = field(default_factory=list)  # of them, those that are not as they were signed
    unproved: bool = False  # the tree does not give the signed root
    bodies: int = 0
    absent: list[str] = field(default_factory=list)  # hashes that events name and the store did not have
    rows: int = 0


@dataclass(slots=True)
class _ExportScan:
    """The lines of the runs that go in (where they begin and how long they are), and what they name."""

    # run -> (first seq, count) of stretches
    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    evidence: dict[str, None] = field(default_factory=dict)
    commitments: set[str] = field(default_factory=set)
    doubted: list[int] = field(default_factory=list)
    tree: RebuiltTree = field(default_factory=lambda: RebuiltTree(lambda _: ()))


class NoRunError(NothingFoundError):
    """The log has no run of this name."""


def export_log(
    folder: Path, target: BinaryIO, *, runs: Sequence[str] = (), private: bool = False
) -> ExportResult:
    """Write the archive of the signed log in `folder` to `target`; only some `runs`, if any are named."""
    try:
        with (
            UntrustedFolder(folder) as files,
            closing(EvidenceStore(folder, readonly=True)) as evidence,
            closing(PrivateStore(folder, readonly=True)) as rows,
        ):
            note = files.require("checkpoint", _NOTE)
            now = parse_unverified(note)
            made = _LogExport(folder, files, note, now, evidence, rows)
            return made.write(target, tuple(runs), private=private)
    except UnreadableFileError as error:
        raise AuditError(error.why, place=error.name, hint=_HINT) from error


@dataclass(slots=True)
class _LogExport:
    """One archive, its members made one at a time."""

    folder: Path
    files: UntrustedFolder
    note: bytes
    now: LogCheckpoint
    evidence: EvidenceStore
    rows: PrivateStore

    def write(self, target: BinaryIO, runs: tuple[str, ...], *, private: bool) -> ExportResult:
        scan = self._scan_bundles(runs)
        if missing := [run for run in runs if run not in scan.lines]:
            hint = "see `citeproof audit show`; `citeproof audit commit` signs what is not yet signed"
            raise NoRunError("the signed log has no such run", place=missing[0][:100], hint=hint)
        done = ExportResult(self.now.origin, self.now.size, len(scan.lines), doubted=scan.doubted)
        done.events = sum(count for stretches in scan.lines.values() for _, count in stretches)
        done.unproved = not self._proves_root(scan.tree)
        present = [digest for digest in scan.evidence if self.evidence.has(digest)]
        done.bodies, done.absent = len(present), sorted(set(scan.evidence) - set(present))
        members = dict(self._members(scan, runs, done, private=private))
        for digest in present:
            place = f"evidence/{digest[:2]}/{digest}"
            members[place] = lambda digest=digest: self.evidence.get(digest) or b""  # type: ignore[misc]
        with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name in sorted(members):
                made = members[name]()
                packed = gzip.compress(made, mtime=0) if name.startswith("evidence/") else made
                smaller = len(packed) < len(made)
                _add_member(archive, f"{name}.gz" if smaller else name, packed if smaller else made)
        return done

    def _scan_bundles(self, runs: tuple[str, ...]) -> _ExportScan:
        """Return where the lines of the runs stand and what they name, in one pass over the bundles."""
        seq, reader = 0, Tiles(self.folder)
        scan = _ExportScan(
            tree=RebuiltTree(lambda block: reader.tile(0, block, min(WIDTH, self.now.size - block * WIDTH)))
        )
        for bundle in reader.bundles(self.now.size):
            hashes = reader.tile(0, seq // WIDTH, len(bundle))
            scan.tree.add(hashes)
            for entry, hashed in zip(bundle, hashes, strict=True):
                if (fields := decode_head(entry)) is None:
                    raise AuditError(f"event {seq} is not an event", place="tile/entries", hint=_HINT)
                if not runs or fields.run in runs:
                    scan.doubted += [seq] if hash_leaf(entry) != hashed else []
                    stretches = scan.lines.setdefault(fields.run, [])
                    if stretches and sum(stretches[-1]) == seq:
                        stretches[-1] = (stretches[-1][0], stretches[-1][1] + 1)
                    else:
                        stretches.append((seq, 1))
                    scan.evidence.update(
                        dict.fromkeys([*_filter_texts(fields.evidence), *_filter_texts([fields.judge_hash])])
                    )
                    scan.commitments.update(
                        _filter_texts([fields.case, fields.claim, fields.set_, fields.line, fields.config]),
                        _filter_texts(fields.documents),
                    )
                seq += 1
        return scan

    def _proves_root(self, tree: RebuiltTree) -> bool:
        """Return whether the tiles that go in lead to the signed root."""
        reader = Tiles(self.folder)
        for level in range(1, 8):
            count = self.now.size >> (BLOCK * level)
            for first in range(0, count, WIDTH):
                width = min(WIDTH, count - first)
                row = tree.row(BLOCK * level)[SIZE * first : SIZE * (first + width)]
                if b"".join(reader.tile(level, first // WIDTH, width)) != row:
                    return False
        return tree.root(self.now.size) == self.now.root

    def _members(
        self, scan: _ExportScan, runs: tuple[str, ...], done: ExportResult, *, private: bool
    ) -> Iterator[tuple[str, Make]]:
        yield "checkpoint", lambda: self.note
        yield "log.json", lambda: self.files.require("log.json", _NOTE)
        summary: dict[str, object] = {"format": FORMAT, "origin": self.now.origin, "size": self.now.size}
        summary |= {"runs": sorted(scan.lines), "absent": done.absent} if runs else {}
        yield "export.json", lambda: encode_canonical(summary) + b"\n"
        for name in ("verify.py", "FORMAT.md", "README.md"):
            yield name, resources.files("citeproof.proof.audit.standalone").joinpath(name).read_bytes
        for run, stretches in scan.lines.items():
            yield f"{run}.jsonl", lambda stretches=stretches: self._lines(stretches)  # type: ignore[misc]
        for run in (
            scan.lines if runs else self.files.names("commits")
        ):  # other runs' names and hours stay home
            for name in self.files.names(f"commits/{run}"):
                place = f"commits/{run}/{name}"
                if name.endswith(".merkle") and self._is_covered(place):
                    yield place, lambda place=place: self.files.require(place, _NOTE)  # type: ignore[misc]
        yield from self._tiles(bundles=not runs)
        if private:
            data = self._private(scan)
            done.rows = data.count(b"\n")
            yield "private/private.jsonl", lambda: data

    def _is_covered(self, place: str) -> bool:
        """Return whether a stored checkpoint is not newer than the one that is exported."""
        note = self.files.require(place, _NOTE)
        try:
            return parse_unverified(note).size <= self.now.size
        except AuditError:
            return True  # a verification of the archive shall see that it is none

    def _tiles(self, *, bundles: bool) -> Iterator[tuple[str, Make]]:
        reader = Tiles(self.folder)
        for level in range(8):
            count = self.now.size >> (BLOCK * level)
            for number in range(-(-count // WIDTH)):
                width = min(WIDTH, count - number * WIDTH)
                yield (
                    tiles.make_tile_path(level, number, width),
                    lambda at=(level, number, width): b"".join(reader.tile(*at)),  # type: ignore[misc]
                )
                if bundles and level == 0:
                    yield (
                        tiles.make_tile_path(None, number, width),
                        lambda at=(number, width): tiles.pack_bundle(reader.bundle(*at)),  # type: ignore[misc]
                    )

    def _lines(self, stretches: list[tuple[int, int]]) -> bytes:
        """Return the lines of a run as its file has them, from the signed bundles."""
        reader, made = Tiles(self.folder), io.BytesIO()
        for first, count in stretches:
            for seq in range(first, first + count):
                made.write(reader.entry(seq, self.now.size) + b"\n")
        return made.getvalue()

    def _private(self, scan: _ExportScan) -> bytes:
        made = io.BytesIO()
        for run in sorted(scan.lines):
            for row in sorted(
                self.rows.list_run_rows(run), key=lambda row: (row.ref, row.kind, row.commitment)
            ):
                if row.commitment not in scan.commitments:
                    continue
                fields = {
                    "commitment": row.commitment,
                    "run": row.run,
                    "kind": row.kind,
                    "ref": row.ref,
                    "salt": row.salt.hex(),
                    "data": base64.b64encode(row.data).decode(),
                }
                made.write(encode_canonical(fields) + b"\n")
        return made.getvalue()


def _add_member(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Add a member that says nothing of this machine, this user or this moment."""
    about = tarfile.TarInfo(f"{TOP}/{name}")
    about.size, about.mtime, about.mode = len(data), 0, 0o644
    archive.addfile(about, io.BytesIO(data))


def _filter_texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
