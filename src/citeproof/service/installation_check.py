"""What of a machine and an installation works, what is missing, and how to fix it."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import ssl
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module, metadata
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

from citeproof import settings
from citeproof.errors import CiteproofError, SnapshotError, UsageError
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.own_files import RefusedFileError, check_own_folder
from citeproof.reading.extractors.base import extract
from citeproof.service.assemble import choose_judge, require_shared_store
from citeproof.service.assemble.list_choice import open_named_pin
from citeproof.service.assemble.model_choice import (
    LLM,
    PROVIDERS,
    describe_price,
    describe_server,
    is_loopback_url,
)
from citeproof.service.installation_advice import describe_age, load_pulled
from citeproof.service.list_import import list_status
from citeproof.service.source_status import list_source_status
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document
from citeproof.vocabulary.quick_dataclass import dataclass

OLDEST = (3, 11)
LEAST_ROOM = 500_000_000  # bytes: a starter snapshot and its build
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]{0,200}\])?\s{0,9}\(?([^;()]{0,200})\)?")
_EXTRA = re.compile(r"extra\s{0,9}==\s{0,9}['\"]([\w-]{1,99})['\"]")
_LIMIT = re.compile(r"(>=|<=|==|!=|<|>)\s{0,9}([0-9][0-9.]{0,40})")
_COMPARISONS = {">=": ge, "<=": le, "==": eq, "!=": ne, "<": lt, ">": gt}
_PAGE = b"<html><body><h1>References</h1><p>[1] M. Curie. On ice. Ice, 2001.</p></body></html>"


def examine_installation(chosen: Settings) -> list[Diagnosis]:
    """Return everything in the order to be shown. Connects only to a shared database, writes nothing."""
    return [
        *examine_machine(chosen),
        *_examine_settings(chosen),
        _examine_folder("cache folder", chosen.cache_dir, "CITEPROOF_CACHE_DIR"),
        _examine_folder("limits folder", chosen.limits_dir, "CITEPROOF_LIMITS_DIR"),
        *_examine_shared_store(chosen),
        *_examine_judge(chosen),
        *_examine_audit_log(chosen),
        *_examine_snapshots(chosen),
        *_examine_lists(chosen),
        *_examine_live_sources(chosen),
        *_examine_model(chosen),
    ]


def _examine_settings(chosen: Settings) -> Iterator[Diagnosis]:
    for row in settings.TABLE:
        value = getattr(chosen, row.name)  # a key is only stars
        if isinstance(value, Mapping):
            value = tuple(f"{name} = {part}" for name, part in sorted(value.items()))
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        yield Diagnosis(row.name, f"{shown or '(none)'}  [{chosen.origin(row.name)}]")
    for name in settings.list_unread_variables():
        yield Diagnosis(name, "set, but no setting of this version reads it")


def _examine_shared_store(chosen: Settings) -> Iterator[Diagnosis]:
    if chosen.shared_store is None:
        return
    try:
        require_shared_store(chosen, SystemClock())
    except UsageError as error:
        yield Diagnosis("shared store", f"{error.place} {error.message}", error.hint)
    else:
        state = "is not asked offline" if chosen.offline else "can be used"
        yield Diagnosis("shared store", f"{chosen.shared_store} {state}")


def _examine_folder(name: str, folder: Path, variable: str) -> Diagnosis:
    try:
        check_own_folder(folder)
    except RefusedFileError as error:
        return Diagnosis(name, f"{folder} is not used: it {error.strerror}", error.hint)
    except OSError:
        pass  # not there yet, or not to be seen: reported below
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Diagnosis(name, f"{folder} can be written")
    allow = shlex.join(["chmod", "u+wx", str(there)])
    hint = f"make it writable ({allow}), or use another folder: export {variable}=DIR"
    return Diagnosis(name, f"{there} cannot be written", hint)


def _examine_judge(chosen: Settings) -> Iterator[Diagnosis]:
    """Yield the judge by name, and what was made for another one and is therefore not used."""
    try:
        judging = choose_judge(chosen)
    except UsageError as error:
        yield Diagnosis("judge", error.message, error.hint)
        return
    yield Diagnosis("judge", judging.model.name)
    for text in judging.trouble:
        what, _, hint = text.partition("; ")
        yield Diagnosis("judge", what, hint)


def _examine_audit_log(chosen: Settings) -> Iterator[Diagnosis]:
    if chosen.audit_dir is None:
        yield Diagnosis("audit log", "none is written; --audit DIR or CITEPROOF_AUDIT_DIR turns it on")
        return
    yield _examine_folder("audit log", chosen.audit_dir, "CITEPROOF_AUDIT_DIR")
    yield _examine_folder("audit keys", chosen.audit_keys, "CITEPROOF_AUDIT_KEY")


def _examine_live_sources(chosen: Settings) -> Iterator[Diagnosis]:
    if chosen.offline:
        yield Diagnosis("live sources", "none is asked: offline")
        return
    rows = [row for row in list_source_status(chosen, SystemClock()) if row.profile]
    asked = sum(row.asked for row in rows)
    yield Diagnosis("live sources", f"{asked} of {len(rows)} are asked; see `citeproof sources`")
    for row in rows:
        if row.state != "ok":
            yield Diagnosis(row.name, f"{row.state}; {row.note}")
    contact = chosen.contact or "none is set; some registries serve better, or only, those who give one"
    yield Diagnosis("contact address", contact)
    known = {row.name for row in rows} | {LLM, *PROVIDERS}
    for name in sorted(set(chosen.keys) - known):
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean CITEPROOF_{near[0].upper()}_KEY?" if near else "take it out of the environment"
        yield Diagnosis("keys", f"a key is set for {name!r}, which is not a source", hint)


def _examine_model(chosen: Settings) -> Iterator[Diagnosis]:
    if not chosen.llm:
        return
    try:
        server = describe_server(chosen)
        key = "with a key" if server.key else "without a key"
        state = "" if not chosen.offline or is_loopback_url(server.url) else "; not asked: offline"
        described = f"{server.name} at {server.url}, {key}; {describe_price(chosen)}"
        yield Diagnosis("language model", described + state)
    except UsageError as error:
        yield Diagnosis("language model", error.message, error.hint)


def _examine_snapshots(chosen: Settings) -> Iterator[Diagnosis]:
    paths = chosen.list_snapshot_folders()
    if not paths and chosen.starter.exists():
        paths = (chosen.starter,)
    if not paths:
        yield Diagnosis("snapshot", "none", "make one with: citeproof index starter")
    for path in paths:
        yield _examine_snapshot(path)
    for path in chosen.list_pulled_folders():
        if path not in paths:
            state = _examine_snapshot(path).value
            yield Diagnosis("snapshot", f"{state}; not used: the setting snapshots names others")


def _examine_lists(chosen: Settings) -> Iterator[Diagnosis]:
    """Yield the lists that runs ask. One that is missing or old is advice; one that is broken is a fault."""
    if chosen.lists_pin:
        try:
            pinned = open_named_pin(chosen, chosen.lists_pin)
            names = ", ".join(f"{listed.name} {listed.day}".strip() for listed in pinned.manifest.lists)
            yield Diagnosis("pinned lists", f"{pinned.path}: sha256 {pinned.digest}: {names}")
        except CiteproofError as error:
            yield Diagnosis("pinned lists", f"{error.place}: {error.message}", error.hint)
        return
    for row in list_status(chosen, SystemClock()):
        broken = row.trouble if row.trouble.startswith("is damaged") else ""
        state, _, hint = (row.trouble or "installed").partition("; ")
        if row.head:
            state = f"{row.head.day or 'no date'}, {row.head.entries:,} entries, {state}"
        yield Diagnosis(f"list {row.home.name}", state, hint if broken else "")


def _examine_snapshot(path: Path) -> Diagnosis:
    try:
        with Snapshot.open(path) as snapshot:
            manifest = snapshot.manifest
            covers = f"claims {len(manifest.covers)} kinds or venues" if manifest.covers else "claims nothing"
            pulled = load_pulled(path)
            origin = f", edition {pulled.edition} from {pulled.url}" if pulled else ""
            size = f"{snapshot.id}, {manifest.records:,} records, {describe_age(manifest, SystemClock())}"
            return Diagnosis("snapshot", f"{path}: {size}, {covers}{origin}")
    except SnapshotError as error:
        return Diagnosis("snapshot", f"{path}: {error.message}", error.hint or "build it again")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was examined; `hint` is set when it is not well."""

    name: str
    value: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class PackageNeed:
    """A package that citeproof, or one of its extras, needs, and which versions of it."""

    name: str
    versions: str
    extra: str = ""


