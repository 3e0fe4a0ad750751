"""A log closed and another begun in its place, tied to it; begun rotations are completed."""

from __future__ import annotations

import json
import re
import threading

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.signed_note import VerifierKey, open_note
from citeproof.proof.audit import log_creation, log_state
from citeproof.proof.audit.anchors.base import AnchorContext, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import parse_checkpoint
from citeproof.proof.audit.run_lock import RunLock
from tests.proof.audit.logs import Shelf, Ticking, again, assert_sound, events, made

pytestmark = pytest.mark.slow


def test_rotated(tmp_path):
    log, other, shelf = made(tmp_path), again(made(tmp_path).folder.parent), Shelf()
    log.append("a", events(300))
    closed = log.rotate([shelf])
    assert re.fullmatch(r"log-20261115T1200\d\d", closed.name)
    assert closed.parent == tmp_path / "log/closed"
    old = assert_sound(closed)
    assert [entry["ev"] for entry in old[299:]] == ["verified", "merkle_commit", "log_closed"]
    assert log.append("a", events(2)) == [1, 2]
    assert other.append("a", events(1)) == [3]  # who had it open goes on in the new one
    new = assert_sound(tmp_path / "log")
    assert [entry["ev"] for entry in new] == ["log_opened", "verified", "verified", "verified"]
    was, now = (json.loads((folder / "log.json").read_bytes()) for folder in (closed, tmp_path / "log"))
    ended = json.loads((closed / "state.json").read_bytes())
    tie = {name: new[0][name] for name in ("origin", "size", "root", "key")}
    assert tie == {"origin": was["origin"], "size": 302, "root": ended["root"], "key": was["key"]}
    assert (old[-1]["origin"], old[-1]["key"]) == (now["origin"], now["key"])
    assert was["key"] != now["key"]
    assert open_note(log.integrate(), [VerifierKey.parse(now["key"])])
    assert len(shelf.given) == 1


def test_rotated_twice_in_a_second_and_by_name(tmp_path):
    log = made(tmp_path)
    folders = [log.rotate(origin="example.org/next/log"), log.rotate(origin="example.org/third")]
    assert log.key.name == "example.org/third"
    assert len(set(folders)) == 2
    for folder in (*folders, log.folder):
        assert_sound(folder)
    with pytest.raises(UsageError, match="not a valid log name"):
        log.rotate(origin="a b")


def test_the_first_entry_of_the_new_log_is_signed(tmp_path):
    log = made(tmp_path)
    log.rotate()
    assert parse_checkpoint(open_note((log.folder / "checkpoint").read_bytes(), [log.key]).text).size == 1


def test_what_runs_hold_stays(tmp_path):
    log = made(tmp_path)
    log.append("lock.run-x", events(1))
    for name in ("lock.runs", "lock.run-a"):
        (log.folder / name).touch()
    closed = log.rotate()
    assert sorted(path.name for path in log.folder.glob("lock.run*")) == ["lock.run-a", "lock.runs"]
    assert_sound(closed)


def test_not_under_a_run(tmp_path):
    """Evidence of a run that is under way would go to the log that was moved."""
    log = made(tmp_path)
    log.append("a", events(3))
    keys = sorted((tmp_path / "keys").iterdir())
    held = [RunLock(log.folder, "a"), RunLock(log.folder)]
    for one in held:
        with pytest.raises(AuditError, match="a run is being written") as told:
            again(tmp_path).rotate([Shelf()])
        assert told.value.hint
        one.let_go()
    assert (log.size, sorted((tmp_path / "keys").iterdir())) == (3, keys)  # nothing was done
    inode = (log.folder / "lock.runs").stat().st_ino
    again(tmp_path).rotate()
    assert (log.folder / "lock.runs").stat().st_ino == inode  # who waits for it gets the right one
    RunLock(log.folder, "a").let_go()


def test_a_run_waits_for_a_rotation(tmp_path):
    log, begun = made(tmp_path), []
    log.append("a", events(3))

    class Slow(Shelf):
        def put(self, run, hour, checkpoint):
            begun.append(threading.Thread(target=lambda: RunLock(log.folder, "b").let_go()))
            begun[0].start()
            begun[0].join(0.1)
            begun.append(begun[0].is_alive())
            return super().put(run, hour, checkpoint)

    log.rotate([Slow()])
    begun[0].join()
    assert begun[1]


STAYING = (
    "main.key",
    "00112233.signed",
    "README",
    "notes.txt",
    "journal-9.bak",
    "evidence.sqlite.bak",
    ".git",
)
GOING = (
    ".log.json.new",
    "a.jsonl.torn-2026",
    "commits",
    "evidence.sqlite",
    "evidence.sqlite-wal",
    "journal.torn-2026",
    "private.sqlite",
    "stamps",
    "witness-0123abcd.size",
    "worm",
)


