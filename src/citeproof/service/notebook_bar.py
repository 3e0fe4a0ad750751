"""How far a check is, as a bar below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_PAUSE = 0.2  # seconds between two pictures


@contextmanager
def show_notebook_bar(total: int) -> Iterator[Callable[[int], None]]:
    """Yield what hears how many references are checked; it draws only where a notebook runs."""
    display: Any = sys.modules.get("IPython.display")
    shell = sys.modules["IPython"].get_ipython() if display else None
    if not total or getattr(shell, "kernel", None) is None:
        yield lambda _: None
        return
    drawn = time.monotonic()

    def draw(done: int) -> Any:  # noqa: ANN401 - HTML of IPython
        words = f"{done:,} of {total:,} references checked"
        bar = f'<progress value="{done}" max="{total}" aria-label="references checked"></progress>'
        return display.HTML(f"{bar} {words}")

    def tell(done: int) -> None:
        nonlocal drawn
        if time.monotonic() - drawn > _PAUSE:
            drawn = time.monotonic()
            handle.update(draw(done))

    handle = display.display(draw(0), display_id=True)
    try:
        yield tell
    finally:
        handle.update(display.HTML(""))  # the report follows
