"""The manifest: what a snapshot is, what it holds and claims, and the digest of each of its files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

import msgspec

from citeproof.errors import SnapshotError
from citeproof.plumbing.own_files import check_own_file, make_private_folder, open_own_file
from citeproof.settings.config_files import find_state_folder
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

FILE = "manifest.json"
FORMAT = 1
SHORT_ID = 13  # characters of an id that stand for it in a name: "cps1-" and eight digits
MAX_BYTES = 16_000_000  # a manifest is a few kilobytes
MAX_RECORDS = 2**32 - 2  # an ordinal has 32 bits, and the highest means none
REBUILD = "build it again: citeproof index build --from works FILE --out DIR"
SNAPSHOT_ID = re.compile(r"cps1-[0-9a-f]{24}")
_STEP = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class FileFact:
    """One file: its size and its SHA-256."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class InputFact:
    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceFact:
    """One group of inputs and the reader that read it."""

    reader: str
    records: int
    bad: int
    inputs: tuple[InputFact, ...]
    licence: str = ""
    read_at: str | None = None  # ISO 8601, when the data is of, if known
    covers: str = ""  # what such a dump holds, in words; a claim that counts is in `Manifest.covers`


@dataclass(frozen=True, slots=True)
class BadFact:
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The head of a snapshot. `id` depends on content and claims, never on time or machine."""

    id: str
    format: int
    citeproof: str
    created: str
    name: str
    records: int
    works: int
    bad: int
    bytes: int
    sources: tuple[SourceFact, ...]
    covers: tuple[str, ...]
    files: dict[str, FileFact]
    bad_records: tuple[BadFact, ...] = ()  # the first few; `bad` counts all
    abstracts: int | None = None  # records that have one; None: none were stored


class _FormatVersion(msgspec.Struct):
    format: int
    parts: tuple[msgspec.Raw, ...] = ()  # layers, which version 0.2 wrote


def make_damage_error(problem: str, place: Path | str) -> SnapshotError:
    """Return the error for a file or folder that only a new build can fix."""
    return SnapshotError(problem, place=str(place), hint=REBUILD)


def refuse_inside(out: Path) -> None:
    """Raise if `out` is inside a snapshot, which would then not be as it was built any more."""
    for above in out.absolute().parents:
        if (above / FILE).is_file() and (above / "records.idx").is_file():
            hint = f"choose another --out, outside {above}"
            raise SnapshotError("is inside a snapshot", place=str(out), hint=hint)


def make_identity(
    records: str, keys: str, covers: Sequence[str], sources: Sequence[SourceFact], abstracts: str = ""
) -> str:
    """Return the snapshot's id: a digest of the records, the keys, the claims, the sources and the abstracts.

    tantivy's files differ from build to build for equal input, and time and file names are no
    content, so none of them has a part in it.
    """
    digest = sha256()
    parts = [f"format {FORMAT}", f"records {records}", f"keys {keys}"]
    parts += [f"covers {claim}" for claim in sorted(covers)]
    parts += [f"source {s.reader} {s.licence} {i.sha256}" for s in sources for i in s.inputs]
    parts += [f"abstracts {abstracts}"] if abstracts else []
    for part in parts:
        digest.update(part.encode() + b"\n")
    return f"cps1-{digest.hexdigest()[:24]}"


def make_file_fact(path: Path) -> FileFact:
    """Return the size and SHA-256 of a file."""
    with path.open("rb") as file:
        return FileFact(path.stat().st_size, file_digest(file, "sha256").hexdigest())


def dumps(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def load(folder: Path) -> Manifest:
    """Return the manifest of the snapshot in `folder`; say what is wrong when there is none."""
    path = folder / FILE
    return parse_manifest(_read_manifest(folder, path), str(path))


def parse_manifest(data: bytes, place: str) -> Manifest:
    """Return the manifest that `data` is; say what is wrong when it is none. `place` is for messages."""
    try:
        head = decode_json(data, type=_FormatVersion)
        if head.parts:
            raise SnapshotError("is in layers, which are not read any more", place=place, hint=REBUILD)
        if (version := head.format) != FORMAT:
            problem = f"the snapshot has format {version}, this citeproof reads format {FORMAT}"
            newer = "update citeproof, or build the snapshot again with this one"
            raise SnapshotError(problem, place=place, hint=newer if version > FORMAT else REBUILD)
        manifest = decode_json(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise make_damage_error(f"is not a snapshot's manifest: {error}", place) from error
    _check_manifest(manifest, place)
    return manifest


def _check_manifest(manifest: Manifest, place: str) -> None:
    """Raise unless the counts can be, every file is inside the folder and the id is one."""
    counts = [source.records for source in manifest.sources]
    if sum(counts) != manifest.records or min(counts) < 0 or not 0 < manifest.records <= MAX_RECORDS:
        raise make_damage_error("its counts do not add up: it is damaged", place)
    if not all(map(is_inner_path, manifest.files)):
        raise make_damage_error("names a file outside its folder: it is damaged", place)
    if not SNAPSHOT_ID.fullmatch(manifest.id):
        raise make_damage_error("has no valid id: it is damaged", place)


def is_inner_path(path: str) -> bool:
    """Return whether a name in a manifest is one of a file inside the snapshot's folder."""
    steps = path.split("/")
    return len(steps) <= 4 and all(_STEP.fullmatch(step) and step.strip(".") for step in steps)


