"""One file before and after its edits, and the unified diff between them.

The diff is made out of edits that are known, so that a large file costs no more than its changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from citeproof.answers.fix.text_edits import EncodedText, TextEdit, apply_edits, compose_edits, shift_edits
from citeproof.text.unicode import show_controls
from citeproof.vocabulary.quick_dataclass import dataclass

_CONTEXT = 3


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


def format_diff(text: str, edits: Sequence[TextEdit], name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, each with its end; controls are spelled out."""
    if not edits:
        return
    yield f"--- {show_controls(name)}\n"
    yield f"+++ {show_controls(name)}\n"
    shift = counted = lines = 0
    for low, high, group in _cluster_edits(text, edits):
        lines += text.count("\n", counted, low)
        counted = low
        old = text[low:high]
        new = apply_edits(old, shift_edits(group, -low))
        before, after = _split_diff_lines(old), _split_diff_lines(new)
        for row in list(unified_diff(before, after, n=_CONTEXT))[2:]:
            if row.startswith("@@"):
                _, minus, plus, _ = row.split(" ", 3)
                yield (f"@@ -{_shift_span(minus, lines)} +{_shift_span(plus, (lines + shift))} @@\n")
            else:
                ending = "\n" if row.endswith("\n") else "\n\\ No newline at end of file\n"
                yield show_controls(row.removesuffix("\n")) + ending
        shift += len(after) - len(before)


def _split_diff_lines(text: str) -> list[str]:
    """Return the lines of a text; only a line feed ends one, as for every other tool."""
    parts = text.split("\n")
    lines = [f"{part}\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _cluster_edits(text: str, edits: Sequence[TextEdit]) -> Iterator[tuple[int, int, list[TextEdit]]]:
    """Yield stretches of whole lines with the edits in them, wide enough for their context."""
    low = high = -1
    group: list[TextEdit] = []
    for edit in edits:
        start, end = _find_context_start(text, edit.start), _find_context_end(text, edit.end)
        if group and start <= high:
            high = max(high, end)
            group.append(edit)
            continue
        if group:
            yield low, high, group
        low, high, group = start, end, [edit]
    if group:
        yield low, high, group


def _find_context_start(text: str, at: int) -> int:
    for _ in range(_CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _find_context_end(text: str, at: int) -> int:
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at


def _shift_span(span: str, by: int) -> str:
    first, comma, count = span[1:].partition(",")
    return f"{int(first) + by}{comma}{count}"
