"""Which of the hashes that events name are in a store, at 32 bytes of memory each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from citeproof.text import lazy_patterns as re

if TYPE_CHECKING:
    import numpy as np

SIZE = 32
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)


class StoredHashes:
    """The hashes a store holds whole, and those that events named and it does not."""

    def __init__(self, present: Iterable[bytes] = ()) -> None:
        import numpy as np  # noqa: PLC0415 - keeps `citeproof --help` quick

        blob = bytearray()
        for digest in present:
            blob += digest
        self._present: np.ndarray[tuple[int], np.dtype[np.bytes_]] = np.sort(
            np.frombuffer(bytes(blob), dtype=f"S{SIZE}")
        )
        self._asked = np.zeros(len(self._present), dtype=bool)
        self.named = 0
        self.blind = False  # the store could not be read, so that nothing is known of what it lacks
        self.absent = bytearray()
        self.owners = array("Q")  # the seq of the event that named each of `absent`

    def __len__(self) -> int:
        return len(self._present)

    def ask(self, names: Sequence[object], owners: Sequence[int]) -> list[int]:
        """Look for hashes, each named by the event in `owners`; return events whose hash is not one."""
        good = [at for at, name in enumerate(names) if type(name) is str and _HASH.fullmatch(name)]
        if len(good) < len(names):
            bad = set(range(len(names))) - set(good)
            self.ask([names[at] for at in good], [owners[at] for at in good])
            return sorted({owners[at] for at in bad})
        self.named += len(names)
        self._search(bytes.fromhex("".join(map(str, names))), owners)
        return []

    def _search(self, blob: bytes, owners: Sequence[int]) -> None:
        import numpy as np  # noqa: PLC0415

        asked = np.frombuffer(blob, dtype=f"S{SIZE}")
        if len(self._present):
            at = np.searchsorted(self._present, asked)
            at[at == len(self._present)] = 0
            there = self._present[at] == asked
            self._asked[at[there]] = True
            gone = np.flatnonzero(~there).tolist()
        else:
            gone = list(range(len(asked)))
        for index in gone:
            self.absent += blob[SIZE * index : SIZE * index + SIZE]
            self.owners.append(owners[index])

    def holding(self, names: Iterable[str]) -> list[str]:
        """Return those of `names` that the store holds, in order."""
        import numpy as np  # noqa: PLC0415

        asked = sorted(name for name in names if _HASH.fullmatch(name))
        if not asked or not len(self._present):
            return []
        wanted = np.frombuffer(bytes.fromhex("".join(asked)), dtype=f"S{SIZE}")
        at = np.searchsorted(self._present, wanted)
        at[at == len(self._present)] = 0
        return [asked[index] for index in np.flatnonzero(self._present[at] == wanted).tolist()]

    @property
    def unnamed(self) -> int:
        """How many the store holds that no event named."""
        return int(len(self._asked) - self._asked.sum())

    def missing(self) -> Iterator[tuple[int, str]]:
        """Yield (seq, hash) of each that events name and the store does not hold."""
        for at, seq in enumerate(self.owners):
            yield seq, self.absent[SIZE * at : SIZE * at + SIZE].hex()
