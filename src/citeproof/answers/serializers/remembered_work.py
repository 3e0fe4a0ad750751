"""A work that was judged matched, as the memory stores it: its records, and who judged it when.

Only what sources say about a work is stored; nothing of the document that cited it.
"""

from __future__ import annotations

import msgspec

from citeproof.vocabulary import Record

VERSION = 1  # of the meaning of the fields; fields are only ever appended
LARGEST = 64_000  # bytes of one work
MOST_RECORDS = 8
_ENCODER = msgspec.json.Encoder()


class RememberedWork(msgspec.Struct, frozen=True):
    """One work. `records[0]` is the one that matched, as its source gave it then; the rest are its kin."""

    records: tuple[Record, ...]
    at: str  # RFC 3339, when it was judged
    label: str
    score: float
    judge: str
    citeproof: str  # the version that judged it
    version: int = VERSION
    origin: str = "judged"  # or "imported", from somebody's file


_DECODER = msgspec.json.Decoder(RememberedWork)


class ForgottenError(ValueError):
    """Bytes that are not a work of this version."""


def encode_remembered_work(work: RememberedWork) -> bytes:
    """Return a work as JSON."""
    return _ENCODER.encode(work)


def decode_remembered_work(data: bytes) -> RememberedWork:
    """Return the work that `data` holds; `ForgottenError` says why it holds none."""
    if len(data) > LARGEST:
        raise ForgottenError(f"more than {LARGEST:,} bytes")
    try:
        work = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, TypeError, RecursionError) as error:
        raise ForgottenError(str(error)[:200]) from None
    if work.version != VERSION:
        raise ForgottenError(f"written by another version ({work.version})")
    if not 0 < len(work.records) <= MOST_RECORDS or not work.records[0].titles:
        raise ForgottenError("no record with a title")
    return work
