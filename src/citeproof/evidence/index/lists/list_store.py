"""The folder of compiled lists: a small file for each list names the content that is current.

A new list is written whole next to the old one before that file is replaced: an interruption leaves the old
list in place.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec

from citeproof.evidence.index.lists.compiled_list import CompiledList, DamagedListError
from citeproof.evidence.index.lists.notice_rows import find_notices
from citeproof.evidence.index.lists.venue_rows import find_listings
from citeproof.plumbing import own_files
from citeproof.plumbing.disk_files import read_plain_file, replace_durably
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import ListAnswer, ListQuestion
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

MOST_BYTES = 1_000_000_000
MISSING = "is not installed; run `citeproof lists update` or `citeproof lists import FILE`"
NOT_PINNED = "is not in the pinned set"
DAMAGED = "is damaged ({}); run `citeproof lists update` or import it again"


class _Current(msgspec.Struct, frozen=True):
    file: str  # SHA-256 of the compiled list


class OpensLists(Protocol):
    """Where compiled lists come from: the store, or a pinned set."""

    def open_list(self, name: str) -> CompiledList | None:
        """Return a list; None if there is none of that name, `DamagedListError` if it is broken."""
        ...


@dataclass(frozen=True, slots=True)
class ListStore:
    """The compiled lists below one folder of the cache."""

    folder: Path

    @property
    def pins(self) -> Path:
        """The folder of pinned sets that have a name and no path."""
        return self.folder / "pins"

    def open_list(self, name: str) -> CompiledList | None:
        """Return the current list of that name; None if there is none, `DamagedListError` if it is broken."""
        current = self.read_list(name)
        return current[0] if current else None

    def read_list(self, name: str) -> tuple[CompiledList, bytes] | None:
        """Return the current list and its bytes, as `open_list` does."""
        try:
            current = self._read_current(name)
            if current is None:
                return None
            data = read_plain_file(self._locate(current), MOST_BYTES)
        except OSError as error:
            raise DamagedListError(f"it cannot be read: {error.strerror}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise DamagedListError("its name cannot be read") from error
        return CompiledList(data, current), data

    def has_list(self, name: str) -> bool:
        """Return whether a list of that name was installed; it may be damaged."""
        return self._get_pointer(name).exists()

    def find_digest(self, name: str) -> str:
        """Return the SHA-256 that names the current list; empty if there is none that can be used."""
        try:
            return self._read_current(name) or ""
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return ""

    def install(self, name: str, data: bytes) -> str:
        """Put a compiled list in the place of the current one; return the SHA-256 that names it."""
        digest = sha256(data).hexdigest()
        CompiledList(data, digest)  # never what cannot be opened
        own_files.make_private_folder(self.folder)
        replace_durably(self._locate(digest), data)
        try:
            former = self._read_current(name)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            former = None
        replace_durably(self._get_pointer(name), msgspec.json.encode(_Current(digest)))
        if former and former != digest:
            with suppress(OSError):
                self._locate(former).unlink()
        return digest

    def _read_current(self, name: str) -> str | None:
        try:
            current = decode_json(read_plain_file(self._get_pointer(name), 10_000), type=_Current)
        except FileNotFoundError:
            return None
        if len(current.file) != 64 or not current.file.isalnum():
            raise msgspec.ValidationError("not a hash")
        return current.file

    def _get_pointer(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _locate(self, digest: str) -> Path:
        return self.folder / f"{digest}.list"


@dataclass(slots=True)
class InstalledList:
    """One list of the store, opened when the first reference asks. Old lists find, but clear nothing."""

    store: OpensLists
    name: str
    days: int  # how old it may be to clear a work; 0: any age
    subject: str = "works"  # or "venues"
    pinned: bool = False  # judged as of its own date
    _opened: CompiledList | None = field(default=None, init=False)
    _trouble: str | None = field(default=None, init=False)
    _silent: tuple[date, ListAnswer] | None = field(default=None, init=False)

    def look_up(self, question: ListQuestion, day: date) -> ListAnswer:
        """Return what the list says about a work, or about its venue, on that day."""
        opened = self._opened
        if opened is None:
            opened = self._open()
            if opened is None:
                return ListAnswer(self.name, trouble=self._trouble or MISSING, subject=self.subject)
        known = self._silent
        silent = known[1] if known is not None and known[0] is day else self._say_nothing(opened, day)
        try:
            if self.subject == "venues":
                listings = find_listings(opened, question)
                return replace(silent, listings=listings) if listings else silent
            notices = find_notices(opened, question)
            return replace(silent, notices=notices) if notices else silent
        except (DamagedListError, msgspec.MsgspecError, ValueError, KeyError, RecursionError) as error:
            # Its content is the one that its name promises, but it was not compiled by us.
            self._opened, self._trouble = None, DAMAGED.format(str(error)[:100] or "its rows cannot be read")
            return ListAnswer(self.name, trouble=self._trouble, subject=self.subject)

    def renew(self) -> None:
        """Forget the list, or that there is none, if another was installed since."""
        known = self._opened.digest if self._opened else ""
        if isinstance(self.store, ListStore) and self.store.find_digest(self.name) != known:
            self._opened = self._trouble = self._silent = None

    def _open(self) -> CompiledList | None:
        """Return the list, opened; None, with the error, if it cannot be. It is tried once."""
        if self._trouble is None:
            try:
                self._opened = self.store.open_list(self.name)
                self._trouble = "" if self._opened else NOT_PINNED if self.pinned else MISSING
            except DamagedListError as error:
                self._trouble = DAMAGED.format(error)
        return self._opened

    def _say_nothing(self, opened: CompiledList, day: date) -> ListAnswer:
        """Return the answer about what is not listed; it is the same for all on one day."""
        known = self._silent
        if known is None or known[0] != day:
            listed = opened.head.day
            trouble = "" if self.pinned and listed else describe_age(listed, day, self.days)
            answer = ListAnswer(self.name, listed, opened.digest, trouble=trouble, subject=self.subject)
            known = self._silent = day, answer
        return known[1]


def describe_age(day: str, today: date, most: int) -> str:
    """Return why a list of that day clears nothing today; empty if it does. `most` 0: it may have any age."""
    if not most:
        return ""
    try:
        age = (today - date.fromisoformat(day)).days
    except ValueError:
        return "has no date, so that it may be of any age"
    return f"is {age} days old (limit: {most}); run `citeproof lists update`" if age > most else ""


def get_store(cache: Path) -> ListStore:
    return ListStore(Path(os.fspath(cache)) / "lists")
