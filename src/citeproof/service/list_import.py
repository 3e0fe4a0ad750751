"""Files of a list, read within bounds -> the compiled list that runs ask; what is installed; pinned sets."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import date
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.evidence.index.lists.compiled_list import (
    CompiledList,
    DamagedListError,
    ListHead,
    compile_rows,
)
from citeproof.evidence.index.lists.homes import LISTS, LTWA, RETRACTION_WATCH, get_list
from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_store import DAMAGED, MISSING, describe_age, get_store
from citeproof.evidence.index.lists.list_tables import decode_text
from citeproof.evidence.index.lists.pinned_lists import PinnedLists, build_pin, open_pin
from citeproof.evidence.index.lists.title_abbreviation import TitleAbbreviator, read_words
from citeproof.plumbing import own_files
from citeproof.plumbing.clock import Clock, format_timestamp, today
from citeproof.plumbing.disk_files import replace_durably
from citeproof.service.assemble.list_choice import get_age_limit, locate_pin
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary.quick_dataclass import dataclass

SHRUNK = 0.8  # of the former entries; a list that lost more is not taken from its home
MOST_ORIGINS = 3  # files whose names the compiled list keeps
MOST_FILES = 2000  # in a folder or an archive
_START = 4000  # bytes by which a file is recognised
_NAMED = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)")
_PACKED = re.compile(r"\.(?:gz|zst)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListStatus:
    home: ListHome
    head: ListHead | None
    digest: str
    age: int | None  # days
    limit: int
    trouble: str  # why it clears nothing; empty: it does

    def json(self) -> dict[str, object]:
        home, head = self.home, self.head
        return {
            "name": home.name,
            "title": home.title,
            "home": home.url,
            "licence": home.licence,
            "about": home.about,
            "date": head.day if head else None,
            "age_days": self.age,
            "limit_days": self.limit,
            "entries": head.entries if head else 0,
            "kinds": dict(sorted(head.kinds.items())) if head else {},
            "origin": head.origin if head else None,
            "source_sha256": head.source if head else None,
            "sha256": self.digest or None,
            "trouble": self.trouble,
        }


def list_status(settings: Settings, clock: Clock) -> list[ListStatus]:
    """Return every list that is known, installed or not."""
    return [describe_list(settings, home, today(clock)) for home in LISTS.values()]


def import_files(
    settings: Settings, clock: Clock, paths: Sequence[Path], *, day: date | None = None, name: str = ""
) -> list[ListStatus]:
    """Compile local files and make them the current lists. `name`: the list that all of them are of."""
    most = max(home.most_bytes for home in LISTS.values())
    files = [file for path in find_list_files(paths) for file in read_list_file(path, most)]
    groups = {get_list(name).name: files} if name else group_by_list(files, [str(path) for path in paths])
    words_first = sorted(groups, key=lambda each: LISTS[each].form is not ListForm.WORDS)
    return [_import_group(settings, clock, LISTS[each], groups[each], day) for each in words_first]


def _import_group(
    settings: Settings, clock: Clock, home: ListHome, files: Sequence[ListFile], day: date | None
) -> ListStatus:
    now, place = today(clock), files[0].name
    rows = read_list_rows(home, files)
    named = filter(None, (read_date_in_name(Path(file.name).name) for file in files))
    stated = day or min(named, default=None)
    if stated and stated > now:
        hint = "give the list's date with --date"
        raise UsageError(f"the date {stated} is in the future", place=place, hint=hint)
    rows = add_abbreviations(settings, home, rows)
    known = stated.isoformat() if stated else home.edition or find_newest_day(rows, now)
    names = sorted(Path(file.name).name for file in files)
    more = f" and {len(names) - MOST_ORIGINS} more" if len(names) > MOST_ORIGINS else ""
    head = make_head(home, known, hash_files(files), ", ".join(names[:MOST_ORIGINS]) + more)
    install_rows(settings, clock, home, rows, head)
    return describe_list(settings, home, now)


def compile_download(
    settings: Settings, clock: Clock, home: ListHome, data: bytes, url: str, tag: str, modified: str = ""
) -> None:
    """Compile what the home of a list sent today; UsageError if it is not a whole list."""
    files, now = split_archive(ListFile(url, data), home.most_bytes), today(clock)
    rows = read_list_rows(home, files, url)
    former = open_former(settings, home)
    if former and len(rows) < SHRUNK * former.head.entries:
        raise UsageError(
            f"has {len(rows):,} entries, the current list {former.head.entries:,}; the current list was kept",
            place=url,
            hint="if that is right, download it and run `citeproof lists import FILE`",
        )
    rows = add_abbreviations(settings, home, rows)
    day = home.edition or (find_newest_day(rows, now) if home.dated_rows else "") or now.isoformat()
    head = make_head(home, day, hash_files(files), url)
    install_rows(settings, clock, home, rows, msgspec.structs.replace(head, tag=tag, modified=modified))


def make_head(home: ListHome, day: str, digest: str, origin: str) -> ListHead:
    name, licence, form = home.name, home.licence, home.form.value
    return ListHead(name=name, day=day, entries=0, source=digest, origin=origin, licence=licence, form=form)


def install_rows(settings: Settings, clock: Clock, home: ListHome, rows: list[Any], head: ListHead) -> None:
    head = msgspec.structs.replace(head, made=format_timestamp(clock))
    get_store(settings.cache_dir).install(home.name, compile_rows(head, home.pack(rows)))


def open_former(settings: Settings, home: ListHome) -> CompiledList | None:
    """Return the list that is installed; None if there is none that can be read."""
    try:
        return get_store(settings.cache_dir).open_list(home.name)
    except DamagedListError:
        return None


def describe_list(settings: Settings, home: ListHome, day: date) -> ListStatus:
    limit = get_age_limit(settings, home)
    try:
        opened = get_store(settings.cache_dir).open_list(home.name)
    except DamagedListError as error:
        return ListStatus(home, None, "", None, limit, DAMAGED.format(error))
    if opened is None:
        return ListStatus(home, None, "", None, limit, MISSING)
    head = opened.head
    try:
        age = (day - date.fromisoformat(head.day)).days
    except ValueError:  # it has no date
        age = None
    return ListStatus(home, head, opened.digest, age, limit, describe_age(head.day, day, limit))


def read_list_rows(home: ListHome, files: Sequence[ListFile], place: str = "") -> list[Any]:
    """Return the rows of the files of a list; UsageError if there are none."""
    rows = home.merge(list(chain.from_iterable(home.read(file.data, file.name) for file in files)))
    if not rows:
        what = "notices" if home.form is ListForm.NOTICES else "entries"
        place = place or (files[0].name if files else home.name)
        raise UsageError(f"has no {what}", place=place, hint=f"name a file of {home.title}")
    return rows


def add_abbreviations(settings: Settings, home: ListHome, rows: list[Any]) -> list[Any]:
    """Return the rows of a list of journals with the ISO 4 abbreviations of their titles, if LTWA is here."""
    words = open_former(settings, LTWA) if home.abbreviates else None
    if words is None:
        return rows
    shortener = TitleAbbreviator(read_words(words))
    extended = []
    for row in rows:
        key = make_venue_key(shortener.abbreviate(row.title))
        new = key and key not in row.names and key not in row.short
        extended.append(msgspec.structs.replace(row, short=(*row.short, key)) if new else row)
    return extended


def find_newest_day(rows: Sequence[Any], now: date) -> str:
    """Return the day of the newest row that is not in the future; empty if no row has one."""
    days = (getattr(row, "day", "") for row in rows)
    return max((day for day in days if day <= now.isoformat()), default="")


@dataclass(frozen=True, slots=True)
class ListFile:
    name: str
    data: bytes

    @property
    def home(self) -> ListHome | None:
        """The list that it is a file of; None if it is of none that is known."""
        name, start = Path(self.name).name, decode_text(self.data[:_START]).lstrip()
        return next((home for home in LISTS.values() if home.recognises(name, start)), None)


def find_list_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named, and those in folders that are."""
    files: list[Path] = []
    for path in paths:
        inside = sorted(filter(Path.is_file, path.iterdir())) if path.is_dir() else [path]
        if not inside:
            raise InputError("is an empty folder", place=str(path), hint="name the files of a list")
        files += inside
    if len(files) > MOST_FILES:
        raise InputError(f"are more than {MOST_FILES} files", place=str(paths[0]), hint="name fewer")
    return files


