"""Verification beside rotations: a closed log that grew, a rotation that a crash cut short."""

from __future__ import annotations

import json

import pytest

from citeproof.proof.audit import log_creation, log_state
from citeproof.proof.audit.verify.log_check import verify
from citeproof.proof.audit.verify.signed_history import CUT_SHORT
from tests.proof.audit.logs import Ticking, events, made
from tests.proof.audit.making import ran


@pytest.fixture
def rotated(tmp_path):
    """The new log, its key, and the folder of the old one, in which something was erased since."""
    log = made(tmp_path)
    log.append("a", events(300))
    log.integrate()
    closed = log.rotate()
    with type(log).open(closed, Ticking(), log.keys) as old:
        old.append("a", [{"ev": "redacted", "commitments": ["00" * 32], "reason": "asked"}])
        old.integrate()
    return log.folder, log.key, closed


def test_a_closed_log_may_grow(rotated):
    folder, key, closed = rotated
    assert verify(closed).sound
    found = verify(folder, [key])
    assert (found.problems, found.unchecked) == ((), ())
    assert any(note.startswith("1 closed log stands in closed") for note in found.notes)


@pytest.mark.parametrize("level", ["0", "1"])
def test_a_closed_log_that_grew_begins_as_it_was_tied(rotated, level):
    folder, key, closed = rotated
    tile = max(path for path in (closed / "tile" / level).rglob("*") if path.is_file())
    tile.write_bytes(bytes(len(tile.read_bytes())))
    [one] = verify(folder, [key]).problems
    assert (one.kind, one.place) == ("rollback", f"closed/{closed.name}")
    tile.unlink()
    assert [one.kind for one in verify(folder, [key]).problems] == ["rollback"]


@pytest.mark.parametrize("moved", range(12))
def test_a_rotation_that_was_cut_short(tmp_path, moved):
    log = made(tmp_path)
    log.append("a", events(5))
    log.commit("a")
    key = log.key
    log.close()
    head = log_creation.make_head(log.keys.make("example.org/next"), "2026-11-15T12:00:00.000Z")
    log_state.save_state_file(log.folder, log_state.ROTATING, log_state.RotationPlan("log-x", head, ""))
    closed = log.folder / "closed/log-x"
    closed.mkdir(parents=True)
    stay = {"lock", "lock.commit", "lock.runs", "closed", "rotating.json"}
    for path in sorted(path for path in log.folder.iterdir() if path.name not in stay)[:moved]:
        path.rename(closed / path.name)
    found = verify(log.folder, [key])
    assert found.problems == ()
    if moved:
        assert found.unchecked == (CUT_SHORT,)
        assert ran("verify", log.folder).code == 4
    else:
        assert CUT_SHORT in found.notes
        assert found.sound


@pytest.mark.parametrize("to", ["", "..", "../x", "nothing"])
def test_a_plan_alone_excuses_nothing(tmp_path, to):
    log = made(tmp_path)
    log.append("a", events(5))
    log.commit("a")
    key = log.key
    log.close()
    (log.folder / "rotating.json").write_text(json.dumps({"to": to}))
    (log.folder / "a.jsonl").unlink()
    assert [one.place for one in verify(log.folder, [key]).problems] == ["a.jsonl"]
