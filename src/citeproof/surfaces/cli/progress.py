"""A progress bar on standard error, only where a person watches and nothing else is drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")


def shown(things: Iterable[Thing], total: int, word: str, *, quiet: bool) -> Iterator[Thing]:
    """Yield `things` unchanged behind a bar that counts them."""
    if quiet or not sys.stderr.isatty():
        yield from things
        return
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms that a pipe need not pay
    from rich.progress import track  # noqa: PLC0415 - same

    yield from track(things, word, total, console=Console(stderr=True), transient=True)
