"""A file of a list -> the compiled list that runs ask; and what is installed."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path

import msgspec
import zstandard

from citeproof.clock import Clock, format_timestamp, today
from citeproof.errors import InputError, UsageError
from citeproof.index.lists.compiled_list import CompiledList, DamagedListError, ListHead, compile_list
from citeproof.index.lists.list_catalogue import LISTS, RETRACTION_WATCH, ListHome
from citeproof.index.lists.list_store import DAMAGED, MISSING, describe_age, get_store
from citeproof.index.lists.retraction_csv import ListedNotice, read_retraction_csv
from citeproof.settings import Settings

SHRUNK = 0.8  # of the former entries; a list that lost more is not taken from its home
_NAMED = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class ListStatus:
    """One list as it is here."""

    home: ListHome
    head: ListHead | None
    digest: str
    age: int | None  # days
    limit: int
    trouble: str  # why it clears nothing; empty: it does

    def json(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "name": self.home.name,
            "title": self.home.title,
            "home": self.home.url,
            "licence": self.home.licence,
            "date": self.head.day if self.head else None,
            "age_days": self.age,
            "limit_days": self.limit,
            "entries": self.head.entries if self.head else 0,
            "kinds": dict(sorted(self.head.kinds.items())) if self.head else {},
            "origin": self.head.origin if self.head else None,
            "source_sha256": self.head.source if self.head else None,
            "sha256": self.digest or None,
            "trouble": self.trouble,
        }


def list_status(settings: Settings, clock: Clock) -> list[ListStatus]:
    """Return every list that is known, installed or not."""
    return [_describe_list(settings, home, today(clock)) for home in LISTS.values()]


def import_list(
    settings: Settings,
    clock: Clock,
    path: Path,
    *,
    day: date | None = None,
    home: ListHome = RETRACTION_WATCH,
) -> ListStatus:
    """Compile a local copy of the list and make it the current one; UsageError if it cannot be one.

    Its date is the given one, else that in its name, else that of its newest notice: rather too old.
    """
    data, now = _read_file(path, home.most_bytes), today(clock)
    rows = _read_rows(data, str(path))
    stated = day or _read_date_in_name(path.name)
    if stated and stated > now:
        hint = "give the list's date with --date"
        raise UsageError(f"the date {stated} is in the future", place=str(path), hint=hint)
    newest = max((row.day for row in rows if row.day <= now.isoformat()), default="")
    head = _make_head(home, stated.isoformat() if stated else newest, data, path.name)
    install_rows(settings, clock, home, rows, head)
    return _describe_list(settings, home, now)


def compile_download(
    settings: Settings, clock: Clock, home: ListHome, data: bytes, url: str, tag: str
) -> None:
    """Compile what the home of a list sent today; UsageError if it is not a whole list."""
    rows = _read_rows(data, url)
    former = open_former(settings, home)
    if former and len(rows) < SHRUNK * former.head.entries:
        raise UsageError(
            f"has {len(rows):,} entries, the current list {former.head.entries:,}; the current list was kept",
            place=url,
            hint="if that is right, download it and run `citeproof lists import FILE`",
        )
    head = _make_head(home, today(clock).isoformat(), data, url, tag)
    install_rows(settings, clock, home, rows, head)


def _make_head(home: ListHome, day: str, data: bytes, origin: str, tag: str = "") -> ListHead:
    digest = sha256(data).hexdigest()
    return ListHead(
        name=home.name, day=day, entries=0, source=digest, origin=origin, licence=home.licence, tag=tag
    )


def install_rows(
    settings: Settings, clock: Clock, home: ListHome, rows: list[ListedNotice], head: ListHead
) -> None:
    """Compile the rows of a list and make it the current one."""
    head = msgspec.structs.replace(head, made=format_timestamp(clock))
    get_store(settings.cache_dir).install(home.name, compile_list(head, rows))


def open_former(settings: Settings, home: ListHome) -> CompiledList | None:
    """Return the list that is installed; None if there is none that can be read."""
    try:
        return get_store(settings.cache_dir).open_list(home.name)
    except DamagedListError:
        return None


def _describe_list(settings: Settings, home: ListHome, day: date) -> ListStatus:
    limit = settings.retraction_list_days
    try:
        opened = get_store(settings.cache_dir).open_list(home.name)
    except DamagedListError as error:
        return ListStatus(home, None, "", None, limit, DAMAGED.format(error))
    if opened is None:
        return ListStatus(home, None, "", None, limit, MISSING)
    head = opened.head
    age = (day - date.fromisoformat(head.day)).days if head.day else None
    return ListStatus(home, head, opened.digest, age, limit, describe_age(head.day, day, limit))


def _read_rows(data: bytes, place: str) -> list[ListedNotice]:
    rows = list(read_retraction_csv(data, place))
    if not rows:
        raise UsageError("has no notices", place=place, hint="name Retraction Watch's CSV file")
    return rows


def _read_file(path: Path, most: int) -> bytes:
    """Return the file, unpacked if it is .gz or .zst; InputError above `most` bytes."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            data = b"".join(_unpack_file(file, start, most))
    except IsADirectoryError as error:
        raise InputError("is a folder", place=str(path), hint="name the CSV file in it") from error
    except (EOFError, gzip.BadGzipFile, zstandard.ZstdError) as error:
        raise InputError("is a damaged archive", place=str(path), hint="download it again") from error
    if len(data) > most:
        raise InputError(f"is larger than {most:,} bytes", place=str(path), hint="is it the right file?")
    return data


def _unpack_file(file: io.BufferedReader, start: bytes, most: int) -> Iterator[bytes]:
    if start[:2] == b"\x1f\x8b":
        yield gzip.GzipFile(fileobj=file).read(most + 1)
    elif start == b"\x28\xb5\x2f\xfd":
        with zstandard.ZstdDecompressor().stream_reader(file) as reader:
            yield reader.read(most + 1)
    else:
        yield file.read(most + 1)


def _read_date_in_name(name: str) -> date | None:
    for found in _NAMED.finditer(name):
        try:
            return date(*map(int, found.groups()))
        except ValueError:
            continue
    return None
