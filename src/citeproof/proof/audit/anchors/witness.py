"""A witness (c2sp.org/tlog-witness) cosigns a checkpoint when it extends the last one it saw of this log.

Its cosignature proves that there is no second version of the log, to anyone who trusts the witness. It keeps
one checkpoint a log, not the entries: it can say that something was taken back, not what.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress

from citeproof.errors import AuditError
from citeproof.plumbing import signed_note
from citeproof.plumbing.disk_files import replace_durably
from citeproof.plumbing.signed_note import COSIGNATURE, NoteError, VerifierKey
from citeproof.proof.audit import log_state
from citeproof.proof.audit.anchors import base
from citeproof.proof.audit.anchors.anchor_http import AnchorError, post_body, shorten_answer
from citeproof.proof.audit.anchors.base import AnchorContext, AnchorOutcome, HeldCheckpoint, HeldStatus, Proof
from citeproof.proof.audit.log_state import read_small_file
from citeproof.proof.audit.merkle import prove_consistency
from citeproof.proof.audit.tiles import Tiles
from citeproof.text import lazy_patterns as re

MOST_HASHES = 63
_LARGEST = 65_536  # bytes of an answer: signature lines
_SIZE = re.compile(rb"(0|[1-9][0-9]{0,18})\n?")
_REFUSALS = {
    400: "it could not read the request",
    403: "it does not accept the signature of this log",
    404: "it does not know this log: give its operator the log's public key",
    422: "it does not accept the consistency proof: the log is not what it saw",
}


class WitnessConflictError(AnchorError):
    """The witness saw another history of this log."""


class WitnessAnchor:
    """Asks one witness, and believes only what its key signed."""

    name = "witness"

    def __init__(
        self, url: str, key: VerifierKey, proof: Proof, around: AnchorContext, timeout: float
    ) -> None:
        self.url, self._key, self._proof, self._around = url, key, proof, around
        self._timeout = timeout
        self._memory = around.folder / f"witness-{key.id.hex()}.size"

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:  # noqa: ARG002 - it keeps one a log
        """Return the witness's cosignature lines."""
        try:
            size, lines, when = self._cosign_checkpoint(checkpoint)
        except (AnchorError, AuditError, ValueError, OSError) as error:
            return AnchorOutcome(self.name, ok=False, place=self.url, detail=_describe_error(error))
        with suppress(OSError):  # it only spares one question
            replace_durably(self._memory, b"%d\n" % size)
        return AnchorOutcome(
            self.name,
            True,
            self.url,
            f"{self._key.name} at {when}{base.describe_skew(self._around, when)}",
            tuple(lines),
        )

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:  # noqa: ARG002 - it keeps one a log
        """Yield the log's checkpoint as the witness cosigns it now, or how it contradicts it."""
        try:
            latest = read_small_file(self._around.folder / "checkpoint")
            if latest is None:
                return
            _, lines, when = self._cosign_checkpoint(latest)
        except WitnessConflictError as error:
            yield HeldCheckpoint(self.url, b"", str(error), HeldStatus.CONTRADICTED)
        except (AnchorError, AuditError, ValueError, OSError) as error:
            yield HeldCheckpoint(self.url, b"", _describe_error(error), HeldStatus.UNREAD)
        else:
            for line in lines:
                latest = signed_note.add_signature(latest, line)
            yield HeldCheckpoint(self.url, latest, f"{self._key.name} agrees, at {when}")

    def _cosign_checkpoint(self, checkpoint: bytes) -> tuple[int, list[bytes], int]:
        """Return the size, the signature lines and the time that the witness states."""
        size = log_state.parse_unverified(checkpoint).size
        old = self._read_last_size()
        old = old if old <= size else 0
        answer = self._request_cosignature(old, size, checkpoint)
        if isinstance(answer, int) and answer != old:  # once more, from where it is
            if answer > size:
                message = f"it saw {answer} entries, and this log has {size}: it was rolled back"
                raise WitnessConflictError(message)
            old = answer
            answer = self._request_cosignature(old, size, checkpoint)
        if isinstance(answer, int):
            if answer == old == size:
                raise WitnessConflictError(f"at {size} entries it saw another root: the log was changed")
            raise AnchorError(f"it was at {old} entries, now at {answer}: somebody else uses it too")
        lines, when = self._verify_lines(checkpoint, answer)
        return size, lines, when

    def _request_cosignature(self, old: int, size: int, checkpoint: bytes) -> bytes | int:
        """Return the cosignature lines, or the size that the witness has."""
        proof = self._proof(old, size) if 0 < old < size else []
        if len(proof) > MOST_HASHES:
            raise AnchorError("the consistency proof is too long")
        head = [b"old %d" % old, *(b64encode(step) for step in proof), b"", b""]
        url, body, proxy = f"{self.url}/add-checkpoint", b"\n".join(head) + checkpoint, self._around.proxy
        media = "text/plain; charset=utf-8"
        raw = post_body(url, body, media, limit=_LARGEST, timeout=self._timeout, proxy=proxy)
        if raw.status == 200:
            return raw.body
        if raw.status == 409:
            stated = _SIZE.fullmatch(raw.body)
            if not stated:
                raise AnchorError("it has another size, and does not say which")
            return int(stated[1])
        message = _REFUSALS.get(raw.status, f"it answered {raw.status}: {shorten_answer(raw.body)}")
        raise WitnessConflictError(message) if raw.status == 422 else AnchorError(message)

    def _verify_lines(self, checkpoint: bytes, answer: bytes) -> tuple[list[bytes], int]:
        """Return the lines of this witness's key, once the signature holds; others are left out."""
        if not answer.endswith(b"\n"):
            raise AnchorError("its answer has no valid cosignature by its key: it is cut off")
        added = [line + b"\n" for line in answer[:-1].split(b"\n")]
        try:
            whole = checkpoint
            for line in added:  # one by one: an answer that is more than signatures would move what is signed
                whole = signed_note.add_signature(whole, line)
            opened = signed_note.open_note(whole, [self._key])
        except NoteError as error:
            raise AnchorError(f"its answer has no valid cosignature by its key: {error.message}") from None
        mine = [line for line in dict.fromkeys(added) if self._is_signed(opened.text, line)]
        if not mine:
            raise AnchorError("its answer has no valid cosignature by its key")
        return mine, opened.times[self._key]

    def _is_signed(self, text: str, line: bytes) -> bool:
        try:
            signed_note.open_note(text.encode() + b"\n" + line, [self._key])
        except NoteError:
            return False
        return True

    def _read_last_size(self) -> int:
        with suppress(AuditError, OSError):
            stated = _SIZE.fullmatch(read_small_file(self._memory, 64) or b"0")
            return int(stated[1]) if stated else 0
        return 0


def _describe_error(error: Exception) -> str:
    if isinstance(error, AuditError):
        return f"the log cannot prove it: {error.message}"
    return str(error.strerror if isinstance(error, OSError) else error)


def make_anchor(target: str, around: AnchorContext) -> WitnessAnchor:
    """Return the anchor of `witness:URL|VKEY`."""
    url, *rest = target.split("|")
    if not rest:
        raise base.make_setting_error(
            "witness", "the public key of the witness is missing", "write witness:URL|VKEY"
        )
    try:
        key = VerifierKey.parse(rest[0])
    except NoteError as error:
        raise base.make_setting_error(
            "witness", error.message, error.hint or "copy the witness's public key"
        ) from None
    if key.kind != COSIGNATURE:
        hint = "ask its operator for the public key of the witness"
        raise base.make_setting_error("witness", f"{key.name!r} is the key of a log, not of a witness", hint)
    given = base.parse_options("witness", rest[1:], ("timeout",))
    timeout = base.parse_timeout("witness", given.get("timeout"))
    proof = around.proof or (lambda old, new: prove_consistency(old, new, Tiles(around.folder).hashes(new)))
    return WitnessAnchor(base.check_address("witness", url).rstrip("/"), key, proof, around, timeout)
