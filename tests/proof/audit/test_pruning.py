"""Evidence and text whose time is over: what only older events name goes, nothing else."""

from __future__ import annotations

import json
from functools import partial
from hashlib import sha256

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.stores.private_store import PrivateRow, make_commitment
from citeproof.proof.audit import erasure
from citeproof.proof.audit.events import MOST_HASHES
from tests.proof.audit.erasable import DAY, MAY, case, erasable
from tests.proof.audit.logs import assert_sound


@pytest.fixture
def made(tmp_path):
    with erasable(tmp_path) as made:
        yield made


@pytest.fixture
def aged(made):
    """Runs of May (old, both) and June (both, new); `shared` is named by old and new events."""
    made.add("old", range(1, 3))
    made.add("old", range(3, 4), bodies="shared")
    made.add("both", range(1, 2))
    made.clock.at = MAY + 31 * DAY
    made.add("both", range(2, 3))
    made.add("new", range(1, 2), bodies="shared fresh")
    made.clock.at = MAY + 60 * DAY
    return made


@pytest.mark.parametrize(
    ("days", "bodies", "left"),
    [
        (0, {"old 1", "old 2", "both 1", "both 2", "shared", "fresh"}, {"old": 3, "both": 2, "new": 1}),
        (20, {"both 2", "shared", "fresh"}, {"old": 0, "both": 2, "new": 1}),
        (50, set(), {"old": 0, "both": 0, "new": 0}),
    ],
)
def test_what_only_older_events_name_goes(aged, days, bodies, left):
    limit = MAY + days * DAY
    gone = erasure.prune_evidence(aged.log, aged.evidence, aged.private, limit, aged.clock)
    assert aged.bodies() == bodies
    assert {run: len(aged.secrets(run)) for run in left} == left
    assert (gone.bodies, gone.values) == (6 - len(bodies), 6 - sum(left.values()))
    said = aged.events("pruned")
    assert [(e["evidence"], e["values"], e["before"][:10]) for e in said] == (
        [(gone.bodies, gone.values, f"{limit:%Y-%m-%d}")] if days else []
    )
    named = {one for event in aged.events("redacted") for one in event["commitments"]}
    assert len(named) == gone.values
    again = erasure.prune_evidence(aged.log, aged.evidence, aged.private, limit, aged.clock)
    assert (again.bodies, again.values) == (0, 0)
    assert aged.events("pruned") == said
    aged.log.integrate()
    assert_sound(aged.folder)


def test_a_run_that_was_redacted_lately_is_still_old(aged):
    erasure.redact_values(aged.log, aged.private, ["old/1"], "asked for")
    gone = erasure.prune_evidence(aged.log, aged.evidence, aged.private, MAY + 20 * DAY, aged.clock)
    assert gone.values == 2
    assert aged.secrets("old") == []


def test_a_body_put_again_lately_stays_though_no_event_names_it_yet(aged):
    aged.evidence.put([(sha256(b"old 1").hexdigest(), b"old 1")])
    gone = erasure.prune_evidence(aged.log, aged.evidence, aged.private, MAY + 20 * DAY, aged.clock)
    assert "old 1" in aged.bodies()
    assert [event["evidence"] for event in aged.events("pruned")] == [gone.bodies]


def test_a_body_put_again_while_we_prune_stays(aged):
    class Meanwhile:
        """The log of a machine on which another process stores an answer at that very moment."""

        folder = aged.folder

        def append(self, run, events):
            aged.evidence.put([(sha256(b"old 1").hexdigest(), b"old 1")])
            return aged.log.append(run, events)

        def integrate(self):
            return aged.log.integrate()

    erasure.prune_evidence(Meanwhile(), aged.evidence, aged.private, MAY + 20 * DAY, aged.clock)
    assert {"old 1"} == aged.bodies() - {"both 2", "shared", "fresh"}


def test_what_no_event_names_stays(aged):
    aged.evidence.put([(sha256(b"orphan").hexdigest(), b"orphan")])
    aged.clock.at += 30 * DAY
    erasure.prune_evidence(aged.log, aged.evidence, aged.private, MAY + 20 * DAY, aged.clock)
    assert "orphan" in aged.bodies()


