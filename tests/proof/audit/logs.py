"""Logs for tests, and what must be true of every log, worked out from its files in another way."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from citeproof.plumbing.signed_note import VerifierKey, open_note
from citeproof.proof.audit.anchors.base import AnchorOutcome, HeldCheckpoint
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.canonical_json import is_canonical
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import parse_checkpoint

START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@dataclass
class Ticking:
    """A clock that goes by a list of steps, then a second at a time."""

    at: datetime = START
    steps: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        self.at += timedelta(seconds=self.steps.pop(0) if self.steps else 1)
        return self.at

    def elapsed(self) -> float:
        return 0.0


@dataclass
class Shelf:
    """An anchor that keeps what it is given, fails, or raises."""

    name: str = "shelf"
    fault: str | Exception = ""
    lines: tuple[bytes, ...] = ()
    place: str = "elsewhere"
    given: list[tuple[str, str, bytes]] = field(default_factory=list)

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        self.given.append((run, hour, checkpoint))
        if isinstance(self.fault, Exception):
            raise self.fault
        return AnchorOutcome(self.name, not self.fault, self.place, self.fault, self.lines)

    def list_held(self, run: str | None = None):
        return iter([HeldCheckpoint(self.place, checkpoint) for _, _, checkpoint in self.given])


def made(folder: Path, *, origin: str | None = "example.org/log", clock=None, **limits) -> AuditLog:
    return AuditLog.open_or_create(
        folder / "log", clock or Ticking(), KeyStore(folder / "keys"), origin, **limits
    )


def again(folder: Path, clock=None, **limits) -> AuditLog:
    return AuditLog.open(
        folder / "log", clock or Ticking(START + timedelta(days=1)), KeyStore(folder / "keys"), **limits
    )


def events(count: int, start: int = 0) -> list[dict[str, object]]:
    return [
        {"ev": "verified", "n": n, "doi": f"10.1234/é-{n}", "conf": 0.5} for n in range(start, start + count)
    ]


def lines_of(folder: Path) -> list[bytes]:
    """Return every entry in order: bundles, as the format describes them, then the journal."""
    size = json.loads((folder / "state.json").read_bytes())["size"]
    found: list[bytes] = []
    for number in range(-(-size // 256)):
        name = f"{number:03d}"  # no log of ours has a thousand bundles
        width = min(256, size - number * 256)
        data = (folder / "tile/entries" / (name if width == 256 else f"{name}.p/{width}")).read_bytes()
        at = 0
        while at < len(data):
            length = int.from_bytes(data[at : at + 2], "big")
            found.append(data[at + 2 : at + 2 + length])
            at += 2 + length
    assert len(found) == size
    return found + (folder / f"journal-{size}").read_bytes().split(b"\n")[:-1]


def root_over(leaves: list[bytes]) -> bytes:
    """Return the root as RFC 6962 defines it: by recursion."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + root_over(leaves[:split]) + root_over(leaves[split:])).digest()


def assert_sound(folder: Path) -> list[dict[str, object]]:
    """Return the entries of a log at rest, whose tree, numbers, times and copies are all right."""
    head = json.loads((folder / "log.json").read_bytes())
    state = json.loads((folder / "state.json").read_bytes())
    lines = lines_of(folder)
    entries = [json.loads(line) for line in lines]
    leaves = [hashlib.sha256(b"\x00" + line).digest() for line in lines]
    assert root_over(leaves[: state["size"]]).hex() == state["root"]
    if (folder / "checkpoint").exists():
        key = VerifierKey.parse(head["key"])
        signed = parse_checkpoint(open_note((folder / "checkpoint").read_bytes(), [key]).text)
        assert (signed.origin, signed.root) == (head["origin"], root_over(leaves[: signed.size]))
    assert [entry["seq"] for entry in entries] == list(range(len(entries)))
    times = [entry["ts"] for entry in entries]
    assert times == sorted(times)
    assert all(map(is_canonical, lines))
    by_run: dict[str, bytes] = {}
    for line, entry in zip(lines, entries, strict=True):
        by_run[entry["run"]] = by_run.get(entry["run"], b"") + line + b"\n"
    assert {path.stem: path.read_bytes() for path in folder.glob("*.jsonl")} == by_run
    _assert_commits(entries, leaves)
    return entries


def _assert_commits(entries: list[dict[str, object]], leaves: list[bytes]) -> None:
    prior = None
    for entry in entries:
        if entry["ev"] == "merkle_commit":
            assert entry["root"] == root_over(leaves[: entry["size"]]).hex()
            assert entry["prior"] == prior
            prior = entry["root"]
