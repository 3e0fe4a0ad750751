"""Recorded runs, judged again: byte for byte, without the network, or with what differs and why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import zstandard

from citeproof.judgement.judge import model as models
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.erasure import redact_values
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.replay import ReasonCode, Replay, ReplayState
from citeproof.service.exit_codes import Exit
from tests.faults.test_network import GUARD
from tests.proof.replay.made import (
    EXAMPLES,
    RUN,
    Made,
    change,
    checked,
    offline_variables,
    recorded,
    replayed,
    report,
    sql,
    states,
    stored,
)

pytestmark = pytest.mark.slow

# --- the same again --------------------------------------------------------------------------------


def test_every_judgement_comes_out_byte_for_byte(either):
    found = replayed(either.folder)
    assert states(found) == {}
    assert report(found) == either.report
    assert [one.ref for one in found] == list(range(1, len(either.rows) + 1))


def test_the_run_was_worth_it(live):
    """Answers of many sources, batches, searches, failures, every verdict: else the test above is weak."""
    verdicts = {row["verdict"] for row in live.rows}
    assert len(verdicts) >= 4
    asked = [one for row in live.rows for one in row["provenance"]["registries_searched"]]
    assert len({one["registry"] for one in asked if one["ok"]}) >= 10
    assert len({one["reason"] for one in asked if not one["ok"]}) >= 3
    assert {one["by"] for one in asked} >= {"doi", "pmid", "arxiv", "title", "isbn", "raw"}
    with closing(PrivateStore(live.folder / "audit", readonly=True)) as private:
        heard = b"".join(row.data for row in private.list_run_rows(RUN, "case"))
    assert heard.count(b'"batch":true') > 10


@pytest.mark.soak
def test_five_hundred_references_come_out_byte_for_byte(tmp_path, soak_share):
    count = max(100, round(500 * soak_share))
    found = replayed((run := recorded(tmp_path, count)).folder)
    assert len(found) > count
    assert states(found) == {}
    assert report(found) == run.report


@pytest.mark.parametrize("source", ["live", "offline"])
def test_no_connection_is_opened(request, tmp_path, source):
    run: Made = request.getfixturevalue(source)
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    unset = {name: "" for name in os.environ if name.startswith("CITEPROOF_")}
    variables = {**os.environ, **unset, "PYTHONPATH": str(tmp_path), "GUARD_LOG": str(tmp_path / "log")}
    arguments = ("audit", "replay", str(run.folder / "audit"), RUN, "--format", "jsonl", "-o", "out.jsonl")
    done = subprocess.run(
        [sys.executable, "-m", "citeproof", *arguments],
        cwd=tmp_path, env=variables, text=True, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == Exit.CLEAN, done.stderr
    assert (tmp_path / "out.jsonl").read_text("utf-8") == run.report
    assert not (tmp_path / "log").exists()


def test_a_hypothesis_that_was_checked_twice_is_replayed_twice(offline, tmp_path):
    run = offline.copy(tmp_path)
    shutil.copytree(offline.folder / "keys", tmp_path / "keys")
    variables = offline_variables(offline.folder / "snapshot", tmp_path)
    variables["CITEPROOF_MAX_FALSE_ACCUSATIONS"] = "0.01"
    second = checked(variables, tmp_path, ("again.bib", (EXAMPLES / "references.bib").read_bytes()))
    found = replayed(tmp_path)
    assert states(found) == {}
    assert report(found) == run.report + second
    assert len({one.ref for one in found}) == len(found)


# --- what was changed --------------------------------------------------------------------------------


def test_a_changed_answer_names_those_who_rest_on_it_and_the_field(live, tmp_path):
    """The first author of one work in a batch of Crossref's is another: all of the batch are told."""
    run = live.copy(tmp_path)
    row, digest, body = _matched(run, '"message-type":"work-list"', "crossref")
    change(tmp_path, digest, _with_author(body, row["matched"]["ids"]["doi"], "Somebody"))
    found = replayed(tmp_path)
    resting = run.resting_on(digest)
    assert states(found) == dict.fromkeys(resting, ReplayState.DRIFTED)
    assert 1 < len(resting) < len(found)
    for one in found:
        if one.ref in resting:
            assert (ReasonCode.DAMAGED, "crossref", digest) in {
                (r.why, r.source, r.hash) for r in one.reasons
            }
    [mine] = [one for one in found if one.key == row["key"] and one.ref in resting]
    paths = {d.path: (d.then, d.now) for d in mine.differences}
    family = row["matched"]["authors"][0]["family"]
    assert paths["judgement.matched.record.authors[0].family"] == (f'"{family}"', '"Somebody"')
    assert paths["judgement.matched.record.content_hash"][0] == f'"{digest}"'
    assert any(path.startswith("judgement.mismatches") for path in paths)


