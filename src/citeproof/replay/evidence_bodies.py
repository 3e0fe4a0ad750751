"""Stored bytes by hash, whole or not: a replay uses what is there and tells what is not as it was."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from citeproof.audit.case import LoggedCase
from citeproof.stores.evidence_store import EvidenceStore

KEPT = 64 << 20  # bytes of bodies available: the references of a batch share one
MOST = 1024  # bodies available, however small


class EvidenceBody(NamedTuple):
    """What is stored under a hash, and the hash that it has."""

    data: bytes
    digest: str


class EvidenceBodies:
    """The evidence of one log."""

    def __init__(self, evidence: EvidenceStore) -> None:
        self._evidence = evidence
        # the one that was used last stands last
        self._kept: OrderedDict[str, EvidenceBody | None] = OrderedDict()
        self._bytes = 0

    def get(self, digest: str) -> EvidenceBody | None:
        """Return what is stored under `digest`; None if nothing is. What cannot be unpacked is empty."""
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return self._kept[digest]
        found = self._kept[digest] = self._read(digest)
        self._bytes += _get_body_size(found)
        while self._bytes > KEPT or len(self._kept) > MOST:
            self._bytes -= _get_body_size(self._kept.popitem(last=False)[1])
        return found

    def _read(self, digest: str) -> EvidenceBody | None:
        data = self._evidence.read_stored(digest)
        if data is None and not self._evidence.has(digest):
            return None
        data = data or b""
        return EvidenceBody(data, sha256(data).hexdigest())


def _get_body_size(body: EvidenceBody | None) -> int:
    return len(body.data) if body else 0


def list_needed_hashes(case: LoggedCase) -> Iterator[tuple[str, str]]:
    """Yield (source, hash) of all that a case rests on."""
    for heard in case.lookups:
        yield from ((heard.source, exchange.sha256) for exchange in heard.exchanges if exchange.sha256)
        yield from ((heard.source, digest) for digest, _, _ in heard.records)
