"""Folding the layers of a snapshot into one: a build of the records that it shows."""

from __future__ import annotations

from pathlib import Path

from citeproof.clock import Clock
from citeproof.errors import SnapshotError
from citeproof.index import manifest
from citeproof.index.build import build_snapshot
from citeproof.index.build_order import BuildOrder
from citeproof.index.coverage import parse_claim
from citeproof.index.layered_files import locate_parts
from citeproof.index.manifest import Manifest
from citeproof.index.record_intake import CHECKPOINT, BuildInput, Tell
from citeproof.index.sharded_build import build_in_processes


def compact_snapshot(
    folder: Path,
    out: Path,
    *,
    progress: Tell | None = None,
    clock: Clock | None = None,
    every: int = CHECKPOINT,
    processes: int = 1,
) -> Manifest:
    """Return the manifest of a snapshot without layers that shows the same records as `folder`."""
    known = manifest.load(folder)
    if not known.parts:
        hint = "only snapshots made by `citeproof index update` have layers"
        raise SnapshotError("has no layers", place=str(folder), hint=hint)
    inputs = [BuildInput("snapshot", (folder / manifest.FILE,))]
    covers = [parse_claim(text) for text in known.covers]
    order = BuildOrder(
        inputs,
        out,
        covers,
        known.name,
        every=every,
        abstracts=known.abstracts is not None,
        like=locate_parts(folder, known)[0],
    )
    if processes > 1:
        return build_in_processes(order, processes, progress, clock)
    return build_snapshot(order, progress, clock)
