"""One event of a log -> a receipt that proves it without the log. Only reads; needs no private key."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from citeproof.audit import merkle, receipt
from citeproof.audit.canonical import canonical, is_canonical
from citeproof.audit.checkpoint import Checkpoint, unverified
from citeproof.audit.commitment import opens
from citeproof.audit.looking.findings import plural
from citeproof.audit.looking.seeing import BAD, About
from citeproof.audit.naming import RUN
from citeproof.audit.note import ED25519, NoteError, VerifierKey, lines, opened
from citeproof.audit.receipt import Receipt, ReceiptError
from citeproof.audit.tiles import LARGEST, Tiles
from citeproof.audit.untrusted import Unreadable, Untrusted
from citeproof.errors import AuditError
from citeproof.stores.private import Private

_REFERENCE = re.compile(rf"({RUN.pattern})/([1-9][0-9]{{0,9}})", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_NOTE = 1_000_000
_SIGN = "sign what is there with `citeproof audit commit`, or name another event"
MOST_OPENED = 8_000_000  # bytes of values in one receipt


class NotThere(AuditError):  # noqa: N818 - what was asked for is not there, which is no fault
    """No signed event has this number."""


class _Line(msgspec.Struct, gc=False):
    seq: int
    ref: int = 0
    verdict: str = ""
    case: str = ""


class _Reference(msgspec.Struct):
    key: str


class _Case(msgspec.Struct):
    reference: _Reference


class Extra(msgspec.Struct, forbid_unknown_fields=True):
    """What our receipts carry besides the proof: the event's line, and what its commitments open to."""

    entry: str
    opened: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)


def find(folder: Path, what: str) -> list[int]:
    """Return the events that `what` names: a number, RUN/N (its verdicts), or a citation key, latest last."""
    if _NUMBER.fullmatch(what):
        return [int(what)]
    if named := _REFERENCE.fullmatch(what):
        found = [one.seq for one in _verdicts(folder, named[1]) if one.ref == int(named[2])]
        if found:
            return found
    return sorted(_keyed(folder, what))


def prove(folder: Path, seq: int, *, open_: bool = False) -> Receipt:
    """Return the receipt of event `seq` under the published checkpoint, checked; with what it commits to."""
    with _plain(folder) as files:
        if not files.has("checkpoint"):
            raise NotThere("nothing of this log is signed yet", place=str(folder), mend=_SIGN)
        note = _read(files, "checkpoint", _NOTE)
        about = _about(files)
    now = unverified(note)
    if not 0 <= seq < now.size:
        raise NotThere(
            f"event {seq} is not under the checkpoint of {plural(now.size, 'event')}",
            place=str(folder),
            mend=_SIGN,
        )
    tiles = Tiles(folder)
    entry = tiles.entry(seq, now.size)
    proof = tuple(merkle.inclusion(seq, now.size, tiles.hashes(now.size)))
    extra: dict[str, object] = {"entry": entry.decode("utf-8", "replace")}
    if open_:
        extra["opened"] = _opening(folder, entry)
    made = Receipt(seq, proof, note, canonical(extra))
    receipt.check(made, entry, [VerifierKey.parse(about.key)])
    return made


@dataclass(frozen=True, slots=True)
class Proved:
    """What a receipt proves. `signed`: by a key that was given; else only that it fits its own checkpoint."""

    checkpoint: Checkpoint
    seq: int
    entry: bytes
    event: dict[str, Any]
    opened: dict[str, bytes]
    signed: tuple[VerifierKey, ...]
    times: tuple[tuple[str, int], ...]
    signers: tuple[str, ...]  # the names on the note, whoever they are


def check(data: bytes, keys: Iterable[VerifierKey] = ()) -> Proved:
    """Return what a receipt of ours proves; ReceiptError when it does not hold."""
    keys = tuple(keys)
    found = receipt.parse(data)
    extra = _extra(found)
    entry = extra.entry.encode("utf-8", "surrogatepass")
    if keys:
        now = receipt.check(found, entry, keys)
        note = opened(found.checkpoint, keys)
        by, times = note.by, tuple((key.name, when) for key, when in note.times.items())
    else:
        now, by, times = _unsigned(found, entry), (), ()
    event = _event(entry)
    clear = dict(_clear(extra, event))
    names = tuple(dict.fromkeys(line[4:].split(b" ")[0].decode() for line in lines(found.checkpoint)))
    return Proved(now, found.index, entry, event, clear, by, times, names)


def is_log_key(key: VerifierKey) -> bool:
    """Return whether a key signs logs; others are of witnesses."""
    return key.kind == ED25519


