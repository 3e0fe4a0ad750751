"""Verification: what is sound is not alarmed; evidence, private rows and the form of entries."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeproof.audit.looking.rebuilding import leaves
from citeproof.audit.merkle import root
from citeproof.audit.note import SignerKey, VerifierKey
from citeproof.audit.verifying import NOTHING_KEPT, OWN_KEY, verify
from citeproof.stores.private import Private
from tests.audit.making import Made, Ticking, by_hand, copied, entry, make_log, ran, told


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("whole"), 600, tail=3)


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("bare"), 600, bare=True)


@pytest.fixture
def home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("AUDIT_DIR", "AUDIT_KEY", "AUDIT_ANCHORS"):
        monkeypatch.delenv(f"CITEPROOF_{name}", raising=False)


# --- what is sound ---------------------------------------------------------------------------------


@pytest.mark.parametrize("events", [0, 1, 2, 255, 256, 257, 600])
def test_sound_at_every_size(tmp_path, events):
    made = make_log(tmp_path, events, runs=1, commits=1, bare=True)
    found = verify(made.folder, [made.key], deep=True)
    assert (found.problems, found.unchecked, found.size) == ((), (), made.size)


def test_sound_with_everything(whole):
    found = verify(whole.folder, [whole.key], deep=True)
    assert (found.problems, found.unchecked) == ((), ())
    assert found.counts == {
        "events": 602, "runs": 2, "commits": 2, "checkpoints": 2, "unsigned": 3,
        "bodies": 43, "named": 43, "rows": 603, "commitments": 603,
    }  # fmt: skip
    assert NOTHING_KEPT in found.notes
    assert OWN_KEY not in found.notes
    assert "3 events at the end are not yet signed" in found.notes


def test_own_key_is_told(bare):
    found = verify(bare.folder)
    assert found.sound
    assert OWN_KEY in found.notes


def test_over_two_levels(tmp_path):
    """More than 256 * 256 entries, made without the writer: three levels of tiles."""
    size = 66_000
    entries = [entry(seq) for seq in range(size)]
    key = by_hand(tmp_path / "log", entries)
    assert verify(tmp_path / "log", [key.verifier]).problems == ()
    assert verify(tmp_path / "log", [key.verifier]).root == root(leaves(entries)).hex()
    tile = tmp_path / "log/tile/1/000"
    tile.write_bytes(b"\0" + tile.read_bytes()[1:])
    [one] = verify(tmp_path / "log", [key.verifier]).problems
    assert (one.place, one.what) == (
        "tile/1/000", "it is damaged or missing; events 0 to 65535 under it are whole",
    )  # fmt: skip


def test_wrong_order_and_time(tmp_path):
    """An owner of the key may sign what it likes; that entries are out of order shows all the same."""
    entries = [entry(0), entry(2), entry(2).replace(b"00:00.000Z", b"00:01.000Z"), entry(3)]
    key = by_hand(tmp_path / "log", entries)
    found = [one.what for one in verify(tmp_path / "log", [key.verifier]).problems]
    assert found == [
        "event 1 says that it is event 2", "event 3 has a time before that of the event before it",
    ]  # fmt: skip


def test_commit_events_are_checked(tmp_path):
    wrong = entry(1).replace(b'verified"', b'merkle_commit","prior":"x","root":"00","size":1')
    key = by_hand(tmp_path / "log", [entry(0), wrong])
    assert [one.what for one in verify(tmp_path / "log", [key.verifier]).problems] == [
        "event 1 commits to a root that 1 events do not have",
        "event 1 names another commit before it than there is",
    ]


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (entry(0).replace(b'{"ev"', b'{ "ev"'), "event 0 is not canonical JSON"),
        (entry(0).replace(b'"v":1', b'"v":2'), "event 0 has no right v, ev, run or ts"),
        (entry(0).replace(b"T00:00", b" 00:00"), "event 0 has no right v, ev, run or ts"),
        (entry(0).replace(b'{"ev"', b'{"conf":"high","ev"'), "event 0 has a member of a wrong type"),
        (entry(0).replace(b"verified", b"title_mismatch"), "event 0 lacks actual, attributed"),
    ],
)
def test_deep_looks_at_the_form(tmp_path, entry, what):
    key = by_hand(tmp_path / "log", [entry])
    assert verify(tmp_path / "log", [key.verifier]).problems == ()
    [one] = verify(tmp_path / "log", [key.verifier], deep=True).problems
    assert one.what.startswith(what)


# --- evidence and private rows ------------------------------------------------------------------------


def _sql(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def test_a_body_removed_and_one_changed(whole, tmp_path):
    made = copied(whole, tmp_path)
    store = made.folder / "evidence.sqlite"
    _sql(store, "DELETE FROM bodies WHERE sha256 = ?", bytes.fromhex(made.bodies[3]))
    _sql(
        store,
        "UPDATE bodies SET data = x'00', packed = 0, length = 1 WHERE sha256 = ?",
        bytes.fromhex(made.bodies[5]),
    )
    assert told(made) == [
        f"evidence.sqlite: the body {made.bodies[3][:16]}… that event 3 rests on is missing",
        f"evidence.sqlite: the body {made.bodies[5][:16]}… that event 5 rests on is damaged",
    ]


def test_all_bodies_removed(whole, tmp_path):
    made = copied(whole, tmp_path)
    (made.folder / "evidence.sqlite").unlink()
    found = verify(made.folder, [made.key])
    assert (len(found.problems), found.more) == (43, 0)


def test_pruned_bodies_and_values_are_excused(whole, tmp_path):
    made = copied(whole, tmp_path)
    keys = tmp_path / "keys"
    shutil.copytree(whole.keys, keys)
    entry = json.loads((made.folder / "h_0.jsonl").read_bytes().splitlines()[160])
    _sql(
        made.folder / "evidence.sqlite",
        "DELETE FROM bodies WHERE sha256 = ?",
        bytes.fromhex(entry["evidence"][0]),
    )
    _sql(made.folder / "private.sqlite", "DELETE FROM rows WHERE commitment = ?", entry["case"])
    assert len(told(made)) == 1
    log = Made(made.folder, keys, made.key).open(Ticking(datetime(2026, 5, 1, tzinfo=UTC)))
    log.append("log", [{"ev": "pruned", "evidence": 1, "before": entry["ts"]}])
    assert len(told(made)) == 1  # the time itself is not before it
    later = entry["ts"].replace(".000Z", ".500Z")
    log.append("log", [{"ev": "pruned", "evidence": 1, "before": later}])
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    assert not any("erased" in note for note in found.notes)


def test_values_erased_with_and_without_a_word(whole, tmp_path):
    made = copied(whole, tmp_path)
    rows = [json.loads(line)["case"] for line in (made.folder / "h_0.jsonl").read_bytes().splitlines()[:2]]
    private = Private(made.folder)
    private.erase(rows)
    private.close()
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    assert any(note.startswith("2 values were erased without a word") for note in found.notes)
    keys = tmp_path / "keys"
    shutil.copytree(whole.keys, keys)
    Made(made.folder, keys, made.key).open().append(
        "h_0", [{"ev": "redacted", "commitments": rows, "reason": "asked"}]
    )
    assert not any("erased" in note for note in verify(made.folder, [made.key]).notes)


def test_a_value_that_does_not_open(whole, tmp_path):
    made = copied(whole, tmp_path)
    _sql(made.folder / "private.sqlite", "UPDATE rows SET salt = ? WHERE run = 'h_1' AND ref = 2", b"s" * 32)
    [one] = told(made)
    assert one.startswith("private.sqlite: the row of h_1/2 does not open")


def test_without_private_rows(whole, tmp_path):
    made = copied(whole, tmp_path)
    (made.folder / "private.sqlite").unlink()
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    assert "the clear values behind 603 commitments are not here: none was opened" in found.notes


# --- the command ---


def test_command(whole, tmp_path, home, monkeypatch):
    key = tmp_path / "log.pub"
    key.write_text(f"# the log\n{whole.key.text}\n")
    ended = ran("verify", whole.folder, "--key", key)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "sound")
    assert NOTHING_KEPT in ended.out
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(whole.keys))
    assert NOTHING_KEPT not in ran("verify", whole.folder, "--key", whole.key.text).out
    monkeypatch.setenv("CITEPROOF_AUDIT_DIR", str(whole.folder))
    found = json.loads(ran("verify", "--deep", "--format", "json").out)
    assert (found["problems"], found["counts"]["events"]) == ([], 602)


def test_command_tells_what_was_touched(bare, tmp_path, home):
    made = copied(bare, tmp_path)
    run = made.folder / "h_0.jsonl"
    run.write_bytes(run.read_bytes().replace(b'"ref":7,', b'"ref":8,'))
    ended = ran("verify", made.folder, "--key", made.key.text, "--quiet")
    assert ended.code == 1
    assert ended.out.splitlines()[0] == "✗ h_0.jsonl: line 7 was changed: event 6"
    assert ended.out.splitlines()[-1] == "1 problem found"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["verify"], 2), (["verify", "nowhere"], 3), (["verify", ".", "--key", "none"], 2)],
)
def test_command_wrongly_used(arguments, code, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ran(*arguments).code == code


def test_keys_of_the_wrong_log(bare, home):
    other = SignerKey.generate("example.org/else").verifier
    ended = ran("verify", bare.folder, "--key", other.text)
    assert (ended.code, "none of the given keys signed this" in ended.out) == (1, True)
    assert VerifierKey.parse(other.text) == other
