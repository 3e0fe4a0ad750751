"""Records out of a source's JSON: what cannot be read is no answer, and never silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeproof.evidence.upstream_records.json_fields import read_path, read_table
from citeproof.plumbing.net.message import UnreadableError
from citeproof.vocabulary import Record

MakeRecord = Callable[[dict[str, object]], Record | None]


def read_list(body: object, *path: str, missing: str) -> list[object]:
    """Return the list that is at a path of nested objects; raise with `missing` without one."""
    listed = read_path(body, *path)
    if not isinstance(listed, list):
        raise UnreadableError(missing)
    return listed


def read_records(
    items: Sequence[object], make: MakeRecord, unread: str, *, every: bool = False
) -> list[Record]:
    """Return the records of the items; raise with `unread` when there are items and none, or with `every`
    not every one of them, can be read.
    """
    records = [record for item in items if (record := make(read_table(item)))]
    if len(records) < len(items) if every else items and not records:
        raise UnreadableError(unread)
    return records


def read_record(body: object, make: MakeRecord, unread: str) -> list[Record]:
    """Return the one record that an answer describes; raise with `unread` if it describes none."""
    return read_records((body,), make, unread, every=True)
