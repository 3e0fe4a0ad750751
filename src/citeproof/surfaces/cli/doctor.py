"""`citeproof doctor`: what works here, what is missing, and how to mend it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path

import click

from citeproof import settings
from citeproof.assemble import judge_of
from citeproof.clock import SystemClock
from citeproof.errors import SnapshotError, UsageError
from citeproof.index.snapshot import Snapshot
from citeproof.own_files import RefusedFileError, check_own_folder
from citeproof.reporters.words import line
from citeproof.settings import Settings
from citeproof.surfaces.exits import Exit
from citeproof.surfaces.standing import standings

PACKAGES = (
    "citeproof",
    "aiohttp",
    "click",
    "cryptography",
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


@click.command(short_help="Diagnose the installation.")
def command() -> int:
    """Look at Python, packages, settings, folders, snapshots, sources; exit 1 when something needs mending.

    Opens no connection: whether the sources answer is tried by `citeproof sources test`.
    """
    chosen = settings.load()
    folders = [
        _folder("cache folder", chosen.cache_dir, "CITEPROOF_CACHE_DIR"),
        _folder("limits folder", chosen.limits_dir, "CITEPROOF_LIMITS_DIR"),
    ]
    rows = [
        *_machine(),
        *_settings(chosen),
        *folders,
        *_judge(chosen),
        *_audit(chosen),
        *_snapshots(chosen),
        *_network(chosen),
    ]
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{'!' if row.mend else ' '} {row.name:<{width}}  {line(row.value)}")
        if row.mend:
            print(f"  {'':<{width}}  hint: {line(row.mend)}")
    sick = sum(bool(row.mend) for row in rows)
    print(f"\n{sick} problem{'' if sick == 1 else 's'} found" if sick else "\nno problem found")
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
        yield Row(row.name, f"{_shown(getattr(chosen, row.name)) or '(none)'}  [{chosen.origin(row.name)}]")
    for name in settings.unread():
        yield Row(name, "set, but no setting of this version reads it")


def _shown(value: object) -> str:
    """Return a value in words; a key is only stars."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {part}" for name, part in sorted(value.items()))
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)


def _folder(name: str, folder: Path, variable: str) -> Row:
    try:
        check_own_folder(folder)
    except RefusedFileError as error:
        return Row(name, f"{folder} is not used: it {error.strerror}", error.mend)
    except OSError:
        pass  # not there yet, or not to be seen: told below
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Row(name, f"{folder} can be written")
    return Row(name, f"{there} cannot be written", f"make it writable, or set {variable}")


def _judge(chosen: Settings) -> Iterator[Row]:
    """Yield the judge by name, and what was made for another one and is therefore not used."""
    try:
        judging = judge_of(chosen)
    except UsageError as error:
        yield Row("judge", error.message, error.mend)
        return
    yield Row("judge", judging.model.name)
    for text in judging.trouble:
        what, _, mend = text.partition("; ")
        yield Row("judge", what, mend)


def _audit(chosen: Settings) -> Iterator[Row]:
    """Yield whether runs are logged, and whether they can be. Writes nothing."""
    if chosen.audit_dir is None:
        yield Row("audit log", "none is written; --audit DIR or CITEPROOF_AUDIT_DIR turns it on")
        return
    yield _folder("audit log", chosen.audit_dir, "CITEPROOF_AUDIT_DIR")
    yield _folder("audit keys", chosen.audit_keys, "CITEPROOF_AUDIT_KEY")


def _network(chosen: Settings) -> Iterator[Row]:
    """Yield whether live sources are asked, and what stands in their way. Opens no connection."""
    if chosen.offline:
        yield Row("live sources", "none is asked: offline")
        return
    rows = [row for row in standings(chosen, SystemClock()) if row.profile]
    asked = sum(row.asked for row in rows)
    yield Row("live sources", f"{asked} of {len(rows)} are asked; see `citeproof sources`")
    for row in rows:
        if row.state != "ok":
            yield Row(row.name, f"{row.state}; {row.note}")
    contact = chosen.contact or "none is set; some registries serve better, or only, those who give one"
    yield Row("contact address", contact)
    known = {row.name for row in rows}
    for name in sorted(set(chosen.keys) - known):
        yield Row("keys", f"a key is set for {name!r}, which is no source", _nearest(name, known))


def _nearest(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean CITEPROOF_{near[0].upper()}_KEY?" if near else "take it out of the environment"


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
