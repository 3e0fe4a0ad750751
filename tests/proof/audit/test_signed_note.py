"""Signed notes and checkpoints: what others wrote is read, what was touched or is rubbish is refused."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.plumbing.signed_note import (
    COSIGNATURE,
    NoteError,
    SignerKey,
    VerifierKey,
    add_signature,
    cosign_checkpoint,
    list_signatures,
    open_note,
    sign_note,
)
from citeproof.proof.audit import log_state, merkle
from citeproof.proof.audit.log_state import LogCheckpoint

# The example of Go's documentation of signed notes: a private key, its public half and a note.
GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()
C2SP_PUBLIC = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"

LOG = SignerKey.generate("log.example/one")
OTHER = SignerKey.generate("log.example/other")
WITNESS = SignerKey.generate("witness.example", COSIGNATURE)
BODY = LogCheckpoint("log.example/one", 8, merkle.EMPTY).body()
NOTE = sign_note(BODY, LOG)
DASH = "— "


def test_the_example_of_go():
    key = VerifierKey.parse(GO_PUBLIC)
    assert SignerKey.parse(GO_PRIVATE).verifier == key
    assert open_note(GO_NOTE, [key]).by == (key,)
    assert sign_note(open_note(GO_NOTE, [key]).text, SignerKey.parse(GO_PRIVATE)) == GO_NOTE


def test_the_example_of_c2sp():
    key = VerifierKey.parse(C2SP_PUBLIC)
    assert (key.name, key.id.hex(), key.text) == ("example.com/foo", "530d903a", C2SP_PUBLIC)


def test_keys_are_written_and_read():
    for key in (LOG, WITNESS):
        assert SignerKey.parse(key.text + "\n") == key
        assert VerifierKey.parse(key.verifier.text + "\n") == key.verifier
    assert base64.b64encode(LOG.seed).decode()[:20] not in repr(LOG)


def test_who_signed():
    """Unknown keys say nothing, known ones are named once, a witness with its latest time."""
    note = add_signature(
        add_signature(NOTE, cosign_checkpoint(BODY, WITNESS, 1_700_000_000)),
        cosign_checkpoint(BODY, WITNESS, 1_600_000_000),
    )
    stranger = SignerKey.generate("stranger.example", COSIGNATURE)
    for when in range(20):
        note = add_signature(note, cosign_checkpoint(BODY, stranger, when))
    assert len(list_signatures(note)) == 23
    found = open_note(note, [OTHER.verifier, WITNESS.verifier, LOG.verifier, LOG.verifier])
    assert (found.text, found.by) == (BODY, (LOG.verifier, WITNESS.verifier))
    assert found.times == {WITNESS.verifier: 1_700_000_000}
    assert open_note(note, [WITNESS.verifier]).by == (WITNESS.verifier,)
    assert add_signature(note, list_signatures(note)[3].rstrip(b"\n")) == note
    assert b"".join(list_signatures(note)) == note.removeprefix(BODY.encode() + b"\n")


def test_a_line_says_what_was_signed():
    """The signed message of a cosignature, spelled out."""
    blob = base64.b64decode(cosign_checkpoint(BODY, WITNESS, 77).decode().split(" ")[2])
    assert blob[:4] == WITNESS.verifier.id
    assert int.from_bytes(blob[4:12], "big") == 77
    assert WITNESS.verifier.verifies(f"cosignature/v1\ntime 77\n{BODY}".encode(), blob[12:])
    assert blob[12:] == WITNESS.signature(f"cosignature/v1\ntime 77\n{BODY}".encode())


def test_every_changed_byte_is_refused():
    note = add_signature(NOTE, cosign_checkpoint(BODY, WITNESS, 1_700_000_000))
    keys = [LOG.verifier, WITNESS.verifier]
    for at in range(len(note)):
        changed = note[:at] + bytes([note[at] ^ 1]) + note[at + 1 :]
        try:
            found = open_note(changed, keys)
        except NoteError:
            continue
        # What is left: a line whose key is no longer known. It signs nothing, and is not counted.
        assert len(found.by) == 1
        assert found.text == BODY


def fake(name: str, key: VerifierKey, signature: bytes) -> bytes:
    return f"{DASH}{name} {base64.b64encode(key.id + signature).decode()}\n".encode()


BAD_NOTES = {
    "nothing": b"",
    "no signature": BODY.encode(),
    "no signature behind the gap": BODY.encode() + b"\n",
    "unsigned": b"\n\n\n",
    "cut off": NOTE[:-1],
    "no gap": BODY.encode() + list_signatures(NOTE)[0],
    "text not ended": b"a" + NOTE.removeprefix(BODY.encode()),
    "control characters": NOTE.replace(b"log", b"l\x1bg", 1),
    "carriage returns": NOTE.replace(b"\n", b"\r\n"),
    "not UTF-8": NOTE.replace(b"log", b"l\xffg", 1),
    "a name that is not UTF-8": NOTE + DASH.encode() + b"\xff abcdefgh\n",
    "a line without a dash": NOTE + b"- log.example/one AAAAAAAAAA==\n",
    "a line without a name": NOTE + f"{DASH} AAAAAAAAAA==\n".encode(),
    "a name with a plus": NOTE + f"{DASH}a+b AAAAAAAAAA==\n".encode(),
    "bad base64": NOTE + f"{DASH}x AAAA!AAA\n".encode(),
    "base64 not padded": NOTE.replace(b"=", b""),
    "base64 with odd last bits": NOTE + f"{DASH}x AAAAAAAAAB==\n".encode(),
    "base64 of nothing": NOTE + f"{DASH}x \n".encode(),
    "too short for a key id": NOTE + f"{DASH}x AAAAAA==\n".encode(),
    "signed by others only": sign_note(BODY, OTHER),
    "a short signature": BODY.encode() + b"\n" + fake(LOG.name, LOG.verifier, b"x" * 63),
    "a long signature": BODY.encode() + b"\n" + fake(LOG.name, LOG.verifier, b"x" * 65),
    "a cosignature without a time": NOTE + fake(WITNESS.name, WITNESS.verifier, b"x" * 5),
    "one right, one wrong of the same key": NOTE + fake(LOG.name, LOG.verifier, b"x" * 64),
    "the signature of another text": sign_note(BODY.replace("8", "9", 1), LOG).replace(b"\n9\n", b"\n8\n"),
    "another's name": NOTE.replace(b"\xe2\x80\x94 log.example/one", b"\xe2\x80\x94 log.example/two"),
    "a hundred and one signatures": NOTE
    + b"".join(cosign_checkpoint(BODY, WITNESS, when) for when in range(101)),
    "a million lines": b"a\n" * 10**6 + b"\n" + list_signatures(NOTE)[0],
    "a million signatures": BODY.encode() + b"\n" + b"\n" * 10**6,
    "a megabyte": b"a" * 10**6 + b"\n\n" + list_signatures(NOTE)[0],
    "half a million signature lines": BODY.encode() + b"\n" + b"-\n" * 480_000,
}


@pytest.mark.parametrize("name", BAD_NOTES)
def test_bad_notes(name):
    with pytest.raises(NoteError):
        open_note(BAD_NOTES[name], [LOG.verifier, WITNESS.verifier])


BAD_KEYS = [
    "",
    "a",
    "a+b",
    "a+b+c",
    C2SP_PUBLIC.replace("530d903a", "530D903A"),
    C2SP_PUBLIC.replace("530d903a", "530d903b"),
    C2SP_PUBLIC.replace("foo", "bar"),
    C2SP_PUBLIC.replace("Aeky", "Beky"),
    C2SP_PUBLIC.replace("Aeky", "Aekz"),
    C2SP_PUBLIC[:-1],
    C2SP_PUBLIC + "=",
    C2SP_PUBLIC.replace("example", "exa mple"),
    C2SP_PUBLIC.replace("example", "exa\u202emple"),
    "x" * 10**6,
    "+" * 10**6,
    "é+00000000+" + base64.b64encode(b"\x02" + b"x" * 32).decode(),
]


@pytest.mark.parametrize("text", BAD_KEYS, ids=lambda text: text[:24])
def test_bad_keys(text):
    with pytest.raises(NoteError):
        VerifierKey.parse(text)
    with pytest.raises(NoteError) as error:
        SignerKey.parse(f"PRIVATE+KEY+{text}")
    assert "AekyeRrm" not in str(error.value)


FIELD = 2**255 - 19
ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
WEAK = [
    *(y.to_bytes(32, "little") for y in (0, 1, FIELD - 1)),  # order 4, 1, 2
    bytes.fromhex(ORDER_8),
    (FIELD - int.from_bytes(bytes.fromhex(ORDER_8), "little")).to_bytes(32, "little"),
    *((FIELD + more).to_bytes(32, "little") for more in (0, 1, 3, 18)),  # written in another way
]


@pytest.mark.parametrize("kind", [1, COSIGNATURE])
@pytest.mark.parametrize("sign", [0, 0x80])
@pytest.mark.parametrize("point", WEAK, ids=lambda point: point.hex()[:8])
def test_a_key_for_which_anybody_can_sign(point, sign, kind):
    made = bytes([kind]) + point[:31] + bytes([point[31] | sign])
    id_ = hashlib.sha256(b"x.example/l\n" + made).hexdigest()[:8]
    with pytest.raises(NoteError, match="proves nothing"):
        VerifierKey.parse(f"x.example/l+{id_}+{base64.b64encode(made).decode()}")


def test_a_public_key_is_no_private_one():
    with pytest.raises(NoteError):
        SignerKey.parse(C2SP_PUBLIC)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u200bb", "x" * 256])
def test_names_that_cannot_be(name):
    with pytest.raises(NoteError):
        SignerKey.generate(name)


def test_two_keys_under_one_name_and_id():
    twin = VerifierKey(LOG.name, LOG.verifier.id, 1, OTHER.verifier.public)
    with pytest.raises(NoteError, match="two different keys"):
        open_note(NOTE, [LOG.verifier, twin])


@pytest.mark.parametrize(
    "act",
    [
        lambda: sign_note("no end", LOG),
        lambda: sign_note("", LOG),
        lambda: sign_note("tab\t\n", LOG),
        lambda: sign_note("\ud800\n", LOG),
        lambda: sign_note("x" * 10**6 + "\n", LOG),
        lambda: sign_note(BODY, WITNESS),
        lambda: cosign_checkpoint(BODY, LOG, 1),
        lambda: cosign_checkpoint(BODY, WITNESS, -1),
        lambda: cosign_checkpoint(BODY, WITNESS, 2**63),
        lambda: add_signature(NOTE, b"rubbish"),
        lambda: add_signature(NOTE, list_signatures(NOTE)[0] * 2),
        lambda: add_signature(b"rubbish", list_signatures(NOTE)[0]),
        lambda: SignerKey.generate("x", kind=2),
    ],
)
def test_what_is_not_signed(act):
    with pytest.raises(NoteError):
        act()


def test_a_public_key_that_is_no_point():
    key = VerifierKey("log.example/one", LOG.verifier.id, 1, b"\xff" * 32)
    with pytest.raises(NoteError):
        open_note(NOTE, [key])


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_rubbish_is_refused(data):
    for note in (data, data + NOTE, NOTE + data, BODY.encode() + b"\n" + data):
        try:
            assert open_note(note, [LOG.verifier]).by == (LOG.verifier,)
        except NoteError:
            continue
        assert note.startswith(BODY.encode() + b"\n") or note == NOTE


# --- checkpoints

ROOT = base64.b64encode(merkle.EMPTY).decode()
CHECKPOINTS = [
    (f"log.example\n0\n{ROOT}\n", LogCheckpoint("log.example", 0, merkle.EMPTY)),
    (
        f"go.sum database tree\n{2**63 - 1}\n{ROOT}\n",
        LogCheckpoint("go.sum database tree", 2**63 - 1, merkle.EMPTY),
    ),
    (f"log\n20\n{ROOT}\nmore\nand more\n", LogCheckpoint("log", 20, merkle.EMPTY, ("more", "and more"))),
]
NO_CHECKPOINTS = [
    "",
    "log",
    "log\n",
    "log\n1\n",
    f"log\n1\n{ROOT}",
    f"\n1\n{ROOT}\n",
    f"log\n01\n{ROOT}\n",
    f"log\n-1\n{ROOT}\n",
    f"log\n+1\n{ROOT}\n",
    f"log\n1.0\n{ROOT}\n",
    f"log\n1_0\n{ROOT}\n",
    f"log\n 1\n{ROOT}\n",
    f"log\n\u0661\n{ROOT}\n",
    f"log\n{2**63}\n{ROOT}\n",
    f"log\n{'9' * 10_000}\n{ROOT}\n",
    f"log\n1\n{ROOT[:-1]}\n",
    f"log\n1\n{ROOT[:-4]}\n",
    f"log\n1\n{ROOT}=\n",
    f"log\n1\n{ROOT[:-2]}V=\n",
    "log\n1\nAAAA\n",
    f"log\n1\n{ROOT}\n\n",
    f"log\n1\n{ROOT}\nmore",
    f"log\n1\n{ROOT}\n\nmore\n",
    f"l\x1b[2Jog\n1\n{ROOT}\n",
    f"{'x' * 256}\n1\n{ROOT}\n",
]


@pytest.mark.parametrize(("text", "read"), CHECKPOINTS)
def test_checkpoints(text, read):
    assert log_state.parse_checkpoint(text) == read
    assert read.body() == text


@pytest.mark.parametrize("text", NO_CHECKPOINTS, ids=lambda text: repr(text)[:30])
def test_no_checkpoints(text):
    with pytest.raises(NoteError):
        log_state.parse_checkpoint(text)


@given(st.text(max_size=80))
def test_rubbish_is_no_checkpoint(text):
    with pytest.raises(NoteError):
        log_state.parse_checkpoint(text)
