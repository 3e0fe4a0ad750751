"""Whether a build that was stopped can go on, and from where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from citeproof.index import blocks, checkpoint, facts, keytable, links, tally
from citeproof.index.checkpoint import Checkpoint, Ledger, Plan, Stand
from citeproof.index.fulltext import committed
from citeproof.index.growing import grown
from citeproof.index.workspace import LOCK, Workspace

# What each step makes of which files that grew; these go away when it is done.
MADE = {
    "store": ("spool", blocks.FILES),
    "keys": ("partitions", keytable.FILES),
    "links": ("works", (links.FILE,)),
    "facts": ("tally", facts.FILES),
}


def begin(space: Workspace, plan: Plan, *, fresh: bool) -> tuple[Ledger, str]:
    """Return the ledger of the build stopped in `space`, or a new one; and what is to be told about it."""
    known = checkpoint.load_plan(space.folder)
    left, why = _left(space, plan, known, fresh=fresh)
    if left is not None:
        return Ledger(
            space.folder, left
        ), f"going on after {left.now.records:,} records of a build that was stopped"
    space.clear()
    space.snapshot.mkdir()
    checkpoint.write(space.folder / checkpoint.PLAN, msgspec.json.encode(plan))
    note = f"removed {space.folder.name}, left by a build that was stopped: {why}" if why else ""
    return Ledger(space.folder, Stand()), note


def _left(space: Workspace, plan: Plan, known: Plan | None, *, fresh: bool) -> tuple[Stand | None, str]:
    """Return where a stopped build of `plan` is known to have stood; if none, why it cannot go on."""
    if all(path.name == LOCK for path in space.folder.iterdir()):
        return None, ""
    if fresh:
        return None, "as --fresh asks"
    if known is not None and known != plan:
        return None, "it was of other files, claims or settings"
    if known is not None and not (space.folder / checkpoint.PROGRESS).exists():
        return None, "it had not come far"
    stand = checkpoint.load(space.folder)
    if known is None or stand is None:
        return None, "how far it had come cannot be read"
    if left := reached(space):
        return left, ""
    first = stand.before is None or not stand.before.records
    return None, "it had not come far" if first else "its files are damaged"


def reached(space: Workspace) -> Stand | None:
    """Return where a build stood at the last checkpoint that counts; None if nothing can go on from it."""
    stand = checkpoint.load(space.folder)
    for now in (stand.now, stand.before) if stand else ():
        if stand and now and now.records and _whole(space, now, stand.done):
            return replace(stand, now=now, before=None)
    return None


def _whole(space: Workspace, now: Checkpoint, done: dict[str, str]) -> bool:
    """Return whether all that a checkpoint speaks of is there."""
    for step, (name, made) in MADE.items():
        if step in done:
            if not all((space.snapshot / file).is_file() for file in made):
                return False
        elif not grown(_files(space.folder, name), now.lengths.get(name, ())):
            return False
    return committed(space.snapshot) == now.records


def _files(folder: Path, name: str) -> tuple[Path, ...]:
    if name == "spool":
        return (folder / name,)
    return tally.files(folder / name) if name == "tally" else keytable.partition_files(folder / name)
