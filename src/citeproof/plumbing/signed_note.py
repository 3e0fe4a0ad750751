"""A text and who signed it: the signed notes of Go's checksum database and C2SP, with Ed25519.

    <text, every line ended>
    <empty line>
    — <name> <base64(key id ‖ signature)>        one or more

A key is known by its name and four bytes of a hash. A line by an unknown key says nothing; a wrong one by a
known key condemns the note. Kind 0x01 signs the text; 0x04 (a witness: cosignature/v1) a time and the text.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property

from citeproof.errors import AuditError
from citeproof.vocabulary.quick_dataclass import dataclass, field

ED25519 = 0x01
COSIGNATURE = 0x04
LARGEST = 1_000_000  # bytes of a note, as in Go
MOST = 100  # signature lines, as in Go; sixteen must be accepted
LONGEST = 255  # characters of a key's name

_PRIME = 2**255 - 19  # of the field of Ed25519: coordinates are below it
_WEAK = frozenset(  # y of the points of order 1, 2, 4 and 8: under such a key anybody signs anything
    bytes.fromhex(one)
    for one in (
        "00" * 32,
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)

_DASH = "— ".encode()
_KINDS = {ED25519: "Ed25519", COSIGNATURE: "cosignature/v1"}


class NoteError(AuditError):
    """A note, key or signature that is malformed or does not hold."""


@dataclass(frozen=True)
class VerifierKey:
    """Who signs, and with what: the public half, as `name+hex(id)+base64(kind ‖ key)`."""

    name: str
    id: bytes
    kind: int
    public: bytes

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """The key written as `text`; NoteError when it is none or its id is not its own."""
        name, hexed, coded = _split_key(text.strip(), "key")
        kind, public = _decode_key(coded, name)
        y = public[:31] + bytes([public[31] & 0x7F])  # the point without its sign bit
        if y in _WEAK or int.from_bytes(y, "little") >= _PRIME:
            raise NoteError(
                f"the key of {name!r} proves nothing: anyone can sign with it", hint="ask for another"
            )
        key = cls(name, _hash_key_id(name, kind, public), kind, public)
        if hexed != key.id.hex():
            raise NoteError(f"the key of {name!r} does not match its id", hint="copy the key again")
        return key

    @property
    def text(self) -> str:
        return f"{self.name}+{self.id.hex()}+{encode_base64(bytes([self.kind]) + self.public)}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether `signature` (64 bytes) over `message` is this key's."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - keeps `citeproof --help` quick
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True)
class SignerKey:
    """The private half, as Go writes it: `PRIVATE+KEY+name+hex(id)+base64(kind ‖ seed)`."""

    name: str
    kind: int
    seed: bytes = field(repr=False)

    @classmethod
    def generate(cls, name: str, kind: int = ED25519) -> SignerKey:
        _check_printable(name)
        if kind not in _KINDS:
            raise NoteError(f"keys of kind {kind} are not made here")
        return cls(name, kind, secrets.token_bytes(32))

    @classmethod
    def parse(cls, text: str) -> SignerKey:
        """The key written as `text`; the error never shows it."""
        lead, dash, rest = text.strip().partition("PRIVATE+KEY+")
        if lead or not dash:
            raise NoteError("this is not a private key", hint="a private key starts with PRIVATE+KEY+")
        name, hexed, coded = _split_key(rest, "private key")
        key = cls(name, *_decode_key(coded, name))
        if hexed != key.verifier.id.hex():
            raise NoteError(f"the private key of {name!r} does not match its id", hint="copy the key again")
        return key

    @property
    def text(self) -> str:
        """The private key in one line: secret."""
        return (
            f"PRIVATE+KEY+{self.name}+{self.verifier.id.hex()}+"
            f"{encode_base64(bytes([self.kind]) + self.seed)}"
        )

    @cached_property
    def verifier(self) -> VerifierKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

        public = Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()
        return VerifierKey(self.name, _hash_key_id(self.name, self.kind, public), self.kind, public)

    def signature(self, message: bytes) -> bytes:
        """64 bytes over `message`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)


@dataclass(frozen=True, slots=True)
class OpenedNote:
    """The text of a note, the keys given that signed it, and the seconds since 1970 that witnesses state."""

    text: str
    by: tuple[VerifierKey, ...]
    times: Mapping[VerifierKey, int] = field(default_factory=dict)


def sign_note(text: str, key: SignerKey) -> bytes:
    """The whole note: `text` and one signature."""
    if key.kind != ED25519:
        raise NoteError(f"{key.name!r} is the key of a witness: it signs with `cosign_checkpoint` only")
    body = _encode_body(text)
    return _check_size(body + b"\n" + _format_signature(key.verifier, key.signature(body)))


def cosign_checkpoint(checkpoint_text: str, key: SignerKey, when: int) -> bytes:
    """The signature line of a witness that saw the checkpoint at `when` (seconds since 1970)."""
    if key.kind != COSIGNATURE:
        raise NoteError(f"{key.name!r} is not the key of a witness", hint="make one of kind witness")
    if not 0 <= when < 2**63:
        raise NoteError(f"{when} is not a time")
    signature = key.signature(_prefix_time(_encode_body(checkpoint_text), when))
    return _format_signature(key.verifier, when.to_bytes(8, "big") + signature)


def add_signature(note: bytes, line: bytes) -> bytes:
    """The note with one more signature line; the same note when it has that line."""
    line = line.rstrip(b"\n") + b"\n"
    _parse_signature(line)
    return note if line in list_signatures(note) else _check_size(note + line)


