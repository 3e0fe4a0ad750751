"""citeproof's own items, as `citeproof bench make` writes them: see `measure/makers/items.py`.

The key of an item is its index. Intervals go by collection, and where there is none by work.
"""

from __future__ import annotations

import msgspec

from citeproof.measure.adapters.loading import Loaded, RowOf
from citeproof.measure.makers.items import Item
from citeproof.measure.rows import Case, Question, Truth
from citeproof.vocabulary import Label

NAME = "items"


def recognises(loaded: Loaded) -> bool:
    """Return whether the rows are items of ours."""
    return loaded.has("index", "label", "form", "corrupted")


def case(row: RowOf, at: int) -> Case | str:
    """Return one item as a question."""
    try:
        item = msgspec.convert(row, type=Item)
    except msgspec.ValidationError as error:
        return f"is no item: {error}"
    label = Label(item.label)
    group = item.collection or item.work or str(at)
    return Case(
        Question(str(item.index), item.form, item.corrupted, group),
        Truth(
            label is not Label.EXACT, label, item.kind, split=item.split, work=item.work, field=item.subdomain
        ),
    )
