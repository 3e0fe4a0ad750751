"""Receipts: they stand alone, and nothing of them can be changed."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.plumbing.signed_note import COSIGNATURE, SignerKey, add_signature, cosign_checkpoint, sign_note
from citeproof.proof.audit import merkle
from citeproof.proof.audit.event_proof import HEAD, Receipt, ReceiptError, check_receipt_entry, parse_receipt
from citeproof.proof.audit.log_state import LogCheckpoint

KEY = SignerKey.generate("log.example/receipts")
WITNESS = SignerKey.generate("witness.example", COSIGNATURE)
OTHER = SignerKey.generate("log.example/other")
ENTRIES = [b'{"seq":%d}' % n for n in range(21)]
LEAVES = [merkle.hash_leaf(entry) for entry in ENTRIES]
STATE = LogCheckpoint(KEY.name, len(ENTRIES), merkle.compute_root(LEAVES))
NOTE = sign_note(STATE.body(), KEY)


def hashes(level: int, index: int) -> bytes:
    return merkle.compute_root(LEAVES[index << level : (index + 1) << level])


def receipt(index: int, note: bytes = NOTE, extra: bytes = b"") -> Receipt:
    return Receipt(index, tuple(merkle.prove_inclusion(index, len(ENTRIES), hashes)), note, extra)


WHOLE = receipt(13, extra=b'{"entry":"..."}')


def test_every_entry_has_one():
    for index, entry in enumerate(ENTRIES):
        for extra in (b"", b"\x00extra"):
            made = receipt(index, extra=extra)
            assert parse_receipt(made.format()) == made
            assert check_receipt_entry(parse_receipt(made.format()), entry, [KEY.verifier]) == STATE


def test_the_format():
    lines = WHOLE.format().decode().split("\n")
    assert lines[:3] == [
        "c2sp.org/tlog-proof@v1",
        f"extra {base64.b64encode(WHOLE.extra).decode()}",
        "index 13",
    ]
    assert lines[3:9] == [*(base64.b64encode(step).decode() for step in WHOLE.proof), ""]
    assert "\n".join(lines[9:]).encode() == NOTE


def test_a_tree_of_one():
    note = sign_note(LogCheckpoint(KEY.name, 1, LEAVES[0]).body(), KEY)
    made = parse_receipt(Receipt(0, (), note).format())
    assert check_receipt_entry(made, ENTRIES[0], [KEY.verifier]).size == 1


def test_witnesses_do_not_stand_in_for_the_log():
    cosigned = add_signature(NOTE, cosign_checkpoint(STATE.body(), WITNESS, 1_700_000_000))
    assert check_receipt_entry(receipt(3, cosigned), ENTRIES[3], [WITNESS.verifier, KEY.verifier]) == STATE
    with pytest.raises(ReceiptError, match="none of the given keys belongs to the log"):
        check_receipt_entry(receipt(3, cosigned), ENTRIES[3], [WITNESS.verifier])
    namesake = SignerKey.generate(KEY.name, COSIGNATURE)
    cosigned = add_signature(NOTE, cosign_checkpoint(STATE.body(), namesake, 1_700_000_000))
    with pytest.raises(ReceiptError, match="none of the given keys belongs to the log"):
        check_receipt_entry(receipt(3, cosigned), ENTRIES[3], [namesake.verifier])
    foreign = sign_note(STATE.body(), OTHER)  # another log's key under this log's name
    with pytest.raises(ReceiptError, match="none of the given keys belongs to the log"):
        check_receipt_entry(receipt(3, foreign), ENTRIES[3], [OTHER.verifier])


PROOFS_OF_NOTHING = {
    "another entry": (receipt(3), ENTRIES[4], KEY),
    "the leaf for the entry": (receipt(3), LEAVES[3], KEY),
    "another place": (Receipt(4, receipt(3).proof, NOTE), ENTRIES[3], KEY),
    "behind the end": (Receipt(21, receipt(3).proof, NOTE), ENTRIES[3], KEY),
    "another key": (receipt(3), ENTRIES[3], OTHER),
    "no proof": (Receipt(3, (), NOTE), ENTRIES[3], KEY),
    "no checkpoint": (receipt(3, note=sign_note("hello\n", KEY)), ENTRIES[3], KEY),
    "no note": (receipt(3, note=b""), ENTRIES[3], KEY),
    "a huge size": (
        receipt(3, note=sign_note(LogCheckpoint(KEY.name, 2**63 - 1, STATE.root).body(), KEY)),
        ENTRIES[3],
        KEY,
    ),
}


@pytest.mark.parametrize("name", PROOFS_OF_NOTHING)
def test_proofs_of_nothing(name):
    made, entry, key = PROOFS_OF_NOTHING[name]
    with pytest.raises(ReceiptError):
        check_receipt_entry(made, entry, [key.verifier])


def test_every_changed_bit_is_noticed():
    """Of the whole file but the extra line, which the proof does not cover."""
    data = receipt(13).format()
    for at in range(len(data)):
        for bit in range(8):
            changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            with pytest.raises(ReceiptError):
                check_receipt_entry(parse_receipt(changed), ENTRIES[13], [KEY.verifier])


HASH = base64.b64encode(LEAVES[0]).decode()
NO_RECEIPTS = [
    "",
    HEAD,
    f"{HEAD}\n",
    f"{HEAD}\n\n",
    f"{HEAD}\nindex 1",
    f"{HEAD}2\nindex 1\n\n",
    f"c2sp.org/tlog-proof@v2\nindex 1\n\n{NOTE.decode()}",
    f"{HEAD}\nindex 01\n\n",
    f"{HEAD}\nindex -1\n\n",
    f"{HEAD}\nindex {2**63}\n\n",
    f"{HEAD}\nindex {'9' * 100_000}\n\n",
    f"{HEAD}\nindex\n\n",
    f"{HEAD}\nindex 1 \n\n",
    f"{HEAD}\nextra \nindex 1\n\n",
    f"{HEAD}\nextra A\nindex 1\n\n",
    f"{HEAD}\nindex 1\nextra AAAA\n\n",
    f"{HEAD}\nextra AAAA\nextra AAAA\nindex 1\n\n",
    f"{HEAD}\nindex 1\nAAAA\n\n",
    f"{HEAD}\nindex 1\n{HASH[:-1]}\n\n",
    f"{HEAD}\nindex 1\n {HASH}\n\n",
    f"{HEAD}\r\nindex 1\r\n\r\n",
    f"{HEAD}\nindex 1\n" + f"{HASH}\n" * 65 + "\n",
    f"{HEAD}\nindex 1\n" + f"{HASH}\n" * 300_000 + "\n",
    "\n" * 10**6,
    f"{HEAD}\nextra {'A' * 16_000_000}\nindex 1\n\n",
]


@pytest.mark.parametrize("text", NO_RECEIPTS, ids=lambda text: repr(text)[:40])
def test_no_receipts(text):
    with pytest.raises(ReceiptError):
        parse_receipt(text.encode())


def test_bytes_that_are_no_text():
    with pytest.raises(ReceiptError):
        parse_receipt(b"\xff\n\n")


@given(st.binary(max_size=200))
def test_rubbish_is_no_receipt(data):
    for made in (data, f"{HEAD}\n".encode() + data, f"{HEAD}\nindex 3\n".encode() + data):
        with pytest.raises(ReceiptError):
            check_receipt_entry(parse_receipt(made), ENTRIES[3], [KEY.verifier])
