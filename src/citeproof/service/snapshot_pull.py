"""Pulling a published snapshot: only what is missing, every byte against the signature, and all or nothing.

1. note      signed by the key that the user gave or pinned; not older than what was seen before
2. manifest  by the digest in the note
3. chunks    from older editions on this machine, as deltas on them, else whole; each checked before it counts
4. switch    all files once more against their digests, then one link is replaced
"""

from __future__ import annotations

import asyncio
import errno
import random
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from citeproof.errors import SnapshotError, UsageError
from citeproof.evidence.index import published_manifest as published
from citeproof.evidence.index.manifest import check_snapshot
from citeproof.evidence.index.published_manifest import (
    ChunkDelta,
    EditionNote,
    PublishedChunk,
    PublishedManifest,
)
from citeproof.evidence.index.pulled_folder import LocalChunks, PulledEdition, PulledFolder, SnapshotAssembly
from citeproof.plumbing.clock import Clock, format_timestamp
from citeproof.plumbing.net.message import Request, SentRequest
from citeproof.plumbing.output_files import check_output_folder
from citeproof.plumbing.own_files import make_private_folder
from citeproof.plumbing.signed_note import NoteError, VerifierKey
from citeproof.service.assemble.source_choice import make_user_agent
from citeproof.service.snapshot_pins import SnapshotPins
from citeproof.settings import Settings

SECONDS = 120.0  # for one file, of at most a megabyte or a manifest
TRIES = 4
PAUSE = 0.8  # seconds after the first failure; longer after the next
LONGEST_WAIT = 30.0  # seconds that a server may ask us to wait
_CONTINUE = "what was downloaded is saved; run the same command again to continue"
_PRIVATE = "the setting private_hosts names hosts of your own network"

Read = TypeVar("Read")


class ChunkServer:
    """Fetches files below one address. Private addresses only where `private_hosts` names them."""

    def __init__(
        self, url: str, settings: Settings, note: Callable[[SentRequest], None] = lambda _: None
    ) -> None:
        """Take the address; `note` is called with every request."""
        from citeproof.plumbing.net.http_transport import HttpTransport  # noqa: PLC0415 - heavy, and only needed here

        self.url = url.rstrip("/")
        self._wire = HttpTransport(make_user_agent(settings), SECONDS, settings.private_hosts, settings.proxy)
        self._free = not settings.proxy  # a proxy decides itself where it may lead
        self.fetched = 0  # bytes of all answers
        self.requests = 0
        self._note = note

    async def close(self) -> None:
        await self._wire.close()

    async def fetch(self, path: str, most: int, read: Callable[[bytes], Read | None]) -> Read:
        """Return what `read` makes of a file; SnapshotError if it never comes, or `read` says None of it."""
        place = f"{self.url}/{path}"
        fault: SnapshotError | None = None
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(min(PAUSE * 3 ** (attempt - 1), 8.0) * random.uniform(0.5, 1))  # noqa: S311 - jitter
            body = await self._try(place, most)
            if isinstance(body, SnapshotError):
                fault = body
                continue
            if (contents := read(body)) is not None:
                return contents
            hint = f"the mirror is damaged or dishonest: nothing of it was used; {_CONTINUE}"
            fault = SnapshotError("is not what was signed", place=place, hint=hint)
        assert fault is not None
        raise fault

    async def _try(self, place: str, most: int) -> bytes | SnapshotError:
        """Return the body; an error where another try may help. Raise where none does."""
        from citeproof.plumbing.net.http_transport import TransportError  # noqa: PLC0415 - same

        headers = (("Accept-Encoding", "identity"), ("Cache-Control", "no-cache"))
        request = Request("snapshot", place, ("*/*",), headers=headers, free=self._free, max_body=most)
        self.requests += 1
        begun, outcome = asyncio.get_running_loop().time(), ""
        try:
            raw = await self._wire.send(request)
            outcome = str(raw.status)
        except TransportError as error:
            outcome = error.cause.value if error.sent else "not sent"
            hint = _PRIVATE if not error.again and "not fetched" in error.detail else _CONTINUE
            fault = SnapshotError(error.detail, place=place, hint=hint)
            if error.again:
                return fault
            raise fault from error
        finally:
            seconds = asyncio.get_running_loop().time() - begun
            self._note(SentRequest("snapshot", "GET", place, len(place), outcome, seconds))
        self.fetched += len(raw.body)
        if raw.status == 200:
            return raw.body
        fault = SnapshotError(f"the server answered {raw.status}", place=place, hint=_CONTINUE)
        if raw.status in {404, 410, 403}:
            hint = "check the address; if the publisher has just replaced the edition, run the command again"
            raise SnapshotError(f"is not there (the server answered {raw.status})", place=place, hint=hint)
        if raw.status < 500 and raw.status not in {408, 425, 429}:
            raise fault
        stated = raw.headers.get("retry-after", "").strip()
        await asyncio.sleep(
            min(float(stated), LONGEST_WAIT) if stated.isdecimal() and len(stated) <= 6 else 0.0
        )
        return fault