def remember_own_snapshot(folder: Path) -> None:
    """Note in the user's state folder that this user built or pulled the snapshot in `folder`."""
    with suppress(OSError, SnapshotError):  # then reports name it by its path; a shard is no snapshot yet
        mark = _locate_mark(folder)
        make_private_folder(mark.parent)
        os.close(open_own_file(mark, os.O_WRONLY | os.O_CREAT))


def is_own_snapshot(folder: Path) -> bool:
    """Return whether this user built or pulled the snapshot in `folder`."""
    try:
        return check_own_file(_locate_mark(folder))
    except (OSError, SnapshotError):
        return False


def name_source(manifest: Manifest, foreign: Path | str | None) -> str:
    """Return what the source of a snapshot's records is called, in lookups and every report.

    Anybody can write a name into a manifest. What the user neither built nor pulled is called by its
    id and its place: `foreign`.
    """
    short = manifest.id[:SHORT_ID]
    if foreign is None:
        return f"snapshot:{manifest.name or short}"
    return f"snapshot:{short}:{os.fsencode(foreign).decode(errors='replace')}"


def _locate_mark(folder: Path) -> Path:
    """Return the mark of a snapshot in its place: neither a copy of it nor what replaces it has the same."""
    path = folder.resolve()
    made = sha256(os.fsencode(path) + b"\0" + _read_manifest(path, path / FILE)).hexdigest()
    return find_state_folder("snapshots") / made


def _read_manifest(folder: Path, path: Path) -> bytes:
    try:
        if not folder.is_dir():
            problem = "is a file, not a snapshot folder" if folder.exists() else "no such folder"
            raise SnapshotError(
                problem, place=str(folder), hint="name the folder that `index build --out` made"
            )
        if path.exists() and not path.is_file():
            raise make_damage_error("is not a plain file", path)
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except FileNotFoundError as error:
        raise make_damage_error("is not a snapshot: it has no manifest.json", folder) from error
    except OSError as error:
        raise SnapshotError(
            f"cannot be read: {error.strerror}", place=str(path), hint="give read permission, then try again"
        ) from error


@dataclass(frozen=True, slots=True)
class SnapshotDamage:
    """A file that is not what the manifest says."""

    file: str
    message: str


def check_snapshot(folder: Path) -> tuple[SnapshotDamage, ...]:
    """Return the damaged, missing and strange files of the snapshot in `folder`, in order."""
    made = load(folder)
    damages: list[SnapshotDamage] = []
    for name, fact in made.files.items():
        if message := _compare_file(folder / name, fact):
            damages.append(SnapshotDamage(name, message))
    known = {*made.files, FILE}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in known:
            damages.append(SnapshotDamage(name, "does not belong to the snapshot"))
    return tuple(damages)


def refuse_links(folder: Path) -> None:
    """Raise if the snapshot has a link: what it leads to may be a private file, which would be passed on."""
    link = next((path for path in sorted(folder.rglob("*")) if path.is_symlink()), None)
    if link is not None:
        problem = "is a link, which may lead to a file that is not of the snapshot"
        hint = f"copy the snapshot without links first: cp -rL {folder} COPY"
        raise SnapshotError(problem, place=str(link), hint=hint)


def _compare_file(path: Path, fact: FileFact) -> str:
    if path.exists() and not path.is_file():
        return "is not a plain file"
    try:
        fact_now = make_file_fact(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if fact_now.bytes != fact.bytes:
        return f"has {fact_now.bytes:,} bytes, not {fact.bytes:,}"
    return "" if fact_now.sha256 == fact.sha256 else "has other content than when it was built"
