"""One file before and after its edits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citeproof.fix.edit_diff import format_diff
from citeproof.fix.text_edits import TextEdit


@dataclass(slots=True)
class FixedFile:
    """One file: the bytes it has, those it should have, and the edits between them."""

    name: str
    path: Path | None  # None: standard input
    data: bytes
    new: bytes
    text: str = ""
    edits: tuple[TextEdit, ...] = ()  # of `text`, in order

    @property
    def changed(self) -> bool:
        return self.new != self.data

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, each with its end."""
        return format_diff(self.text, self.edits, self.name)
