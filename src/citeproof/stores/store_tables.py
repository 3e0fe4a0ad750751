"""The tables of a store, with their version: how they are made, and how older ones are brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreTables:
    """`made` makes the tables of version 1; each of `changes` leads from one version to the next.

    A new store goes through all of them, so that there is one way only. No statement has a `;` inside.
    """

    name: str  # under which a database of several stores has the version
    made: str
    changes: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        return 1 + len(self.changes)

    def list_steps(self, version: int) -> Iterator[str]:
        """Yield the statements that lead from a version, 0 for a new store, to this one."""
        scripts = (self.made, *self.changes)
        for script in scripts[version:]:
            yield from filter(str.strip, script.split(";"))
