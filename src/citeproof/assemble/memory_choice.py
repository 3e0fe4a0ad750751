"""The memory of a run: where it is, how long it is believed, and whether similar titles can be found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from citeproof.clock import Clock
from citeproof.errors import UsageError
from citeproof.settings import Settings
from citeproof.settings.store_address import StoreAddress

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

    where = settings.memory
    if isinstance(where, Path) and where.exists() and not where.is_dir():
        raise UsageError("is not a folder", place=str(where), hint="name a folder with --memory")
    if isinstance(where, StoreAddress) and settings.offline and not where.is_local:
        hint = "leave out --offline, or keep the memory in a folder"
        raise UsageError("is not on this machine, but the run is offline", place=str(where), hint=hint)
    similar = is_embedding_installed()
    store = MemoryDatabase(where, most=settings.memory_entries, model=MODEL if similar else "")
    vectors = TitleVectors() if similar else None
    return MemorySource(store, clock, days=settings.memory_days, vectors=vectors, record=record)
