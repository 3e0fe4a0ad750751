"""Files of a list -> the compiled list that runs ask; and what is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from citeproof.assemble.list_choice import get_age_limit
from citeproof.clock import Clock, format_timestamp, today
from citeproof.errors import UsageError
from citeproof.index.lists.compiled_list import CompiledList, DamagedListError, ListHead, compile_rows
from citeproof.index.lists.list_catalogue import LISTS, LTWA, RETRACTION_WATCH, get_list
from citeproof.index.lists.list_home import ListForm, ListHome
from citeproof.index.lists.list_store import DAMAGED, MISSING, describe_age, get_store
from citeproof.index.lists.title_abbreviation import TitleAbbreviator, read_words
from citeproof.service.list_files import (
    ListFile,
    find_list_files,
    group_by_list,
    hash_files,
    read_date_in_name,
    read_list_file,
    split_archive,
)
from citeproof.settings import Settings
from citeproof.text.venue_key import make_venue_key

SHRUNK = 0.8  # of the former entries; a list that lost more is not taken from its home
MOST_ORIGINS = 3  # files whose names the compiled list keeps


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
            "about": self.home.about,
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
    return [describe_list(settings, home, today(clock)) for home in LISTS.values()]


def import_files(
    settings: Settings, clock: Clock, paths: Sequence[Path], *, day: date | None = None, name: str = ""
) -> list[ListStatus]:
    """Compile local files and make them the current lists. `name`: the list that all of them are of."""
    most = max(home.most_bytes for home in LISTS.values())
    files = [file for path in find_list_files(paths) for file in read_list_file(path, most)]
    groups = {get_list(name).name: files} if name else group_by_list(files, [str(path) for path in paths])
    words_first = sorted(groups, key=lambda one: LISTS[one].form is not ListForm.WORDS)
    return [_import_group(settings, clock, LISTS[one], groups[one], day) for one in words_first]


def import_list(
    settings: Settings,
    clock: Clock,
    path: Path,
    *,
    day: date | None = None,
    home: ListHome = RETRACTION_WATCH,
) -> ListStatus:
    """Compile a local copy of the list and make it the current one; UsageError if it cannot be one.

    Its date is the given one, else that in its name, else that of its newest row: rather too old.
    """
    return _import_group(settings, clock, home, read_list_file(path, home.most_bytes), day)


def _import_group(
    settings: Settings, clock: Clock, home: ListHome, files: Sequence[ListFile], day: date | None
) -> ListStatus:
    now, place = today(clock), files[0].name
    rows = read_list_rows(home, files)
    named = (found for file in files if (found := read_date_in_name(Path(file.name).name)))
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
    """Return the head of a list that is about to be compiled."""
    return ListHead(
        name=home.name,
        day=day,
        entries=0,
        source=digest,
        origin=origin,
        licence=home.licence,
        form=home.form.value,
    )


def install_rows(settings: Settings, clock: Clock, home: ListHome, rows: list[Any], head: ListHead) -> None:
    """Compile the rows of a list and make it the current one."""
    head = msgspec.structs.replace(head, made=format_timestamp(clock))
    get_store(settings.cache_dir).install(home.name, compile_rows(head, home.pack(rows)))


def open_former(settings: Settings, home: ListHome) -> CompiledList | None:
    """Return the list that is installed; None if there is none that can be read."""
    try:
        return get_store(settings.cache_dir).open_list(home.name)
    except DamagedListError:
        return None


def describe_list(settings: Settings, home: ListHome, day: date) -> ListStatus:
    """Return one list as it is here on that day."""
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
    found = []
    for row in rows:
        key = make_venue_key(shortener.abbreviate(row.title))
        new = key and key not in row.names and key not in row.short
        found.append(msgspec.structs.replace(row, short=(*row.short, key)) if new else row)
    return found


def find_newest_day(rows: Sequence[Any], now: date) -> str:
    """Return the day of the newest row that is not in the future; empty if no row has one."""
    days = (getattr(row, "day", "") for row in rows)
    return max((day for day in days if day <= now.isoformat()), default="")
