"""The installed lists -> one file that pins them, and what is in such a file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from citeproof.errors import CiteproofError, UsageError
from citeproof.evidence.index.lists.compiled_list import CompiledList, DamagedListError
from citeproof.evidence.index.lists.homes import LISTS, RETRACTION_WATCH
from citeproof.evidence.index.lists.list_store import DAMAGED, MISSING, describe_age, get_store
from citeproof.evidence.index.lists.pinned_lists import PinnedLists, build_pin, open_pin
from citeproof.plumbing import own_files
from citeproof.plumbing.clock import Clock, today
from citeproof.plumbing.disk_files import replace_durably
from citeproof.service.assemble.list_choice import get_age_limit, locate_pin
from citeproof.settings import Settings


@dataclass(frozen=True, slots=True)
class PinResult:
    """A pinned set, and what its maker should know about it."""

    pinned: PinnedLists
    notes: tuple[str, ...] = ()

    def json(self) -> dict[str, object]:
        manifest = self.pinned.manifest
        return {
            "file": str(self.pinned.path),
            "sha256": self.pinned.digest,
            "date": manifest.day,
            "lists": [
                {
                    "name": each.name,
                    "date": each.day or None,
                    "entries": each.entries,
                    "bytes": each.bytes,
                    "sha256": each.sha256,
                    "source_sha256": each.source,
                    "origin": each.origin,
                    "licence": each.licence,
                }
                for each in manifest.lists
            ],
            "notes": list(self.notes),
        }


def pin_lists(settings: Settings, clock: Clock, target: str, names: Sequence[str] = ()) -> PinResult:
    """Write the installed lists (or those of `names`) into one file; it is never changed again."""
    path, _ = locate_pin(settings, target)
    chosen = _open_installed(settings, names)
    data = build_pin(chosen)
    if path.exists() or path.is_symlink():
        same = False  # the same set may be pinned again
        with suppress(CiteproofError):
            same = open_pin(path).digest == data[8:40].hex()
        if not same:
            hint = "a pinned set is never changed: choose another name, or delete it first"
            raise UsageError("exists, and is not this set of lists", place=str(path), hint=hint)
    else:
        if path.parent == get_store(settings.cache_dir).pins:
            own_files.make_private_folder(path.parent)
        try:
            replace_durably(path, data, 0o644)
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise UsageError(message, place=str(path), hint="name a file in a folder that exists") from error
    return PinResult(
        open_pin(path), tuple(_list_notes(settings, clock, [compiled for compiled, _ in chosen]))
    )


def _open_installed(settings: Settings, names: Sequence[str]) -> list[tuple[CompiledList, bytes]]:
    store, installed = get_store(settings.cache_dir), list[tuple[CompiledList, bytes]]()
    for name in LISTS:
        if names and name not in names:
            continue
        try:
            data = store.read_list(name)
        except DamagedListError as error:
            raise UsageError(f"the list {DAMAGED.format(error)}", place=name) from error
        if data is not None:
            installed.append(data)
        elif names:
            raise UsageError(f"the list {MISSING}", place=name)
    if not installed:
        hint = "run `citeproof lists update` or `citeproof lists import FILE` first"
        raise UsageError("no list is installed", place="lists pin", hint=hint)
    return installed


def _list_notes(settings: Settings, clock: Clock, lists: Sequence[CompiledList]) -> list[str]:
    heads = [compiled.head for compiled in lists]
    notes = [
        f"the list {head.name} {age.partition(';')[0]}; runs on this set judge as of {head.day}"
        for head in heads
        if (age := describe_age(head.day, today(clock), get_age_limit(settings, LISTS[head.name])))
    ]
    if RETRACTION_WATCH.name not in {head.name for head in heads}:
        notes.append(f"the set has no list of retractions ({RETRACTION_WATCH.name}): runs cannot clear works")
    return notes
