"""One event of a log -> a receipt that proves it without the log. Only reads; needs no private key.

A receipt is the way from one entry to a signed checkpoint (c2sp.org/tlog-proof).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from citeproof.errors import AuditError, NothingFoundError, format_count
from citeproof.plumbing.signed_note import (
    ED25519,
    NoteError,
    VerifierKey,
    decode_base64,
    encode_base64,
    list_signatures,
    open_note,
)
from citeproof.plumbing.stores.private_store import PrivateStore, is_commitment_to
from citeproof.proof.audit import merkle
from citeproof.proof.audit.canonical_json import encode_canonical, is_canonical
from citeproof.proof.audit.log_state import LogCheckpoint, parse_checkpoint, parse_number, parse_unverified
from citeproof.proof.audit.run_lock import RUN
from citeproof.proof.audit.tiles import LARGEST, Tiles
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.log_files import BAD, UntrustedHead
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json

_REFERENCE = re.compile(rf"({RUN.pattern})/([1-9][0-9]{{0,9}})", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_NOTE = 1_000_000
_SIGN = "sign what is there with `citeproof audit commit`, or name another event"
MOST_OPENED = 8_000_000  # bytes of values in one receipt
HEAD = "c2sp.org/tlog-proof@v1"
LARGEST_RECEIPT = 16_000_000  # bytes of a receipt: an entry, what its commitments open to, a note
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
    if len(data) > LARGEST_RECEIPT:
        raise ReceiptError(f"a receipt of {len(data)} bytes is refused", hint=f"at most {LARGEST_RECEIPT}")
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


class UnsignedEventError(NothingFoundError):
    """No signed event has this number."""


class _VerdictLine(msgspec.Struct, gc=False):
    seq: int
    ref: int = 0
    verdict: str = ""
    case: str = ""


class _CaseReference(msgspec.Struct):
    key: str


class _KeyedCase(msgspec.Struct):
    reference: _CaseReference


class ReceiptExtra(msgspec.Struct, forbid_unknown_fields=True):
    """What our receipts carry besides the proof: the event's line, and what its commitments open to."""

    entry: str
    opened: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)


def find_events(folder: Path, what: str) -> list[int]:
    """Return the events that `what` names: a number, RUN/N (its verdicts), or a citation key, latest last."""
    if _NUMBER.fullmatch(what):
        return [int(what)]
    if named := _REFERENCE.fullmatch(what):
        numbers = [
            verdict.seq for verdict in _read_verdicts(folder, named[1]) if verdict.ref == int(named[2])
        ]
        if numbers:
            return numbers
    return sorted(_find_by_key(folder, what))


def prove_event(folder: Path, seq: int, *, open_: bool = False) -> Receipt:
    """Return the receipt of event `seq` under the published checkpoint, checked; with what it commits to."""
    with _open_folder(folder) as files:
        if not files.has("checkpoint"):
            raise UnsignedEventError("nothing in this log is signed yet", place=str(folder), hint=_SIGN)
        note = files.require("checkpoint", _NOTE)
        about = _read_log_head(files)
    now = parse_unverified(note)
    if not 0 <= seq < now.size:
        message = f"event {seq} is not under the checkpoint of {format_count(now.size, 'event')}"
        raise UnsignedEventError(message, place=str(folder), hint=_SIGN)
    tiles = Tiles(folder)
    entry = tiles.entry(seq, now.size)
    proof = tuple(merkle.prove_inclusion(seq, now.size, tiles.hashes(now.size)))
    extra: dict[str, object] = {"entry": entry.decode("utf-8", "replace")}
    if open_:
        extra["opened"] = _collect_openings(folder, entry)
    made = Receipt(seq, proof, note, encode_canonical(extra))
    check_receipt_entry(made, entry, [VerifierKey.parse(about.key)])
    return made


@dataclass(frozen=True, slots=True)
class ProvedEvent:
    """What a receipt proves. `signed`: by a key that was given; else only that it fits its own checkpoint."""

    checkpoint: LogCheckpoint
    seq: int
    entry: bytes
    event: dict[str, Any]
    opened: dict[str, bytes]
    signed: tuple[VerifierKey, ...]
    times: tuple[tuple[str, int], ...]
    signers: tuple[str, ...]  # the names on the note, known or not


def check_receipt(data: bytes, keys: Iterable[VerifierKey] = ()) -> ProvedEvent:
    """Return what a receipt of ours proves; ReceiptError when it does not hold."""
    keys = tuple(keys)
    parsed = parse_receipt(data)
    extra = _decode_extra(parsed)
    entry = extra.entry.encode("utf-8", "surrogatepass")
    if keys:
        now = check_receipt_entry(parsed, entry, keys)
        note = open_note(parsed.checkpoint, keys)
        by, times = note.by, tuple((key.name, when) for key, when in note.times.items())
    else:
        now, by, times = _check_unsigned(parsed, entry), (), ()
    event = _decode_event(entry)
    clear = dict(_open_values(extra, event))
    names = tuple(
        dict.fromkeys(line[4:].split(b" ")[0].decode() for line in list_signatures(parsed.checkpoint))
    )
    return ProvedEvent(now, parsed.index, entry, event, clear, by, times, names)


