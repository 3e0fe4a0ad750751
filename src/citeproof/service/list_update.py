"""A list, fetched from its home: bounded, resumable, verified; the old list stays until the new one is whole.

1. Ask in ranges, so that a download that broke off goes on where it was; the ETag names the file.
2. A home that says "not modified" makes the list we have today's.
3. Only a file that is whole, reads as a list and did not shrink is compiled and put in place.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof import own_files
from citeproof.assemble.source_choice import make_user_agent
from citeproof.clock import Clock, today
from citeproof.disk_files import read_plain_file, replace_durably
from citeproof.errors import CiteproofError, UsageError
from citeproof.file_locks import hold_lock
from citeproof.index.lists.compiled_list import restate_day
from citeproof.index.lists.list_catalogue import RETRACTION_WATCH
from citeproof.index.lists.list_home import ListHome
from citeproof.index.lists.list_store import get_store
from citeproof.net.message import Request
from citeproof.service.list_import import ListStatus, compile_download, list_status, open_former
from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.net.http_transport import HttpTransport, RawResponse

STEP = 8_000_000  # bytes of one range
SECONDS = 600.0  # for one range, or for the whole from a server that sends nothing less
TRIES = 3
_RANGE = re.compile(r"bytes (\d{1,12})-(\d{1,12})/(\d{1,12})")
_KEPT = "the current list was kept; run the command again to go on"


class ListDownloadError(CiteproofError):
    """The home of a list did not send it; the current list is still in place."""


class _PartHead(msgspec.Struct, frozen=True):
    url: str
    tag: str
    size: int


@dataclass(slots=True)
class _PartFile:
    """What there is of a file so far, and of which file it is."""

    path: Path
    url: str
    tag: str = ""
    size: int = 0  # of the whole file; 0: not known
    data: bytearray | None = None

    def load(self, most: int) -> bytearray:
        """Return what an earlier run left of the same file; nothing if it is not sure to be the same."""
        try:
            head = msgspec.json.decode(read_plain_file(self._head, 10_000), type=_PartHead)
            if head.url == self.url and head.tag:
                self.data = bytearray(read_plain_file(self.path, most))
                self.tag, self.size = head.tag, head.size
        except (OSError, msgspec.MsgspecError):
            self.data = None
        if self.data is None or len(self.data) > self.size:
            self.restart()
        return self.data or bytearray()

    def append(self, piece: bytes, tag: str, size: int) -> None:
        self.data = (self.data or bytearray()) + piece
        self.tag, self.size = tag, size
        replace_durably(self.path, bytes(self.data))
        replace_durably(self._head, msgspec.json.encode(_PartHead(self.url, tag, size)))

    def restart(self) -> None:
        self.data, self.tag, self.size = bytearray(), "", 0

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self._head.unlink(missing_ok=True)

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".part.json")


def update_list(settings: Settings, clock: Clock, home: ListHome = RETRACTION_WATCH) -> ListStatus:
    """Fetch the list from its home and make it the current one; an error leaves the old one in place."""
    url = _choose_url(settings, home)
    folder = get_store(settings.cache_dir).folder
    own_files.make_private_folder(folder)
    try:
        with hold_lock(folder / f"{home.name}.lock", wait=False):
            asyncio.run(_fetch_and_install(settings, clock, home, url))
    except BlockingIOError as error:
        message = "another process is updating this list"
        raise UsageError(message, place=home.name, hint="wait for it, then try again") from error
    return next(one for one in list_status(settings, clock) if one.home == home)


def _choose_url(settings: Settings, home: ListHome) -> str:
    if settings.offline:
        hint = "leave that out, or import a file with `citeproof lists import FILE`"
        raise UsageError("offline, no list can be updated", place=settings.origin("offline"), hint=hint)
    if home.name in settings.project_urls:
        raise UsageError(
            "a project's file may not say where lists come from",
            place=settings.origin_of_url(home.name),
            hint=f"set CITEPROOF_{home.name.upper()}_URL, or the address in your own configuration",
        )
    return settings.urls.get(home.name, home.url)


async def _fetch_and_install(settings: Settings, clock: Clock, home: ListHome, url: str) -> None:
    from citeproof.net.http_transport import HttpTransport  # noqa: PLC0415 - heavy, and only needed here

    store = get_store(settings.cache_dir)
    former = open_former(settings, home)
    known = former.head.tag if former and former.head.origin == url else ""
    part = _PartFile(store.folder / f"{home.name}.part", url)
    wire = HttpTransport(make_user_agent(settings), SECONDS, settings.private_hosts, settings.proxy)
    try:
        whole = await _fetch_whole(wire, home, part, known)
    finally:
        await wire.close()
    if whole is None and former is not None:
        store.install(home.name, restate_day(former, today(clock).isoformat()))
        return
    try:
        compile_download(settings, clock, home, whole or b"", url, part.tag)
    finally:
        part.remove()  # what is whole and no list is not to be continued


async def _fetch_whole(wire: HttpTransport, home: ListHome, part: _PartFile, known: str) -> bytes | None:
    """Return the whole file; None if its home says that it is still the one with the tag `known`."""
    have = part.load(home.most_bytes)
    failed = 0
    while not part.size or len(have) < part.size:
        raw = await _ask_range(wire, home, part, "" if have else known)
        if raw is None:
            failed += 1
            if failed >= TRIES:
                raise ListDownloadError("the connection broke off", place=part.url, hint=_KEPT)
            await asyncio.sleep(0.2 * failed)
        elif raw.status == 304 and known and not have:
            return None
        else:
            _take_answer(raw, home, part)
        have = part.data or bytearray()
    return bytes(have)


async def _ask_range(wire: HttpTransport, home: ListHome, part: _PartFile, known: str) -> RawResponse | None:
    """Return the answer for the next range; None if another try may help."""
    from citeproof.net.http_transport import TransportError  # noqa: PLC0415 - same

    have = len(part.data or b"")
    headers = [("Accept-Encoding", "identity"), ("Range", f"bytes={have}-{have + STEP - 1}")]
    if have and part.tag:
        headers.append(("If-Range", part.tag))
    if known:
        headers.append(("If-None-Match", known))
    request = Request(
        home.name, part.url, ("text/csv", "*/*"), headers=tuple(headers), max_body=home.most_bytes
    )
    try:
        return await wire.send(request)
    except TransportError as error:
        if error.again:
            return None
        raise ListDownloadError(error.detail, place=part.url, hint=_KEPT) from error


def _take_answer(raw: RawResponse, home: ListHome, part: _PartFile) -> None:
    """Add what came to what is there; `ListDownloadError` for what does not belong to it."""
    have, tag = len(part.data or b""), raw.headers.get("etag", "")
    if raw.status == 200:
        part.restart()
        stated = raw.headers.get("content-length", "")
        if stated.isdecimal() and int(stated) != len(raw.body):
            raise ListDownloadError("the answer broke off", place=part.url, hint=_KEPT)
        part.append(raw.body, tag, len(raw.body))
        return
    if raw.status == 416 and have:  # it is shorter now: another file
        part.restart()
        return
    span = _RANGE.fullmatch(raw.headers.get("content-range", "")) if raw.status == 206 else None
    if span is None:
        raise ListDownloadError(f"answered with status {raw.status}", place=part.url, hint=_KEPT)
    start, end, size = map(int, span.groups())
    if size > home.most_bytes:
        raise ListDownloadError(f"is larger than {home.most_bytes:,} bytes", place=part.url, hint=_KEPT)
    if start != have or (have and (size, tag) != (part.size, part.tag)):
        part.restart()  # another file, or another place of it: from the beginning
        raise ListDownloadError("changed while it was downloaded", place=part.url, hint=_KEPT)
    if end - start + 1 != len(raw.body) or not raw.body:
        raise ListDownloadError("the answer broke off", place=part.url, hint=_KEPT)
    part.append(raw.body, tag, size)