def test_nothing_moves_behind_a_link_out_of_the_project(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "project" / ".git").mkdir(parents=True)
    log = made(tmp_path / "project")
    (tmp_path / "project" / "log" / "closed").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="points outside the project"):
        log.rotate()
    assert list((tmp_path / "outside").iterdir()) == []
    assert log.append("a", events(1)) == [2]  # it was signed; it goes on as before


def test_only_what_is_of_the_log_moves(tmp_path):
    log = made(tmp_path)
    log.append("a", events(3))
    for name in (*STAYING, *GOING):
        (log.folder / name).mkdir() if name in ("stamps", "worm", "commits") else (log.folder / name).touch()
    around = AnchorContext(log.folder, log.clock)
    anchors = [make(f"folder:{place}", around) for place in ("worm/deep", "stamps", "../worm", tmp_path, ".")]
    closed = log.rotate([*anchors, Shelf()])
    assert {path.name for path in log.folder.iterdir()} >= set(STAYING)
    assert {path.name for path in closed.iterdir()} >= {*GOING, "a.jsonl", "log.jsonl", "tile", "checkpoint"}
    assert not {path.name for path in closed.iterdir()} & {*STAYING, "closed", "lock"}
    assert_sound(closed)
    assert [entry["ev"] for entry in assert_sound(log.folder)] == ["log_opened"]


@pytest.mark.parametrize("keys", ["log", "log/keys", "log/main.key", "log/../log/keys"])
def test_keys_belong_apart(tmp_path, keys):
    with pytest.raises(AuditError, match="must not be inside") as told:
        AuditLog.open_or_create(tmp_path / "log", Ticking(), KeyStore(tmp_path / keys))
    assert "CITEPROOF_AUDIT_KEY" in told.value.hint
    assert not (tmp_path / "log").exists()


def test_a_key_inside_a_log_that_was_made_before_stays_and_serves(tmp_path):
    made(tmp_path)
    (tmp_path / "keys").rename(tmp_path / "log/keys")
    log = AuditLog.open_or_create(tmp_path / "log", Ticking(), KeyStore(tmp_path / "log/keys"))
    log.append("a", events(2))
    closed = log.rotate()
    assert log.append("a", events(1)) == [1]
    assert not (closed / "keys").exists()
    assert len(assert_sound(closed)) == 4


@pytest.mark.parametrize("moved", [0, 1, 3, 99])
@pytest.mark.parametrize("begun", [False, True])
def test_a_rotation_that_was_begun_is_completed_by_who_comes_next(tmp_path, moved, begun):
    """As a crash leaves it: some files moved; or all, and the new log half made."""
    log = made(tmp_path)
    log.append("a", events(5))
    log.integrate()
    key = log.keys.make("example.org/next")
    plan = log_state.RotationPlan("log-x", log_creation.make_head(key, "2026-11-15T12:00:00.000Z"), FIRST)
    before = json.loads((log.folder / "log.json").read_bytes())
    log_state.save_state_file(log.folder, log_state.ROTATING, plan)
    closed = log.folder / "closed" / "log-x"
    closed.mkdir(parents=True)
    names = [
        path for path in sorted(log.folder.iterdir()) if path.name not in ("lock", "closed", "rotating.json")
    ]
    for path in names[: 99 if begun else moved]:
        path.rename(closed / path.name)
    if begun:
        log_state.save_state_file(
            log.folder, log_state.ROTATING, log_state.RotationPlan(plan.to, plan.head, plan.first, moved=True)
        )
        for name in ("journal-0", "state.json")[: moved % 3]:
            (log.folder / name).write_bytes(b"hal")
    assert [entry["ev"] for entry in assert_sound(again(tmp_path).folder)] == ["log_opened"]
    assert len(assert_sound(closed)) == 5
    assert json.loads((closed / "log.json").read_bytes()) == before
    assert not (log.folder / "rotating.json").exists()
    assert log.append("a", events(1)) == [1]


FIRST = '{"ev":"log_opened","run":"log","seq":0,"ts":"2026-11-15T12:00:00.000Z","v":1}\n'


def test_a_log_is_not_rotated_under_a_commit_that_waits_for_its_anchors(tmp_path):
    """What an anchor inside the folder writes belongs to the log whose checkpoint it was given."""
    log = made(tmp_path)
    log.append("a", events(3))
    rotation = threading.Thread(target=again(tmp_path, log.clock).rotate)

    class Slow(Shelf):
        def put(self, run, hour, checkpoint):
            rotation.start()
            rotation.join(0.2)
            (log.folder / "commits").mkdir()
            return super().put(run, hour, checkpoint)

    log.commit("a", [Slow()])
    rotation.join()
    (closed,) = (log.folder / "closed").iterdir()
    assert (closed / "commits").exists()
    ends = [entry["ev"] for entry in assert_sound(closed)[3:]]
    assert ends == ["merkle_commit", "merkle_commit", "log_closed"]
    assert [entry["ev"] for entry in assert_sound(again(tmp_path).folder)] == ["log_opened"]
