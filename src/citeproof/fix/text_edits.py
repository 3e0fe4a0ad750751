"""The smallest changes of a text: spans and what takes their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citeproof.text import ids
from citeproof.vocabulary import WORK_IDS, Change, Claimed, Record


@dataclass(frozen=True, slots=True)
class TextEdit:
    """The characters from `start` to `end` are to be `text`."""

    start: int
    end: int
    text: str

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class WantedChange:
    """One change of one reference: what stands there now, what should, and on whose word."""

    change: Change
    claimed: Claimed  # as the document has it
    fixed: Claimed  # as the record has it
    record: Record

    def value(self) -> str:
        """Return the new value of a field that is one string; empty when it is to go."""
        return str(getattr(self.fixed, self.change.field) or "")

    def goes(self) -> list[str]:
        """Return the identifiers of the change's scheme that are wrong."""
        kept = self.fixed.ids.all(self.change.field)
        return [value for value in self.claimed.ids.all(self.change.field) if value not in kept]

    def comes(self) -> list[str]:
        """Return the identifiers of the change's scheme that are to be there."""
        had = self.claimed.ids.all(self.change.field)
        return [value for value in self.fixed.ids.all(self.change.field) if value not in had]

    def along(self) -> bool:
        """Return whether the wrong identifiers are only implied by a wrong DOI, and go with it."""
        if self.change.field == "doi" or self.change.field not in WORK_IDS:
            return False
        kept = self.fixed.ids.all("doi")
        dois = [value for value in self.claimed.ids.all("doi") if value not in kept]
        implied = {pair for value in dois for pair in ids.expand_doi(value)[1:]}
        return {(self.change.field, value) for value in self.goes()} <= implied


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What became of one change: its edits, or the reason why it was left. `note` may go with edits."""

    edits: tuple[TextEdit, ...] = ()
    note: str = ""


def leave_change(note: str) -> ChangeResult:
    """Return a change that was not made."""
    return ChangeResult((), note)


def make_change(*edits: TextEdit, note: str = "") -> ChangeResult:
    """Return a change that was made."""
    return ChangeResult(edits, note)


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` with the edits made; they must not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sort_edits(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def sort_edits(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits in the order of the text; those at one place in the order they came."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def has_clash(edits: Sequence[TextEdit], more: Iterable[TextEdit]) -> bool:
    """Return whether one of `more` changes characters that one of `edits` changes already."""
    return any(a.start < b.end and b.start < a.end for a in edits for b in more)


def find_overlaps(spans: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the spans that overlap another one, or come twice; an empty one only inside of another."""
    found: set[tuple[int, int]] = set()
    widest = (0, 0)
    for span in sorted(spans):
        if span[0] < widest[1]:
            found |= {span, widest}
        widest = max(widest, span, key=lambda known: known[1])
    return found
