"""What travels between a snapshot's server and those who ask it: msgpack, versioned, bounded.

    request    [call, …]                   one call for each question; a server may answer only the first ones
    answer     [wire, id, [reply, …]]      `id` of the snapshot that answered; replies in order

Texts are bytes (UTF-8; a lone surrogate passes), so that what is asked is what a folder would be asked. A
record is sent as it is stored: its SHA-256 is the same on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from citeproof.index.snapshot_questions import FactQuestion, RecordQuestion
from citeproof.vocabulary import Ids, Name, Record

WIRE = 1
MEDIA = "application/vnd.citeproof.snapshot+msgpack"
MAX_REQUEST = 4_000_000  # bytes
MAX_ANSWER = 48_000_000
MAX_CALLS = 64  # in one request
MAX_ROWS = 500  # records of one reply
MAX_RECORD = 1_000_000  # bytes of one of them
MAX_TEXT = 100_000  # bytes of one text of a call
MAX_LISTED = 20_000  # authors or words of a call
_LONE = "surrogatepass"


class LookupCall(msgspec.Struct, array_like=True, tag="lookup"):
    """A `RecordQuestion`. Authors are [family, given, suffix, collective]."""

    by: str
    value: bytes
    authors: list[tuple[bytes, bytes, bytes, bool]] = []
    year: int | None = None
    words: list[bytes] = []


class FactsCall(msgspec.Struct, array_like=True, tag="facts"):
    """A `FactQuestion`."""

    prefix: bytes
    venue: bytes


class VenueCall(msgspec.Struct, array_like=True, tag="venue"):
    """Whether some record appeared in a venue of this name."""

    name: bytes


class AbstractCall(msgspec.Struct, array_like=True, tag="abstract"):
    """The abstract of the work that a record describes; `own`: the record is of this snapshot."""

    own: bool
    id: bytes
    title: bytes
    ids: list[tuple[str, bytes]]


class RecordsReply(msgspec.Struct, array_like=True, tag="records"):
    """Records as they are stored, each with the root of its work and the number of its source."""

    rows: list[tuple[bytes, int | None, int]]


class FactsReply(msgspec.Struct, array_like=True, tag="facts"):
    """What is known around a reference."""

    prefix: bool | None
    venue: bool | None
    known: bool | None


class VenueReply(msgspec.Struct, array_like=True, tag="venue"):
    """Whether the venue is known."""

    known: bool


class AbstractReply(msgspec.Struct, array_like=True, tag="abstract"):
    """The abstract as it is stored; None: there is none."""

    data: bytes | None


class FaultReply(msgspec.Struct, array_like=True, tag="fault"):
    """The server could not answer: its snapshot is damaged."""

    message: str


SnapshotCall: TypeAlias = LookupCall | FactsCall | VenueCall | AbstractCall
SnapshotReply: TypeAlias = RecordsReply | FactsReply | VenueReply | AbstractReply | FaultReply


class ServedAnswer(msgspec.Struct, array_like=True):
    """What comes back for one request."""

    wire: int
    id: str
    replies: list[SnapshotReply]


class ServedList(msgspec.Struct):
    """What a server says it has: the manifest of each snapshot."""

    citeproof_snapshots: int  # version of the wire
    snapshots: list[msgspec.Raw]


ENCODER = msgspec.msgpack.Encoder()
CALLS = msgspec.msgpack.Decoder(list[SnapshotCall])
ANSWER = msgspec.msgpack.Decoder(ServedAnswer)
FEW_ENOUGH = "a request has too many or too long parts"


def encode_text(text: str) -> bytes:
    return text.encode("utf-8", _LONE)


def decode_text(data: bytes) -> str:
    return data.decode("utf-8", _LONE)


def pack_record_question(asked: RecordQuestion) -> LookupCall:
    """Return the call for a question; what is longer than anybody cites is cut."""
    authors = [
        (encode_text(n.family), encode_text(n.given), encode_text(n.suffix), n.collective)
        for n in asked.authors
    ]
    return LookupCall(
        asked.by, encode_text(asked.value), authors, asked.year, [encode_text(w) for w in asked.words]
    )


def unpack_record_question(call: LookupCall) -> RecordQuestion:
    """Return the question of a call."""
    authors = tuple(
        Name(decode_text(family), decode_text(given), decode_text(suffix), collective)
        for family, given, suffix, collective in call.authors
    )
    words = [decode_text(word) for word in call.words]
    return RecordQuestion(call.by, decode_text(call.value), authors, call.year, words)


def pack_fact_question(asked: FactQuestion) -> FactsCall:
    return FactsCall(encode_text(asked.prefix), encode_text(asked.venue))


def pack_abstract_question(record: Record, source: str) -> AbstractCall:
    """Return the call for the abstract of a record; `source`: the name of the snapshot."""
    ids = [(scheme, encode_text(value)) for scheme, value in record.ids.pairs]
    return AbstractCall(record.source == source, encode_text(record.id), encode_text(record.title), ids)


def unpack_abstract_question(call: AbstractCall, source: str) -> Record:
    """Return a record with all of it that finding its abstract needs."""
    ids = Ids(tuple((scheme, decode_text(value)) for scheme, value in call.ids))
    title = decode_text(call.title)
    return Record(source if call.own else "", decode_text(call.id), (title,) if title else (), ids=ids)


def is_bounded(calls: Sequence[SnapshotCall]) -> bool:
    """Return whether no call asks for more than a server should do at once."""
    return len(calls) <= MAX_CALLS and all(map(_is_bounded_call, calls))


def _is_bounded_call(call: SnapshotCall) -> bool:
    match call:
        case LookupCall():
            texts = (call.by, call.value, *call.words, *(text for name in call.authors for text in name[:3]))
            few = max(len(call.authors), len(call.words)) <= MAX_LISTED
            short = few and max(map(len, texts)) <= MAX_TEXT
            return short and (call.year is None or abs(call.year) < 100_000)
        case FactsCall():
            return max(len(call.prefix), len(call.venue)) <= MAX_TEXT
        case VenueCall():
            return len(call.name) <= MAX_TEXT
        case AbstractCall():
            return max(len(call.id), len(call.title)) <= MAX_TEXT and len(call.ids) <= MAX_LISTED


def describe_call(call: SnapshotCall) -> str:
    """Return what a call tells the server, in words, for `--explain-network`."""
    match call:
        case LookupCall():
            names = ", ".join(f"{decode_text(n[1])} {decode_text(n[0])}".strip() for n in call.authors)
            parts = [
                decode_text(call.value),
                names,
                str(call.year or ""),
                " ".join(map(decode_text, call.words)),
            ]
            return f"{call.by}: {'; '.join(part for part in parts if part)}"
        case FactsCall():
            return f"facts: {decode_text(call.prefix)} {decode_text(call.venue)}".rstrip()
        case VenueCall():
            return f"venue: {decode_text(call.name)}"
        case AbstractCall():
            return f"abstract: {decode_text(call.title)}"
