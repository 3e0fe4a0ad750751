"""A person's decision is in the audit log before it is in the store, and the log still verifies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.decision_store import MAX_NOTE, DecisionChoice, DecisionStore
from citeproof.plumbing.stores.private_store import is_commitment_to
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.log_reader import read_run_lines
from citeproof.service.person_decisions import DecidedReference, DecisionKeeper

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def store(tmp_path):
    store = DecisionStore(tmp_path / "jobs")
    yield store
    store.close()


def test_decisions_are_logged_with_the_run_and_the_log_verifies(cli, snapshot, store, tmp_path):
    log = tmp_path / "audit"
    checked = ("check", EXAMPLES / "references.bib", "--snapshot", snapshot, "--offline", "--format", "jsonl")
    assert cli(*checked, "--audit", log, "--audit-run", "job-1").code == 1
    keeper = DecisionKeeper(replace(settings.load({}), audit_dir=log), store, SystemClock())
    about = DecidedReference("1", "job-1", 2)
    keeper.decide(about, "accept", " seen in print \r\n twice ")
    keeper.decide(about, "dispute", "")
    kept = store.load("1")[2]
    keeper.decide(about, "withdraw", "")
    keeper.decide(about, "withdraw", "")  # nothing is there: nothing to log
    keeper.close()
    events = [json.loads(line) for line in read_run_lines(log, "job-1")]
    decided = [one for one in events if one["ev"] == "decided"]
    assert [(one["reference"], one["choice"], "note" in one) for one in decided] == [
        (3, "accept", True), (3, "dispute", False), (3, "withdraw", False),
    ]  # fmt: skip
    assert "seen in print" not in (log / "job-1.jsonl").read_text(encoding="utf-8")
    assert kept.choice is DecisionChoice.DISPUTE
    assert store.load("1") == {}
    verified = cli("audit", "verify", log)
    assert verified.code == 0, verified.out + verified.err
    assert "not signed" not in verified.out + verified.err
    replayed = cli("audit", "replay", log, "job-1")
    assert replayed.code == 0, replayed.out + replayed.err
    shown = cli("audit", "show", log, "job-1").out
    assert "decided: reference 3, choice accept" in shown
    assert "no verdict in the log" not in shown


def test_the_store_can_show_what_a_note_was(cli, snapshot, store, tmp_path):
    log = tmp_path / "audit"
    keeper = DecisionKeeper(replace(settings.load({}), audit_dir=log), store, SystemClock())
    keeper.decide(DecidedReference("1", "job-1", 0), "note", "look again")
    keeper.close()
    (event,) = (one for one in map(json.loads, read_run_lines(log, "job-1")) if one["ev"] == "decided")
    kept = store.load("1")[0]
    assert is_commitment_to(event["note"], kept.salt, encode_canonical({"choice": "note", "note": kept.note}))


def test_without_a_log_decisions_are_only_stored(store, tmp_path):
    keeper = DecisionKeeper(settings.load({}), store, SystemClock())
    keeper.decide(DecidedReference("1", "job-1", 0), "accept", "")
    assert store.load("1")[0].choice is DecisionChoice.ACCEPT


@pytest.mark.parametrize(
    ("choice", "note", "place"), [("burn", "", "choice"), ("note", "x" * (MAX_NOTE + 1), "note")]
)
def test_what_is_no_decision_is_refused(store, choice, note, place):
    keeper = DecisionKeeper(settings.load({}), store, SystemClock())
    with pytest.raises(UsageError) as raised:
        keeper.decide(DecidedReference("1", "job-1", 0), choice, note)
    assert raised.value.place == place
    assert store.load("1") == {}
