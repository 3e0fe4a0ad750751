"""The snapshots of a run, wherever they are: folders of this machine, and those that servers have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from citeproof.errors import UsageError
from citeproof.index.manifest import Manifest
from citeproof.index.manifest import load as load_manifest
from citeproof.index.snapshot import Snapshot
from citeproof.serializers import get_version
from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.index.served_calls import ServerAccess
    from citeproof.index.served_snapshot import ServedSnapshot

KEY = "snapshot"  # CITEPROOF_SNAPSHOT_KEY


def open_snapshots(
    settings: Settings, record: Callable[[str, bytes], None] | None = None
) -> list[Snapshot | ServedSnapshot]:
    """Return the snapshots of a run, opened, in the order in which they are named.

    `record` is passed the SHA-256 and the stored bytes of every record that is returned.
    """
    return list(_open_each(settings, record))


def load_manifests(settings: Settings) -> list[Manifest]:
    """Return the manifests of the snapshots of a run, in order; servers are asked for theirs."""
    found: list[Manifest] = []
    for place in settings.list_snapshot_places():
        if isinstance(place, Path):
            found.append(load_manifest(place))
            continue
        from citeproof.index.served_snapshot import load_served  # noqa: PLC0415 - few runs need it

        found += load_served(place, connect_servers(settings))
    return found


def connect_servers(settings: Settings) -> ServerAccess:
    """Return how servers of snapshots are reached; UsageError offline, which opens no connection at all.

    A token goes only to addresses that the user named: a project's file may not collect it.
    """
    if settings.offline:
        hint = "pull or copy the snapshot here; or leave --offline out and add --sources snapshot"
        place = settings.list_snapshot_addresses()[0]
        raise UsageError("offline, no server can be asked", place=place, hint=hint)
    from citeproof.index.served_calls import ServerAccess  # noqa: PLC0415 - same

    token = None if "snapshots" in settings.set_by_project else settings.keys.get(KEY)
    return ServerAccess(f"citeproof/{get_version()}", settings.timeout, settings.proxy, token)


def _open_each(
    settings: Settings, record: Callable[[str, bytes], None] | None
) -> Iterator[Snapshot | ServedSnapshot]:
    for place in settings.list_snapshot_places():
        if isinstance(place, Path):
            yield Snapshot.open(place, record)
            continue
        from citeproof.index.served_snapshot import open_served  # noqa: PLC0415 - same

        yield from open_served(place, connect_servers(settings), record)
