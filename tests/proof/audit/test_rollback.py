"""A log set back, rewritten or signed by others; and what a crash or a writer at work leaves."""

from __future__ import annotations

import json
import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeproof.plumbing.signed_note import SignerKey, add_signature, cosign_checkpoint, open_note, sign_note
from citeproof.proof.audit.anchors.base import AnchorContext, make
from citeproof.proof.audit.log_state import LogCheckpoint, parse_checkpoint
from citeproof.proof.audit.verify.log_check import NOTHING_KEPT, OWN_KEY, verify
from citeproof.proof.audit.verify.log_files import KeptCheckpoint
from tests.proof.audit.making import (
    ORIGIN,
    Made,
    Ticking,
    by_hand,
    copied,
    entry,
    make_log,
    ran,
    text_of,
    told,
)

pytestmark = pytest.mark.slow

# --- rolled back, replaced, crashed -------------------------------------------------------------------


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> tuple[Made, Path, bytes]:
    """A log, a copy of it as it was before its last events, and its checkpoint now."""
    place = tmp_path_factory.mktemp("history")
    made = make_log(place, 300, bare=True, commits=1)
    shutil.copytree(made.folder, place / "before")
    with made.open() as log:
        log.append("h_0", [{"ev": "verified", "ref": 900}] * 40)
        log.integrate()
    return made, place / "before", (made.folder / "checkpoint").read_bytes()


def test_rolled_back_to_a_consistent_state(history):
    made, before, checkpoint = history
    found = verify(before, [made.key])
    assert found.sound
    assert NOTHING_KEPT in found.notes
    found = verify(before, [made.key], kept=[checkpoint])
    assert [(one.kind, one.what) for one in found.problems] == [
        ("rollback", "the log was rolled back: it had 341 events, 40 of them are gone")
    ]
    assert NOTHING_KEPT not in found.notes


def test_rolled_back_with_commits_left_in_place(history, tmp_path):
    made, before, checkpoint = history
    shutil.copytree(before, tmp_path / "log")
    (tmp_path / "log/commits/h_0/2026-04-01T00.merkle").write_bytes(checkpoint)
    [one] = verify(tmp_path / "log", [made.key]).problems
    assert (one.place, one.kind) == ("commits/h_0/2026-04-01T00.merkle", "rollback")


def test_rewritten_and_signed_again(tmp_path):
    """Who has the key can write another past; a checkpoint that was kept tells."""
    key = by_hand(tmp_path / "log", [entry(seq) for seq in range(9)])
    kept = (tmp_path / "log/checkpoint").read_bytes()
    shutil.rmtree(tmp_path / "log")
    other = [entry(seq).replace(b"verified", b"unchecked") for seq in range(12)]
    by_hand(tmp_path / "log", other)
    signed = parse_checkpoint(text_of((tmp_path / "log/checkpoint").read_bytes()))
    (tmp_path / "log/checkpoint").write_bytes(sign_note(signed.body(), key))
    about = (tmp_path / "log/log.json").read_text()
    vkey = json.loads(about)["key"]
    (tmp_path / "log/log.json").write_text(about.replace(vkey, key.verifier.text))
    assert verify(tmp_path / "log", [key.verifier]).sound
    [one] = verify(tmp_path / "log", [key.verifier], kept=[KeptCheckpoint("mine", kept)]).problems
    assert (one.place, one.what) == ("mine", "the first 9 events are not those that were signed then")


def test_signed_by_another_key(bare, tmp_path):
    made = copied(bare, tmp_path)
    forger = SignerKey.generate(ORIGIN)
    text = text_of((made.folder / "checkpoint").read_bytes())
    (made.folder / "checkpoint").write_bytes(sign_note(text, forger))
    assert told(made) == ["checkpoint: none of the given keys signed this"]
    about = (made.folder / "log.json").read_text().replace(made.key.text, forger.verifier.text)
    (made.folder / "log.json").write_text(about)
    shutil.rmtree(made.folder / "commits")
    assert verify(made.folder).problems == ()  # its own key proves nothing
    assert OWN_KEY in verify(made.folder).notes
    assert told(made) == [
        "log.json: the key it names is not the one that was given",
        "checkpoint: none of the given keys signed this",
    ]


def test_only_a_witness_signed(bare, tmp_path):
    made = copied(bare, tmp_path)
    witness = SignerKey.generate("witness.example/w", 4)
    note = (made.folder / "checkpoint").read_bytes()
    cosigned = add_signature(note, cosign_checkpoint(text_of(note), witness, 1_700_000_000))
    (made.folder / "checkpoint").write_bytes(cosigned)
    found = verify(made.folder, [made.key, witness.verifier])
    assert (found.problems, found.times) == ((), (("witness.example/w", 1_700_000_000),))
    alone = (text_of(note) + "\n").encode() + cosigned.splitlines(keepends=True)[-1]
    assert open_note(alone, [witness.verifier])
    (made.folder / "checkpoint").write_bytes(alone)
    [one] = verify(made.folder, [made.key, witness.verifier]).problems
    assert one.what == "it is not signed by the key of the log it names"