def test_a_changed_record_of_a_snapshot_names_those_who_rest_on_it(offline, tmp_path):
    run = offline.copy(tmp_path)
    row = next(row for row in run.rows if row["label"] == "EXACT")
    title, digest = row["matched"]["title"], row["matched"]["content_hash"]
    body = dict(stored(tmp_path))[digest]
    other = title.replace(title.split()[1], "Entirely" + "x" * (len(title.split()[1]) - 8), 1)
    change(tmp_path, digest, msgspec.msgpack.encode(_swapped(msgspec.msgpack.decode(body), title, other)))
    found = replayed(tmp_path)
    assert states(found) == dict.fromkeys(run.resting_on(digest), ReplayState.DRIFTED)
    mine = next(one for one in found if one.key == row["key"])
    assert "judgement.matched.record.titles[0]" in {d.path for d in mine.differences}
    assert {r.why for r in mine.reasons} == {ReasonCode.DAMAGED}


@pytest.mark.parametrize("body", [b"", b"\xff\x00", b"{}", b"[" * 5000, b"<html>"])
def test_whatever_an_answer_is_changed_to_is_told(either, tmp_path, body):
    run = either.copy(tmp_path)
    row = next(row for row in run.rows if row["label"] == "EXACT")
    digest = row["matched"]["content_hash"]
    change(tmp_path, digest, body)
    found = replayed(tmp_path)
    assert states(found) == dict.fromkeys(run.resting_on(digest), ReplayState.DRIFTED)


def test_bytes_that_cannot_be_unpacked_are_told(offline, tmp_path):
    run = offline.copy(tmp_path)
    digest = next(row for row in run.rows if row["label"] == "EXACT")["matched"]["content_hash"]
    database = tmp_path / "audit" / "evidence.sqlite"
    sql(database, "UPDATE bodies SET packed = 1, data = x'00' WHERE sha256 = ?", bytes.fromhex(digest))
    assert states(replayed(tmp_path)) == dict.fromkeys(run.resting_on(digest), ReplayState.DRIFTED)


def test_a_case_that_was_changed_is_tampered_with(offline, tmp_path):
    offline.copy(tmp_path)
    with closing(PrivateStore(tmp_path / "audit", readonly=True)) as private:
        [row] = private.list_run_rows(RUN, "case", 2)
    data = zstandard.compress(row.data.replace(b'"day":"20', b'"day":"21'))
    sql(tmp_path / "audit" / "private.sqlite", "UPDATE rows SET data = ? WHERE commitment = ?",
        data, row.commitment)  # fmt: skip
    found = replayed(tmp_path)
    assert states(found) == {2: ReplayState.TAMPERED}
    assert [r.why for r in found[1].reasons] == [ReasonCode.COMMITMENT]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ev", "not_found"),
        ("ev", "run_start"),
        ("ev", "redacted"),
        ("verdict", "unchecked"),
        ("label", "EXACT"),
        ("label", None),
        ("score", 1.23),
        ("conf", 0.1234),
        ("conf", None),
        ("doi", "10.1234/other"),
        ("isbn", "9780262035613"),
        ("reasons", ["year_off_by_2"]),
        ("claimed", None),
        ("claimed", {"title": "Another"}),
        ("record", "another"),
        ("evidence", ["0" * 64]),
        ("evidence", []),
        ("evidence", None),
        ("evidence", ...),
        ("evidence", "all of it"),
        ("unchecked", [{"source": "crossref", "by": "doi", "cause": "offline"}]),
        ("attempt", 2),
        ("cut", True),
        ("model", "another"),
    ],
)
def test_a_line_that_says_otherwise_than_its_case_is_tampered_with(offline, tmp_path, field, value):
    run = offline.copy(tmp_path)
    ref = next(row for row, one in enumerate(run.rows, 1) if one["label"] == "MINOR")
    line_changed(tmp_path, ref, {field: value})
    found = replayed(tmp_path)
    assert states(found) == {ref: ReplayState.TAMPERED}
    one = found[ref - 1]
    assert {(r.why, r.detail.startswith(f"the log says {field} ")) for r in one.reasons} == {
        (ReasonCode.COMMITMENT, True)
    }
    assert (one.key, bool(one.title)) == (run.rows[ref - 1]["key"], True)


