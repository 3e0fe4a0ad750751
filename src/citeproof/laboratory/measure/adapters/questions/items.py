"""citeproof's own items, as `citeproof bench make` writes them: see `measure/makers/benchmark_items.py`.

The key of an item is its index. Intervals go by collection, and where there is none by work.
"""

from __future__ import annotations

import msgspec

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, BenchmarkQuestion, BenchmarkTruth
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem
from citeproof.text.typed_decoding import convert_value
from citeproof.vocabulary import Label

NAME = "items"


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has("index", "label", "form", "corrupted")


def read_case(row: RowOf, at: int) -> BenchmarkCase | str:
    try:
        item = convert_value(row, type=BenchmarkItem)
    except msgspec.ValidationError as error:
        return f"not an item: {error}"
    label = Label(item.label)
    group = item.collection or item.work or str(at)
    return BenchmarkCase(
        BenchmarkQuestion(str(item.index), item.form, item.corrupted, group),
        BenchmarkTruth(
            label is not Label.EXACT, label, item.kind, split=item.split, work=item.work, field=item.subdomain
        ),
    )