def list_signatures(note: bytes) -> list[bytes]:
    """The signature lines of a note, each with its line end."""
    return _split_note(note)[1]


def open_note(note: bytes, keys: Iterable[VerifierKey]) -> OpenedNote:
    """What the note says and which of `keys` signed it; NoteError when none did or one is wrong."""
    known: dict[tuple[str, bytes], VerifierKey] = {}
    for key in keys:
        if known.setdefault((key.name, key.id), key) != key:
            raise NoteError(f"two different keys are named {key.name!r} with the same id")
    body, signatures = _split_note(note)
    by: dict[VerifierKey, None] = {}
    times: dict[VerifierKey, int] = {}
    for line in signatures:
        name, blob = _parse_signature(line)
        signer = known.get((name, blob[:4]))
        if signer is None:
            continue
        when = _verify_signature(signer, body, blob[4:])
        by[signer] = None
        if when is not None:
            times[signer] = max(when, times.get(signer, 0))
    if not by:
        raise NoteError("none of the given keys signed this", hint="name the key of this log")
    return OpenedNote(body.decode(), tuple(by), times)


def _verify_signature(key: VerifierKey, body: bytes, signature: bytes) -> int | None:
    """The time a witness states, None for a plain signature; NoteError when it does not hold."""
    when = None
    message = body
    if key.kind == COSIGNATURE:
        when, signature = int.from_bytes(signature[:8], "big"), signature[8:]
        message = _prefix_time(body, when)
    if not key.verifies(message, signature):
        raise NoteError(f"the signature of {key.name!r} does not match the text: one of them was changed")
    return when


def _prefix_time(body: bytes, when: int) -> bytes:
    return b"cosignature/v1\ntime %d\n" % when + body


def _split_note(note: bytes) -> tuple[bytes, list[bytes]]:
    """The text and the signature lines of a well-formed note."""
    body, gap, tail = _check_size(note).rpartition(b"\n\n")
    if not gap or not tail.endswith(b"\n"):
        raise NoteError("this is not a signed note", hint="a note ends with an empty line and signatures")
    signatures = tail.splitlines(keepends=True) if tail.count(b"\n") <= MOST else []
    if not signatures:
        raise NoteError(f"a note has at most {MOST} signatures")
    for line in signatures:
        _parse_signature(line)
    return _check_body(body + b"\n"), signatures


def _parse_signature(line: bytes) -> tuple[str, bytes]:
    """The name and the bytes (key id first) of a signature line."""
    try:
        name, _, coded = line.removeprefix(_DASH).removesuffix(b"\n").decode().partition(" ")
    except UnicodeDecodeError:
        raise NoteError("a signature line is not UTF-8") from None
    blob = decode_base64(coded)
    if not line.startswith(_DASH) or blob is None or len(blob) < 5:
        raise NoteError("a signature line is malformed", hint="it reads: — <name> <base64>")
    return _check_name(name), blob


def _format_signature(key: VerifierKey, signature: bytes) -> bytes:
    return _DASH + f"{key.name} {encode_base64(key.id + signature)}\n".encode()


def _encode_body(text: str) -> bytes:
    try:
        return _check_body(text.encode())
    except UnicodeEncodeError:
        raise NoteError("the text of a note has characters without UTF-8") from None


def _check_body(body: bytes) -> bytes:
    """`body` when it may be signed: UTF-8, lines ended, no control characters that hide what was signed."""
    if not body.endswith(b"\n") or any(byte < 0x20 and byte != 0x0A for byte in set(body)):
        raise NoteError("the text of a note has control characters or an unfinished line")
    try:
        body.decode()
    except UnicodeDecodeError:
        raise NoteError("the text of a note is not UTF-8") from None
    return body


def _check_size(note: bytes) -> bytes:
    if len(note) > LARGEST:
        raise NoteError(f"a note of {len(note)} bytes is refused", hint=f"the limit is {LARGEST}")
    return note


def _split_key(text: str, what: str) -> tuple[str, str, str]:
    parts = text.split("+", 2) if len(text) <= 1000 else []
    if len(parts) != 3:
        raise NoteError(f"this is not a {what}", hint="a key reads: name+8 hex digits+base64")
    return _check_printable(parts[0]), parts[1], parts[2]


def _check_name(name: str) -> str:
    """`name` when it may be in a signature line: no spaces, no plus sign."""
    if not 0 < len(name) <= LONGEST or "+" in name or any(character.isspace() for character in name):
        raise NoteError(f"{name[:40]!r} cannot name a key", hint="use a web address: no spaces, no plus sign")
    return name


def _check_printable(name: str) -> str:
    """`name` when a key of ours may have it: what it looks like is what it is."""
    if not name.isprintable():
        raise NoteError(f"{name[:40]!r} cannot name a key", hint="use a web address: no invisible characters")
    return _check_name(name)


def _decode_key(coded: str, name: str) -> tuple[int, bytes]:
    """The kind and the 32 bytes of a key, public or private."""
    blob = decode_base64(coded)
    if blob is None or len(blob) != 33:
        raise NoteError(f"the key of {name!r} is cut off or changed", hint="copy the key again")
    if blob[0] not in _KINDS:
        raise NoteError(f"the key of {name!r} is of kind {blob[0]}, which is not known here")
    return blob[0], blob[1:]


def _hash_key_id(name: str, kind: int, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def encode_base64(data: bytes) -> str:
    """Return bytes as notes and receipts write them."""
    return base64.b64encode(data).decode()


def decode_base64(text: str) -> bytes | None:
    """The bytes of strict base64 (one way to write them); None for anything else."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if encode_base64(data) == text else None
