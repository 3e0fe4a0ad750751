"""Receipts: what was verified about a citation, signed, so that a text can be let through on them.

    {"schema": "citeproof/receipts/1", "key": "<public key>",
     "receipts": [{"statement": …, "signed": "<note>"}]}

A statement says which work was verified on which day, as it was cited and as its record has it. The note
(see `audit.signed_note`) has the SHA-256 of the statement's bytes. The key is `receipts.key` next to the keys
of audit logs. A reference is covered by a receipt if it has no identifier that the receipt lacks, and its
title and first author are those of the receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

import msgspec

from citeproof.answers.serializers import dumps, get_version
from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import read_plain_file
from citeproof.plumbing.signed_note import NoteError, VerifierKey, open_note, sign_note
from citeproof.proof.audit.key_store import KeyStore, take_own_key
from citeproof.settings import Settings
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Claimed, GroundedClaim, Reference

SCHEMA = "citeproof/receipts/1"
KEY = "receipts.key"
LARGEST = 256_000_000  # bytes of a file of receipts
_AGAIN = "make it again with `citeproof claims FILE --receipts OUT`"
_NOT_OF_WORKS = frozenset(("url", "issn"))


class ReceiptState(StrEnum):
    VALID = "valid"
    MISSING = "missing"  # no receipt is about it
    OTHER = "differs"  # a receipt has its identifier, and another title or author
    EXPIRED = "expired"  # its receipt is too old


class ReceiptStatement(msgspec.Struct, frozen=True):
    """What was verified, of which work, on which day."""

    ids: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]  # as cited, then as recorded
    families: tuple[str, ...]  # family names of the authors, as cited, then as recorded
    year: int | None
    record: str  # source and id
    day: str
    citeproof: str


class SignedReceipt(msgspec.Struct, frozen=True):
    statement: msgspec.Raw
    signed: str


class _ReceiptFile(msgspec.Struct, frozen=True):
    schema: str
    key: str
    receipts: tuple[SignedReceipt, ...]


@dataclass(frozen=True, slots=True)
class GuardedReference:
    reference: Reference
    state: ReceiptState
    statement: ReceiptStatement | None = None


def sign_receipts(settings: Settings, grounded: Iterable[GroundedClaim], day: date) -> bytes:
    """Return the receipts of all claims that have a verified citation, each work once, as a file."""
    key = take_own_key(_open_key_store(settings))
    made: dict[bytes, SignedReceipt] = {}
    for claim in grounded:
        if (statement := _make_statement(claim, day)) is not None:
            body = dumps(statement)
            signed = sign_note(_make_receipt_note(body), key).decode()
            made.setdefault(body, SignedReceipt(msgspec.Raw(body), signed))
    return dumps(_ReceiptFile(SCHEMA, key.verifier.text, tuple(made.values()))) + b"\n"


def read_receipts(path: Path, settings: Settings, trusted: Sequence[str] = ()) -> list[ReceiptStatement]:
    """Return what receipts state; UsageError unless a `trusted` key, by default our own, signed each."""
    try:
        return _read_receipts(path, settings, trusted)
    except FileNotFoundError as error:
        raise UsageError("no such file of receipts", place=str(path), hint=_AGAIN) from error
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", place=str(path), hint=_AGAIN) from error
    except NoteError as error:
        hint = "give the public key that signed them with --key"
        message = f"a receipt cannot be trusted: {error.message}"
        raise UsageError(message, place=str(path), hint=hint) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError("is not a file of receipts", place=str(path), hint=_AGAIN) from error


def _read_receipts(path: Path, settings: Settings, trusted: Sequence[str]) -> list[ReceiptStatement]:
    stored = decode_json(read_plain_file(path.resolve(), LARGEST), type=_ReceiptFile)
    if stored.schema != SCHEMA:
        raise UsageError("is not a file of receipts", place=str(path), hint=_AGAIN)
    keys = [VerifierKey.parse(text) for text in trusted]
    if not keys:
        if (own := _open_key_store(settings).find_unused()) is None:
            hint = "give the public key that signed them with --key"
            raise UsageError("cannot be verified: there is no key of our own", place=str(path), hint=hint)
        keys = [own.verifier]
    statements = []
    for number, receipt in enumerate(stored.receipts, 1):
        body = bytes(receipt.statement)
        if open_note(receipt.signed.encode("utf-8", "replace"), keys).text != _make_receipt_note(body):
            changed = f"receipt {number} was changed after it was signed"
            raise UsageError(changed, place=str(path), hint=_AGAIN)
        statements.append(decode_json(body, type=ReceiptStatement))
    return statements


def guard_references(
    references: Iterable[Reference], statements: Sequence[ReceiptStatement], oldest: date | None
) -> list[GuardedReference]:
    """Return each reference with whether a receipt of `oldest` or later covers it."""
    by_id: dict[tuple[str, str], list[ReceiptStatement]] = {}
    by_title: dict[str, list[ReceiptStatement]] = {}
    for statement in statements:
        for pair in statement.ids:
            by_id.setdefault(pair, []).append(statement)
        for title in statement.titles:
            by_title.setdefault(make_title_key(title), []).append(statement)
    return [_guard_reference(reference, by_id, by_title, oldest) for reference in references]


def _guard_reference(
    reference: Reference,
    by_id: dict[tuple[str, str], list[ReceiptStatement]],
    by_title: dict[str, list[ReceiptStatement]],
    oldest: date | None,
) -> GuardedReference:
    claimed = reference.claimed
    named = [pair for pair in claimed.ids.pairs if pair[0] not in _NOT_OF_WORKS]
    about = [statement for pair in named for statement in by_id.get(pair, ())]
    if not named and claimed.title:
        about = by_title.get(make_title_key(claimed.title), [])
    fitting = [statement for statement in about if _is_covered(claimed, named, statement)]
    if not fitting:
        return GuardedReference(reference, ReceiptState.OTHER if about else ReceiptState.MISSING)
    latest = max(fitting, key=attrgetter("day"))
    expired = oldest is not None and latest.day < oldest.isoformat()
    return GuardedReference(reference, ReceiptState.EXPIRED if expired else ReceiptState.VALID, latest)


def _is_covered(claimed: Claimed, named: Sequence[tuple[str, str]], statement: ReceiptStatement) -> bool:
    if not set(named) <= set(statement.ids):
        return False
    if claimed.title and make_title_key(claimed.title) not in map(make_title_key, statement.titles):
        return False
    families = map(str.casefold, statement.families)
    return not claimed.authors or make_family_key(claimed.authors[0]).casefold() in families


def _make_statement(grounded: GroundedClaim, day: date) -> ReceiptStatement | None:
    attached = grounded.attached
    matched = attached.checked.judgement.matched if attached else None
    if attached is None or matched is None or grounded.held or grounded.caveat:
        return None
    claimed, record = attached.candidate.claimed, matched.record
    wrong = {value for m in attached.checked.mismatches for value in m.claimed.split(", ")}
    pairs = [pair for pair in claimed.ids.pairs if pair[1] not in wrong]
    people = (*claimed.authors, *record.authors)
    return ReceiptStatement(
        ids=tuple(dict.fromkeys((*pairs, *record.ids.pairs))),
        titles=tuple(dict.fromkeys(title for title in (claimed.title, *record.titles) if title)),
        families=tuple(dict.fromkeys(make_family_key(name) for name in people)),
        year=claimed.year,
        record=f"{record.source}:{record.id}",
        day=day.isoformat(),
        citeproof=get_version(),
    )


def _open_key_store(settings: Settings) -> KeyStore:
    return KeyStore(KeyStore(settings.audit_keys).folder / KEY)


def _make_receipt_note(body: bytes) -> str:
    return f"{SCHEMA}\n{sha256(body).hexdigest()}\n{len(body)}\n"
