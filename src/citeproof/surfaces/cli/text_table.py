"""A table for people: columns that wrap, the last as wide as the screen allows."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from citeproof.reporters.wording import show_line

NARROWEST = 18  # characters of the last column, however narrow the screen is
GAP = "  "


def format_text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]
) -> Iterator[str]:
    """Yield the lines of a table; `widths` bounds every column but the last."""
    every = [[show_line(cell) for cell in row] for row in (head, *rows)]
    fitting = [min(most, max(len(row[at]) for row in every)) for at, most in enumerate(widths)]
    last = shutil.get_terminal_size((100, 40)).columns - sum(fitting) - len(GAP) * len(fitting)
    columns = [*fitting, max(NARROWEST, last)]
    for row in every:
        cells = [
            textwrap.wrap(cell, width, break_on_hyphens=False)
            for cell, width in zip(row, columns, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            yield GAP.join(f"{part:<{width}}" for part, width in zip(parts, columns, strict=True)).rstrip()