def examine_machine(chosen: Settings) -> Iterator[Diagnosis]:
    """Yield everything about the machine, in the order to be shown. Opens no connection, writes nothing."""
    yield Diagnosis(
        "python",
        f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "use Python 3.11 or newer" if sys.version_info < OLDEST else "",
    )
    needs = list_package_needs()
    yield from _examine_packages(needs)
    yield from _examine_extras(needs)
    yield _examine_sandbox()
    if not chosen.offline:
        yield _examine_certificates()
    yield examine_room(chosen.cache_dir)


def list_package_needs() -> list[PackageNeed]:
    """Return what the installed citeproof says that it and its extras need."""
    needs = []
    for text in metadata.requires("citeproof") or []:
        extra = _EXTRA.search(text)
        if (named := _REQUIREMENT.match(text)) is not None:
            needs.append(PackageNeed(named[1], named[2].strip(), extra[1] if extra else ""))
    return needs


def is_in_range(version: str, limits: str) -> bool:
    """Return whether a version fulfils limits such as ">=3.13,<4", by the numbers of its release."""
    held = _read_release(version)
    for sign, text in _LIMIT.findall(limits):
        limit = _read_release(text)
        size = max(len(held), len(limit))
        ours, theirs = (numbers + (0,) * (size - len(numbers)) for numbers in (held, limit))
        if not _COMPARISONS[sign](ours, theirs):
            return False
    return True


