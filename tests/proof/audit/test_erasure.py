"""Text erased on request: said first, then gone without a byte left; the tree stays sound."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import erasure, log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.erasure import RedactionResult
from citeproof.proof.audit.key_store import KeyStore
from citeproof.surfaces.cli.main import main
from tests.proof.audit.erasable import DAY, MAY, Hand, erasable
from tests.proof.audit.logs import assert_sound


@pytest.fixture
def made(tmp_path):
    with erasable(tmp_path) as made:
        yield made


# --- redact ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "left"),
    [
        (["h_1/2"], {"h_1": [1, 3], "h_2": [1, 2, 3]}),
        (["h_1"], {"h_1": [], "h_2": [1, 2, 3]}),
        (["h_1", "h_2/1", "h_2/1"], {"h_1": [], "h_2": [2, 3]}),
    ],
)
@pytest.mark.parametrize("integrated", [False, True])
def test_what_is_redacted_is_said_and_gone(made, what, left, integrated):
    for run in left:
        made.add(run, range(1, 4))
    if integrated:
        made.log.integrate()
    before = len(list(log_reader.read_entries(made.folder)))
    erased = erasure.redact_values(made.log, made.private, what, "asked for").values
    assert {run: made.secrets(run) for run in left} == left
    assert erased == 6 - sum(map(len, left.values()))
    said = made.events("redacted")
    assert sum(len(event["commitments"]) for event in said) == erased
    assert {event["reason"] for event in said} <= {"asked for"}
    assert erasure.redact_values(made.log, made.private, what, "again") == RedactionResult(0)
    assert len(list(log_reader.read_entries(made.folder))) == before + len(said)
    made.log.integrate()
    assert_sound(made.folder)


def test_a_commitment_can_be_named(made):
    made.add("h_1", range(1, 4))
    row = next(made.private.list_run_rows("h_1", ref=2))
    for went in (1, 0):
        assert erasure.redact_values(
            made.log, made.private, [row.commitment], "asked for"
        ) == RedactionResult(went)
    assert made.events("redacted")[0]["commitments"] == [row.commitment]
    assert made.events("redacted")[0]["run"] == "h_1"


@pytest.mark.parametrize(
    "what", ["", "../x", "h_1/0", "h_1/", "h_1/x", "h_1/2/3", "a b", "x" * 101, "ü", "é/1"]
)
def test_what_names_nothing_is_refused(made, what):
    made.add("h_1", range(1, 3))
    with pytest.raises(UsageError) as raised:
        erasure.redact_values(made.log, made.private, ["h_1/1", what], "x")
    assert raised.value.hint
    assert made.secrets("h_1") == [1, 2]
    assert made.events("redacted") == []


@pytest.mark.parametrize("what", ["h_1/9", "h_3", "h_3/1", "0" * 64])
def test_what_the_log_does_not_have_is_unknown_and_nothing_goes(made, what):
    made.add("h_1", range(1, 3))
    with pytest.raises(erasure.UnknownTargetError) as raised:
        erasure.redact_values(made.log, made.private, ["h_1/1", what], "x")
    assert what in raised.value.message
    assert raised.value.hint
    assert (made.secrets("h_1"), made.events("redacted")) == ([1, 2], [])


def test_what_a_crash_left_out_of_the_log_can_be_erased_too(made):
    salt, commitment = make_commitment(b"x")
    made.private.put([PrivateRow(commitment, "h_1", "case", 7, salt, b"x")])
    assert erasure.redact_values(made.log, made.private, ["h_1/7"], "asked for") == RedactionResult(1)


def test_a_number_that_two_references_have_must_be_told_apart(made):
    """Two runs at once under one name; what only one of them is asked to forget stays of the other."""
    for _ in range(2):
        made.add("h_1", range(1, 3))
    both = [row.commitment for row in made.private.list_run_rows("h_1", ref=2)]
    with pytest.raises(UsageError) as raised:
        erasure.redact_values(made.log, made.private, ["h_1/2"], "x")
    assert not isinstance(raised.value, erasure.UnknownTargetError)
    assert all(one in raised.value.hint for one in ("--all", *both))
    assert made.secrets("h_1") == [1, 1, 2, 2]
    assert erasure.redact_values(made.log, made.private, both[:1], "x") == RedactionResult(1)
    assert made.secrets("h_1") == [1, 1, 2]
    assert erasure.redact_values(
        made.log, made.private, ["h_1/1", "h_1/2"], "x", every=True
    ) == RedactionResult(3)


def test_a_damaged_value_is_erased_by_its_commitment_too(made):
    made.add("h_1", range(1, 3))
    row = next(made.private.list_run_rows("h_1", ref=2))
    made.private.close()
    with closing(sqlite3.connect(made.folder / "private.sqlite")) as connection, connection:
        connection.execute("UPDATE rows SET data = x'01' WHERE ref = 2")
    assert erasure.redact_values(made.log, made.private, [row.commitment], "x") == RedactionResult(1)
    assert made.private.list_commitments("h_1", 2) == []


def test_a_large_run_takes_several_events_and_a_long_reason_is_cut(made):
    rows = []
    for ref in range(1, 1201):
        salt, commitment = make_commitment(b"%d" % ref)
        rows.append(PrivateRow(commitment, "h_1", "case", ref, salt, b"%d" % ref))
    made.private.put(rows)
    assert erasure.redact_values(made.log, made.private, ["h_1"], "long " * 1000) == RedactionResult(1200)
    said = made.events("redacted")
    assert [len(event["commitments"]) for event in said] == [500, 500, 200]
    assert {len(event["reason"]) for event in said} == {erasure.LONGEST}
    assert [one for event in said for one in event["commitments"]] == [row.commitment for row in rows]


@pytest.mark.parametrize("integrated", [False, True])
def test_a_crash_after_the_event_is_made_good(made, integrated):
    made.add("h_1", range(1, 4))
    named = [row.commitment for row in made.private.list_run_rows("h_1") if row.ref != 2]
    made.log.append("h_1", [{"ev": "redacted", "commitments": named, "reason": "asked for"}])
    if integrated:
        made.log.integrate()
    assert erasure.finish_erasures(made.log, made.private) == 2
    assert made.secrets("h_1") == [2]
    assert erasure.finish_erasures(made.log, made.private) == 0
    made.log.append("h_1", [{"ev": "redacted", "commitments": [], "reason": "x"}])
    made.add("h_1", range(4, 5))
    assert erasure.finish_erasures(made.log, made.private) == 0
    assert made.secrets("h_1") == [2, 4]
    assert made.private.mark("erased_to") == made.log.size  # what was looked through is not read again


@pytest.mark.parametrize(
    ("what", "redacted", "left"),
    [
        ("h_1/3", RedactionResult(1, again=1), [1]),
        ("h_1/2", RedactionResult(0, again=1), [1, 3]),
        ("h_1", None, []),
    ],
)
def test_what_a_backup_brings_back_is_erased_again(made, what, redacted, left):
    made.add("h_1", range(1, 4))
    made.private.close()
    older = (made.folder / "private.sqlite").read_bytes()
    erasure.redact_values(made.log, made.private, ["h_1/2"], "asked for")
    made.add("h_1", range(4, 6))
    made.private.close()
    (made.folder / "private.sqlite").write_bytes(older)
    assert made.secrets("h_1") == [1, 2, 3]
    expected = redacted or RedactionResult(2, again=1, lost=2)  # 4 and 5 are younger than the backup
    assert erasure.redact_values(made.log, made.private, [what], "asked for") == expected
    assert made.secrets("h_1") == left


def test_what_cannot_be_said_is_not_erased(made):
    """First the event, then the bytes."""

    class Full:
        folder = made.folder

        def append(self, run, events):
            raise AuditError("the disk is full")

    made.add("h_1", range(1, 3))
    with pytest.raises(AuditError, match="full"):
        erasure.redact_values(Full(), made.private, ["h_1"], "x")
    made.clock.at += 40 * DAY
    with pytest.raises(AuditError, match="full"):
        erasure.prune_evidence(Full(), made.evidence, made.private, MAY + DAY, made.clock)
    assert made.secrets("h_1") == [1, 2]
    assert made.bodies() == {"h_1 1", "h_1 2"}


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def call(made, audit):
    return partial(audit, "redact")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["h_1/2", "--reason", "asked for"], 0, "erased 1 value\n"),
        (["h_1", "--reason", "asked for"], 0, "erased 3 values\n"),
        (["h_1/4", "--reason", "x"], 0, "already erased\n"),
        (["h_1/9", "--reason", "x"], 3, "the log has no reference h_1/9"),
        (["h_1/1", "h_1/9", "--reason", "x"], 3, "the log has no reference h_1/9"),
        (["nobody", "--reason", "x"], 3, "the log has no run nobody"),
        (["f" * 64, "--reason", "x"], 3, "the log has no commitment ffff"),
        (["h_2/1", "--reason", "x"], 2, "2 references of the log have the number h_2/1"),
        (["h_2/1", "--all", "--reason", "x"], 0, "erased 2 values\n"),
        (
            ["h_3/1", "--reason", "x"],
            3,
            "1 value is not in private.sqlite, and the log does not say that it was",
        ),
        (["h_3", "--reason", "x"], 3, "2 values are not in private.sqlite"),
        (["h_1", "--reason", " "], 2, "the reason is empty"),
        (["h_1"], 2, "--reason"),
        (["../h_1", "--reason", "x"], 2, "not a run, reference or commitment"),
    ],
)
def test_redact(made, call, arguments, code, said):
    """Reference 4 was erased before, h_2 has two of one number, the text of h_3 is gone without a word."""
    made.add("h_1", range(1, 5))
    erasure.redact_values(made.log, made.private, ["h_1/4"], "asked for")
    for _ in range(2):
        made.add("h_2", range(1, 2))
    made.add("h_3", range(1, 3))
    made.private.erase(made.private.list_commitments("h_3"))
    found, out, err = call(*arguments)
    assert (found, out) == (code, said if code == 0 else "")
    if code == 0:
        assert log_reader.count_signed(made.folder) == len(list(log_reader.read_entries(made.folder)))
    else:
        assert err.startswith("error: ")
        assert said in err
        assert "\n  hint: " in err
        assert made.secrets("h_1") == [1, 2, 3]
    assert b"SECRET" not in b"".join(path.read_bytes() for path in made.folder.glob("*.jsonl"))


@pytest.mark.parametrize("name", ["redact", "prune"])
def test_what_was_back_is_told(made, call, name, capsys):
    made.add("h_1", range(1, 4))
    made.private.close()
    older = (made.folder / "private.sqlite").read_bytes()
    erasure.redact_values(made.log, made.private, ["h_1/1", "h_1/2"], "asked for")
    made.private.close()
    (made.folder / "private.sqlite").write_bytes(older)
    if name == "redact":
        code, out, _ = call("h_1/2", "--reason", "x")
    else:
        with pytest.raises(SystemExit) as ended:
            main(["audit", "prune", "audit", "--before", "2020-04-01"])
        code, out = ended.value.code or 0, capsys.readouterr().out
    assert code == 0
    assert out.splitlines()[-1] == "erased again 2 values that the log says were erased and that were back"


def test_redact_tells_what_stays_in_clear(made, call):
    made.add("h_1", range(1, 2))
    made.log.append("h_1", [{"ev": "verified", "ref": 2, "raw": "Somebody. 2020."}])
    code, _, err = call("h_1", "--reason", "asked for")
    assert code == 0
    assert "h_1 in clear" in err


@pytest.mark.parametrize("what", ["h_1", "h_1/2", "commitment"])
@pytest.mark.parametrize("bare", [False, True])
def test_what_is_in_a_closed_log_is_told_and_can_be_erased_there(made, call, capsys, what, bare):
    """`bare`: a log that was closed later has no sidecar."""
    made.add("h_1", range(1, 3))
    what = made.private.list_commitments("h_1", 2)[0] if what == "commitment" else what
    made.private.close()
    made.evidence.close()
    closed = made.log.rotate()
    if bare:
        made.log.rotate()
    code, out, err = call(what, "--reason", "x")
    assert (code, out) == (3, "")
    place = f"audit/closed/{closed.name}"
    assert err == f"error: {what.partition('/')[0]} is in the closed log {place}\n  hint: name that folder\n"
    with pytest.raises(SystemExit) as ended:
        main(["audit", "redact", place, what, "--reason", "asked for"])
    assert ended.value.code in (0, None)
    assert capsys.readouterr().out == f"erased {'2 values' if what == 'h_1' else '1 value'}\n"


def test_a_run_that_goes_on_in_another_log_is_not_taken_for_erased(made, call):
    made.add("h_1", range(1, 3))
    made.private.close()
    made.evidence.close()
    closed = made.log.rotate()
    made.log.append("h_1", [{"ev": "verified", "ref": 3, "verdict": "matched"}])
    _, _, err = call("h_1", "--reason", "x")
    told = f"note: h_1 is in the closed log audit/closed/{closed.name} too, where nothing was erased"
    assert told in err.splitlines()


@pytest.mark.parametrize(
    ("name", "arguments"), [("redact", ["h", "--reason", "x"]), ("prune", ["--days", "9"])]
)
def test_no_log_is_nothing_and_makes_none(tmp_path, monkeypatch, capsys, name, arguments):
    with pytest.raises(SystemExit) as ended:
        main(["audit", name, str(tmp_path / "none"), *arguments])
    assert ended.value.code == 3
    assert "this folder has no audit log" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


# --- kill -9 --------------------------------------------------------------------------------------

KILLED = """
import sys
from pathlib import Path
from citeproof.proof.audit import erasure
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.private_store import PrivateStore
place = Path(sys.argv[1])
log = AuditLog.open(place / "audit", SystemClock(), KeyStore(place / "keys"))
private = PrivateStore(place / "audit")
print("ready", flush=True)
for ref in range(1, 200):
    erasure.redact_values(log, private, [f"h_1/{ref}"], "asked for")
    print(ref, flush=True)
