"""DOI prefixes and venues as they are counted; what was counted also is in three files.

    prefixes   one per line          venues, names   one key (u64) after another

The files are how a build that was stopped knows its counts: they grow with the records, where the
counters would have to be written whole each time.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citeproof.index.growing_files import GrowingFiles

NAMES = ("prefixes", "venues", "names")
_AT_ONCE = 1 << 20  # keys recounted at a time


class FactTally:
    """Counts DOI prefixes and venue keys, collects venue names; continues from `lengths` of its files."""

    def __init__(self, folder: Path, lengths: Sequence[int] = ()) -> None:
        folder.mkdir(exist_ok=True)
        self.file = GrowingFiles(list_tally_files(folder), lengths)
        self.prefixes: Counter[str] = Counter()
        self.venues: Counter[int] = Counter()
        self.names: set[int] = set()
        if any(lengths):
            self._recount()

    def add(self, prefixes: Sequence[str], venues: Sequence[int], names: Sequence[int] = ()) -> None:
        """Count what a batch of records names."""
        self.prefixes.update(prefixes)
        self.venues.update(venues)
        self.names.update(names)
        first, second, third = self.file.files
        first.write("".join([f"{prefix}\n" for prefix in prefixes]).encode())
        second.write(array("Q", venues).tobytes())
        third.write(array("Q", names).tobytes())

    def _recount(self) -> None:
        first, second, third = self.file.paths
        with first.open("rb") as lines:
            counted = Counter(lines)
        self.prefixes = Counter({line[:-1].decode(): count for line, count in counted.items()})
        with second.open("rb") as keys:
            while len(some := np.fromfile(keys, np.uint64, _AT_ONCE)):
                self.venues.update(some.tolist())
        with third.open("rb") as keys:
            while len(some := np.fromfile(keys, np.uint64, _AT_ONCE)):
                self.names.update(some.tolist())


def list_tally_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a tally in `folder`."""
    return tuple(folder / name for name in NAMES)
