"""The formats that references are written back in.

The folder is the registry: every module here that has `open_references` takes part, under the name of the
extractor that reads the format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import ClassVar

from citeproof.answers.fix import formats
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import WORK_IDS, Change, Claimed, Record
from citeproof.vocabulary.quick_dataclass import dataclass

# of an identifier where it is in a text: without address or label
_CORE = {
    "doi": re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}(?:/|%2F)[^\s\"“”|{}]{1,500}", re.IGNORECASE),
    "arxiv": re.compile(
        r"(?:\d{4}\.\d{4,5}|[a-z-]{2,9}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?!\d)", re.IGNORECASE
    ),
    "pmid": re.compile(r"(?<!\d)\d{1,8}(?!\d)"),
    "pmcid": re.compile(r"PMC\s?\d{4,8}(?!\d)", re.IGNORECASE),
    "url": re.compile(r"https?://[^\s\"“”|{}<>]{1,2000}(?<![.,;:)\]])", re.IGNORECASE),
    "ads": re.compile(r"[12]\d{3}[A-Za-z&.][\w&.]{13}[A-Z.](?!\w)"),
}


@dataclass(frozen=True, slots=True)
class WantedChange:
    """One change of one reference: what is there now, what should, and on whose word."""

    change: Change
    claimed: Claimed  # as the document has it
    fixed: Claimed  # as the record has it
    record: Record

    def value(self) -> str:
        """Return the new value of a field that is one string; empty when it is to go."""
        return str(getattr(self.fixed, self.change.field) or "")

    def list_wrong_ids(self) -> list[str]:
        """Return the identifiers of the change's scheme that are wrong."""
        kept = self.fixed.ids.all(self.change.field)
        return [value for value in self.claimed.ids.all(self.change.field) if value not in kept]

    def list_new_ids(self) -> list[str]:
        """Return the identifiers of the change's scheme that are to be there."""
        had = self.claimed.ids.all(self.change.field)
        return [value for value in self.fixed.ids.all(self.change.field) if value not in had]

    def is_implied(self) -> bool:
        """Return whether the wrong identifiers are only implied by a wrong DOI, and go with it."""
        if self.change.field == "doi" or self.change.field not in WORK_IDS:
            return False
        kept = self.fixed.ids.all("doi")
        dois = [value for value in self.claimed.ids.all("doi") if value not in kept]
        implied = {pair for value in dois for pair in ids.expand_doi(value)[1:]}
        return {(self.change.field, value) for value in self.list_wrong_ids()} <= implied


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


class FieldWriter:
    """Writes the changes of one reference: `write_title` and its like, one method a field of the format.

    All identifiers share `write_ids`, and what is a value of its own and nothing else `write_value`.
    """

    __slots__ = ()
    WHERE: ClassVar[str]  # what holds a value: "field of BibTeX"
    VALUES: ClassVar[Mapping[str, tuple[str, ...]]]  # the fields of `write_value`, under their names there

    def write_changes(self, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        """Return what becomes of each change."""
        return [self._write_change(change) for change in wanted]

    def _write_change(self, wanted: WantedChange) -> ChangeResult:
        name = "ids" if wanted.change.field in (*WORK_IDS, "url") else wanted.change.field
        if name in self.VALUES:
            return self.write_value(self.VALUES[name], wanted)
        write: Callable[[WantedChange], ChangeResult] | None = getattr(self, f"write_{name}", None)
        return write(wanted) if write else leave_change(f"no {self.WHERE} holds it")

    def write_value(self, names: tuple[str, ...], wanted: WantedChange) -> ChangeResult:
        """Return what becomes of a value that is under one of `names`, or under none."""
        raise NotImplementedError


# the span of characters that a reference has, its changes
ReferenceEditor = Callable[[int, int, Sequence[WantedChange]], list[ChangeResult]]


@dataclass(frozen=True, slots=True)
class WritableFormat:
    """One format: what turns changes of a text, whose lines end in `newline`, into edits."""

    open_references: Callable[[str, str], ReferenceEditor]  # text, newline
    guessed: bool  # its fields are guessed again at each reading: nothing can be compared with them


@cache
def load_formats() -> dict[str, WritableFormat]:
    """Return every format of this folder by name."""
    by_name: dict[str, WritableFormat] = {}
    for module in iter_modules(formats.__path__):
        loaded = import_module(f"{formats.__name__}.{module.name}")
        if hasattr(loaded, "open_references"):
            by_name[module.name] = WritableFormat(loaded.open_references, getattr(loaded, "GUESSED", False))
    return by_name


def replace_identifier(text: str, start: int, end: int, new: str) -> TextEdit:
    """Return the edit of the characters in which an identifier differs; capitals of the rest stay."""
    old = text[start:end]
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n].lower() != new[n].lower()), most)
    most -= head
    tail = next((n for n in range(most) if old[-1 - n].lower() != new[-1 - n].lower()), most)
    changed = new[head : len(new) - tail]
    return TextEdit(start + head, end - tail, changed.upper() if old.isupper() else changed)


def find_identifier(scheme: str, text: str, value: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where in `text`, between two places, the identifier that means `value` first stands."""
    pattern = _CORE.get(scheme)
    for match in pattern.finditer(text, start, end) if pattern else ():
        stop = match.end()
        if ids.normalise_id(scheme, match[0]) != value:
            continue
        while ids.normalise_id(scheme, text[match.start() : stop - 1]) == value:
            stop -= 1  # a full stop or bracket behind it
        return match.start(), stop
    return None
