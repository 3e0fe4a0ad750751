"""Runs that another version, setting or source recorded: what differs today, and what it is put down to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.replay import ReasonCode, ReplayedReference, ReplayState
from tests.proof.replay.made import RUN, Made, replayed, states, stored

pytestmark = pytest.mark.slow

Json = dict[str, Any]
CHOSEN = 2  # the reference that is recorded otherwise


def rewritten(
    run: Made,
    to: Path,
    *,
    start: Json | None = None,
    config: Json | None = None,
    case: Callable[[Json], None] | None = None,
    line: Json | None = None,
) -> list[ReplayedReference]:
    """Return a run replayed as if it had been recorded otherwise: its head, its settings, one case."""
    rows: list[PrivateRow] = []
    events: list[Json] = []

    def committed(kind: str, value: Json, ref: int = 0) -> str:
        salt, commitment = make_commitment(data := msgspec.json.encode(value))
        rows.append(PrivateRow(commitment, RUN, kind, ref, salt, data))
        return commitment

    with closing(PrivateStore(run.folder / "audit", readonly=True)) as private:
        for entry in log_reader.read_entries(run.folder / "audit", RUN):
            event = {name: value for name, value in entry.items() if name not in ("v", "ts", "seq", "run")}
            if event["ev"] == "run_start":
                told = msgspec.json.decode(private.get(event["config"]).data)
                event |= (start or {}) | {"config": committed("config", told | (config or {}))}
            elif "case" in event:
                told = msgspec.json.decode(private.get(event["case"]).data)
                if case is not None and event["ref"] == CHOSEN:
                    case(told)
                    judged = told["judged"][0] if "judged" in told else event
                    event |= {name: judged[name] for name in ("verdict", "label", "score")}
                event["case"] = committed("case", told, event["ref"])
                event = {name: value for name, value in (event | (line or {})).items() if value is not ...}
            events.append(event)
    _written(to, events, rows, stored(run.folder))
    return replayed(to)


def _written(to: Path, events: list[Json], rows: list[PrivateRow], bodies) -> None:
    with (
        closing(EvidenceStore(to / "audit")) as evidence,
        closing(PrivateStore(to / "audit")) as private,
        closing(AuditLog.open_or_create(to / "audit", SystemClock(), KeyStore(to / "keys"))) as log,
    ):
        evidence.put(bodies)
        private.put(rows)
        log.append(RUN, [event for event in events if event["ev"] != "merkle_commit"])


def other_score(case: Json) -> None:
    case["judged"][0]["score"] = 4.25


def other_title(case: Json) -> None:
    case["judged"][0]["matched"]["record"]["titles"][0] = "As it was read then"


def no_case(case: Json) -> None:
    case.clear()


def other_source(case: Json) -> None:
    """One lookup more was made, by a source that there is no more."""
    heard = {"source": "gone", "by": "doi", "outcome": "absent", "reach": "covers"}
    case["lookups"].append(heard | {"exchanges": [{"asked": "GET https://gone.example"}]})


def other_lookup(**fields: str) -> Callable[[Json], None]:
    """The first lookup went otherwise than any that this version knows."""
    return lambda case: case["lookups"][0].update(fields)


def other_day(case: Json) -> None:
    case["day"] = "the day before"


def other_judged(case: Json) -> None:
    """The judgement has a part that this version does not know."""
    case["judged"].append({})


def test_what_is_rewritten_without_a_change_is_identical(offline, tmp_path):
    assert states(rewritten(offline, tmp_path)) == {}


@pytest.mark.parametrize(
    ("version", "why", "detail"),
    [("0.0.1", ReasonCode.VERSION, "citeproof 0.0.1 then"), (None, ReasonCode.UNEXPLAINED, "same version")],
)
def test_another_judgement_of_the_same_evidence(offline, tmp_path, version, why, detail):
    start = {"citeproof": version} if version else {}
    found = rewritten(offline, tmp_path, start=start, case=other_score)
    assert states(found) == {CHOSEN: ReplayState.DRIFTED}
    [reason] = found[CHOSEN - 1].reasons
    assert reason.why is why
    assert detail in reason.detail
    [difference] = found[CHOSEN - 1].differences
    assert (difference.path, difference.then) == ("judgement.score", "4.25")


def test_a_later_version_that_judges_alike_is_no_drift(offline, tmp_path):
    assert states(rewritten(offline, tmp_path, start={"citeproof": "0.0.1"})) == {}


@pytest.mark.parametrize("line", [{"reasons": ...}, {"url": "https://example.org/x"}])
def test_lines_of_older_logs_are_not_tampered_with(offline, tmp_path, line):
    """They lack the reasons, or have addresses in clear; nothing stands for the first event as a whole."""
    older = {"head": None}
    assert states(rewritten(offline, tmp_path, start={"settings": "0123"}, config=older, line=line)) == {}


def test_a_field_that_every_line_has_cannot_be_taken_out(offline, tmp_path):
    found = rewritten(offline, tmp_path, line={"reasons": ...})
    assert {one.state for one in found} == {ReplayState.TAMPERED}


def test_another_wording_of_the_explanation_is_no_drift(offline, tmp_path):
    def reword(case: Json) -> None:
        case["judged"][0]["explanation"] = "As an earlier version worded it."

    found = rewritten(offline, tmp_path, case=reword)
    assert states(found) == {}
    [difference] = found[CHOSEN - 1].differences
    assert (difference.path, difference.then) == (
        "judgement.explanation", '"As an earlier version worded it."'
    )  # fmt: skip


def test_a_record_that_is_read_otherwise_is_named_with_its_answer(offline, tmp_path):
    row = offline.rows[CHOSEN - 1]
    found = rewritten(offline, tmp_path, start={"citeproof": "0.0.1"}, case=other_title)[CHOSEN - 1]
    [read] = [reason for reason in found.reasons if reason.why is ReasonCode.READ]
    assert (read.hash, read.source) == (row["matched"]["content_hash"], row["matched"]["source"])
    assert read.detail.endswith("is read differently: titles")
    assert '"As it was read then"' in {difference.then for difference in found.differences}


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (no_case, "cannot read the case"),
        (other_source, "'gone'"),
        (other_lookup(reach="far"), "'far' is not a valid Reach"),
        (other_lookup(outcome="perhaps"), "'perhaps'"),
        (other_lookup(outcome="unchecked", cause="moon"), "'moon' is not a valid Cause"),
        (other_day, "the day before"),
        (other_judged, "cannot read the case"),
    ],
)
def test_what_this_version_cannot_read_is_unavailable(offline, tmp_path, case, words):
    found = rewritten(offline, tmp_path, case=case)
    assert states(found) == {CHOSEN: ReplayState.UNAVAILABLE}
    [reason] = found[CHOSEN - 1].reasons
    assert reason.why is ReasonCode.UNREADABLE
    assert words in reason.detail


@pytest.mark.parametrize("config", [{"urls": {}}, {"contact": False}, {"keys": []}])
def test_a_request_that_was_not_made_then_is_told_and_not_sent(live, tmp_path, config):
    found = rewritten(live, tmp_path, config=config)
    drifted = [one for one in found if one.state is ReplayState.DRIFTED]
    assert drifted
    for one in drifted:
        asked = [reason for reason in one.reasons if reason.why is ReasonCode.ASKED]
        assert any(reason.detail.startswith("sends requests that were not sent then: ") for reason in asked)
        assert all("?" not in reason.detail for reason in asked)
    assert {one.state for one in found} <= {ReplayState.DRIFTED, ReplayState.IDENTICAL}
