"""`citeproof audit replay`: what it prints, and what it ends with."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import main as door
from tests.proof.replay.made import RUN, Made, change, sql, stored

pytestmark = pytest.mark.slow


@pytest.fixture
def say(capfd, monkeypatch, tmp_path):
    """A call of the command: its exit code, what it prints, what it says aside."""
    monkeypatch.chdir(tmp_path)

    def call(folder: Path, *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            door.main(["audit", "replay", str(folder / "audit"), *arguments])
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def changed(run: Made, to: Path) -> Made:
    """Return a copy in which the record of the first exact reference has another title."""
    copy = run.copy(to)
    matched = next(row for row in copy.rows if row["label"] == "EXACT")["matched"]
    fields = msgspec.msgpack.decode(dict(stored(to))[matched["content_hash"]])
    fields[0][0] += "\x1b[31m (again\u202e)"
    change(to, matched["content_hash"], msgspec.msgpack.encode(fields))
    return copy


def test_all_identical(offline, say):
    code, out, _ = say(offline.folder, RUN)
    count = len(offline.rows)
    assert code == Exit.CLEAN
    assert out.splitlines()[-1] == f"{count} references: {count} identical"
    assert "citeproof " in out
    assert "judge faults-" in out
    assert "snapshot cps" in out


def test_jsonl_is_the_report_of_the_run(offline, say, tmp_path):
    code, out, err = say(offline.folder, RUN, "--format", "jsonl")
    assert (code, out) == (Exit.CLEAN, offline.report)
    assert "identical" in err
    assert say(offline.folder, RUN, "--format", "jsonl", "-o", "again.jsonl")[:2] == (Exit.CLEAN, "")
    assert (tmp_path / "again.jsonl").read_text("utf-8") == offline.report


def test_one_reference(offline, say):
    code, out, _ = say(offline.folder, RUN, "--ref", "2", "--format", "jsonl")
    assert (code, out) == (Exit.CLEAN, offline.report.splitlines(keepends=True)[1])


def test_drift_is_shown_and_what_is_shown_is_harmless(offline, say, tmp_path):
    copy = changed(offline, tmp_path)
    code, out, _ = say(copy.folder, RUN)
    assert code == Exit.PROBLEMS
    assert "a stored answer does not match its hash" in out
    assert "judgement.matched.record.titles[0]: " in out
    assert "(again" in out
    assert not {"\x1b", "\u202e"} & set(out)
    code, out, _ = say(copy.folder, RUN, "--format", "json")
    told = json.loads(out)
    assert code == Exit.PROBLEMS
    assert told["summary"]["drifted"] == sum(one["state"] == "drifted" for one in told["references"]) > 0
    one = next(one for one in told["references"] if one["state"] == "drifted")
    assert one["reasons"][0]["why"] == "damaged"
    assert told["recorded"][0]["judge"].startswith("faults-")
    code, out, err = say(copy.folder, RUN, "--format", "jsonl")
    assert (code, len(out.splitlines())) == (Exit.PROBLEMS, len(copy.rows))
    assert "drifted" in err


def test_what_is_not_there_ends_with_four(offline, say, tmp_path):
    offline.copy(tmp_path)
    sql(tmp_path / "audit" / "private.sqlite", "DELETE FROM rows WHERE kind = 'case' AND ref = 1")
    code, out, _ = say(tmp_path, RUN)
    assert code == Exit.UNCHECKED
    assert "1 unavailable" in out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE rows SET data = x'00' WHERE kind = 'case' AND ref = 1", "1 unavailable: {title}"),
        ("DELETE FROM rows WHERE kind = 'case' AND ref = 1", "1 unavailable: {title}"),
        ("UPDATE rows SET salt = x'01' WHERE kind = 'case' AND ref = 1", "1 tampered: {title}"),
        ("DELETE FROM rows WHERE kind = 'config'", "1 [{key}] unavailable: {title}"),
    ],
)
def test_a_reference_is_named_as_far_as_the_log_can(offline, say, tmp_path, change, words):
    offline.copy(tmp_path)
    sql(tmp_path / "audit" / "private.sqlite", change)
    row = offline.rows[0]
    _, out, _ = say(tmp_path, RUN)
    assert words.format(key=row["key"], title=row["claimed"]["title"]) in out.splitlines()


def test_drift_wins_over_what_is_not_there(offline, say, tmp_path):
    copy = changed(offline, tmp_path)
    other = next(row["matched"]["content_hash"] for row in reversed(copy.rows) if row["matched"])
    with closing(EvidenceStore(tmp_path / "audit")) as evidence:
        evidence.drop([other])
    assert say(copy.folder, RUN)[0] == Exit.PROBLEMS


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), f"no run nothing with references\n  hint: name one of the latest: {RUN}"),
        (("../audit",), "no run ../audit"),
        ((RUN, "--ref", "999"), "no reference 999"),
    ],
)
def test_what_was_never_there_ends_with_three(offline, say, arguments, words):
    code, out, err = say(offline.folder, *arguments)
    assert (code, out if "--ref" not in arguments else "") == (Exit.NOTHING, "")
    assert words in err
    assert err.startswith("error: ")
    assert "\n  hint: " in err


def test_a_run_in_a_closed_log_is_told(offline, say, tmp_path):
    offline.copy(tmp_path)
    shutil.copytree(offline.folder / "keys", tmp_path / "keys")
    with closing(AuditLog.open(tmp_path / "audit", SystemClock(), KeyStore(tmp_path / "keys"))) as log:
        place = log.rotate()
    code, out, err = say(tmp_path, RUN)
    assert (code, out) == (Exit.NOTHING, "")
    assert f"error: {RUN} is in the closed log {place}" in err


@pytest.mark.parametrize(
    "line",
    [b"garbage", b'{"ev":"verified","run":"x","seq":1,"ts":"t","ref":"one"}', b"\xff\xfe", b"[" * 70_000],
)
def test_a_log_that_cannot_be_read_ends_with_five(offline, say, tmp_path, line):
    offline.copy(tmp_path)
    path = tmp_path / "audit" / f"{RUN}.jsonl"
    path.write_bytes(line + b"\n" + path.read_bytes())
    code, _, err = say(tmp_path, RUN)
    assert code == Exit.AUDIT
    assert "audit verify" in err


@pytest.mark.parametrize(
    "line", [b'{"ev":"redacted","commitments":3}', b'{"ev":"pruned"', b'{"ev":"pruned","before":"\xff"}']
)
def test_what_was_erased_must_be_readable_where_it_matters(offline, say, tmp_path, line):
    offline.copy(tmp_path)
    sql(tmp_path / "audit" / "private.sqlite", "DELETE FROM rows WHERE kind = 'case' AND ref = 5")
    [journal] = (tmp_path / "audit").glob("journal-*")
    journal.write_bytes(journal.read_bytes() + line + b"\n")
    code, _, err = say(tmp_path, RUN)
    assert code == Exit.AUDIT
    assert "audit verify" in err


def test_a_folder_without_a_log_ends_with_three(say, tmp_path):
    code, _, err = say(tmp_path, RUN)
    assert code == Exit.NOTHING
    assert "error: no audit log in " in err
    assert "\n  hint: " in err


def test_todays_judge(offline, say, monkeypatch, tmp_path):
    """Today's is the judge of the run until thresholds are set, which an update would do too."""
    assert say(offline.folder, RUN, "--judge", "now")[0] == Exit.CLEAN
    name = offline.rows[0]["provenance"]["judge"]
    thresholds = {"judge": name, "exact_at": 9.75, "minor_at": 2.0}
    thresholds |= {"data": {}, "figures": {}, "date": "2026-11-15"}
    (tmp_path / "thresholds.json").write_bytes(msgspec.json.encode(thresholds))
    monkeypatch.setenv("CITEPROOF_JUDGE_THRESHOLDS", str(tmp_path / "thresholds.json"))
    code, out, _ = say(offline.folder, RUN, "--judge", "now")
    assert code == Exit.PROBLEMS
    assert f"the judge {name} then, {name}+" in out
    assert say(offline.folder, RUN)[0] == Exit.CLEAN
