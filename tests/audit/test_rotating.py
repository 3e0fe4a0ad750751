"""A log closed and another begun in its place, tied to it; begun rotations are completed."""

from __future__ import annotations

import json
import re
import threading

import pytest

from citeproof.audit import founding, state
from citeproof.audit.note import VerifierKey, opened
from citeproof.errors import AuditError
from tests.audit.logs import Shelf, again, assert_sound, events, made


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
    assert opened(log.integrate(), [VerifierKey.parse(now["key"])])
    assert len(shelf.given) == 1


def test_rotated_twice_in_a_second_and_by_name(tmp_path):
    log = made(tmp_path)
    folders = [log.rotate(origin="example.org/next/log"), log.rotate(origin="example.org/third")]
    assert log.origin == "example.org/third"
    assert len(set(folders)) == 2
    for folder in (*folders, log.folder):
        assert_sound(folder)
    with pytest.raises(AuditError, match="no name for a log"):
        log.rotate(origin="a b")


@pytest.mark.parametrize("moved", [0, 1, 3, 99])
@pytest.mark.parametrize("begun", [False, True])
def test_a_rotation_that_was_begun_is_completed_by_who_comes_next(tmp_path, moved, begun):
    """As a crash leaves it: some files moved; or all, and the new log half made."""
    log = made(tmp_path)
    log.append("a", events(5))
    log.integrate()
    key = log.keys.make("example.org/next")
    plan = state.Rotating("log-x", founding.head_of(key, "2026-11-15T12:00:00.000Z"), FIRST)
    before = json.loads((log.folder / "log.json").read_bytes())
    state.save(log.folder, state.ROTATING, plan)
    closed = log.folder / "closed" / "log-x"
    closed.mkdir(parents=True)
    names = [
        path for path in sorted(log.folder.iterdir()) if path.name not in ("lock", "closed", "rotating.json")
    ]
    for path in names[: 99 if begun else moved]:
        path.rename(closed / path.name)
    if begun:
        state.save(log.folder, state.ROTATING, state.Rotating(plan.to, plan.head, plan.first, moved=True))
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
