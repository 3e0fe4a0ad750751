"""Which remedies are carried out where several want the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.fix.formats.markdown.document_shape import DocumentShape
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
    wanted = [one for one in dict.fromkeys(remedies) if 0 <= one.start < one.end <= size]
    wanted.sort(key=lambda one: (_FIRST[one.act], one.start - one.end, one.start))
    taken = SpanSet()
    kept: list[Remedy] = []
    for wish in wanted:
        one = _shrink_removal(wish, taken) if wish.act is Act.REMOVE else wish
        if one.act in CHANGES:
            able = (
                one.start < one.end
                and cited.is_free(one.start, one.end)
                and shape.leaf(one.start, one.end) is not None
            )
            if not able or not taken.is_free(one.start, one.end):
                continue
            taken.add(one.start, one.end)
        elif shape.find_last_leaf(one.start, one.end) is None or taken.holds(one.start, one.end):
            continue
        kept.append(one)
    return sorted(kept, key=lambda one: (one.start, one.end, _FIRST[one.act]))


def _shrink_removal(remedy: Remedy, taken: SpanSet) -> Remedy:
    """Return what is left to remove next to what goes already: two may share the marks between them."""
    start, end = remedy.start, remedy.end
    for low, high in taken.list_meeting(start, end):
        if low <= start:
            start = high
        elif high >= end:
            end = low
    return replace(remedy, start=start, end=end)