"""


@pytest.mark.soak
def test_killed_at_any_moment_nothing_is_half_erased(tmp_path, soak_share):
    """What the log says was erased is gone after `finish`; all else is whole; the log is sound."""
    chance = random.Random(7)
    for number in range(max(3, int(100 * soak_share))):
        place = tmp_path / str(number)
        log = AuditLog.open_or_create(place / "audit", Hand(), KeyStore(place / "keys"), "example.org/log")
        rows = []
        for ref in range(1, 200):
            data = random.Random(ref).randbytes(400)
            salt, commitment = make_commitment(data)
            rows.append(PrivateRow(commitment, "h_1", "case", ref, salt, data))
        private = PrivateStore(place / "audit")
        private.put(rows)
        private.close()
        command = [sys.executable, "-c", KILLED, str(place)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        time.sleep(chance.random() * 0.3)
        process.kill()
        done = [int(text) for text in process.communicate()[0].split()]
        private = PrivateStore(place / "audit")
        erasure.finish_erasures(log, private)
        named = {
            one for entry in log_reader.read_entries(place / "audit") for one in entry.get("commitments", ())
        }
        assert {row.commitment for row in rows if row.ref in done} <= named
        left = {row.commitment for row in private.list_run_rows("h_1")}
        assert left == {row.commitment for row in rows} - named
        there = b"".join(path.read_bytes() for path in (place / "audit").glob("private.sqlite*"))
        gone = [row.data for row in rows if row.commitment in named]
        assert not any(data[at : at + 16] in there for data in gone for at in (99, 300))
        private.close()
        log.integrate()
        log.close()
        assert_sound(place / "audit")
