"""A log with its two stores and a clock to set, for tests of what may leave it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.events import MOST_HASHES
from citeproof.proof.audit.key_store import KeyStore

MAY = datetime(2020, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass
class Hand:
    """A clock that stands until it is set."""

    at: datetime = MAY

    def now(self) -> datetime:
        return self.at

    def elapsed(self) -> float:
        return 0.0


@dataclass
class Folder:
    """A log with its two stores, and a clock to set."""

    folder: Path
    log: AuditLog
    private: PrivateStore
    evidence: EvidenceStore
    clock: Hand

    def add(self, run: str, refs: range, bodies: str = "", hidden: int = 0) -> None:
        """Log a verdict on each reference, with a case and a body of its own, or those that are named."""
        for ref in refs:
            names = [f"{run} {ref}"] if not bodies else bodies.split()
            stored = [(sha256(name.encode()).hexdigest(), name.encode()) for name in names]
            hashes = [digest for digest, _ in stored]
            data = json.dumps(case(f"SECRET-{run}-{ref}", hashes)).encode()
            salt, commitment = make_commitment(data)
            self.evidence.put(stored)
            self.private.put([PrivateRow(commitment, run, "case", ref, salt, data)])
            shown = [*(f"{n:064x}" for n in range(hidden)), *hashes][: MOST_HASHES if hidden else None]
            event = {
                "ev": "verified",
                "ref": ref,
                "verdict": "matched",
                "case": commitment,
                "evidence": shown,
            }
            self.log.append(run, [event])

    def bodies(self) -> set[str]:
        return {body.decode() for digest in self.evidence.hashes() if (body := self.evidence.get(digest))}

    def secrets(self, run: str) -> list[int]:
        return [row.ref for row in self.private.list_run_rows(run)]

    def events(self, name: str) -> list[dict]:
        return [entry for entry in log_reader.read_entries(self.folder) if entry["ev"] == name]


def case(raw: str, hashes: list[str]) -> dict[str, object]:
    """Return a case as the recorder writes it, whose one lookup found stored records."""
    records = [[digest, "", None] for digest in hashes]
    heard = {"source": "s", "by": "doi", "outcome": "found", "reach": "covers", "records": records}
    reference = {"key": "k", "raw": raw, "kind": "article", "claimed": {}}
    known = {"lookups": [heard], "stops": [], "facts": None, "day": "2020-05-01"}
    return {"reference": reference, **known, "judged": [{}, [], None]}


@contextmanager
def erasable(place: Path) -> Iterator[Folder]:
    """Yield a new log in `place`/audit, its key in `place`/keys."""
    folder, clock = place / "audit", Hand()
    log = AuditLog.open_or_create(folder, clock, KeyStore(place / "keys"), "example.org/log")
    made = Folder(folder, log, PrivateStore(folder), EvidenceStore(folder, clock=clock), clock)
    try:
        yield made
    finally:
        log.close()
        made.private.close()
        made.evidence.close()
