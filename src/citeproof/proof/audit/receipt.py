"""A receipt: the way from one entry to a signed checkpoint (c2sp.org/tlog-proof). It needs no log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from citeproof.errors import AuditError
from citeproof.plumbing.signed_note import (
    ED25519,
    NoteError,
    VerifierKey,
    decode_base64,
    encode_base64,
    open_note,
)
from citeproof.proof.audit import merkle
from citeproof.proof.audit.log_checkpoint import LogCheckpoint, parse_checkpoint, parse_number

HEAD = "c2sp.org/tlog-proof@v1"
LARGEST = 16_000_000  # bytes of a receipt: an entry, what its commitments open to, a note
_HINT = "ask for the receipt again: this one is incomplete or changed"


class ReceiptError(AuditError):
    """A receipt that is malformed or does not prove its entry."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Entry `index` under `checkpoint` (a whole note); `proof` is leaf first, `extra` for the reader."""

    index: int
    proof: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes = b""

    def format(self) -> bytes:
        head = [HEAD, f"extra {encode_base64(self.extra)}"] if self.extra else [HEAD]
        lines = [*head, f"index {self.index}", *map(encode_base64, self.proof), "", ""]
        return "\n".join(lines).encode() + self.checkpoint


def parse_receipt(data: bytes) -> Receipt:
    """The receipt in a file; ReceiptError when it is not one."""
    if len(data) > LARGEST:
        raise ReceiptError(f"a receipt of {len(data)} bytes is refused", hint=f"the limit is {LARGEST}")
    head, gap, checkpoint = data.partition(b"\n\n")
    try:
        lines = head.decode().split("\n", merkle.LONGEST + 4)
    except UnicodeDecodeError:
        lines = []
    if not gap or not lines or lines.pop(0) != HEAD:
        raise ReceiptError("this is not a receipt", hint=f"a receipt starts with the line {HEAD}")
    extra = b""
    if lines and lines[0].startswith("extra "):
        extra = decode_base64(lines.pop(0)[6:]) or b""
        if not extra:
            raise ReceiptError("the extra line of the receipt is malformed", hint=_HINT)
    index = parse_number(lines.pop(0)[6:]) if lines and lines[0].startswith("index ") else None
    if index is None:
        raise ReceiptError("the receipt has no index", hint=_HINT)
    proof = tuple(decode_base64(line) or b"" for line in lines)
    if len(proof) > merkle.LONGEST or any(len(step) != merkle.SIZE for step in proof):
        raise ReceiptError("a hash of the receipt is malformed, or there are too many", hint=_HINT)
    return Receipt(index, proof, checkpoint, extra)


def check_receipt_entry(receipt: Receipt, entry: bytes, keys: Iterable[VerifierKey]) -> LogCheckpoint:
    """The checkpoint under which `entry` is in the log, signed by the log's key among `keys`."""
    try:
        signed = open_note(receipt.checkpoint, keys)
        checkpoint = parse_checkpoint(signed.text)
    except NoteError as error:
        raise ReceiptError(f"its checkpoint is not valid: {error.message}", hint=error.hint) from error
    if not any(key.kind == ED25519 and key.name == checkpoint.origin for key in signed.by):
        raise ReceiptError(
            f"none of the given keys belongs to the log {checkpoint.origin!r}", hint="name its key"
        )
    leaf = merkle.hash_leaf(entry)
    if not merkle.check_inclusion(receipt.index, checkpoint.size, leaf, receipt.proof, checkpoint.root):
        raise ReceiptError("the entry is not in the log under this checkpoint", hint=_HINT)
    return checkpoint
