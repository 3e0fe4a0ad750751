"""Whether a build that was stopped can continue, and from where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from citeproof.disk_files import PERMISSIONS, replace_durably
from citeproof.index import build_checkpoint, fact_tally, key_table, record_blocks, snapshot_facts, work_links
from citeproof.index.build_checkpoint import BuildCheckpoint, BuildLedger, BuildPlan, BuildState
from citeproof.index.build_workspace import LOCK, Workspace
from citeproof.index.full_text import count_committed
from citeproof.index.growing_files import is_grown

# What each step makes of which files that grew; these go away when it is done.
MADE = {
    "store": ("spool", record_blocks.list_block_files(record_blocks.RECORDS)),
    "abstracts": ("abstracts", record_blocks.list_block_files(record_blocks.ABSTRACTS)),
    "keys": ("partitions", key_table.FILES),
    "links": ("works", (work_links.FILE,)),
    "facts": ("tally", snapshot_facts.FILES),
}


def begin_build(space: Workspace, plan: BuildPlan, *, fresh: bool) -> tuple[BuildLedger, str]:
    """Return the ledger of the build stopped in `space`, or a new one; and what is to be told about it."""
    known = build_checkpoint.load_plan(space.folder)
    left, why = _find_resumable(space, plan, known, fresh=fresh)
    if left is not None:
        note = f"going on after {left.now.records:,} records of a build that was stopped"
        return BuildLedger(space.folder, left), note
    space.clear()
    space.snapshot.mkdir()
    replace_durably(space.folder / build_checkpoint.PLAN, msgspec.json.encode(plan), PERMISSIONS)
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
    if known is not None and not (space.folder / build_checkpoint.PROGRESS).exists():
        return None, "it had not come far"
    stand = build_checkpoint.load_state(space.folder)
    if known is None or stand is None:
        return None, "how far it had come cannot be read"
    if left := find_reached_state(space):
        return left, ""
    first = stand.before is None or not stand.before.records
    return None, "it had not come far" if first else "its files are damaged"


def find_reached_state(space: Workspace) -> BuildState | None:
    """Return where a build was at the last checkpoint that counts; None if nothing can continue from it."""
    stand = build_checkpoint.load_state(space.folder)
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
            continue  # abstracts that were not asked for; what a merge still has in its shards
        elif not is_grown(_list_files(space.folder, name), now.lengths.get(name, ())):
            return False
    return count_committed(space.snapshot) == now.records


def _list_files(folder: Path, name: str) -> tuple[Path, ...]:
    match name:
        case "spool" | record_blocks.ABSTRACTS:
            return (folder / name,)
        case "tally":
            return fact_tally.list_tally_files(folder / name)
    return key_table.list_partition_files(folder / name)
