"""One file before and after its edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof.fix.edit_diff import format_diff
from citeproof.fix.encoded_text import EncodedText
from citeproof.fix.text_edits import TextEdit, compose_edits


@dataclass(slots=True)
class FixedFile:
    """One file: the bytes it has, those it should have, and the edits between them."""

    name: str
    path: Path | None  # None: standard input
    data: bytes
    new: bytes
    text: str = ""
    edits: tuple[TextEdit, ...] = ()  # of `text`, in order

    def add_edits(self, encoded: EncodedText, edits: Sequence[TextEdit]) -> None:
        """Make more edits; `encoded` is what the edits so far have given."""
        if self.edits:
            self.edits = compose_edits(self.text, self.edits, edits)
        else:
            self.text, self.edits = encoded.text, tuple(edits)
        self.new = encoded.edit_bytes(edits)

    @property
    def changed(self) -> bool:
        return self.new != self.data

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, each with its end."""
        return format_diff(self.text, self.edits, self.name)
