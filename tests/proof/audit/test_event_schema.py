"""The published schema of events: the contract's own lines fit it, what we write too, and nothing else."""

from __future__ import annotations

import importlib.util
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jsonschema
import pytest

from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import erasure, events, log_reader, observed_logs
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.events import make_events
from citeproof.proof.audit.key_store import KeyStore
from tests.proof.audit.logs import Shelf, Ticking

DOCS = Path(__file__).parents[3] / "docs"
_spec = importlib.util.spec_from_file_location("event_schema_page", DOCS / "event_schema.py")
page = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(page)
SCHEMA = json.loads(page.FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
REST = {"v": 1, "seq": 7, "run": "h_abc123"}
LINE = {**REST, "ts": "2026-05-07T10:14:02.117Z", "ev": "verified"}
HASH = "ab" * 32

CONTRACT = """
{"ts":"2026-05-07T10:14:02.117Z","ev":"verified","doi":"10.1038/s41586-021-03819-2","stage":"grounding","model":"claude-sonnet-4.6","conf":0.94}
{"ts":"2026-05-07T10:14:02.482Z","ev":"crossref_miss","doi":"10.1234/fake.ref.2024","stage":"grounding","attempt":1}
{"ts":"2026-05-07T10:14:02.951Z","ev":"title_mismatch","doi":"10.1093/brain/awz189","attributed":"Lehmann 1991","actual":"Tau pathology in early-onset AD","stage":"grounding","conf":0.41}
{"ts":"2026-05-07T10:14:03.300Z","ev":"retracted","doi":"10.1126/science.adi2317","source":"retraction_watch","stage":"grounding"}
{"ts":"2026-05-07T11:00:00.000Z","ev":"merkle_commit","root":"7c8f2a…b41e","prior":"3a91ff…22c9","s3":"s3://humanovo-audit/h_abc123/2026-05-07T11.merkle"}
"""  # noqa: E501 - lines as they were published
NAMES = """
claim_verified claim_resolved retracted_source claim_unchecked decided
verified crossref_miss title_mismatch author_mismatch not_found ambiguous unchecked doi_answer retracted
predatory_source cohort_concentrated ai_generated_suspect unsupported source_error config run_start run_end
merkle_commit checkpoint redacted pruned recovered clock_skew log_opened log_closed
"""


def test_the_published_file_is_made_from_the_tables():
    assert page.FILE.read_text(encoding="utf-8") == page.format_event_schema(), "run `make docs`"
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_event_of_the_contract_is_described():
    assert set(events.EVENTS) == set(NAMES.split())
    assert all({*need} <= set(events.FIELDS) for _, need in events.EVENTS.values())


@pytest.mark.parametrize("line", CONTRACT.split("\n")[1:-1])
def test_the_lines_of_the_contract_fit_as_they_are(line):
    VALIDATOR.validate({**REST, **json.loads(line)})


@pytest.mark.parametrize("name", ["self_citation", "future_date", "x"])
def test_a_finding_may_have_any_name(name):
    VALIDATOR.validate({**LINE, "ev": name, "ref": 1, "source": "us", "detail": "since 2030", "more": [1]})


@pytest.mark.parametrize(
    "change",
    [
        *({name: None} for name in page.COMMON),
        {"v": 2},
        {"seq": -1},
        {"seq": "7"},
        {"run": "../h"},
        {"run": "x" * 101},
        {"ts": "2026-05-07T10:14:02Z"},
        {"ts": "2026-05-07 10:14:02.117Z"},
        {"ts": "٢٠٢٦-05-07T10:14:02.117Z"},
        {"ev": "Verified"},
        {"ev": ""},
        {"conf": 1.5},
        {"score": 11},
        {"label": "FINE"},
        {"verdict": "fake"},
        {"ref": 0},
        {"attempt": 0},
        {"doi": ["10.1/x"]},
        {"reasons": "year_off_by_2"},
        {"reasons": [2]},
        {"reasons": ["x"] * 21},
        {"reasons": ["x" * 301]},
        {"evidence": ["ab"]},
        {"evidence": 3},
        {"case": "secret words"},
        {"documents": ["draft.docx"]},
        {"claimed": {"title": "x"}},
        {"unchecked": [{"source": "crossref"}]},
        {"ev": "crossref_miss", "attempt": 1},
        {"ev": "title_mismatch", "attributed": "x"},
        {"ev": "retracted"},
        {"ev": "merkle_commit", "root": HASH},
        {"ev": "merkle_commit", "root": "rubbish", "prior": None},
        {"ev": "merkle_commit", "root": HASH, "prior": None, "s3": "https://s3"},
        {"ev": "merkle_commit", "root": HASH, "prior": None, "anchors": [{"name": "folder"}]},
        {"ev": "redacted", "commitments": ["x"], "reason": "r"},
        {"ev": "redacted", "commitments": [HASH]},
        {"ev": "pruned", "before": LINE["ts"], "evidence": [HASH]},
        {"ev": "source_error", "source": "crossref", "cause": "bored"},
        {"ev": "run_end", "references": 1, "counts": {"matched": "one"}},
        {"ev": "clock_skew"},
    ],
)
def test_what_is_no_event_is_refused(change):
    VALIDATOR.validate(LINE)
    line = {name: value for name, value in {**LINE, **change}.items() if value is not None or name == "prior"}
    assert not VALIDATOR.is_valid(line)


@pytest.mark.parametrize(
    "line",
    [
        {"reasons": ["year_off_by_2"]},
        {"reasons": []},
        {"url": "https://example.org/"},
        {"ev": "run_start", "stage": "check", "settings": "0123abcd"},
        {"ev": "run_start", "stage": "check", "config": HASH},
    ],
)
def test_lines_of_older_and_newer_logs_fit(line):
    VALIDATOR.validate({**LINE, **line})


@pytest.mark.parametrize("clear", [False, True])
def test_events_of_judgements_fit(made_checked, clear):
    for checked in made_checked.values():
        for event in make_events(checked, 3, "check", HASH, clear=clear):
            VALIDATOR.validate({**LINE, **event})


def test_what_the_log_says_of_itself_fits(tmp_path):
    """Commit, redact, prune, observe, rotate, recover, a clock that goes back: all lines of both logs."""
    clock, keys = Ticking(datetime(2020, 5, 1, tzinfo=UTC)), KeyStore(tmp_path / "keys")
    log = AuditLog.open_or_create(tmp_path / "log", clock, keys, "example.org/a")
    other = AuditLog.open_or_create(tmp_path / "other", clock, keys, "example.org/b")
    private, evidence = PrivateStore(log.folder), EvidenceStore(log.folder, clock=clock)
    salt, commitment = make_commitment(b"{}")
    private.put([PrivateRow(commitment, "h_1", "case", 1, salt, b"{}")])
    start = {"ev": "run_start", "stage": "check", "documents": [], "judge_hash": HASH}
    log.append("h_1", [start, {"ev": "verified", "case": commitment, "evidence": [HASH]}])
    log.commit("h_1", [Shelf(place="s3://bucket/key?versionId=1"), Shelf(fault="down")])
    other.commit("log")
    observed_logs.observe_log(log, other.folder, other.key)
    clock.steps = [-60]
    log.append("h_1", [{"ev": "run_end", "references": 1, "counts": {"matched": 1}, "complete": True}])
    erasure.redact_values(log, private, ["h_1"], "asked for")
    salt, commitment = make_commitment(b"[]")
    private.put([PrivateRow(commitment, "h_1", "case", 2, salt, b"[]")])
    late = FixedClock(clock.at + timedelta(days=60))
    erasure.prune_evidence(log, evidence, private, clock.at + timedelta(days=30), late)
    with next(log.folder.glob("journal-*")).open("ab") as journal:
        journal.write(b'{"half')
    log.close()
    log.append("h_1", [{"ev": "verified"}])
    private.close()
    evidence.close()
    closed = log.rotate()
    found = [entry for folder in (closed, log.folder) for entry in log_reader.read_entries(folder)]
    for entry in found:
        VALIDATOR.validate(entry)
    said = {entry["ev"] for entry in found}
    assert said == {"verified", *NAMES.split()[NAMES.split().index("run_start") :]}