def test_an_event_that_names_only_so_many_hashes_does_not_lose_the_others(made):
    made.add("old", range(1, 2), bodies="far")
    made.clock.at = MAY + 31 * DAY
    made.add("new", range(1, 2), bodies="far", hidden=MOST_HASHES)
    made.clock.at = MAY + 60 * DAY
    erasure.prune_evidence(made.log, made.evidence, made.private, MAY + 20 * DAY, made.clock)
    assert made.bodies() == {"far"}


def test_an_event_that_was_cut_does_not_lose_the_others_either(made):
    made.add("cut", range(1, 2), bodies="one two")
    made.clock.at = MAY + 9 * DAY
    data = json.dumps(case("raw", [sha256(name).hexdigest() for name in (b"one", b"two")])).encode()
    salt, commitment = make_commitment(data)
    made.private.put([PrivateRow(commitment, "new", "case", 1, salt, data)])
    event = {"ev": "verified", "ref": 1, "case": commitment, "evidence": [], "cut": True}
    made.log.append("new", [event])
    made.clock.at = MAY + 20 * DAY
    assert (
        erasure.prune_evidence(made.log, made.evidence, made.private, MAY + 5 * DAY, made.clock).bodies == 0
    )
    assert made.bodies() == {"one", "two"}


def test_the_judge_of_a_run_is_evidence_too(made):
    for name, at in (("judge 1", MAY), ("judge 2", MAY), ("judge 2", MAY + 31 * DAY)):
        made.clock.at = at
        digest = sha256(name.encode()).hexdigest()
        made.evidence.put([(digest, name.encode())])
        made.log.append(f"h_{at:%m}", [{"ev": "run_start", "judge_hash": digest}])
    made.clock.at = MAY + 60 * DAY
    erasure.prune_evidence(made.log, made.evidence, made.private, MAY + 20 * DAY, made.clock)
    assert made.bodies() == {"judge 2"}


def test_the_future_cannot_be_pruned(made):
    with pytest.raises(UsageError, match="in the future"):
        erasure.prune_evidence(made.log, made.evidence, made.private, MAY + DAY, made.clock)


def test_a_damaged_log_stops_both(made):
    made.add("h_1", range(1, 3))
    journal = next(made.folder.glob("journal-*"))
    journal.write_bytes(b'{"seq":0,"redacted"\n' + journal.read_bytes())
    with pytest.raises(AuditError, match="cannot be read"):
        erasure.redact_values(made.log, made.private, ["h_1"], "x")
    made.clock.at += 40 * DAY
    with pytest.raises(AuditError, match="cannot be read"):
        erasure.prune_evidence(made.log, made.evidence, made.private, MAY + DAY, made.clock)
    assert made.secrets("h_1") == [1, 2]


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def call(made, audit):
    return partial(audit, "prune")


@pytest.mark.parametrize(
    ("arguments", "variable", "code", "said"),
    [
        (["--before", "2020-05-20"], "", 0, "dropped 5 stored answers and erased 5 private values\n"),
        (["--before", "2020-04-01T00:00:00+02:00"], "", 0, "dropped 0 stored answers and erased 0"),
        (["--days", "5"], "", 0, "dropped 5"),
        ([], "5", 0, "dropped 5"),
        ([], "", 2, ""),
        (["--days", "5", "--before", "2020-05-20"], "", 2, ""),
        (["--before", "yesterday"], "", 2, ""),
        (["--before", "9999-01-01"], "", 2, ""),
        (["--days", "0"], "", 2, ""),
    ],
)
def test_prune(made, call, monkeypatch, arguments, variable, code, said):
    made.add("old", range(1, 5))
    made.add("one", range(1, 2), bodies="shared")
    if variable:
        monkeypatch.setenv("CITEPROOF_AUDIT_KEEP_DAYS", variable)
    found, out, _ = call(*arguments)
    assert (found, out[: len(said)]) == (code, said)


def test_closed_logs_are_not_forgotten(made, call):
    made.private.close()
    made.evidence.close()
    made.log.rotate()
    _, _, err = call("--days", "5")
    assert err == "note: 1 closed log in audit/closed, where nothing went: prune each of them for itself\n"
