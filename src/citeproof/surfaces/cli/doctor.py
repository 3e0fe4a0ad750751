"""`citeproof doctor`: what works here, what is missing, and how to mend it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

from citeproof import settings
from citeproof.errors import SnapshotError
from citeproof.index.snapshot import Snapshot
from citeproof.reporters.words import line
from citeproof.settings import Settings
from citeproof.surfaces.exits import Exit

PACKAGES = (
    "citeproof",
    "click",
    "lxml",
    "msgspec",
    "numpy",
    "rapidfuzz",
    "rich",
    "tantivy",
    "xxhash",
    "zstandard",
)
OLDEST = (3, 11)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at; `mend` is set when it is not well."""

    name: str
    value: str
    mend: str = ""


@click.command(short_help="Say what works here, what is missing and how to mend it.")
def command() -> int:
    """Look at Python, packages, settings, cache and snapshots; exit 1 when something needs mending."""
    chosen = settings.load()
    rows = [*_machine(), *_settings(chosen), _cache(chosen), *_snapshots(chosen)]
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{'!' if row.mend else ' '} {row.name:<{width}}  {line(row.value)}")
        if row.mend:
            print(f"  {'':<{width}}  mend: {line(row.mend)}")
    sick = sum(bool(row.mend) for row in rows)
    print(f"\n{sick} thing{'' if sick == 1 else 's'} to mend" if sick else "\nall well")
    return Exit.PROBLEMS if sick else Exit.CLEAN


def _machine() -> Iterator[Row]:
    old = sys.version_info < OLDEST
    yield Row(
        "python",
        f"{platform.python_version()} on {platform.system()}",
        "use Python 3.11 or newer" if old else "",
    )
    for name in PACKAGES:
        try:
            yield Row(name, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Row(name, "missing", "install citeproof again with pip")


def _settings(chosen: Settings) -> Iterator[Row]:
    for row in settings.TABLE:
        value = getattr(chosen, row.name)
        text = ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
        yield Row(row.name, f"{text or '(none)'}  [{chosen.origin(row.name)}]")
    for name in settings.unread():
        yield Row(name, "set, but no setting of this version reads it")


def _cache(chosen: Settings) -> Row:
    there = next(folder for folder in (chosen.cache_dir, *chosen.cache_dir.parents) if folder.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Row("cache folder", f"{chosen.cache_dir} can be written")
    return Row("cache folder", f"{there} cannot be written", "make it writable, or set CITEPROOF_CACHE_DIR")


def _snapshots(chosen: Settings) -> Iterator[Row]:
    paths = chosen.snapshots or ((chosen.starter,) if chosen.starter.exists() else ())
    if not paths:
        yield Row("snapshot", "none", "make one with: citeproof index starter")
    for path in paths:
        yield _snapshot(path)


def _snapshot(path: Path) -> Row:
    try:
        with Snapshot.open(path) as snapshot:
            manifest = snapshot.manifest
            covers = f"claims {len(manifest.covers)} kinds or venues" if manifest.covers else "claims nothing"
            return Row("snapshot", f"{path}: {snapshot.id}, {manifest.records:,} records, {covers}")
    except SnapshotError as error:
        return Row("snapshot", f"{path}: {error.message}", error.mend or "build it again")
