"""The memory of a run: where it is, how long it is believed, and whether similar titles can be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citeproof.clock import Clock
from citeproof.errors import UsageError
from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.sources.memory import MemorySource


def open_memory(
    settings: Settings, clock: Clock, record: Callable[[str, bytes], None] | None = None
) -> MemorySource | None:
    """Return the memory that the settings name, if any. `record` keeps what a judgement rests on.

    Without the extra `memory` it finds works by identifier and exact title only.
    """
    if settings.memory is None:
        return None
    from citeproof.embedding import MODEL, is_embedding_installed  # noqa: PLC0415 - a run without need not load it
    from citeproof.embedding.title_vectors import TitleVectors  # noqa: PLC0415 - same
    from citeproof.sources.memory import MemorySource  # noqa: PLC0415 - same
    from citeproof.stores.memory_database import MemoryDatabase  # noqa: PLC0415 - same

    if settings.memory.exists() and not settings.memory.is_dir():
        raise UsageError("is not a folder", place=str(settings.memory), hint="name a folder with --memory")
    similar = is_embedding_installed()
    store = MemoryDatabase(settings.memory, most=settings.memory_entries, model=MODEL if similar else "")
    vectors = TitleVectors() if similar else None
    return MemorySource(store, clock, days=settings.memory_days, vectors=vectors, record=record)
