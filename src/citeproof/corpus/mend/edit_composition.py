"""Two rounds of edits as one: what both make of the text that the first one started from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from citeproof.fix.text_edits import TextEdit, apply_edits


def compose_edits(text: str, first: Sequence[TextEdit], second: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits of `text` that do what `first` and then `second` do; both are in order."""
    between = apply_edits(text, first)
    made: list[TextEdit] = []
    for low, high, before, after, later in _group_edits(first, second):
        inner = [TextEdit(one.start - low, one.end - low, one.text) for one in later]
        made.append(TextEdit(low - before, high - after, apply_edits(between[low:high], inner)))
    return tuple(made)


def _group_edits(
    first: Sequence[TextEdit], second: Sequence[TextEdit]
) -> Iterator[tuple[int, int, int, int, list[TextEdit]]]:
    """Yield stretches of the text between the rounds that edits of either made or change.

    With each: how far the first round moved its beginning and its end, and the edits of the second in it.
    """
    moved = [0, *accumulate(len(one.text) - (one.end - one.start) for one in first)]
    early = [(e.start + moved[n], e.start + moved[n] + len(e.text), n, None) for n, e in enumerate(first)]
    late = [(one.start, one.end, -1, one) for one in second]
    rows = sorted([*early, *late], key=lambda row: (row[0], row[1]))
    at = done = 0
    while at < len(rows):
        low, high = rows[at][:2]
        before, later = moved[done], list[TextEdit]()
        while at < len(rows) and rows[at][0] <= high:
            _, end, number, one = rows[at]
            high = max(high, end)
            done = max(done, number + 1)
            later += [one] if one is not None else []
            at += 1
        yield low, high, before, moved[done], later