def commitments(event: dict[str, Any]) -> list[str]:
    """Return what an event commits to, in hexadecimal."""
    documents = event.get("documents")
    named = [event.get("case"), event.get("config"), *(documents if isinstance(documents, list) else [])]
    return [text for text in named if isinstance(text, str) and len(text) == 64]


def _unsigned(found: Receipt, entry: bytes) -> Checkpoint:
    try:
        now = unverified(found.checkpoint)
        lines(found.checkpoint)
    except NoteError as error:
        raise ReceiptError(f"its checkpoint does not hold: {error.message}", mend=error.mend) from error
    if not merkle.check_inclusion(found.index, now.size, merkle.leaf(entry), found.proof, now.root):
        raise ReceiptError("the entry is not in the log under this checkpoint")
    return now


def _extra(found: Receipt) -> Extra:
    try:
        if is_canonical(found.extra):
            return msgspec.json.decode(found.extra, type=Extra)
    except BAD:
        pass
    raise ReceiptError("it does not carry its event", mend="ask for a receipt made by citeproof")


def _event(entry: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(entry, type=dict[str, Any])
    except BAD:
        raise ReceiptError("the entry that it proves is no event of citeproof") from None


def _clear(extra: Extra, event: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield each commitment of the event with the value that opens it."""
    named = commitments(event)
    for commitment, value in extra.opened.items():
        try:
            salt, data = bytes.fromhex(value["salt"]), base64.b64decode(value["data"], validate=True)
        except (KeyError, ValueError):
            salt, data = b"", b""
        if value != _written(salt, data):  # there is one way to write them
            raise ReceiptError("a value that it opens is malformed")
        if commitment not in named:
            raise ReceiptError("it opens something that the event does not commit to")
        if not opens(commitment, salt, data):
            raise ReceiptError("a value is not the one that the event commits to: it was changed")
        yield commitment, data


def _written(salt: bytes, data: bytes) -> dict[str, str]:
    return {"salt": salt.hex(), "data": base64.b64encode(data).decode()}


def _opening(folder: Path, entry: bytes) -> dict[str, object]:
    """Return salt and value of each commitment of an entry that is still kept."""
    found: dict[str, object] = {}
    left = MOST_OPENED
    with closing(Private(folder, readonly=True)) as store:
        for commitment in commitments(_event(entry)):
            row = store.get(commitment)
            if row is None:
                continue
            left -= len(row.data)
            if left < 0:
                raise AuditError("what the event commits to is too large for a receipt", place=str(folder))
            found[commitment] = _written(row.salt, row.data)
    return found


def _verdicts(folder: Path, run: str) -> Iterator[_Line]:
    """Yield the events that give a verdict on a reference of a run, from the run's own file."""
    decoder = msgspec.json.Decoder(_Line)
    try:
        with (
            _plain(folder) as files,
            files.file(f"{run}.jsonl") as raw,
            open(raw.fileno(), "rb", closefd=False) as file,
        ):
            while line := file.readline(LARGEST + 2):
                try:
                    one = decoder.decode(line)
                except BAD:
                    continue
                if one.ref and one.verdict:
                    yield one
    except Unreadable:
        return


def _keyed(folder: Path, key: str) -> Iterator[int]:
    """Yield the verdicts on references with a citation key, which only the private rows know."""
    with _plain(folder) as files:
        runs = [name.removesuffix(".jsonl") for name in files.names() if name.endswith(".jsonl")]
    decoder = msgspec.json.Decoder(_Case)
    with closing(Private(folder, readonly=True)) as store:
        for run in runs:
            cases = set[str]()
            for row in store.of(run, "case"):
                with suppress(*BAD):
                    if decoder.decode(row.data).reference.key == key:
                        cases.add(row.commitment)
            if cases:
                yield from (one.seq for one in _verdicts(folder, run) if one.case in cases)


def _plain(folder: Path) -> Untrusted:
    try:
        return Untrusted(folder)
    except Unreadable as error:
        raise AuditError(error.why, place=str(folder), mend="name the folder of a log") from error


def _read(files: Untrusted, name: str, limit: int) -> bytes:
    try:
        return files.read(name, limit)
    except Unreadable as error:
        mend = "say `citeproof audit verify` to see what is wrong"
        raise AuditError(error.why, place=name, mend=mend) from error


def _about(files: Untrusted) -> About:
    try:
        return msgspec.json.decode(_read(files, "log.json", 100_000), type=About)
    except BAD:
        raise AuditError("it was changed", place="log.json", mend="bring it back from a copy") from None
