"""What of the machine works: Python, packages, extras, the sandbox, certificates, room on the disk."""

from __future__ import annotations

import platform
import re
import shlex
import shutil
import ssl
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

from citeproof.errors import CiteproofError
from citeproof.extractors.extraction import extract
from citeproof.settings import Settings
from citeproof.vocabulary import Document

OLDEST = (3, 11)
LEAST_ROOM = 500_000_000  # bytes: a starter snapshot and its build
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]{0,200}\])?\s{0,9}\(?([^;()]{0,200})\)?")
_EXTRA = re.compile(r"extra\s{0,9}==\s{0,9}['\"]([\w-]{1,99})['\"]")
_LIMIT = re.compile(r"(>=|<=|==|!=|<|>)\s{0,9}([0-9][0-9.]{0,40})")
_COMPARISONS = {">=": ge, "<=": le, "==": eq, "!=": ne, "<": lt, ">": gt}
_PAGE = b"<html><body><h1>References</h1><p>[1] M. Curie. On ice. Ice, 2001.</p></body></html>"


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
