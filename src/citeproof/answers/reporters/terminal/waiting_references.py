"""References that could not be checked, gathered by cause until all are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.terminal.screen_text import INDENT, NARROWEST, ScreenText, cut_to_width
from citeproof.judgement.judge.explanation import NOT_LISTED
from citeproof.vocabulary import NOT_CHECKED, Checked

_MOST_CAUSES = 12
_FEW = 5  # of which each has a line of its own
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
        self.noted = 0  # references that matched with a note, and are only counted
        self._causes: dict[str, list[WaitingReference]] = {}

    def add(self, checked: Checked) -> None:
        self.add_row(wording.name_causes(checked), WaitingReference.of(checked))

    def add_row(self, cause: str, row: WaitingReference) -> None:
        self._causes.setdefault(cause, []).append(row)
        self.total += 1

    def list_causes(self) -> list[tuple[str, list[WaitingReference]]]:
        """Return the causes with their references: what proceedings lack, then the most frequent first."""
        return sorted(self._causes.items(), key=lambda item: (NOT_LISTED not in item[0], -len(item[1])))


def format_waiting(
    waiting: WaitingReferences, screen: ScreenText, *, places: bool, offline: bool
) -> Iterator[str]:
    """Yield a line for each cause why something could not be checked, with titles or, of many, keys.

    `places`: there are several files.
    """
    causes = waiting.list_causes()
    if not causes:
        return
    for cause, some in causes[:_MOST_CAUSES]:
        yield from screen.wrap(f"{len(some):,} {NOT_CHECKED}: {cause}", "cyan", head="? ", indent=0)
        if waiting.total <= _FEW:
            across = max(cell_len(row.key) for row in some)
            left = max(NARROWEST, screen.width - INDENT - across - 2)
            for row in some:
                key = row.key + " " * (across - cell_len(row.key))
                yield " " * INDENT + screen.paint(f"{key}  {cut_to_width(row.title, left)}", "dim")
        else:
            yield from screen.wrap(list_keys(some, places=places), "dim")
    if rest := sum(len(some) for _, some in causes[_MOST_CAUSES:]):
        yield from screen.wrap(f"? {rest:,} more {NOT_CHECKED}, for other causes", indent=0)
    online = "; without --offline, registries are asked too" if offline else ""
    yield from screen.wrap(f"-v shows each of them{online}", "dim")
    yield ""


def list_keys(some: Sequence[WaitingReference], *, places: bool) -> str:
    """Return as many keys as fit into a few lines, and how many there are beyond; `places`: by file."""
    shown, length = list[WaitingReference](), 0
    for row in some:
        if length > _MOST_KEYS:
            break
        length += len(row.key) + 2
        length += len(row.file) + 2 if places and (not shown or shown[-1].file != row.file) else 0
        shown.append(row)
    more = f" and {len(some) - len(shown):,} more" if len(some) > len(shown) else ""
    if not places:
        return ", ".join(row.key for row in shown) + more
    files = groupby(shown, key=lambda row: row.file)
    return "; ".join(f"{file}: {', '.join(row.key for row in own)}" for file, own in files) + more
