"""What comes after reading: the files that grew become those of the snapshot, one step after another.

A step is written down with what it gave, once its files are on the disk; then what it was made from goes
away. A build that is stopped goes on with the step that was not done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from citeproof.index import blocks, facts, keytable, links
from citeproof.index.checkpoint import Ledger
from citeproof.index.fulltext import TextWriter
from citeproof.index.keytable import Partitions
from citeproof.index.resume import MADE
from citeproof.index.spool import Spool
from citeproof.index.tally import Tally
from citeproof.index.workspace import Workspace, sync


@dataclass(frozen=True, slots=True)
class Finished:
    """What the manifest needs to know: the digests of records and keys, and how many works there are."""

    records: str
    keys: str
    works: int


def finish(space: Workspace, ledger: Ledger, say: Callable[[str], None]) -> Finished:
    """Write everything and return what came out."""
    steps: dict[str, Callable[[Workspace, Ledger], str]] = {
        "text": _text, "store": _store, "keys": _keys, "links": _links, "facts": _facts
    }  # fmt: skip
    for name, work in steps.items():
        if name not in ledger.stand.done:
            say(name)
            result = work(space, ledger)
            sync(space.snapshot)
            ledger.settle(name, result)
        if name in MADE:
            _remove(space.folder / MADE[name][0])
    done = ledger.stand.done
    return Finished(done["store"], done["keys"], ledger.now.records - int(done["links"]))


def _text(space: Workspace, _: Ledger) -> str:
    writer = TextWriter(space.snapshot)
    try:
        writer.finish()
    finally:
        writer.close()
    return ""


def _store(space: Workspace, ledger: Ledger) -> str:
    spool = Spool(space.folder / "spool", ledger.now.spool, *ledger.now.lengths["spool"])
    try:
        return blocks.write(space.snapshot, spool)
    finally:
        spool.file.close()


def _keys(space: Workspace, ledger: Ledger) -> str:
    keys = Partitions(space.folder / "partitions", ledger.now.lengths["partitions"])
    try:
        return keytable.write(space.snapshot, keys)
    finally:
        keys.file.close()


def _links(space: Workspace, ledger: Ledger) -> str:
    works = Partitions(space.folder / "works", ledger.now.lengths["works"])
    try:
        return str(links.write(space.snapshot, works))
    finally:
        works.file.close()


def _facts(space: Workspace, ledger: Ledger) -> str:
    tally = Tally(space.folder / "tally", ledger.now.lengths["tally"])
    try:
        facts.write(space.snapshot, tally)
    finally:
        tally.file.close()
    return ""


def _remove(path: Path) -> None:
    """Remove a file or folder, which may have gone already in the run before."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