def is_log_key(key: VerifierKey) -> bool:
    """Return whether a key signs logs; others are of witnesses."""
    return key.kind == ED25519


def list_commitments(event: dict[str, Any]) -> list[str]:
    """Return what an event commits to, in hexadecimal."""
    documents = event.get("documents")
    named = [event.get(name) for name in ("case", "claim", "set", "line", "config")]
    named += documents if isinstance(documents, list) else []
    return [text for text in named if isinstance(text, str) and len(text) == 64]


def _check_unsigned(parsed: Receipt, entry: bytes) -> LogCheckpoint:
    try:
        now = parse_unverified(parsed.checkpoint)
        list_signatures(parsed.checkpoint)
    except NoteError as error:
        raise ReceiptError(f"its checkpoint is not valid: {error.message}", hint=error.hint) from error
    if not merkle.check_inclusion(parsed.index, now.size, merkle.hash_leaf(entry), parsed.proof, now.root):
        raise ReceiptError("the entry is not in the log under this checkpoint")
    return now


def _decode_extra(parsed: Receipt) -> ReceiptExtra:
    try:
        if is_canonical(parsed.extra):
            return decode_json(parsed.extra, type=ReceiptExtra)
    except BAD:
        pass
    raise ReceiptError("it does not contain its event", hint="ask for a receipt made by citeproof")


def _decode_event(entry: bytes) -> dict[str, Any]:
    try:
        return decode_json(entry, type=dict[str, Any])
    except BAD:
        raise ReceiptError("the entry that it proves is not an event of citeproof") from None


def _open_values(extra: ReceiptExtra, event: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield each commitment of the event with the value that opens it."""
    named = list_commitments(event)
    for commitment, value in extra.opened.items():
        try:
            salt, data = bytes.fromhex(value["salt"]), base64.b64decode(value["data"], validate=True)
        except (KeyError, ValueError):
            salt, data = b"", b""
        if value != _encode_opening(salt, data):  # there is one way to write them
            raise ReceiptError("a value that it opens is malformed")
        if commitment not in named:
            raise ReceiptError("it opens a value that the event does not commit to")
        if not is_commitment_to(commitment, salt, data):
            raise ReceiptError("a value does not match its commitment in the event: it was changed")
        yield commitment, data


def _encode_opening(salt: bytes, data: bytes) -> dict[str, str]:
    return {"salt": salt.hex(), "data": base64.b64encode(data).decode()}


def _collect_openings(folder: Path, entry: bytes) -> dict[str, object]:
    """Return salt and value of each commitment of an entry that is still stored."""
    openings: dict[str, object] = {}
    left = MOST_OPENED
    with closing(PrivateStore(folder, readonly=True)) as store:
        for commitment in list_commitments(_decode_event(entry)):
            row = store.get(commitment)
            if row is None:
                continue
            left -= len(row.data)
            if left < 0:
                raise AuditError("what the event commits to is too large for a receipt", place=str(folder))
            openings[commitment] = _encode_opening(row.salt, row.data)
    return openings


def _read_verdicts(folder: Path, run: str) -> Iterator[_VerdictLine]:
    """Yield the events that give a verdict on a reference of a run, from the run's own file."""
    decoder = msgspec.json.Decoder(_VerdictLine)
    try:
        with (
            _open_folder(folder) as files,
            files.file(f"{run}.jsonl") as raw,
            open(raw.fileno(), "rb", closefd=False) as file,
        ):
            while line := file.readline(LARGEST + 2):
                try:
                    verdict = decoder.decode(line)
                except BAD:
                    continue
                if verdict.ref and verdict.verdict:
                    yield verdict
    except UnreadableFileError:
        return


def _find_by_key(folder: Path, key: str) -> Iterator[int]:
    """Yield the verdicts on references with a citation key, which only the private rows know."""
    with _open_folder(folder) as files:
        runs = [name.removesuffix(".jsonl") for name in files.names() if name.endswith(".jsonl")]
    decoder = msgspec.json.Decoder(_KeyedCase)
    with closing(PrivateStore(folder, readonly=True)) as store:
        for run in runs:
            cases = set[str]()
            for row in store.list_run_rows(run, "case"):
                with suppress(*BAD):
                    if decoder.decode(row.data).reference.key == key:
                        cases.add(row.commitment)
            if cases:
                yield from (verdict.seq for verdict in _read_verdicts(folder, run) if verdict.case in cases)


def _open_folder(folder: Path) -> UntrustedFolder:
    try:
        return UntrustedFolder(folder)
    except UnreadableFileError as error:
        raise AuditError(error.why, place=str(folder), hint="name the folder of a log") from error


def _read_log_head(files: UntrustedFolder) -> UntrustedHead:
    try:
        return decode_json(files.require("log.json", 100_000), type=UntrustedHead)
    except BAD:
        raise AuditError("it was changed", place="log.json", hint="restore it from a copy") from None
