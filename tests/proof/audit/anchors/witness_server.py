"""A witness on loopback, as c2sp.org/tlog-witness has it.

It cosigns a checkpoint only when that extends the last one it cosigned of that log.

    <state>/<hash of the origin>.checkpoint     the last checkpoint cosigned, verbatim
    <state>/<hash of the origin>.lock           held from the look at it until it is replaced

The checkpoint is on the disk before anybody sees the cosignature: a witness that dies between the two has
promised less than it keeps, never more. A state that cannot be read is an error, never a beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from citeproof.errors import AuditError
from citeproof.plumbing import signed_note
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.disk_files import hold_lock, replace_durably
from citeproof.plumbing.signed_note import COSIGNATURE, NoteError, SignerKey, VerifierKey, decode_base64
from citeproof.proof.audit.log_state import LogCheckpoint, parse_checkpoint, parse_number, read_small_file
from citeproof.proof.audit.merkle import EMPTY, check_consistency
from citeproof.text import lazy_patterns as re

LARGEST = 131_072  # bytes of a request: 63 hashes, a checkpoint and the signatures of many
MOST_HASHES = 63
_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class WitnessReply:
    """What the witness answers, as the protocol has it."""

    status: int
    body: bytes
    media: str = "text/plain; charset=utf-8"
    accepted: LogCheckpoint | None = None


@dataclass(frozen=True, slots=True)
class WitnessRequest:
    """A request, read: the size it starts from, the proof, the checkpoint as it came."""

    old: int
    proof: tuple[bytes, ...]
    signed: bytes


class WitnessService:
    """Watches the logs it was given the keys of."""

    def __init__(self, key: SignerKey, logs: Iterable[VerifierKey], state: Path, clock: Clock) -> None:
        assert key.kind == COSIGNATURE
        self._key = key
        self._logs: dict[str, list[VerifierKey]] = {}
        for log in logs:
            self._logs.setdefault(log.name, []).append(log)
        self._state, self._clock = state, clock

    def add(self, body: bytes) -> WitnessReply:
        """Return the answer to one `add-checkpoint`."""
        # 1 what is asked, and whether it is about a log we watch
        asked = parse_request(body)
        if asked is None:
            return _make_refusal(400, "malformed request")
        origin = asked.signed.partition(b"\n")[0].decode("utf-8", "replace")
        if origin not in self._logs:
            return _make_refusal(404, "unknown log")
        # 2 who signed it
        try:
            text = signed_note.open_note(asked.signed, self._logs[origin]).text
        except NoteError:
            return _make_refusal(403, "not signed by the key of this log")
        try:
            fresh = parse_checkpoint(text)
        except NoteError:
            return _make_refusal(400, "malformed checkpoint")
        if asked.old > fresh.size:
            return _make_refusal(400, "the old size is larger than the new")
        # 3 examined, stored and cosigned while no one else can
        path = self._path(origin)
        with hold_lock(path.with_suffix(".lock")):
            return self._judge_request(asked, fresh, text, path)

    def _judge_request(
        self, asked: WitnessRequest, fresh: LogCheckpoint, text: str, path: Path
    ) -> WitnessReply:
        last = self._read_last_checkpoint(fresh.origin, path)
        other_root = asked.old == fresh.size and fresh.root != last.root
        if asked.old != last.size or other_root:
            return WitnessReply(409, b"%d\n" % last.size, "text/x.tlog.size")
        if not check_consistency(last.size, last.root, fresh.size, fresh.root, asked.proof):
            return _make_refusal(422, "the consistency proof does not hold")
        replace_durably(path, asked.signed, 0o600)
        line = signed_note.cosign_checkpoint(text, self._key, int(self._clock.now().timestamp()))
        return WitnessReply(200, line, accepted=fresh)

    def _read_last_checkpoint(self, origin: str, path: Path) -> LogCheckpoint:
        """Return the last checkpoint cosigned, that of the empty log before the first."""
        data = read_small_file(path)
        if data is None:
            return LogCheckpoint(origin, 0, EMPTY)
        try:
            checkpoint = parse_checkpoint(signed_note.open_note(data, self._logs[origin]).text)
        except NoteError as error:
            checkpoint, why = None, error.message
        else:
            why = "it is of another log"
        if checkpoint is None or checkpoint.origin != origin:
            hint = "restore it, or make a new witness key: this one may no longer sign for the log"
            raise AuditError(f"the state of the witness is damaged: {why}", place=str(path), hint=hint)
        return checkpoint

    def _path(self, origin: str) -> Path:
        return self._state / f"{hashlib.sha256(origin.encode()).hexdigest()[:32]}.checkpoint"


def parse_request(body: bytes) -> WitnessRequest | None:
    """Return the request in `body`; None when it is not one."""
    head, gap, signed = body.partition(b"\n\n")
    if len(body) > LARGEST or not gap or head.count(b"\n") > MOST_HASHES:
        return None
    try:
        first, *rest = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        return None
    old = _OLD.fullmatch(first)
    size = parse_number(old[1]) if old else None
    proof = [hash_ for line in rest if (hash_ := decode_base64(line)) is not None and len(hash_) == 32]
    if size is None or len(proof) != len(rest):
        return None
    return WitnessRequest(size, tuple(proof), signed)


def _make_refusal(status: int, why: str) -> WitnessReply:
    return WitnessReply(status, f"{why}\n".encode())


def make_application(witness: WitnessService) -> web.Application:
    async def add(request: web.Request) -> web.Response:
        reply = witness.add(await request.read())
        return web.Response(status=reply.status, body=reply.body, headers={"Content-Type": reply.media})

    served = web.Application(client_max_size=LARGEST)
    served.router.add_post("/add-checkpoint", add)
    return served
