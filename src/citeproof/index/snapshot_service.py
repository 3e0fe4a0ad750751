"""The server's side of a served snapshot: calls in, replies out. Safe for many threads.

A request is answered as far as `SECONDS` and `MAX_ANSWER` allow, at least its first call: whoever asked sends
the rest again. So no request takes long, however heavy its questions are.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import msgspec

from citeproof.clock import Clock, SystemClock
from citeproof.errors import SnapshotError
from citeproof.index import snapshot_wire as wire
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_questions import FactQuestion, find_facts, find_records
from citeproof.vocabulary import Record

SECONDS = 0.5  # after which no other call of a request is begun
ENOUGH = 4_000_000  # bytes of replies after which no other call is begun


class BadCallsError(Exception):
    """A request that no client of ours sends."""


class _StoredRecords(threading.local):
    """The stored bytes of the records that this thread was given last, by SHA-256."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}


class SnapshotService:
    """One snapshot that is served."""

    def __init__(self, folder: Path, clock: Clock | None = None) -> None:
        self._stored = _StoredRecords()
        self.snapshot = Snapshot.open(folder, self._keep)
        self._clock = clock or SystemClock()
        dated = [source.read_at for source in self.snapshot.manifest.sources]
        self._dates = {read_at: dated.index(read_at) for read_at in dated}

    @property
    def id(self) -> str:
        return self.snapshot.id

    @property
    def name(self) -> str:
        return self.snapshot.manifest.name or self.snapshot.id

    def describe(self) -> bytes:
        """Return its manifest as JSON, without names of files of this machine."""
        made = self.snapshot.manifest
        sources = tuple(replace(one, inputs=()) for one in made.sources)
        return msgspec.json.encode(replace(made, sources=sources, bad_records=()))

    def answer(self, data: bytes) -> bytes:
        """Return the answer to a request; BadCallsError for one that is not of our kind."""
        try:
            calls = wire.CALLS.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadCallsError(f"is not a list of calls: {error}"[:200]) from error
        if not calls or not wire.is_bounded(calls):
            raise BadCallsError(wire.FEW_ENOUGH)
        begun, size, replies = self._clock.elapsed(), 0, list[msgspec.Raw]()
        for call in calls:
            try:
                reply = wire.ENCODER.encode(self._reply(call))
            except UnicodeDecodeError as error:
                raise BadCallsError("a text is not UTF-8") from error
            replies.append(msgspec.Raw(reply))
            size += len(reply)
            if size > ENOUGH or self._clock.elapsed() - begun > SECONDS:
                break
        return wire.ENCODER.encode((wire.WIRE, self.id, replies))

    def close(self) -> None:
        self.snapshot.close()

    def _reply(self, call: wire.SnapshotCall) -> wire.SnapshotReply:
        try:
            match call:
                case wire.LookupCall():
                    self._stored.kept.clear()
                    found = find_records(self.snapshot, wire.unpack_record_question(call))
                    return wire.RecordsReply([self._pack(record) for record in found[: wire.MAX_ROWS]])
                case wire.FactsCall():
                    asked = FactQuestion(wire.decode_text(call.prefix), wire.decode_text(call.venue))
                    facts = find_facts(self.snapshot, asked)
                    return wire.FactsReply(facts.doi_prefix_seen, facts.venue_seen, facts.venue_known)
                case wire.VenueCall():
                    return wire.VenueReply(self.snapshot.finds_venue_name(wire.decode_text(call.name)))
                case wire.AbstractCall():
                    return self._find_abstract(call)
        except SnapshotError as error:
            return wire.FaultReply(error.message[:500])

    def _find_abstract(self, call: wire.AbstractCall) -> wire.AbstractReply:
        self._stored.kept.clear()
        record = wire.unpack_abstract_question(call, self.snapshot.source)
        found = self.snapshot.find_abstract(record)
        return wire.AbstractReply(next(iter(self._stored.kept.values())) if found is not None else None)

    def _pack(self, record: Record) -> tuple[bytes, int | None, int]:
        _, _, root = record.work.rpartition("#")
        stored = self._stored.kept[record.content_hash]
        return stored, int(root) if root else None, self._dates[record.read_at]

    def _keep(self, digest: str, data: bytes) -> None:
        self._stored.kept[digest] = data
