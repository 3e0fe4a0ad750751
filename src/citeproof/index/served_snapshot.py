"""A snapshot that `citeproof index serve` has, asked over the network as one that is here.

What comes is data from the network: bounded, typed, and every record unpacked as a stored one is. Its bytes
are passed on to the audit log as those of a folder are. The id is the server's word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.background import BackgroundLoop
from citeproof.errors import SnapshotError
from citeproof.index import manifest as manifests
from citeproof.index import snapshot_wire as wire
from citeproof.index.coverage import CoverageClaim, parse_claim
from citeproof.index.manifest import Manifest
from citeproof.index.record_packing import unpack_record
from citeproof.index.served_calls import (
    BUSY,
    TOKEN,
    ServerAccess,
    SnapshotCaller,
    SnapshotServerError,
)
from citeproof.index.snapshot_facts import MAX_ASKED, KnownFacts
from citeproof.index.snapshot_questions import FactQuestion, RecordQuestion
from citeproof.text.ids import normalise_id
from citeproof.typed_decoding import decode_json
from citeproof.vocabulary import Cause, Record, SourceFacts

__all__ = ["ServedSnapshot", "SnapshotServerError", "open_served"]

OPENING_PAUSES = (0.3, 1.0, 0.0)  # seconds after each try; a wrong address is told soon
MAX_SERVED = 100  # snapshots of one server
MAX_LISTED = 500  # titles or versions of one record
NO_SERVER = "see whether `citeproof index serve` runs there, and whether the address is right"
_SEARCHES = frozenset(("title", "raw", "authors", "mention"))


class ServedSnapshot:
    """One snapshot of a server. Its methods that look something up are awaited; use it in one event loop."""

    def __init__(
        self, manifest: Manifest, caller: SnapshotCaller, record: Callable[[str, bytes], None] | None = None
    ) -> None:
        self.manifest, self.caller = manifest, caller
        self.source = manifests.name_source(manifest, caller.address)
        self._record_used = record
        self._known = KnownFacts(Path(), manifest.files)  # of it only what the manifest tells
        self._facts: dict[FactQuestion, SourceFacts] = {}
        self._venues: dict[str, bool] = {}

    @property
    def id(self) -> str:
        return self.manifest.id

    @cached_property
    def covers(self) -> tuple[CoverageClaim, ...]:
        """What the snapshot claims to hold completely."""
        return tuple(parse_claim(text) for text in self.manifest.covers)

    @property
    def tells_venues(self) -> bool:
        """Whether it has enough venues for its silence about one to be worth telling."""
        return self._known.tells_venues

    @property
    def has_venue_names(self) -> bool:
        """Whether it knows its venues in all their spellings."""
        return self._known.has_venue_names

    @property
    def trouble(self) -> str:
        """The last fault that kept a question from being answered."""
        return self.caller.trouble

    async def find_records(self, asked: RecordQuestion) -> list[Record]:
        """Return the records that may answer, best first."""
        normal = None
        if asked.by not in _SEARCHES:
            normal = normalise_id(asked.by, asked.value)
            if normal is None:
                return []
        reply = await self.caller.ask(wire.pack_record_question(asked))
        if not isinstance(reply, wire.RecordsReply) or len(reply.rows) > wire.MAX_ROWS:
            raise self._explain(reply)
        found = [self._unpack(*row) for row in reply.rows]
        if normal is not None and found and (asked.by, normal) not in found[0].ids.pairs:
            raise self._explain(reply)
        if self._record_used is not None:
            for record, row in zip(found, reply.rows, strict=True):
                self._record_used(record.content_hash, row[0])
        return found

    async def find_facts(self, asked: FactQuestion) -> SourceFacts:
        """Return whether the snapshot has seen a DOI prefix and a venue."""
        if not asked.prefix and not (asked.venue and self.tells_venues):
            return SourceFacts()
        known = self._facts.get(asked)
        if known is None:
            reply = await self.caller.ask(wire.pack_fact_question(asked))
            if not isinstance(reply, wire.FactsReply):
                raise self._explain(reply)
            if len(self._facts) >= MAX_ASKED:
                self._facts.clear()
            known = self._facts[asked] = SourceFacts(
                doi_prefix_seen=reply.prefix, venue_seen=reply.venue, venue_known=reply.known
            )
        if known.venue_known is not None:
            self._keep_venue(asked.venue, known=known.venue_known)
        return known

    async def fetch_venue_name(self, name: str) -> bool:
        """Return whether some record appeared in a venue of this name, in whatever spelling."""
        if name not in self._venues:
            reply = await self.caller.ask(wire.VenueCall(wire.encode_text(name)))
            if not isinstance(reply, wire.VenueReply):
                raise self._explain(reply)
            self._keep_venue(name, known=reply.known)
        return self._venues[name]

    async def find_abstract(self, record: Record) -> str | None:
        """Return the abstract of a work; None if there is none. `record` may be of any source."""
        reply = await self.caller.ask(wire.pack_abstract_question(record, self.source))
        if not isinstance(reply, wire.AbstractReply):
            raise self._explain(reply)
        if reply.data is None:
            return None
        if self._record_used is not None:
            self._record_used(sha256(reply.data).hexdigest(), reply.data)
        return reply.data.decode("utf-8", "replace")

    async def close(self) -> None:
        await self.caller.close()

    def _keep_venue(self, name: str, *, known: bool) -> None:
        if len(self._venues) >= MAX_ASKED:
            self._venues.clear()
        self._venues[name] = known

    def _unpack(self, data: bytes, root: int | None, source: int) -> Record:
        known = 0 <= source < len(self.manifest.sources) and len(data) <= wire.MAX_RECORD
        if not known or (root is not None and root < 0):
            raise self._make_error("one of its records cannot be read")
        try:
            work = "" if root is None else f"{self.source}#{root}"
            read_at = self.manifest.sources[source].read_at
            record = unpack_record(data, source=self.source, work=work, read_at=read_at)
        except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
            raise self._make_error("one of its records cannot be read") from error
        if max(len(record.titles), len(record.versions)) > MAX_LISTED:
            raise self._make_error("one of its records is too long")
        return record

    def _explain(self, reply: wire.SnapshotReply) -> SnapshotServerError:
        """Return the error for a reply that does not fit its call."""
        if isinstance(reply, wire.FaultReply):
            return self._make_error("its snapshot is damaged; see its own log")
        return self._make_error("its answer does not fit the question")

    def _make_error(self, what: str) -> SnapshotServerError:
        hint = "see `citeproof index verify` where it runs"
        error = SnapshotServerError(Cause.MALFORMED, what, place=self.caller.address, hint=hint)
        self.caller.trouble = error.describe()
        return error


def open_served(
    address: str, access: ServerAccess, record: Callable[[str, bytes], None] | None = None
) -> list[ServedSnapshot]:
    """Return the snapshots that a server has; SnapshotError if it does not answer. Waits in this thread."""
    found = load_served(address, access)
    return [
        ServedSnapshot(
            one, SnapshotCaller(address, one.id, manifests.name_source(one, address), access), record
        )
        for one in found
    ]


def load_served(address: str, access: ServerAccess) -> list[Manifest]:
    """Return the manifests of the snapshots that a server has; SnapshotError if it does not answer."""
    with BackgroundLoop("snapshot server") as loop:
        data = loop.run(_fetch_list(address, access))
    try:
        listed = decode_json(data, type=wire.ServedList)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SnapshotError("something else answers there", place=address, hint=NO_SERVER) from error
    if listed.citeproof_snapshots != wire.WIRE:
        hint = "use the same version of citeproof on both sides"
        what = f"the server speaks version {listed.citeproof_snapshots}, this citeproof {wire.WIRE}"
        raise SnapshotError(what, place=address, hint=hint)
    if not 0 < len(listed.snapshots) <= MAX_SERVED:
        raise SnapshotError("the server has no snapshot", place=address, hint=NO_SERVER)
    found = [manifests.parse_manifest(bytes(one), address) for one in listed.snapshots]
    for claim in (claim for one in found for claim in one.covers):
        parse_claim(claim)
    return found


async def _fetch_list(address: str, access: ServerAccess) -> bytes:
    from citeproof.net.http_transport import TransportError  # noqa: PLC0415 - few runs need it here

    request = access.make_request("snapshot", f"{address}/v1/snapshots", manifests.MAX_BYTES)
    transport = access.open()
    told = ""
    try:
        for pause in OPENING_PAUSES:
            try:
                raw = await transport.send(request)
            except TransportError as error:
                told = error.detail
                if not error.again:
                    break
            else:
                if raw.status == 200:
                    return raw.body
                told = f"the server answered {raw.status}"
                if raw.status in (401, 403):
                    raise SnapshotError("the server wants a token", place=address, hint=TOKEN)
                if raw.status not in BUSY:
                    break
            await asyncio.sleep(pause)
    finally:
        await transport.close()
    raise SnapshotError(told, place=address, hint=NO_SERVER)
