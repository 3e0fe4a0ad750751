"""Verification: what is sound is not alarmed; evidence, private rows and the form of entries."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeproof.plumbing.signed_note import SignerKey, VerifierKey
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit.merkle import compute_root, hash_leaves
from citeproof.proof.audit.verify.log_check import NOTHING_KEPT, OWN_KEY, verify
from tests.proof.audit.making import Made, Ticking, by_hand, copied, entry, make_log, ran, told


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("whole"), 600, tail=3)


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
    assert verify(tmp_path / "log", [key.verifier]).root == compute_root(hash_leaves(entries)).hex()
    tile = tmp_path / "log/tile/1/000"
    tile.write_bytes(b"\0" + tile.read_bytes()[1:])
    [one] = verify(tmp_path / "log", [key.verifier]).problems
    assert (one.place, one.what) == (
        "tile/1/000", "it is damaged or missing; events 0 to 65535 under it are intact",
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
        "its last commit differs from that of the log (event 1)",
        "event 1 commits to a root that does not match 1 event",
        "event 1 names a different previous commit",
    ]


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (entry(0).replace(b'{"ev"', b'{ "ev"'), "event 0 is not canonical JSON"),
        (entry(0).replace(b'"v":1', b'"v":2'), "event 0 has an invalid v, ev, run or ts"),
        (entry(0).replace(b"T00:00", b" 00:00"), "event 0 has an invalid v, ev, run or ts"),
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
    assert told(made) == ["evidence.sqlite: it is missing or empty: 43 bodies that 43 events rest on"]
    (made.folder / "evidence.sqlite").touch()  # as a full disk leaves it
    assert len(told(made)) == 1


def test_a_body_of_many_events_is_told_once(tmp_path):
    made = make_log(tmp_path, 20, runs=1, commits=1)
    with made.open() as log:
        log.append("h_0", [{"ev": "verified", "ref": 90 + n, "evidence": made.bodies[3:4]} for n in range(7)])
        log.integrate()
    _sql(
        made.folder / "evidence.sqlite",
        "DELETE FROM bodies WHERE sha256 = ?",
        bytes.fromhex(made.bodies[3]),
    )
    what = f"the body {made.bodies[3][:16]}… that event 3 and 7 others rest on is missing"
    assert told(made) == [f"evidence.sqlite: {what}"]


def log_lines(made: Made, run: str) -> list[bytes]:
    return (made.folder / f"{run}.jsonl").read_bytes().splitlines()


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
    log.integrate()
    assert len(told(made)) == 1  # the time itself is not before it
    later = entry["ts"].replace(".000Z", ".500Z")
    [seq] = log.append("log", [{"ev": "pruned", "evidence": 1, "before": later}])
    found = verify(made.folder, [made.key])  # anybody can write to the end of the journal
    assert (len(found.problems), len(found.unchecked)) == (1, 1)
    for store in ("evidence", "private"):
        what = f"event {seq} would explain what {store}.sqlite lacks, but no signature covers it"
        assert [note.partition(";")[0] for note in found.notes].count(what) == 1
    log.integrate()
    found = verify(made.folder, [made.key])
    assert (found.problems, found.unchecked) == ((), ())
    digest = next(e["evidence"][0] for e in map(json.loads, log_lines(made, "h_0")) if e.get("evidence"))
    _sql(
        made.folder / "evidence.sqlite",
        "UPDATE bodies SET data = 'x' WHERE sha256 = ?",
        bytes.fromhex(digest),
    )
    [one] = told(made)  # what was pruned is gone, not changed
    assert one.endswith("on is damaged")


def test_values_erased_with_and_without_a_word(whole, tmp_path):
    made = copied(whole, tmp_path)
    rows = [json.loads(line)["case"] for line in (made.folder / "h_0.jsonl").read_bytes().splitlines()[:2]]
    private = PrivateStore(made.folder)
    private.erase(rows)
    private.close()
    found = verify(made.folder, [made.key])
    assert (found.problems, found.sound) == ((), False)
    [what] = found.unchecked
    assert what == (
        "private.sqlite: 2 values of 603 that events commit to cannot be opened: no row has them, and no "
        "signed event says that they were erased (event 0 and others)"
    )
    keys = tmp_path / "keys"
    shutil.copytree(whole.keys, keys)
    log = Made(made.folder, keys, made.key).open()
    [seq] = log.append("h_0", [{"ev": "redacted", "commitments": rows, "reason": "asked"}])
    found = verify(made.folder, [made.key])
    assert (found.problems, found.unchecked) == ((), (what,))
    assert any(
        note.startswith(f"event {seq} would explain what private.sqlite lacks") for note in found.notes
    )
    log.integrate()
    found = verify(made.folder, [made.key])
    assert (found.problems, found.unchecked) == ((), ())


def test_a_value_that_does_not_open(whole, tmp_path):
    made = copied(whole, tmp_path)
    _sql(made.folder / "private.sqlite", "UPDATE rows SET salt = ? WHERE run = 'h_1' AND ref = 2", b"s" * 32)
    [one] = told(made)
    assert one.startswith("private.sqlite: the row of h_1/2 does not open")
    _sql(made.folder / "private.sqlite", "UPDATE rows SET run = 'zzz' WHERE run = 'h_1' AND ref = 2")
    [one] = told(made)  # wherever the row says that it belongs
    assert one.startswith("private.sqlite: the row of zzz/2 does not open")


def test_a_row_that_nobody_names(whole, tmp_path):
    made = copied(whole, tmp_path)
    salt, commitment = make_commitment(b"words")
    with closing(PrivateStore(made.folder)) as private:
        private.put([PrivateRow(commitment, "zzz", "case", 1, salt, b"words")])
    found = verify(made.folder, [made.key])
    assert found.sound
    assert "1 private row that no event names: an aborted run?" in found.notes


STATE = {
    "size": (lambda s: s | {"size": s["size"] - 1}, "its root of 601 events differs from that of the log"),
    "root": (lambda s: s | {"root": "00" * 32}, "its root of 602 events differs from that of the log"),
    "ts": (lambda s: s | {"ts": "2999-01-01T00:00:00.000Z"}, "its time is 2999-01-01T00:00:00.000Z, and the"),
    "no commit": (lambda s: s | {"commit": None}, "its last commit differs from that of the log (event 601)"),
    "another commit": (
        lambda s: s | {"commit": s["commit"] | {"root": "00" * 32}},
        "its last commit differs from that of the log",
    ),
    "another member": (lambda s: s | {"more": 1}, "its content is wrong: it was changed"),
}  # fmt: skip


@pytest.mark.parametrize("name", STATE)
def test_state_says_what_the_log_says(bare, tmp_path, name):
    made = copied(bare, tmp_path)
    change, what = STATE[name]
    state = change(json.loads((made.folder / "state.json").read_bytes()))
    (made.folder / "state.json").write_text(json.dumps(state, separators=(",", ":"), sort_keys=True))
    assert [one for one in told(made) if one.startswith(f"state.json: {what}")]


def test_commits_hold_what_their_events_took(bare, tmp_path):
    made = copied(bare, tmp_path)
    second, first = sorted((made.folder / "commits/h_0").iterdir())
    second.chmod(0o644)
    second.write_bytes(first.read_bytes())
    [one] = told(made)
    assert one == (
        f"commits/h_0/{second.name}: it holds a checkpoint of 300 events, not that of 601 that event 601 "
        "names"
    )


def test_without_private_rows(whole, tmp_path):
    made = copied(whole, tmp_path)
    (made.folder / "private.sqlite").unlink()
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    assert found.unchecked[0].startswith("private.sqlite: 603 values of 603 that events commit to cannot be")
    assert ran("verify", made.folder, "--key", made.key.text).code == 4


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