def _read_release(version: str) -> tuple[int, ...]:
    numbers = re.match(r"\d{1,9}(?:\.\d{1,9}){0,9}", version)
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else ()


def _find_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _write_install_command(what: str, *flags: str) -> str:
    return shlex.join([sys.executable, "-m", "pip", "install", *flags, what])


def _examine_packages(needs: list[PackageNeed]) -> Iterator[Diagnosis]:
    again = f"install citeproof again: {_write_install_command('citeproof', '--force-reinstall')}"
    yield Diagnosis("citeproof", _find_version("citeproof") or "missing")
    for need in needs:
        if need.extra:
            continue
        version = _find_version(need.name)
        if not version:
            yield Diagnosis(need.name, "missing", again)
        elif not is_in_range(version, need.versions):
            install = _write_install_command(f"{need.name}{need.versions}")
            yield Diagnosis(need.name, f"{version}, but {need.versions} is needed", f"run: {install}")
        else:
            try:  # a missing system library shows here only
                import_module(need.name.replace("-", "_"))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
                install = _write_install_command(f"{need.name}=={version}", "--force-reinstall")
                hint = f"it is damaged or made for another machine; run: {install}"
                broken = f"{version}, but cannot be loaded: {type(error).__name__}: {error}"
                yield Diagnosis(need.name, broken, hint)
            else:
                yield Diagnosis(need.name, version)


def _examine_extras(needs: list[PackageNeed]) -> Iterator[Diagnosis]:
    """Yield each extra; one that is not installed is no problem, one with a version that does not fit is."""
    for extra in sorted({need.extra for need in needs} - {""}):
        own = [(need, _find_version(need.name)) for need in needs if need.extra == extra]
        install = _write_install_command(f"citeproof[{extra}]", "--upgrade")
        missing = [need.name for need, version in own if not version]
        odd = [
            f"{need.name} {held} is not {need.versions}"
            for need, held in own
            if not is_in_range(held, need.versions)
        ]
        if missing:
            yield Diagnosis(
                f"extra {extra}", f"not installed ({', '.join(missing)}); to install it: {install}"
            )
        elif odd:
            yield Diagnosis(f"extra {extra}", "; ".join(odd), f"run: {install}")
        else:
            yield Diagnosis(f"extra {extra}", "installed")


def _examine_sandbox() -> Diagnosis:
    """Return whether hostile formats can be read: a small page goes through the child process."""
    try:
        read = extract(Document("doctor.html", _PAGE))
    except (CiteproofError, OSError) as error:
        usual = "allow this user to start processes (ulimit -u, container settings)"
        message = getattr(error, "message", "") or str(error)
        hint = getattr(error, "hint", "") or usual
        return Diagnosis("sandbox", f"PDF, DOCX and HTML cannot be read: {message}", hint)
    return Diagnosis("sandbox", f"works: {len(read.references)} reference read in a process with limits")


def _examine_certificates() -> Diagnosis:
    """Return whether servers can be recognised; small containers often come without certificates."""
    paths = ssl.get_default_verify_paths()
    count = ssl.create_default_context().cert_store_stats()["x509_ca"]
    folder = Path(paths.capath) if paths.capath else None
    if count or (folder is not None and folder.is_dir() and any(folder.iterdir())):
        return Diagnosis("certificates", paths.cafile or paths.capath or "installed")
    return Diagnosis(
        "certificates",
        "none are installed, so no registry can be asked over https",
        "install the package ca-certificates of your system, or name a file: export SSL_CERT_FILE=FILE",
    )


def examine_room(folder: Path, least: int = LEAST_ROOM) -> Diagnosis:
    """Return how much room the disk of `folder` has."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        free = shutil.disk_usage(there).free
    except OSError as error:
        return Diagnosis("free disk space", f"unknown: {error.strerror or error}")
    hint = f"free some space, or use another disk: export CITEPROOF_CACHE_DIR=DIR (now {folder})"
    return Diagnosis("free disk space", f"{free / 1e9:,.1f} GB at {there}", hint if free < least else "")
