"""What comes after reading: the files that grew become those of the snapshot, one step after another.

A step is written down with what it gave, once its files are on the disk; then what it was made from goes
away. A build that is stopped continues with the step that was not done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citeproof.evidence.index import key_writer, record_blocks, snapshot_facts
from citeproof.evidence.index.build_checkpoint import MADE, BuildLedger
from citeproof.evidence.index.build_workspace import Workspace, sync_tree
from citeproof.evidence.index.full_text import TextWriter
from citeproof.evidence.index.key_writer import KeyPartitions
from citeproof.evidence.index.record_blocks import ABSTRACTS, RECORDS, Spool
from citeproof.evidence.index.snapshot_facts import FactTally


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