@pytest.mark.parametrize("also", ["", "journal removed"])
def test_crash_before_the_signature(tmp_path, also):
    """Tiles and state.json are ahead of the checkpoint: what is there counts as not yet signed."""
    made = make_log(tmp_path, 300, bare=True, commits=1)
    before = (made.folder / "checkpoint").read_bytes()
    with made.open() as log:
        log.append("h_0", [{"ev": "verified", "ref": 900}] * 20)
        log.integrate()
    (made.folder / "checkpoint").write_bytes(before)
    found = verify(made.folder, [made.key])
    assert (found.problems, found.size, found.counts["unsigned"]) == ((), 301, 20)
    signed = next(made.keys.glob("*.signed")).read_bytes()  # a crash after the signature: it was kept first
    found = verify(made.folder, [made.key], kept=[KeptCheckpoint("the last one signed", signed, early=True)])
    assert found.problems == ()
    assert [one.partition("; a writer")[0] for one in found.unchecked] == [
        "the checkpoint is older than the last one signed, which signs 20 more events"
    ]
    assert len(verify(made.folder, [made.key], kept=[signed]).problems) == 1  # others get what is published
    if also:
        (made.folder / "journal-321").unlink()
        assert "journal" in verify(made.folder, [made.key]).problems[0].place


def test_what_a_crash_leaves_is_no_tampering(bare, tmp_path):
    """A torn journal line, and lines that the run's file lacks."""
    made = copied(bare, tmp_path)
    keys = tmp_path / "keys"
    shutil.copytree(bare.keys, keys)
    with Made(made.folder, keys, made.key).open() as log:
        log.append("h_0", [{"ev": "verified", "ref": n} for n in range(5)])
        log.append("h_new", [{"ev": "verified", "ref": 1}])
    run = made.folder / "h_0.jsonl"
    run.write_bytes(run.read_bytes()[:-150])
    (made.folder / "h_new.jsonl").unlink()
    with (made.folder / "journal-602").open("ab") as journal:
        journal.write(b'{"ev":"veri')
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    notes = " ".join(found.notes)
    assert "h_0.jsonl lacks 2 lines that the journal has" in notes
    assert "h_new.jsonl is not written yet" in notes
    assert "ends in a half-written line" in notes
    journal = made.folder / "journal-602"
    journal.write_bytes(journal.read_bytes().replace(b'"ref":2', b'"ref":x'))
    assert "journal-602: line 3 does not parse or continue: it was changed" in told(made)


def test_rotated(tmp_path):
    """Both logs verify; another end of the closed one does not fit what the new one says of it."""
    made = make_log(tmp_path, 100, bare=True)
    with made.open() as log:
        before = log.integrate()
        place = log.rotate()
        log.append("h_0", [{"ev": "verified", "ref": 1}])
        log.integrate()
        key = log.key
    assert verify(place, [made.key]).problems == ()
    found = verify(made.folder, [key])
    assert found.problems == ()
    assert "1 closed log stands in closed: verify each of them separately" in found.notes
    (place / "checkpoint").write_bytes(before)
    [one] = verify(made.folder, [key]).problems
    assert (one.kind, one.what) == (
        "rollback", "it ends with 102 events, not as event 0 of this log says",
    )  # fmt: skip
    shutil.rmtree(place)
    assert f"the log before this one, {ORIGIN}, is not here" in verify(made.folder, [key]).notes


def test_beside_a_writer(tmp_path):
    """A log that is written, signed and committed all the time is sound at every moment."""
    made = make_log(tmp_path, 100, bare=True, commits=1)
    stop = threading.Event()

    def write() -> None:
        clock = Ticking(datetime(2026, 4, 1, tzinfo=UTC))
        anchor = make("folder:commits", AnchorContext(made.folder, clock))
        with made.open(clock) as log:
            for number in range(100_000):
                log.append(f"h_{number % 3}", [{"ev": "verified", "ref": number}] * 30)
                if number % 3 == 0:
                    log.commit("h_0", [anchor])
                if stop.is_set():
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        sizes: list[int] = []
        while len(sizes) < 3 or (sizes[-1] == sizes[0] and len(sizes) < 100):  # a busy machine lets it wait
            found = verify(made.folder, [made.key])
            assert found.problems == ()
            sizes.append(found.size)
    finally:
        stop.set()
        writer.join()
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]


def test_command_with_kept_checkpoints(history, tmp_path, home, monkeypatch):
    made, before, checkpoint = history
    kept = tmp_path / "kept"
    kept.write_bytes(checkpoint)
    ended = ran("verify", before, "--key", made.key.text, "--checkpoint", kept)
    assert (ended.code, "rolled back" in ended.out) == (1, True)
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(made.keys))  # what the key signed last is known there
    assert ran("verify", before).code == 1
    assert ran("verify", made.folder, "--checkpoint", kept).code == 0
    assert ran("verify", made.folder, "--checkpoint", tmp_path / "none").code == 2


def test_command_asks_the_anchors(history, tmp_path, home, monkeypatch):
    made, before, checkpoint = history
    (tmp_path / "safe/h_0").mkdir(parents=True)
    (tmp_path / "safe/h_0/2026-04-01T00.merkle").write_bytes(checkpoint)
    other = SignerKey.generate("example.org/other")
    text = LogCheckpoint("example.org/other", 10**6, b"r" * 32).body()
    (tmp_path / "safe/h_0/2026-04-01T01.merkle").write_bytes(sign_note(text, other))
    assert "the settings name no anchor" in ran("verify", before, "--anchors").out
    monkeypatch.setenv("CITEPROOF_AUDIT_ANCHORS", f"folder:{tmp_path / 'safe'}")
    ended = ran("verify", before, "--anchors", "--key", made.key.text)
    assert (ended.code, ended.out.count("✗")) == (1, 1)
    assert "rolled back" in ended.out
    assert ran("verify", made.folder, "--anchors", "--key", made.key.text).code == 0