@pytest.mark.parametrize(
    "other",
    [
        {"ev": "retracted", "source": "crossref", "detail": "since 2020"},
        {"ev": "crossref_miss", "doi": "10.1234/x", "attempt": 1},
        {"ev": "crossref_miss", "doi": "10.1234/\ud800"},
        {"ev": "retracted", "detail": ["\x1b[31m"] * 500},
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_line_beside_the_verdict_that_does_not_follow_from_the_case_is_told(
    offline, tmp_path, other, before
):
    offline.copy(tmp_path)
    path = tmp_path / "audit" / f"{RUN}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if json.loads(line).get("ref") == 2) + (not before)
    added = encode_canonical(json.loads(lines[0]) | {"ref": 2} | other) + b"\n"
    path.write_bytes(b"".join([*lines[:at], added, *lines[at:]]))
    opened = Replay.open(tmp_path / "audit", RUN)
    assert opened is not None
    with opened as replay:
        [one] = [
            one for one in (*replay.references(), *replay.further()) if one.state is ReplayState.TAMPERED
        ]
    assert one.ref in (0, 2)  # to which reference a line belongs that stands elsewhere, nobody knows
    assert {reason.why for reason in one.reasons} == {ReasonCode.COMMITMENT}
    assert any(other["ev"] in text for text in (one.title, *(reason.detail for reason in one.reasons)))


def test_a_judge_that_was_changed_is_told_of_every_reference(offline, tmp_path):
    run = offline.copy(tmp_path)
    digest = next(log_reader.read_entries(tmp_path / "audit", RUN))["judge_hash"]
    judge = msgspec.json.decode(dict(stored(tmp_path))[digest])
    change(tmp_path, digest, msgspec.json.encode(judge | {"exact_at": 9.99}))
    found = replayed(tmp_path)
    assert states(found) == dict.fromkeys(range(1, len(run.rows) + 1), ReplayState.DRIFTED)
    assert {(r.why, r.source) for one in found for r in one.reasons} == {(ReasonCode.DAMAGED, "judge")}
    assert any(d.path == "judgement.confidence" for one in found for d in one.differences)


def test_another_judge_shows_what_it_would_change(offline):
    judge = msgspec.structs.replace(models.load_model(), name="stricter", exact_at=9.99)
    opened = Replay.open(offline.folder / "audit", RUN, judge=judge)
    assert opened is not None
    with opened as replay:
        found = list(replay.references())
    changed = [one for one in found if one.state is ReplayState.DRIFTED]
    assert 0 < len(changed) < len(found)
    for one in changed:
        assert {r.why for r in one.reasons} == {ReasonCode.JUDGE}
        assert "stricter" in one.reasons[0].detail


# --- what is not there -------------------------------------------------------------------------------


def test_what_was_redacted_is_told_as_redacted(offline, tmp_path):
    offline.copy(tmp_path)
    shutil.copytree(offline.folder / "keys", tmp_path / "keys")
    log = AuditLog.open(tmp_path / "audit", SystemClock(), KeyStore(tmp_path / "keys"))
    with closing(log), closing(PrivateStore(tmp_path / "audit")) as private:
        assert redact_values(log, private, [f"{RUN}/4"], "the author asked for it").values == 1
    found = replayed(tmp_path)
    assert states(found) == {4: ReplayState.REDACTED}
    assert "the author asked for it" in found[3].reasons[0].detail


def test_a_value_that_is_gone_without_a_word_is_missing(offline, tmp_path):
    offline.copy(tmp_path)
    sql(tmp_path / "audit" / "private.sqlite", "DELETE FROM rows WHERE kind = 'case' AND ref = 5")
    found = replayed(tmp_path)
    assert states(found) == {5: ReplayState.UNAVAILABLE}
    assert [r.why for r in found[4].reasons] == [ReasonCode.MISSING]


@pytest.mark.parametrize(("announced", "why"), [(False, ReasonCode.MISSING), (True, ReasonCode.PRUNED)])
def test_evidence_that_is_gone_is_named(offline, tmp_path, announced, why):
    run = offline.copy(tmp_path)
    digest = next(row for row in run.rows if row["matched"])["matched"]["content_hash"]
    with closing(EvidenceStore(tmp_path / "audit")) as evidence:
        assert evidence.drop([digest]) == 1
    if announced:
        shutil.copytree(offline.folder / "keys", tmp_path / "keys")
        with closing(AuditLog.open(tmp_path / "audit", SystemClock(), KeyStore(tmp_path / "keys"))) as log:
            log.append("audit", [{"ev": "pruned", "before": "2999-01-01T00:00:00.000Z", "evidence": 1}])
    found = replayed(tmp_path)
    assert states(found) == dict.fromkeys(run.resting_on(digest), ReplayState.UNAVAILABLE)
    gone = {(r.why, r.hash) for one in found for r in one.reasons}
    assert gone == {(why, digest)}


@pytest.mark.parametrize(("what", "why"), [("config", ReasonCode.MISSING), ("judge", ReasonCode.MISSING)])
def test_without_what_all_rests_on_nothing_is_judged(offline, tmp_path, what, why):
    run = offline.copy(tmp_path)
    if what == "config":
        sql(tmp_path / "audit" / "private.sqlite", "DELETE FROM rows WHERE kind = 'config'")
    else:
        digest = next(log_reader.read_entries(tmp_path / "audit", RUN))["judge_hash"]
        with closing(EvidenceStore(tmp_path / "audit")) as evidence:
            evidence.drop([digest])
    found = replayed(tmp_path)
    assert states(found) == dict.fromkeys(range(1, len(run.rows) + 1), ReplayState.UNAVAILABLE)
    assert {r.why for one in found for r in one.reasons} == {why}


# --- helpers of the above ----------------------------------------------------------------------------


def line_changed(folder: Path, ref: int, change: dict[str, object]) -> None:
    """Write other fields into the verdict on a reference; `...` takes one out."""
    path = folder / "audit" / f"{RUN}.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    [mine] = [line for line in lines if line.get("ref") == ref and "case" in line]
    mine.update(change)
    kept = [{name: value for name, value in line.items() if value is not ...} for line in lines]
    path.write_bytes(b"".join(encode_canonical(line) + b"\n" for line in kept))


def _matched(run: Made, shape: str, source: str) -> tuple[dict, str, bytes]:
    """Return a reference that one source alone has, out of an answer shared with others, and that answer."""
    bodies = dict(stored(run.folder))
    for row in run.rows:
        asked = row["provenance"]["registries_searched"]
        if row["label"] == "EXACT" and {one["registry"] for one in asked if one["count"]} == {source}:
            digest = row["matched"]["content_hash"]
            if shape.encode() in bodies[digest] and len(run.resting_on(digest)) > 1:
                return row, digest, bodies[digest]
    raise AssertionError("no reference rests on a batch")


def _with_author(body: bytes, doi: str, family: str) -> bytes:
    """Return a list of Crossref's in which the first author of one work is another."""
    answer = msgspec.json.decode(body)
    [item] = [one for one in answer["message"]["items"] if one["DOI"].lower() == doi]
    item["author"][0]["family"] = family
    return msgspec.json.encode(answer)


def _swapped(value: object, old: str, new: str) -> object:
    if isinstance(value, list):
        return [_swapped(one, old, new) for one in value]
    return new if value == old else value
