"""A pinned set: compiled lists in one file, named by its content. A run on it judges as of their dates.

    8 bytes magic · 32 bytes SHA-256 of the manifest · 4 bytes its length · manifest (JSON) · compiled lists

The manifest names each list by its SHA-256, so that its own SHA-256 names the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.errors import InputError
from citeproof.evidence.index.lists.compiled_list import CompiledList, DamagedListError
from citeproof.plumbing.disk_files import read_plain_file
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

MAGIC = b"cppins01"
MOST_BYTES = 2_000_000_000
MOST_LISTS = 100
_START = 44  # bytes before the manifest
_AGAIN = "get the file again, or make another one with `citeproof lists pin`"


class PinnedEntry(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    day: str
    entries: int
    bytes: int
    sha256: str
    source: str  # SHA-256 of the file it was compiled from
    origin: str
    licence: str


class PinManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a pinned set holds."""

    day: str  # of its newest list
    lists: tuple[PinnedEntry, ...]


@dataclass(frozen=True, slots=True)
class PinnedLists:
    path: Path
    digest: str
    manifest: PinManifest
    opened: dict[str, CompiledList]

    def open_list(self, name: str) -> CompiledList | None:
        """Return a list of the set; None if it has none of that name."""
        return self.opened.get(name)


def build_pin(lists: Sequence[tuple[CompiledList, bytes]]) -> bytes:
    """Return the file that pins these lists; the same lists give the same bytes."""
    entries = [
        PinnedEntry(
            name=listed.head.name,
            day=listed.head.day,
            entries=listed.head.entries,
            bytes=len(data),
            sha256=listed.digest,
            source=listed.head.source,
            origin=listed.head.origin,
            licence=listed.head.licence,
        )
        for listed, data in lists
    ]
    day = max((entry.day for entry in entries), default="")
    manifest = msgspec.json.encode(PinManifest(day=day, lists=tuple(entries)))
    start = (MAGIC, sha256(manifest).digest(), len(manifest).to_bytes(4, "little"), manifest)
    return b"".join((*start, *(data for _, data in lists)))


def open_pin(path: Path, expected: str = "") -> PinnedLists:
    """Return the set in a file; InputError if it is damaged, cut off, or not the `expected` one."""
    try:
        data = read_plain_file(path, MOST_BYTES)
    except OSError as error:
        hint = "make one with `citeproof lists pin`, or correct lists_pin (--lists-pin)"
        raise InputError(
            f"the pinned lists cannot be read: {error.strerror or error}", place=str(path), hint=hint
        ) from error
    manifest, digest, at = _read_manifest(path, data)
    if expected and digest != expected:
        hint = "take the file with the expected digest, or change lists_pin"
        message = f"this is another pinned set: sha256 {digest}, expected {expected}"
        raise InputError(message, place=str(path), hint=hint)
    if at + sum(entry.bytes for entry in manifest.lists) != len(data):
        raise InputError("the pinned lists are cut off or have bytes added", place=str(path), hint=_AGAIN)
    opened: dict[str, CompiledList] = {}
    view = memoryview(data)
    for entry in manifest.lists:
        try:
            opened[entry.name] = CompiledList(view[at : at + entry.bytes], entry.sha256)
        except DamagedListError as error:
            message = f"the pinned list {entry.name} is damaged: {error}"
            raise InputError(message, place=str(path), hint=_AGAIN) from error
        at += entry.bytes
    return PinnedLists(path, digest, manifest, opened)


def _read_manifest(path: Path, data: bytes) -> tuple[PinManifest, str, int]:
    """Return the manifest, its SHA-256 and where it ends."""
    if data[:8] != MAGIC:
        raise InputError("is not a pinned set of lists", place=str(path), hint=_AGAIN)
    end = _START + int.from_bytes(data[40:_START], "little")
    encoded = data[_START:end]
    digest = sha256(encoded).hexdigest()
    if len(encoded) < end - _START or digest != data[8:40].hex():
        raise InputError("the manifest of the pinned lists is damaged", place=str(path), hint=_AGAIN)
    try:
        manifest = decode_json(encoded, type=PinManifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("was pinned by another version", place=str(path), hint=_AGAIN) from error
    if len(manifest.lists) > MOST_LISTS or any(entry.bytes < 0 for entry in manifest.lists):
        raise InputError("is not a pinned set of lists", place=str(path), hint=_AGAIN)
    return manifest, digest, end