def check_url(url: str, settings: Settings) -> str:
    """Return an address that may be fetched, without its last slash; UsageError for any other."""
    if settings.offline:
        hint = "leave that out, or copy the snapshot's folder here by hand"
        raise UsageError("offline, no snapshot can be pulled", place=settings.origin("offline"), hint=hint)
    parts = urlsplit(url)
    if parts.scheme.lower() not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        hint = "begin the address with https:// and end it with the folder that has snapshot.note"
        raise UsageError("is not the address of a published snapshot", place=url[:200], hint=hint)
    return url.rstrip("/")


AT_ONCE = 8  # requests under way: as many connections as are kept to one host
RESERVE = 16_000_000  # bytes of the disk that are left alone

Tell = Callable[[int, int], None]  # (bytes in place, of)


@dataclass(frozen=True, slots=True)
class PullOrder:
    url: str
    key: VerifierKey | None = None
    name: str = ""
    out: Path | None = None
    reuse: Sequence[Path] = ()
    allow_older: bool = False
    replace_key: bool = False
    note: Callable[[SentRequest], None] = lambda _: None  # is called with every request


@dataclass(slots=True)
class PullOutcome:
    """What came of it. `fresh` is False if the newest edition was here already."""

    path: Path
    edition: PulledEdition
    fresh: bool
    fetched: int = 0  # bytes that came over the network
    requests: int = 0
    reused: int = 0  # bytes of the snapshot that were on this machine
    patched: int = 0  # bytes of the snapshot that were made from older ones with a delta


def pull_snapshot(
    order: PullOrder,
    settings: Settings,
    clock: Clock,
    tell: Tell = lambda *_: None,
    pins: SnapshotPins | None = None,
) -> PullOutcome:
    """Return the snapshot at an address, on this machine and current; an error leaves the one before."""
    url = check_url(order.url, settings)
    return asyncio.run(_pull_from(order, url, settings, clock, tell, pins or SnapshotPins()))


async def _pull_from(
    order: PullOrder, url: str, settings: Settings, clock: Clock, tell: Tell, pins: SnapshotPins
) -> PullOutcome:
    server = ChunkServer(url, settings, order.note)
    try:
        key = pins.choose_key(url, order.key, replace=order.replace_key)
        if key is None:
            raise await _ask_for_key(server)
        data = await server.fetch(published.NOTE, published.MAX_NOTE, lambda data: data)
        note = published.read_note(data, key, f"{server.url}/{published.NOTE}")
        pins.check_edition(url, key, note, allow_older=order.allow_older)
        pins.store(url, key, note)
        if order.out is None:
            make_private_folder(settings.pulled_snapshots)
            target = PulledFolder(settings.pulled_snapshots / published.check_name(order.name or note.name))
        else:
            check_output_folder(order.out.absolute().parent)
            order.out.absolute().parent.mkdir(parents=True, exist_ok=True)
            target = PulledFolder(order.out)
        with _explain_disk(target), target.hold():
            outcome = await _Pull(server, target, note, tell, pins).run(key, clock, order.reuse)
            outcome.fetched, outcome.requests = server.fetched, server.requests
            return outcome
    finally:
        await server.close()


async def _ask_for_key(server: ChunkServer) -> SnapshotError:
    """Return an error that says which key the server offers, and how to pin one."""
    offered = ""
    try:
        data = await server.fetch(published.VKEY, published.MAX_NOTE, lambda data: data)
        offered = VerifierKey.parse(data.decode("ascii", "replace")).text
    except (SnapshotError, NoteError):
        pass
    offer = f"; the server offers {offered}, which anybody could have put there" if offered else ""
    hint = (
        "get the key from the publisher by another way, compare it, then add it once: "
        f"--key {shlex.quote(offered or 'VKEY')}; it is pinned for this address"
    )
    return SnapshotError(f"no key is known for this address{offer}", place=server.url, hint=hint)


