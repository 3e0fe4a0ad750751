"""A list, fetched from its home: bounded, resumable, verified; the old list stays until the new one is whole.

1. Ask in ranges, so that a download that broke off goes on where it was; ETag or Last-Modified name the file.
2. A home that says "not modified" makes the list we have today's.
3. Only a file that is whole, reads as a list and did not shrink is compiled and put in place.

Faults are outcomes: one list does not cost the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from citeproof.errors import CiteproofError, UsageError
from citeproof.evidence.index.lists.compiled_list import restate_day
from citeproof.evidence.index.lists.homes import LISTS, LTWA, RETRACTION_WATCH, get_list
from citeproof.evidence.index.lists.list_home import ListHome
from citeproof.evidence.index.lists.list_store import get_store
from citeproof.plumbing import own_files
from citeproof.plumbing.clock import Clock, today
from citeproof.plumbing.disk_files import hold_lock, read_plain_file, replace_durably
from citeproof.plumbing.net.message import Request
from citeproof.service.assemble.source_choice import make_user_agent
from citeproof.service.list_import import ListStatus, compile_download, describe_list, open_former
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json

if TYPE_CHECKING:
    from citeproof.plumbing.net.http_transport import HttpTransport, RawResponse

STEP = 8_000_000  # bytes of one range
SECONDS = 600.0  # for one range, or for the whole from a server that sends nothing less
TRIES = 3
_RANGE = re.compile(r"bytes (\d{1,12})-(\d{1,12})/(\d{1,12})")
_KEPT = "the installed lists stay as they are; run the command again to continue"


class ListDownloadError(CiteproofError):
    """The home of a list did not send it; the old one stays."""


class _Validators(msgspec.Struct, frozen=True):
    """What names one state of a file at its home."""

    tag: str = ""  # ETag
    modified: str = ""  # Last-Modified

    def __bool__(self) -> bool:
        return bool(self.tag or self.modified)

    @classmethod
    def of(cls, raw: RawResponse) -> _Validators:
        return cls(raw.headers.get("etag", "")[:500], raw.headers.get("last-modified", "")[:100])


class _PartHead(msgspec.Struct, frozen=True):
    url: str
    tag: str
    size: int
    modified: str = ""


@dataclass(slots=True)
class _PartFile:
    """What there is of a file so far, and of which file it is."""

    path: Path
    url: str
    state: _Validators = field(default_factory=_Validators)
    size: int = 0  # of the whole file; 0: not known
    data: bytearray = field(default_factory=bytearray)

    def load(self, most: int) -> None:
        """Take what an earlier run left of the same file; nothing if it is not sure to be the same."""
        try:
            head = decode_json(read_plain_file(self._head, 10_000), type=_PartHead)
            if head.url == self.url and (head.tag or head.modified):
                self.data = bytearray(read_plain_file(self.path, most))
                self.state, self.size = _Validators(head.tag, head.modified), head.size
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            self.restart()
        if len(self.data) > self.size:
            self.restart()

    def append(self, piece: bytes, state: _Validators, size: int) -> None:
        self.data += piece
        self.state, self.size = state, size
        replace_durably(self.path, bytes(self.data))
        head = _PartHead(self.url, state.tag, size, state.modified)
        replace_durably(self._head, msgspec.json.encode(head))

    def restart(self) -> None:
        self.data, self.state, self.size = bytearray(), _Validators(), 0

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self._head.unlink(missing_ok=True)

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".part.json")


def update_list(settings: Settings, clock: Clock, home: ListHome = RETRACTION_WATCH) -> ListStatus:
    """Fetch the list from its home and make it the current one; an error leaves the old one in place."""
    url = choose_list_url(settings, home)
    folder = get_store(settings.cache_dir).folder
    own_files.make_private_folder(folder)
    try:
        with hold_lock(folder / f"{home.name}.lock", wait=False):
            asyncio.run(_fetch_and_install(settings, clock, home, url))
    except BlockingIOError as error:
        message = "another process is updating this list"
        raise UsageError(message, place=home.name, hint="wait for it, then try again") from error
    return describe_list(settings, home, today(clock))


def choose_list_url(settings: Settings, home: ListHome) -> str:
    """Return where a list comes from; UsageError if it may not be fetched."""
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
    from citeproof.plumbing.net.http_transport import HttpTransport  # noqa: PLC0415 - heavy, and only needed here

    store = get_store(settings.cache_dir)
    former = open_former(settings, home)
    same = former is not None and former.head.origin == url
    known = _Validators(former.head.tag, former.head.modified) if former and same else _Validators()
    part = _PartFile(store.folder / f"{home.name}.part", url)
    wire = HttpTransport(make_user_agent(settings), SECONDS, settings.private_hosts, settings.proxy)
    try:
        whole = await _fetch_whole(wire, home, part, known)
    finally:
        await wire.close()
    if whole is None and former is not None:
        if not home.edition and not home.dated_rows:  # those are as old as what is in them
            store.install(home.name, restate_day(former, today(clock).isoformat()))
        return
    try:
        tag, modified = part.state.tag, part.state.modified
        compile_download(settings, clock, home, whole or b"", url, tag, modified)
    finally:
        part.remove()  # what is whole and no list is not to be continued


async def _fetch_whole(
    wire: HttpTransport, home: ListHome, part: _PartFile, known: _Validators
) -> bytes | None:
    """Return the whole file; None if its home says that it is still the one of `known`."""
    part.load(home.most_bytes)
    failed = 0
    while not part.size or len(part.data) < part.size:
        raw = await _ask_range(wire, home, part, _Validators() if part.data else known)
        if raw is None:
            failed += 1
            if failed >= TRIES:
                raise ListDownloadError("the connection broke off", place=part.url, hint=_KEPT)
            await asyncio.sleep(0.2 * failed)
        elif raw.status == 304 and known and not part.data:
            return None
        else:
            _take_answer(raw, home, part)
    return bytes(part.data)


async def _ask_range(
    wire: HttpTransport, home: ListHome, part: _PartFile, known: _Validators
) -> RawResponse | None:
    """Return the answer for the next range; None if another try may help."""
    from citeproof.plumbing.net.http_transport import TransportError  # noqa: PLC0415 - same

    have = len(part.data)
    headers = [("Accept-Encoding", "identity"), ("Range", f"bytes={have}-{have + STEP - 1}")]
    if have and part.state:
        headers.append(("If-Range", part.state.tag or part.state.modified))
    headers += [("If-None-Match", known.tag)] if known.tag else []
    headers += [("If-Modified-Since", known.modified)] if known.modified else []
    accept, most = ("text/csv", "*/*"), home.most_bytes
    request = Request(home.name, part.url, accept, headers=tuple(headers), max_body=most)
    try:
        return await wire.send(request)
    except TransportError as error:
        if error.again:
            return None
        raise ListDownloadError(error.detail, place=part.url, hint=_KEPT) from error


def _take_answer(raw: RawResponse, home: ListHome, part: _PartFile) -> None:
    """Add what came to what is there; `ListDownloadError` for what does not belong to it."""
    have, state = len(part.data), _Validators.of(raw)
    if raw.status == 200:
        part.restart()
        stated = raw.headers.get("content-length", "")
        if stated.isdecimal() and int(stated) != len(raw.body):
            raise ListDownloadError("the answer broke off", place=part.url, hint=_KEPT)
        part.append(raw.body, state, len(raw.body))
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
    if start != have or (have and (size, state) != (part.size, part.state)):
        part.restart()  # another file, or another place of it: from the beginning
        raise ListDownloadError("changed while it was downloaded", place=part.url, hint=_KEPT)
    if end - start + 1 != len(raw.body) or not raw.body:
        raise ListDownloadError("the answer broke off", place=part.url, hint=_KEPT)
    part.append(raw.body, state, size)


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """What became of one list: `updated`, `unchanged` at its home, or `failed` and as it was."""

    name: str
    state: str
    status: ListStatus | None = None
    error: CiteproofError | None = None


def choose_refreshed(settings: Settings, names: Sequence[str] = (), *, every: bool = False) -> list[ListHome]:
    """Return the lists to refresh: those named, or all, else that of retractions and what is installed."""
    if names:
        return [get_list(name) for name in dict.fromkeys(names)]
    store = get_store(settings.cache_dir)
    chosen = [home for home in LISTS.values() if every or not home.optional or store.has_list(home.name)]
    return sorted(chosen, key=lambda home: home.optional and home is not LTWA)  # others need its words


def refresh_lists(
    settings: Settings, clock: Clock, homes: Sequence[ListHome] = (RETRACTION_WATCH,)
) -> list[RefreshOutcome]:
    """Ask the home of each list for changes, and install them. Raises nothing; runs a loop of its own."""
    outcomes = []
    for home in homes:
        former, state = open_former(settings, home), "failed"
        status: ListStatus | None = None
        fault: CiteproofError | None = None
        try:
            status = update_list(settings, clock, home)
            same = former is not None and status.head is not None and former.head.source == status.head.source
            state = "unchanged" if same else "updated"
        except CiteproofError as error:
            fault = error
        except OSError as error:  # a full disk, a folder that is gone
            fault = UsageError(error.strerror or str(error), place=str(error.filename or home.name))
        outcomes.append(RefreshOutcome(home.name, state, status, fault))
    return outcomes
