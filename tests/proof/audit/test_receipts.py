"""Receipts: what `prove` writes, `check-receipt` and the format's own check accept; nothing else."""

from __future__ import annotations

import base64
import json
import random
import re

import pytest

from citeproof.plumbing.signed_note import SignerKey, add_signature, cosign_checkpoint
from citeproof.proof.audit import event_proof
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.event_proof import Receipt, ReceiptError
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.merkle import hash_leaf
from tests.proof.audit.making import ORIGIN, Made, Ticking, make_log, ran


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("log"), 300, tail=2)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.mark.parametrize(
    ("what", "seqs"),
    [
        ("0", [0]),
        ("299", [299]),
        ("h_0/1", [0]),
        ("h_0/75", [74]),
        ("h_1/1", [75]),
        ("h_0/76", [151]),  # after the first commit's own event
        ("smithh_03", [2]),
        ("smithh_0", []),
        ("h_0/9999", []),
        ("h_9/1", []),
        ("../etc/1", []),
        ("", []),
    ],
)
def test_find(made, what, seqs):
    assert event_proof.find_events(made.folder, what) == seqs


def test_several_verdicts_fit(tmp_path):
    """Two runs at once under one name, or a key in several runs: the numbers are told, one is to be named."""
    made = make_log(tmp_path, 8, runs=2, commits=1)
    with made.open() as log:
        log.append("h_0", [{"ev": "unchecked", "ref": 3, "verdict": "unchecked"}])
        log.integrate()
    assert event_proof.find_events(made.folder, "h_0/3") == [2, 9]
    ended = ran("prove", made.folder, "h_0/3")
    assert (ended.code, ended.out) == (2, "")
    assert "h_0/3: 2 verdicts match, events 2, 9" in ended.err
    assert f"hint: choose one by its number: `citeproof audit prove {made.folder} 9`" in ended.err
    assert ran("prove", made.folder, "9").code == 0
    assert event_proof.find_events(made.folder, "smithh_03") == [
        2
    ]  # the key is of one case, not of the number


def test_nothing_can_be_opened(tmp_path):
    made = make_log(tmp_path, 4, runs=1, commits=1)
    (made.folder / "private.sqlite").unlink()
    ended = ran("prove", made.folder, "h_0/3", "--open", "-o", tmp_path / "r")
    assert (ended.code, (tmp_path / "r").exists()) == (4, True)
    assert "warning: nothing could be opened (erased, or not stored here)" in ended.err
    assert ran("prove", made.folder, "h_0/3", "-o", tmp_path / "r").code == 0


def test_nothing_signed_yet(tmp_path):
    with AuditLog.open_or_create(tmp_path / "audit", Ticking(), KeyStore(tmp_path / "keys"), ORIGIN) as log:
        log.append("h_0", [{"ev": "verified", "ref": 1, "verdict": "matched"}])
    ended = ran("prove", tmp_path / "audit", "h_0/1")
    assert (ended.code, "nothing in this log is signed yet" in ended.err) == (3, True)


@pytest.mark.parametrize("seq", [0, 1, 150, 255, 256, 301])
@pytest.mark.parametrize("open_", [False, True])
def test_proves_itself(made, seq, open_):
    data = event_proof.prove_event(made.folder, seq, open_=open_).format()
    found = event_proof.check_receipt(data, [made.key])
    assert (found.seq, found.checkpoint.size, found.event["seq"]) == (seq, 302, seq)
    assert found.signed == (made.key,)
    assert len(found.opened) == (1 if open_ and "case" in found.event else 0)
    assert (
        event_proof.check_receipt_entry(event_proof.parse_receipt(data), found.entry, [made.key]).origin
        == ORIGIN
    )


def test_without_open_nothing_private_is_in_it(made):
    closed, opened = (event_proof.prove_event(made.folder, 2, open_=flag).format() for flag in (False, True))
    texts = [base64.b64decode(re.search(rb"extra (\S+)", data)[1]) for data in (closed, opened)]
    assert [b"smithh_03" in base64.b64decode(_value(text)) for text in texts[1:]] == [True]
    assert b"opened" not in texts[0]
    assert b"smithh_03" not in texts[0]


def _value(extra: bytes) -> str:
    [row] = json.loads(extra)["opened"].values()
    return row["data"]


def test_not_yet_signed(made):
    for seq in ("302", "99999"):
        ended = ran("prove", made.folder, seq)
        assert ended.code == 3
        assert ended.err.startswith("error: ")
        assert "  hint: sign what is there with `citeproof audit commit`" in ended.err


def test_every_change_is_refused(made):
    """A bit flipped anywhere but in a part that says nothing makes the receipt false."""
    data = event_proof.prove_event(made.folder, 40, open_=True).format()
    chance = random.Random(3)
    for _ in range(1500):
        at = chance.randrange(len(data))
        bad = bytearray(data)
        bad[at] ^= 1 << chance.randrange(8)
        with pytest.raises(ReceiptError):
            event_proof.check_receipt(bytes(bad), [made.key])


