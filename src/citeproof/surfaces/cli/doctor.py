"""`citeproof doctor`: what works here, what is missing, and how to fix it."""

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
from citeproof.assemble import choose_judge
from citeproof.clock import SystemClock
from citeproof.errors import SnapshotError, UsageError
from citeproof.index.snapshot import Snapshot
from citeproof.own_files import RefusedFileError, check_own_folder
from citeproof.reporters.wording import show_line
from citeproof.settings import Settings
from citeproof.surfaces.exit_codes import Exit
from citeproof.surfaces.source_status import list_source_status

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
class DoctorRow:
    """One thing that was examined; `hint` is set when it is not well."""

    name: str
    value: str
    hint: str = ""


@click.command(short_help="Diagnose the installation.")
def command() -> int:
    """Check Python, packages, settings, folders, snapshots and sources. Exit code 1 if something is wrong.

    Opens no network connection. To test whether the sources answer, run `citeproof sources test`.
    """
    chosen = settings.load()
    folders = [
        _examine_folder("cache folder", chosen.cache_dir, "CITEPROOF_CACHE_DIR"),
        _examine_folder("limits folder", chosen.limits_dir, "CITEPROOF_LIMITS_DIR"),
    ]
    rows = [
        *_examine_machine(),
        *_examine_settings(chosen),
        *folders,
        *_examine_judge(chosen),
        *_examine_audit_log(chosen),
        *_examine_snapshots(chosen),
        *_examine_live_sources(chosen),
    ]
    width = max(len(row.name) for row in rows)
    for row in rows:
        print(f"{'!' if row.hint else ' '} {row.name:<{width}}  {show_line(row.value)}")
        if row.hint:
            print(f"  {'':<{width}}  hint: {show_line(row.hint)}")
    sick = sum(bool(row.hint) for row in rows)
    print(f"\n{sick} problem{'' if sick == 1 else 's'} found" if sick else "\nno problem found")
    return Exit.PROBLEMS if sick else Exit.CLEAN


def _examine_machine() -> Iterator[DoctorRow]:
    old = sys.version_info < OLDEST
    yield DoctorRow(
        "python",
        f"{platform.python_version()} on {platform.system()}",
        "use Python 3.11 or newer" if old else "",
    )
    for name in PACKAGES:
        try:
            yield DoctorRow(name, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield DoctorRow(name, "missing", "install citeproof again with pip")


def _examine_settings(chosen: Settings) -> Iterator[DoctorRow]:
    for row in settings.TABLE:
        yield DoctorRow(
            row.name, f"{_format_setting(getattr(chosen, row.name)) or '(none)'}  [{chosen.origin(row.name)}]"
        )
    for name in settings.list_unread_variables():
        yield DoctorRow(name, "set, but no setting of this version reads it")


def _format_setting(value: object) -> str:
    """Return a value in words; a key is only stars."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {part}" for name, part in sorted(value.items()))
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)


def _examine_folder(name: str, folder: Path, variable: str) -> DoctorRow:
    try:
        check_own_folder(folder)
    except RefusedFileError as error:
        return DoctorRow(name, f"{folder} is not used: it {error.strerror}", error.hint)
    except OSError:
        pass  # not there yet, or not to be seen: told below
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return DoctorRow(name, f"{folder} can be written")
    return DoctorRow(name, f"{there} cannot be written", f"make it writable, or set {variable}")


def _examine_judge(chosen: Settings) -> Iterator[DoctorRow]:
    """Yield the judge by name, and what was made for another one and is therefore not used."""
    try:
        judging = choose_judge(chosen)
    except UsageError as error:
        yield DoctorRow("judge", error.message, error.hint)
        return
    yield DoctorRow("judge", judging.model.name)
    for text in judging.trouble:
        what, _, hint = text.partition("; ")
        yield DoctorRow("judge", what, hint)


def _examine_audit_log(chosen: Settings) -> Iterator[DoctorRow]:
    """Yield whether runs are logged, and whether they can be. Writes nothing."""
    if chosen.audit_dir is None:
        yield DoctorRow("audit log", "none is written; --audit DIR or CITEPROOF_AUDIT_DIR turns it on")
        return
    yield _examine_folder("audit log", chosen.audit_dir, "CITEPROOF_AUDIT_DIR")
    yield _examine_folder("audit keys", chosen.audit_keys, "CITEPROOF_AUDIT_KEY")


def _examine_live_sources(chosen: Settings) -> Iterator[DoctorRow]:
    """Yield whether live sources are asked, and what is in their way. Opens no connection."""
    if chosen.offline:
        yield DoctorRow("live sources", "none is asked: offline")
        return
    rows = [row for row in list_source_status(chosen, SystemClock()) if row.profile]
    asked = sum(row.asked for row in rows)
    yield DoctorRow("live sources", f"{asked} of {len(rows)} are asked; see `citeproof sources`")
    for row in rows:
        if row.state != "ok":
            yield DoctorRow(row.name, f"{row.state}; {row.note}")
    contact = chosen.contact or "none is set; some registries serve better, or only, those who give one"
    yield DoctorRow("contact address", contact)
    known = {row.name for row in rows}
    for name in sorted(set(chosen.keys) - known):
        yield DoctorRow(
            "keys", f"a key is set for {name!r}, which is not a source", _suggest_key_variable(name, known)
        )


def _suggest_key_variable(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean CITEPROOF_{near[0].upper()}_KEY?" if near else "take it out of the environment"


def _examine_snapshots(chosen: Settings) -> Iterator[DoctorRow]:
    paths = chosen.snapshots or ((chosen.starter,) if chosen.starter.exists() else ())
    if not paths:
        yield DoctorRow("snapshot", "none", "make one with: citeproof index starter")
    for path in paths:
        yield _examine_snapshot(path)


def _examine_snapshot(path: Path) -> DoctorRow:
    try:
        with Snapshot.open(path) as snapshot:
            manifest = snapshot.manifest
            covers = f"claims {len(manifest.covers)} kinds or venues" if manifest.covers else "claims nothing"
            return DoctorRow("snapshot", f"{path}: {snapshot.id}, {manifest.records:,} records, {covers}")
    except SnapshotError as error:
        return DoctorRow("snapshot", f"{path}: {error.message}", error.hint or "build it again")
