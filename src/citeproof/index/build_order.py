"""What a build is asked for: the one value that every way to build takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof.index.coverage import CoverageClaim
from citeproof.index.record_intake import CHECKPOINT, BuildInput


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """What is built of what, and where.

    A stopped build of the same order continues at its last checkpoint, of which there is one after `every`
    items; with `fresh` it starts again. With `abstracts` those that the inputs have are kept too. Records
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
