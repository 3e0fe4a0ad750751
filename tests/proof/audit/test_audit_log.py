"""One writer: what is appended is there, what is signed goes on from what was, damage is told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from citeproof.errors import AuditError
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.signed_note import COSIGNATURE, SignerKey, cosign_checkpoint, open_note
from citeproof.proof.audit import event_proof
from citeproof.proof.audit.anchors.base import AnchorContext, make
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.event_proof import UnsignedEventError, prove_event
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.log_state import parse_checkpoint
from tests.proof.audit.logs import START, Shelf, Ticking, again, assert_sound, events, lines_of, made


def size_of(note: bytes, log: AuditLog) -> int:
    return parse_checkpoint(open_note(note, [log.key]).text).size


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_appended_is_there(tmp_path):
    log = made(tmp_path, clock=FixedClock(START))
    assert log.append("a", events(2)) == [0, 1]
    assert log.append("b.1", [{"ev": "not_found", "title": "\ud800 ✓", "ref": 3}]) == [2]
    assert log.append("a", events(1, 2)) == [3]
    assert log.append("a", []) == []
    assert (log.size, log.key.name) == (4, "example.org/log")
    log.close()
    folder = tmp_path / "log"
    assert (folder / "a.jsonl").read_bytes() == b"".join(lines_of(folder)[n] + b"\n" for n in (0, 1, 3))
    assert lines_of(folder)[2].decode() == (
        '{"ev":"not_found","ref":3,"run":"b.1","seq":2,"title":"\ufffd ✓",'
        '"ts":"2026-11-15T12:00:00.000Z","v":1}'
    )
    assert names(folder) == ["a.jsonl", "b.1.jsonl", "journal-0", "lock", "log.json", "state.json"]
    assert (folder.stat().st_mode & 0o777, (folder / "journal-0").stat().st_mode & 0o777) == (0o700, 0o600)
    assert_sound(folder)


@pytest.mark.parametrize(
    ("run", "event", "told"),
    [
        ("a", {"ev": "x", "conf": float("nan")}, "cannot be written as JSON"),
        ("a", {"ev": "x", "n": 2**60}, "cannot be written as JSON"),
        ("a", {"ev": "x", "o": object()}, "cannot be written as JSON"),
        ("a", {"ev": "x", "big": "y" * 65_535}, "is larger than 65,535"),
        ("a", {"ev": "x", "seq": 5}, "not one of v, ts, seq, run"),
        ("a", {"ev": 7}, "needs a name in `ev`"),
        ("a", {}, "needs a name in `ev`"),
        ("", {"ev": "x"}, "not a valid run name"),
        ("../a", {"ev": "x"}, "not a valid run name"),
        ("a/b", {"ev": "x"}, "not a valid run name"),
        (".a", {"ev": "x"}, "not a valid run name"),
        ("a" * 101, {"ev": "x"}, "not a valid run name"),
        ("a\n", {"ev": "x"}, "not a valid run name"),
    ],
)
def test_what_cannot_be_logged_leaves_nothing(tmp_path, run, event, told):
    log = made(tmp_path)
    log.append("good", events(1))
    with pytest.raises(AuditError, match=told):
        log.append(run, [*events(2), event])
    assert log.append("good", events(1)) == [1]
    assert [entry["run"] for entry in assert_sound(tmp_path / "log")] == ["good", "good"]


def test_the_largest_event_fits(tmp_path):
    log = made(tmp_path)
    room = 65_535 - len(lines_of_one(log))
    log.append("a", [{"ev": "x", "big": "y" * room}])
    log.integrate()
    assert max(map(len, lines_of(tmp_path / "log"))) == 65_535
    with pytest.raises(AuditError):
        log.append("a", [{"ev": "x", "big": "y" * (room + 1)}])


def lines_of_one(log: AuditLog) -> bytes:
    log.append("a", [{"ev": "x", "big": ""}])
    return lines_of(log.folder)[0]


@pytest.fixture
def masked():
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("there", [False, True])
def test_only_its_user_reads_a_log(tmp_path, masked, mask, there):
    masked(mask)
    if there:
        (tmp_path / "in/log").mkdir(parents=True)
    log = made(tmp_path / "in")
    for _ in range(2):
        log.append("a", events(257))
        around = AnchorContext(log.folder, log.clock)
        log.commit("a", [make(text, around) for text in ("folder:commits", "folder:more/deep")])
        log.rotate()
    for path in [
        *log.folder.rglob("*"),
        *(tmp_path / "in/keys").rglob("*"),
        *(() if there else [log.folder]),
    ]:
        wanted = 0o700 if path.is_dir() else 0o444 if path.suffix == ".merkle" else 0o600
        assert path.stat().st_mode & 0o777 == wanted, path
    assert there or (tmp_path / "in").stat().st_mode & 0o777 == 0o700


def handles() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def test_no_file_stays_open(tmp_path):
    before = handles()
    with made(tmp_path) as log:
        log.append("a", events(300))
        log.commit("a", [])
        prove_event(log.folder, 3)
        log.rotate()
        with pytest.raises(AuditError):
            log.append("a", [{"ev": 7}])
        log.append("a", events(1))
    (tmp_path / "log/checkpoint").unlink()
    (tmp_path / "log/checkpoint").mkdir()
    for _ in range(3):
        with pytest.raises(AuditError):
            again(tmp_path)
    assert handles() == before


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 600])
def test_integrated(tmp_path, count):
    log = made(tmp_path)
    log.append("a", events(count))
    note = log.integrate()
    assert size_of(note, log) == count
    assert note == (tmp_path / "log/checkpoint").read_bytes() == log.integrate()
    assert log.append("a", events(3)) == [count, count + 1, count + 2]
    assert size_of(log.integrate(), log) == count + 3
    assert [entry["n"] for entry in assert_sound(tmp_path / "log")] == [*range(count), 0, 1, 2]
    assert [name for name in names(tmp_path / "log") if name.startswith("journal")] == [
        f"journal-{count + 3}"
    ]


@pytest.mark.parametrize(
    ("limits", "batches", "settled"),
    [
        ({"every": 10}, [9], 0),
        ({"every": 10}, [9, 1, 3], 10),
        ({"every": 10}, [25, 9], 25),
        ({"most": 1000}, [5], 0),
        ({"most": 1000}, [5, 6, 1], 11),
    ],
)
def test_integrates_by_itself(tmp_path, limits, batches, settled):
    log = made(tmp_path, **limits)
    for count in batches:
        log.append("a", events(count))
    assert json.loads((tmp_path / "log/state.json").read_bytes())["size"] == settled
    assert len(assert_sound(tmp_path / "log")) == sum(batches)


def test_a_log_that_cannot_be_signed_still_takes_events(tmp_path):
    """Integrating in the tail of an append must not make an event look lost that is safe."""
    log = made(tmp_path, every=5)
    (tmp_path / "keys").chmod(0o500)
    signed = tmp_path / "keys" / f".{log.key.id.hex()}.signed.new"
    signed.mkdir()  # in the way, whoever we are
    for n in range(12):
        assert log.append("a", events(1)) == [n]
    with pytest.raises(AuditError):
        log.integrate()
    signed.rmdir()
    (tmp_path / "keys").chmod(0o700)
    assert size_of(log.integrate(), log) == 12
    assert_sound(tmp_path / "log")


def test_opening_costs_the_same_however_large_the_log_is(tmp_path):
    """The entries since the last commit are read again; a run that is logged makes one every hour or more."""
    log = made(tmp_path)
    log.append("a", events(300))
    log.commit("a")
    few = opened_files(lambda: again(tmp_path))
    for n in range(100):
        log.append(f"run-{n}", events(700))
    log.commit("a")
    many = opened_files(lambda: again(tmp_path))
    assert 0 < few <= many <= few + 8  # two levels more of the tree


_COUNTED: list[int] = []


def opened_files(work) -> int:
    if not _COUNTED:
        _COUNTED.append(0)
        sys.addaudithook(
            lambda event, _: _COUNTED.__setitem__(0, _COUNTED[0] + (event in ("open", "os.listdir")))
        )
    before = _COUNTED[0]
    work()
    return _COUNTED[0] - before


def test_receipts(tmp_path):
    log = made(tmp_path)
    log.append("a", events(300))
    log.integrate()
    log.append("a", events(10))
    assert_proved(log, 300, [0, 255, 299])
    log.integrate()
    assert_proved(log, 310, [0, 300, 309])
    for index in (-1, 310):
        with pytest.raises(UnsignedEventError, match="is not under the checkpoint of 310 events"):
            prove_event(log.folder, index)


def assert_proved(log, size, indices):
    for index in indices:
        given = event_proof.parse_receipt(prove_event(log.folder, index).format())
        entry = json.loads(given.extra)["entry"].encode()
        assert entry == lines_of(log.folder)[index]
        assert event_proof.check_receipt_entry(given, entry, [log.key]).size == size


# --- commits ------------------------------------------------------------------------------------


def test_commit(tmp_path):
    log, shelf, s3 = made(tmp_path), Shelf(), Shelf("s3", place="s3://bucket/a/2026.merkle")
    log.append("a", events(3))
    first = log.commit("a", [shelf, s3])
    log.append("a", events(2))
    second = log.commit("a", [shelf])
    assert (first.seq, second.seq) == (3, 6)
    assert [size_of(note, log) for _, _, note in shelf.given] == [3, 6]
    assert shelf.given[0][:2] == ("a", "2026-11-15T12")
    assert [size_of(one.checkpoint, log) for one in (first, second)] == [4, 7]
    assert second.checkpoint == (tmp_path / "log/checkpoint").read_bytes()
    entries = assert_sound(tmp_path / "log")
    assert [entries[n]["size"] for n in (3, 6)] == [3, 6]
    assert entries[6]["prior"] == entries[3]["root"]
    assert entries[3]["s3"] == "s3://bucket/a/2026.merkle"
    assert entries[6]["anchors"] == [{"name": "shelf", "ok": True, "place": "elsewhere"}]


def test_a_commit_survives_its_anchors(tmp_path):
    log = made(tmp_path)
    log.append("a", events(3))
    anchors = [Shelf("slow", "timed out"), Shelf("broken", RuntimeError("no\nroute" * 200)), Shelf("good")]
    done = log.commit("a", anchors)
    assert [outcome.ok for outcome in done.outcomes] == [False, False, True]
    told = assert_sound(tmp_path / "log")[3]["anchors"]
    assert [anchor["ok"] for anchor in told] == [False, False, True]
    assert told[0]["detail"] == "timed out"
    assert told[1]["detail"].startswith("RuntimeError: no\nroute")
    assert len(told[1]["detail"]) == 400
    assert size_of((tmp_path / "log/checkpoint").read_bytes(), log) == 4


class Witness(Shelf):
    """A witness that cosigns whatever it sees."""

    def put(self, run, hour, checkpoint):
        self.lines = (
            cosign_checkpoint(checkpoint.decode().partition("\n\n")[0] + "\n", WITNESS, 1_800_000_000),
        )
        return super().put(run, hour, checkpoint)


WITNESS = SignerKey("witness.example", COSIGNATURE, bytes(32))


def test_cosignatures_are_published(tmp_path):
    log = made(tmp_path)
    log.append("a", events(3))
    done = log.commit("a", [Witness("witness"), Shelf("liar", lines=(b"no signature\n",))])
    published = (tmp_path / "log/checkpoint").read_bytes()
    assert done.checkpoint == published == log.integrate()
    assert open_note(published, [log.key, WITNESS.verifier]).by == (log.key, WITNESS.verifier)
    event = assert_sound(tmp_path / "log")[3]
    body = f"example.org/log\n3\n{base64_of(event['root'])}\n\n{event['anchors'][0]['cosignatures'][0]}\n"
    assert open_note(body.encode(), [WITNESS.verifier]).times == {WITNESS.verifier: 1_800_000_000}
    log.append("a", events(1))
    assert open_note(log.integrate(), [log.key, WITNESS.verifier]).by == (log.key,)


def base64_of(root: str) -> str:
    import base64

    return base64.b64encode(bytes.fromhex(root)).decode()


def test_a_commit_that_was_cut_short_is_the_prior_of_the_next(tmp_path):
    log = made(tmp_path)
    log.append("a", events(3))
    first = log.commit("a", [])
    state = (tmp_path / "log/state.json").read_bytes()
    assert json.loads(state)["commit"] == {"root": first.root.hex(), "seq": 3, "size": 3}
    assert first.size == 3
    assert assert_sound(tmp_path / "log")[3]["root"] == first.root.hex()
    again(tmp_path).commit("b", [])
    assert_sound(tmp_path / "log")


def test_the_names_of_new_folders_are_on_the_disk(tmp_path, monkeypatch):
    """Else a crash of the machine takes away a log that was acknowledged, or its key, as a whole."""
    synced, sync = set(), os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.add(os.fstat(handle).st_ino), sync(handle))[1])
    folder, keys = tmp_path / "a/b/log", tmp_path / "c/keys"
    log = AuditLog.open_or_create(folder, Ticking(), KeyStore(keys))
    log.append("a", events(1))
    assert log.commit("a", [make("folder:commits", AnchorContext(folder, log.clock))]).outcomes[0].ok
    parents = (*(tmp_path / part for part in (".", "a", "a/b", "c", "c/keys")), folder, folder / "commits")
    assert [place for place in parents if place.stat().st_ino not in synced] == []


@pytest.mark.parametrize(
    ("was", "now", "committed"),
    [
        (["one"], ["one"], True),
        ([], [], True),
        (["one", "two"], ["one"], True),
        (["one"], ["one", "two"], False),
        (["one"], ["one", "one"], False),
        (["broken"], ["broken"], False),
        (["one", "broken"], ["one"], True),
    ],
)
def test_nothing_to_commit(tmp_path, was, now, committed):
    """Nothing new since the last commit, which these anchors took: an idle timer does not grow the log."""
    shelves = {
        name: Shelf(name, "timed out" if name == "broken" else "") for name in ("one", "two", "broken")
    }
    log = made(tmp_path)
    anchors = [shelves[name] for name in now]
    assert not log.is_committed(anchors)
    log.append("a", events(2))
    log.commit("a", [shelves[name] for name in was])
    assert log.is_committed(anchors) == again(tmp_path).is_committed(anchors) == committed
    (tmp_path / "log/checkpoint").unlink()
    assert not log.is_committed(anchors)
    log.integrate()
    assert log.is_committed(anchors) == committed
    log.append("a", events(1))
    assert not log.is_committed(anchors)
    log.integrate()
    assert not log.is_committed(anchors)


# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([0, 5, 5], ["verified"] * 3),
        ([0, 0, 0], ["verified"] * 3),
        ([0, -1.5, 0], ["verified"] * 3),
        ([0, -3, 0], ["verified", "clock_skew", "verified", "verified"]),
        ([0, -86400, 3600], ["verified", "clock_skew", "verified", "verified"]),
        ([0, -60, 61, -60], ["verified", "clock_skew", "verified", "verified", "clock_skew", "verified"]),
    ],
)
def test_a_clock_that_goes_back(tmp_path, steps, expected):
    clock = Ticking(steps=[0])
    log = made(tmp_path, clock=clock)
    clock.steps = [10, *steps[1:]]
    numbers = [log.append("a", events(1))[0] for _ in steps]
    entries = assert_sound(tmp_path / "log")  # times never go back
    assert [entry["ev"] for entry in entries] == expected
    assert numbers == [n for n, entry in enumerate(entries) if entry["ev"] == "verified"]
    for entry in entries:
        assert entry["ev"] != "clock_skew" or entry["clock"] < entry["ts"]


def test_a_clock_that_goes_back_over_a_restart(tmp_path):
    made(tmp_path).append("a", events(1))
    log = again(tmp_path, Ticking(START.replace(year=2020)))
    log.append("a", events(1))
    assert [entry["ev"] for entry in assert_sound(tmp_path / "log")] == ["verified", "clock_skew", "verified"]