def _with(made: Made, **extra) -> bytes:
    """Return a receipt of event 2 that carries other things beside its entry."""
    true = event_proof.prove_event(made.folder, 2, open_=True)
    told = {**json.loads(true.extra), **extra}
    return Receipt(true.index, true.proof, true.checkpoint, encode_canonical(told)).format()


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"entry": "{}"}, "the entry is not in the log under this checkpoint"),
        (
            {"opened": {"00": {"salt": "00", "data": "AA=="}}},
            "it opens a value that the event does not commit to",
        ),
        ({"opened": {"00": {"salt": "zz", "data": "AA=="}}}, "a value that it opens is malformed"),
        ({"opened": {"00": {}}}, "a value that it opens is malformed"),
        ({"opened": 3}, "it does not contain its event"),
        ({"entry": None}, "it does not contain its event"),
    ],
)
def test_what_it_carries_must_fit(made, extra, why):
    with pytest.raises(ReceiptError) as error:
        event_proof.check_receipt(_with(made, **extra), [made.key])
    assert error.value.message == why


def test_a_value_that_was_changed(made):
    true = json.loads(event_proof.prove_event(made.folder, 2, open_=True).extra)
    [(commitment, row)] = true["opened"].items()
    lie = {"salt": row["salt"], "data": base64.b64encode(b"{}").decode()}
    with pytest.raises(ReceiptError, match="does not match its commitment in the event"):
        event_proof.check_receipt(_with(made, opened={commitment: lie}), [made.key])


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"c2sp.org/tlog-proof@v1\n", b"x" * 17_000_000])
def test_rubbish(tmp_path, data):
    (tmp_path / "r").write_bytes(data)
    ended = ran("check-receipt", tmp_path / "r")
    assert (ended.code, ended.out.splitlines()[-1]) == (1, "the receipt is not valid")


def test_commands(made, tmp_path):
    file = tmp_path / "third.tlog-proof"
    assert ran("prove", made.folder, "h_0/3", "-o", file, "--open").code == 0
    ended = ran("check-receipt", file, "--key", made.key.text)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"proved: this is event 2 of the log {ORIGIN} when it had 302 events\n")
    assert (
        "event    verified, run h_0, ref 3, verdict matched, label VALID, doi 10.5555/case.3\n" in ended.out
    )
    assert '"key": "smithh_03"' in ended.out
    unnamed = ran("check-receipt", file)
    assert (unnamed.code, unnamed.out.startswith("consistent, but the signature was not checked")) == (
        0,
        True,
    )
    assert unnamed.err == f"warning: signed by a key you did not give ({ORIGIN}): give --key\n"
    other = SignerKey.generate(ORIGIN).verifier
    assert ran("check-receipt", file, "--key", other.text).code == 1
    plain = ran("prove", made.folder, "smithh_03")
    assert (plain.code, plain.out.splitlines()[0]) == (0, "c2sp.org/tlog-proof@v1")
    (tmp_path / "p").write_text(plain.out)
    assert (
        "closed   1 value that the event commits to is not shown" in ran("check-receipt", tmp_path / "p").out
    )
    found = json.loads(ran("check-receipt", file, "--format", "json", "--key", made.key.text).out)
    assert (found["seq"], found["event"]["ref"], found["signed"]) == (2, 3, [made.key.text])


def test_witnesses_are_named(made, tmp_path):
    witness = SignerKey.generate("witness.example/w", 4)
    true = event_proof.prove_event(made.folder, 5)
    text = (true.checkpoint.rpartition(b"\n\n")[0] + b"\n").decode()
    note = add_signature(true.checkpoint, cosign_checkpoint(text, witness, 1_700_000_000))
    (tmp_path / "r").write_bytes(Receipt(true.index, true.proof, note, true.extra).format())
    keys = ["--key", made.key.text, "--key", witness.verifier.text]
    assert (
        "cosigned by the witness witness.example/w at 2023-11-14T22:13:20Z"
        in ran("check-receipt", tmp_path / "r", *keys).out
    )
    assert ran("check-receipt", tmp_path / "r", *keys[2:]).code == 1  # the log itself must have signed


def test_hostile_text_is_shown_harmless(tmp_path):
    made = make_log(tmp_path, 0, runs=1, commits=1, bare=True)
    with made.open() as log:
        [seq] = log.append("h_0", [{"ev": "verified", "ref": 1, "verdict": "\x1b[31m\u202ematched"}])
        log.integrate()
    assert ran("prove", made.folder, seq, "-o", tmp_path / "r").code == 0
    out = ran("check-receipt", tmp_path / "r", "--key", made.key.text).out
    assert not {"\x1b", "\u202e"} & set(out)


def test_a_log_that_does_not_prove_it(tmp_path):
    made = make_log(tmp_path, 4, runs=1, commits=1, bare=True)
    bundle = made.folder / "tile/entries/000.p/5"
    bundle.write_bytes(bundle.read_bytes().replace(b'"ref":2,', b'"ref":7,'))
    ended = ran("prove", made.folder, "1", "-o", tmp_path / "r")
    assert (ended.code, (tmp_path / "r").exists()) == (1, False)
    assert "the log does not prove event 1" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["prove", "nowhere", "1"], 3),
        (["prove", "LOG", "h_0/9999"], 3),
        (["prove", "LOG", "1", "-o", "no/such/folder/x"], 2),
        (["check-receipt", "nowhere"], 2),
        (["check-receipt", "nowhere", "--key", "none"], 2),
    ],
)
def test_wrongly_used(made, tmp_path, monkeypatch, arguments, code):
    monkeypatch.chdir(tmp_path)
    assert ran(*(made.folder if text == "LOG" else text for text in arguments)).code == code


def test_leaf_is_the_line(made):
    line = (made.folder / "h_0.jsonl").read_bytes().splitlines()[0]
    found = event_proof.check_receipt(event_proof.prove_event(made.folder, 0).format(), [made.key])
    assert hash_leaf(found.entry) == hash_leaf(line)
