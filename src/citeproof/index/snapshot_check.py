"""Checking a snapshot on disk against its manifest, byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from citeproof.errors import SnapshotError
from citeproof.index import manifest
from citeproof.index.manifest import FileFact


@dataclass(frozen=True, slots=True)
class SnapshotDamage:
    """A file that is not what the manifest says."""

    file: str
    message: str


def check_snapshot(folder: Path, seen: Callable[[str], None] | None = None) -> tuple[SnapshotDamage, ...]:
    """Return the damaged, missing and strange files of the snapshot in `folder`, in order.

    `seen` is told each file's name before it is read.
    """
    made = manifest.load(folder)
    found: list[SnapshotDamage] = []
    for name, fact in made.files.items():
        if seen:
            seen(name)
        if message := _compare_file(folder / name, fact):
            found.append(SnapshotDamage(name, message))
    known = {*made.files, manifest.FILE}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in known:
            found.append(SnapshotDamage(name, "does not belong to the snapshot"))
    return tuple(found)


def refuse_links(folder: Path) -> None:
    """Raise if the snapshot has a link: what it leads to may be a private file, which would be passed on."""
    link = next((path for path in sorted(folder.rglob("*")) if path.is_symlink()), None)
    if link is not None:
        what = "is a link, which may lead to a file that is not of the snapshot"
        hint = f"copy the snapshot without links first: cp -rL {folder} COPY"
        raise SnapshotError(what, place=str(link), hint=hint)


def _compare_file(path: Path, fact: FileFact) -> str:
    if path.exists() and not path.is_file():
        return "is not a plain file"
    try:
        found = manifest.make_file_fact(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if found.bytes != fact.bytes:
        return f"has {found.bytes:,} bytes, not {fact.bytes:,}"
    return "" if found.sha256 == fact.sha256 else "has other content than when it was built"
