"""The settings of several machines that work together; in the table they come last."""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.settings import setting_values
from citeproof.settings.setting_row import make_row
from citeproof.settings.snapshot_folders import SnapshotFolders
from citeproof.settings.store_address import StoreAddress


@dataclass(frozen=True, slots=True)
class SharedSettings(SnapshotFolders):
    """What of `Settings` is for machines that share a database."""

    shared_store: StoreAddress | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_store,
        "PostgreSQL database (postgresql://…) through which several machines share rate limits and answers.",
    )