@dataclass(slots=True)
class _Pull:
    server: ChunkServer
    target: PulledFolder
    note: EditionNote
    tell: Tell
    pins: SnapshotPins

    async def run(self, key: VerifierKey, clock: Clock, reuse: Sequence[Path]) -> PullOutcome:
        current, edition = self.target.load_current(), self.target.locate_edition(self.note)
        here = edition.is_dir() and self.pins.vouches(self.server.url, edition)
        if here and current and current.manifest == self.note.manifest and self.target.locate_current():
            return PullOutcome(self.target.link, current, fresh=False)
        path, most = published.locate_manifest(self.note.manifest), self.note.manifest_bytes
        data = await self.server.fetch(
            path,
            min(most, published.MAX_MANIFEST),
            lambda data: published.check_bytes(data, self.note.manifest),
        )
        manifest = published.unpack_manifest(data, self.note, f"{self.server.url}/{path}")
        pulled = PulledEdition(
            name=manifest.name, edition=manifest.edition, manifest=self.note.manifest,
            manifest_bytes=self.note.manifest_bytes, created=manifest.created, built=manifest.built,
            pulled=format_timestamp(clock), url=self.server.url, key=key.text, id=manifest.id,
            records=manifest.records, bytes=manifest.bytes,
        )  # fmt: skip
        outcome = PullOutcome(self.target.link, pulled, fresh=True)
        if not here and edition.is_dir():  # a project may have brought it
            self.target.doubt_edition(self.note)
        if not here:
            await self._assemble(manifest, reuse, outcome)
        self.target.make_current(outcome.edition, data)
        self.pins.vouch(self.server.url, edition)
        return outcome

    async def _assemble(
        self, manifest: PublishedManifest, reuse: Sequence[Path], outcome: PullOutcome
    ) -> None:
        work = self.target.work
        work.mkdir(exist_ok=True)
        assembly, local = SnapshotAssembly(work, manifest), LocalChunks()
        missing = assembly.find_missing()
        needed, free = manifest.bytes - assembly.count_allocated(), shutil.disk_usage(work).free
        if needed + RESERVE > free:
            full = f"the disk is too full: {needed / 1e6:,.0f} MB are needed, {free / 1e6:,.0f} MB are free"
            hint = "free some space, or choose --out on another disk, then run the same command again"
            raise SnapshotError(full, place=str(work), hint=hint)
        for folder, older in self.target.load_editions():
            local.add_edition(folder, older)
        for folder in reuse:
            local.add_folder(folder)
        gathering = _Gathering(self.server, manifest, assembly, local, outcome, self.tell)
        await gathering.run(missing)
        if damages := check_snapshot(work):
            shutil.rmtree(work)
            hint = "check the disk, then run the same command again; if it comes again, ask the publisher"
            raise SnapshotError(damages[0].message, place=str(work / damages[0].file), hint=hint)


@dataclass(slots=True)
class _Gathering:
    """The chunks of one edition, from wherever they are nearest."""

    server: ChunkServer
    manifest: PublishedManifest
    assembly: SnapshotAssembly
    local: LocalChunks
    outcome: PullOutcome
    tell: Tell
    deltas: dict[str, list[ChunkDelta]] = field(default_factory=dict)
    done: int = 0  # bytes in place

    async def run(self, missing: set[str]) -> None:
        """Put every missing chunk in its places; the first that cannot be had ends it."""
        self.done = self.manifest.bytes - sum(map(self.assembly.count_bytes, missing))
        chunks = {chunk.sha256: chunk for file in self.manifest.files for chunk in file.chunks}
        for delta in self.manifest.deltas:
            self.deltas.setdefault(delta.sha256, []).append(delta)
        waiting = iter([chunk for digest, chunk in chunks.items() if digest in missing])
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work(waiting))

    async def _work(self, waiting: Iterator[PublishedChunk]) -> None:
        for chunk in waiting:
            data = self.local.read(chunk.sha256)
            if data is not None:
                self.outcome.reused += self.assembly.count_bytes(chunk.sha256)
            else:
                data = await self._fetch_delta(chunk)
            if data is None:
                read = partial(published.unpack_chunk, chunk=chunk)
                place = published.locate_chunk(chunk.stored)
                data = await self.server.fetch(place, chunk.stored_bytes, read)
            self.done += self.assembly.put(chunk.sha256, data)
            self.tell(self.done, self.manifest.bytes)
            await asyncio.sleep(0)

    async def _fetch_delta(self, chunk: PublishedChunk) -> bytes | None:
        """Return a chunk made from older ones; None where there is no delta for what is here, or it fails."""
        for delta in self.deltas.get(chunk.sha256, ()):
            if all(self.local.read(base) is not None for base in delta.bases):
                read = partial(
                    published.unpack_delta, delta=delta, size=chunk.bytes, read_base=self.local.read
                )
                place = published.locate_chunk(delta.stored)
                data = await self.server.fetch(place, delta.stored_bytes, read)
                self.outcome.patched += self.assembly.count_bytes(chunk.sha256)
                return data
        return None


@contextmanager
def _explain_disk(target: PulledFolder) -> Iterator[None]:
    """Turn what the disk says, and what several tasks say at once, into one error of ours."""
    try:
        yield
    except BaseException as error:
        first = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        if isinstance(first, OSError):
            full = first.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
            message = f"{'the disk is full' if full else 'cannot be written'}: {first.strerror}"
            hint = "free some space" if full else "check the disk and the permissions"
            hint += ", then run the same command again to continue"
            raise SnapshotError(message, place=str(target.home), hint=hint) from first
        if isinstance(error, BaseExceptionGroup):
            raise first from None
        raise
