"""Which remedies are carried out where several want the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.answers.fix.formats.markdown.document_shape import DocumentShape
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Act, Remedy

_FIRST = {Act.REMOVE: 0, Act.REPLACE: 1, Act.ANNOTATE: 2, Act.TODO: 3}
CHANGES = (Act.REMOVE, Act.REPLACE)


def choose_remedies(
    remedies: Sequence[Remedy], shape: DocumentShape, cited: SpanSet, size: int
) -> list[Remedy]:
    """Return the remedies that can be carried out together, in the order of the text.

    Removing goes before replacing, and of two of a kind the outer, then the earlier one. A note about words
    that go or change wholly goes with them; any other note stays.
    """
    wanted = [remedy for remedy in dict.fromkeys(remedies) if 0 <= remedy.start < remedy.end <= size]
    wanted.sort(key=lambda remedy: (_FIRST[remedy.act], remedy.start - remedy.end, remedy.start))
    taken = SpanSet()
    kept: list[Remedy] = []
    for wish in wanted:
        remedy = _shrink_removal(wish, taken) if wish.act is Act.REMOVE else wish
        if remedy.act in CHANGES:
            able = (
                remedy.start < remedy.end
                and cited.is_free(remedy.start, remedy.end)
                and shape.leaf(remedy.start, remedy.end) is not None
            )
            if not able or not taken.is_free(remedy.start, remedy.end):
                continue
            taken.add(remedy.start, remedy.end)
        elif shape.find_last_leaf(remedy.start, remedy.end) is None or taken.holds(remedy.start, remedy.end):
            continue
        kept.append(remedy)
    return sorted(kept, key=lambda remedy: (remedy.start, remedy.end, _FIRST[remedy.act]))


def _shrink_removal(remedy: Remedy, taken: SpanSet) -> Remedy:
    """Return what is left to remove next to what goes already: two may share the marks between them."""
    start, end = remedy.start, remedy.end
    for low, high in taken.list_meeting(start, end):
        if low <= start:
            start = high
        elif high >= end:
            end = low
    return replace(remedy, start=start, end=end)