def read_list_file(path: Path, most: int) -> list[ListFile]:
    """Return a file, unpacked if it is .gz or .zst, or the files of a .zip; InputError above `most` bytes."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start[:2] == b"\x1f\x8b":
                data = gzip.GzipFile(fileobj=file).read(most + 1)
            elif start == b"\x28\xb5\x2f\xfd":
                with zstandard.ZstdDecompressor().stream_reader(file) as reader:
                    data = reader.read(most + 1)
            else:
                data = file.read(most + 1)
    except IsADirectoryError as error:
        raise InputError("is a folder", place=str(path), hint="name the CSV file in it") from error
    except (EOFError, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise InputError("is a damaged archive", place=str(path), hint="download it again") from error
    if len(data) > most:
        raise InputError(f"is larger than {most:,} bytes", place=str(path), hint="is it the right file?")
    return split_archive(ListFile(_strip_packing(str(path)), data), most)


def split_archive(file: ListFile, most: int) -> list[ListFile]:
    """Return the files in a .zip that are of a known list; the file itself if it is no archive."""
    if not file.data.startswith(b"PK\x03\x04"):
        return [file]
    files: list[ListFile] = []
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()][:MOST_FILES]
            for member in members:
                if not any(home.recognises(Path(member.filename).name, "") for home in LISTS.values()):
                    continue
                most -= member.file_size
                if most < 0:
                    raise InputError("is too large unpacked", place=file.name, hint="is it the right file?")
                with archive.open(member) as opened:
                    files.append(ListFile(member.filename, opened.read(member.file_size)))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise InputError("is a damaged archive", place=file.name, hint="download it again") from error
    return files


def group_by_list(files: Sequence[ListFile], named: Collection[str] = ()) -> dict[str, list[ListFile]]:
    """Return the files by list; UsageError for a named file of none, and where no file is of any."""
    groups: dict[str, list[ListFile]] = {}
    strange: list[ListFile] = []
    for file in files:
        home = file.home
        if home is None:
            strange.append(file)
        else:
            groups.setdefault(home.name, []).append(file)
    refused = [file for file in strange if not groups or file.name in map(_strip_packing, named)]
    if refused or not groups:
        raise UsageError(
            "is not a file of a known list",
            place=refused[0].name if refused else "lists import",
            hint=f"say which one it is: --as NAME ({', '.join(LISTS)})",
        )
    return groups


def hash_files(files: Sequence[ListFile]) -> str:
    """Return the SHA-256 of a file; of many, that of the hashes of all in the order of their names."""
    hashes = [sha256(file.data).hexdigest() for file in sorted(files, key=lambda file: file.name)]
    return hashes[0] if len(hashes) == 1 else sha256("\n".join(hashes).encode()).hexdigest()


def read_date_in_name(name: str) -> date | None:
    """Return the date that a file's name has, as `2026-08-17` or `20260817`."""
    for digits in _NAMED.findall(name):
        with suppress(ValueError):
            return date(*map(int, digits))
    return None


def _strip_packing(name: str) -> str:
    return _PACKED.sub("", name)


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
