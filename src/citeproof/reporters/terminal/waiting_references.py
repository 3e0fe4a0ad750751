"""References that could not be checked, gathered by cause until all are known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from citeproof.reporters import wording
from citeproof.vocabulary import Checked

_MOST_KEYS = 400  # characters of keys that one cause lists


class WaitingReference(NamedTuple):
    """What is shown of a reference that could not be checked, or about which there is only a note."""

    key: str
    title: str
    file: str

    @classmethod
    def of(cls, checked: Checked) -> WaitingReference:
        """Return what is shown of a checked reference."""
        reference = checked.reference
        key, file = wording.show_line(reference.key, 80), wording.show_line(reference.place.file)
        return cls(key, wording.format_title(checked), file)


class WaitingReferences:
    """References that could not be checked, by the cause."""

    def __init__(self) -> None:
        self.total = 0
        self._causes: dict[str, list[WaitingReference]] = {}

    def add(self, checked: Checked) -> None:
        self._causes.setdefault(wording.name_causes(checked), []).append(WaitingReference.of(checked))
        self.total += 1

    def list_causes(self) -> list[tuple[str, list[WaitingReference]]]:
        """Return the causes with their references, the most frequent cause first."""
        return sorted(self._causes.items(), key=lambda one: -len(one[1]))


def list_keys(some: Sequence[WaitingReference], *, places: bool) -> str:
    """Return as many keys as fit into a few lines, and how many there are beyond; `places`: by file."""
    shown, length = list[WaitingReference](), 0
    for one in some:
        if length > _MOST_KEYS:
            break
        length += len(one.key) + 2
        length += len(one.file) + 2 if places and (not shown or shown[-1].file != one.file) else 0
        shown.append(one)
    more = f" and {len(some) - len(shown):,} more" if len(some) > len(shown) else ""
    if not places:
        return ", ".join(one.key for one in shown) + more
    files = groupby(shown, key=lambda one: one.file)
    return "; ".join(f"{file}: {', '.join(one.key for one in own)}" for file, own in files) + more
