"""Every kind of event, from every producer: untouched it is replayed without a difference, and no value of
it can be altered unseen.

Who can write the folder but not sign is found by `audit verify`, whatever he alters. Who can sign makes the
tree anew over what he altered; he does not have what the lines commit to, so the replay finds it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from citeproof.corpus.corpus_types import Status
from citeproof.errors import AuditError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.signed_note import VerifierKey
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, make_commitment
from citeproof.proof.audit import log_reader
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.case import LoggedClaim
from citeproof.proof.audit.events import EVENTS, make_claim_event
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.verify.log_check import verify
from citeproof.proof.replay import Replay, ReplayState
from citeproof.proof.replay.recorded_run import OF_THE_LOG
from citeproof.service.exit_codes import Exit
from citeproof.vocabulary import CitationReason
from tests.proof.audit.making import ran
from tests.proof.replay.made import change, sql, stored
from tests.proof.replay.producers import (
    GONE,
    PRODUCERS,
    Produced,
    check_corpus,
    keep_log,
    produce,
    serve_works,
)

pytestmark = pytest.mark.slow

Json = dict[str, Any]
OF_A_REFERENCE = (
    "verified", "crossref_miss", "title_mismatch", "author_mismatch", "not_found", "ambiguous", "unchecked",
    "retracted", "predatory_source", "ai_generated_suspect", "source_error",
)  # fmt: skip
OF_A_CLAIM = ("claim_verified", "unsupported", "retracted_source", "claim_unchecked")  # and `claim_resolved`
OF_A_RUN = ("run_start", "run_end", "merkle_commit")
OF_CHECKED = (*OF_A_REFERENCE, "cohort_concentrated", "duplicate_reference", *OF_A_RUN)
OF_GROUNDED = (
    "verified", "crossref_miss", "title_mismatch", "retracted", "unchecked", *OF_A_CLAIM,
    "cohort_concentrated", *OF_A_RUN,
)  # fmt: skip
WRITTEN = {  # by each producer; a kind of event that nobody here writes fails the first test
    "check": set(OF_CHECKED),
    "late": {"verified", "retracted", "config", *OF_A_RUN},
    "claims": set(OF_GROUNDED),
    "corpus": {"verified", "crossref_miss", "retracted", "doi_answer", *OF_A_RUN},
    "batch": set(OF_CHECKED),
    "stream": {"verified", "crossref_miss", "retracted", "claim_verified", "claim_resolved", "unsupported",
               "retracted_source", *OF_A_RUN},
    "server": {*OF_CHECKED, *OF_GROUNDED, "decided"},
}  # fmt: skip
KEPT = {"checkpoint", "redacted", "pruned", "recovered", "clock_skew", "log_opened", "log_closed"}
ROWS = [(name, kind) for name, kinds in WRITTEN.items() for kind in sorted(kinds - OF_THE_LOG)]
ALTERED = ("stage", "source", "counts", "documents")  # one of them is in every line
GIVEN_BY_THE_LOG = {"ts", "seq"}  # when a line is written, and where


@pytest.fixture(scope="module")
def produced(tmp_path_factory) -> Produced:
    return produce(tmp_path_factory.mktemp("produced"))


@pytest.fixture(scope="module")
def scratch(produced, tmp_path_factory) -> Path:
    """A copy that a test may alter, if it puts back what was there."""
    folder = tmp_path_factory.mktemp("altered")
    shutil.copytree(produced.audit, folder / "audit")
    return folder


def _read(folder: Path, run: str) -> list[Json]:
    return [json.loads(line) for line in (folder / "audit" / f"{run}.jsonl").read_bytes().splitlines()]


def _write(folder: Path, run: str, lines: list[Json]) -> None:
    path = folder / "audit" / f"{run}.jsonl"
    path.write_bytes(b"".join(encode_canonical(line) + b"\n" for line in lines))


def _replay(folder: Path, run: str, ref: int | None = None) -> list[tuple[str, ...]]:
    """Return what comes of a replay; of the references all, or with `ref` the one."""
    try:
        opened = Replay.open(folder / "audit", run)
        assert opened is not None
        with opened as replay:
            found = [*replay.references(ref), *replay.further()]
    except (AuditError, AssertionError) as error:
        return [("", str(error))]
    return [(one.subject, one.state, *(reason.detail for reason in one.reasons)) for one in found]


def _list_leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where the values of a line are; an empty list is a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    parts = list(inside)
    for name, part in parts:
        yield from _list_leaves(part, (*path, name))
    if not parts:
        yield path


def _alter(line: Json, path: tuple[str | int, ...]) -> Json:
    """Return a line with another value of the same type in one place."""
    made = json.loads(json.dumps(line))
    inside = made
    for name in path[:-1]:
        inside = inside[name]
    match inside[path[-1]]:
        case bool(old):
            new: object = not old
        case int(old) | float(old):
            new = old + 1 if old < 1 or isinstance(old, int) else old - 1
        case str(old):
            new = f"{'0' if old[:1] == '1' else '1'}{old[1:]}"
        case list() | dict():
            new = ["1" * 64]
        case None:
            new = 1
    inside[path[-1]] = new
    return made


def test_every_kind_of_event_that_exists_has_a_producer_here(produced, tmp_path):
    seen = {
        name: {entry["ev"] for run in runs for entry in log_reader.read_entries(produced.audit, run)}
        for name, runs in produced.runs.items()
    }
    assert seen == WRITTEN
    logs = keep_log(produced, tmp_path)
    kept = {entry["ev"] for folder in logs for entry in log_reader.read_entries(folder)}
    assert kept >= KEPT
    every = set().union(*seen.values(), kept)
    assert every - {"duplicate_reference"} == set(EVENTS)  # a finding of a check has the check's name


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_log_that_nobody_touched_is_replayed_without_a_difference(produced, name):
    for run in produced.runs[name]:
        found = _replay(produced.folder, run)
        assert {row[1:] for row in found} == {(ReplayState.IDENTICAL,)}, found
        ended = ran("replay", produced.audit, run)
        assert ended.code == 0, ended.out


@pytest.mark.parametrize(("name", "kind"), ROWS)
def test_no_value_of_a_line_can_be_altered_unseen_in_any_tree(produced, scratch, name, kind):
    """A replay does not read the tree: what it finds, it finds in whatever tree the lines are."""
    unseen = []
    for run in produced.runs[name]:
        lines = _read(produced.folder, run)
        at = max((n for n, line in enumerate(lines) if line["ev"] == kind), default=None,
                 key=lambda n: len(list(_list_leaves(lines[n]))))  # fmt: skip
        if at is None:
            continue
        ref = lines[at].get("ref", 10**9)  # one that is none: the references are judged in another test
        honest = _replay(produced.folder, run, ref)
        for path in _list_leaves(lines[at]):
            if path[0] in GIVEN_BY_THE_LOG:
                continue
            _write(scratch, run, [*lines[:at], _alter(lines[at], path), *lines[at + 1 :]])
            if _replay(scratch, run, ref) == honest:
                unseen.append((run, path, lines[at]))
        _write(scratch, run, lines)
    assert unseen == []


@pytest.mark.parametrize(("name", "kind"), [*ROWS, *((name, "merkle_commit") for name in PRODUCERS)])
def test_whoever_cannot_sign_is_found_by_verify_whatever_line_he_alters(produced, scratch, name, kind):
    key = VerifierKey.parse(json.loads((produced.audit / "log.json").read_bytes())["key"])
    run = next(run for run in produced.runs[name] if kind in {line["ev"] for line in _read(scratch, run)})
    lines = _read(scratch, run)
    at = next(n for n, line in enumerate(lines) if line["ev"] == kind)
    _write(scratch, run, [*lines[:at], _alter(lines[at], ("ts",)), *lines[at + 1 :]])
    told = [one.what for one in verify(scratch / "audit", [key]).problems]
    _write(scratch, run, lines)
    assert any(f"event {lines[at]['seq']}" in one for one in told), told
    assert verify(scratch / "audit", [key]).problems == ()


@pytest.mark.parametrize(("kind", "name"), {kind: name for name, kind in ROWS}.items())
def test_a_tree_that_was_made_anew_is_sound_and_the_replay_of_it_is_not(produced, tmp_path, name, kind):
    """Whoever holds the key alters one value of one line, and signs a log that has it."""
    run = next(
        run for run in produced.runs[name] if kind in {one["ev"] for one in _read(produced.folder, run)}
    )
    lines, audit = _read(produced.folder, run), tmp_path / "audit"
    at = next(n for n, line in enumerate(lines) if line["ev"] == kind)
    path = next(path for path in _list_leaves(lines[at]) if path[0] in ALTERED)
    lines[at] = _alter(lines[at], path)
    with closing(AuditLog.open_or_create(audit, SystemClock(), KeyStore(tmp_path / "keys"))) as log:
        for line in lines:
            if line["ev"] == "merkle_commit":
                log.commit(run, [])
            else:
                log.append(run, [{k: v for k, v in line.items() if k not in GIVEN_BY_THE_LOG | {"v", "run"}}])
    for file in ("evidence.sqlite", "private.sqlite"):
        shutil.copy(produced.audit / file, audit)
    key = VerifierKey.parse(json.loads((audit / "log.json").read_bytes())["key"])
    assert [one.what for one in verify(audit, [key]).problems] == []
    ended = ran("replay", audit, run)
    assert ended.code == Exit.PROBLEMS, ended.out
    assert "1 tampered" in ended.out


def test_no_stored_answer_can_be_altered_unseen(produced, scratch):
    """Every body rests under a verdict or is the judge: one of those who name it must drift."""
    named: dict[str, tuple[str, int]] = {}
    for runs in produced.runs.values():
        for run in runs:
            lines = _read(produced.folder, run)
            for line in lines:
                hashes = line.get("evidence", []) + ([line["judge_hash"]] if "judge_hash" in line else [])
                named |= dict.fromkeys(hashes, (run, line.get("ref", 1)))
    bodies = dict(stored(scratch))
    assert bodies.keys() == named.keys()
    for digest, body in bodies.items():
        run, ref = named[digest]
        change(scratch, digest, body[:-1] + bytes([body[-1] ^ 1]))
        found = _replay(scratch, run, ref)
        change(scratch, digest, body)
        assert found[0][1] in (ReplayState.DRIFTED, ReplayState.TAMPERED), (run, ref, body[:80], found[0])


@pytest.mark.parametrize("name", PRODUCERS)
def test_no_value_behind_a_commitment_can_be_altered_unseen(produced, scratch, name):
    database = scratch / "audit" / "private.sqlite"
    kinds = set()
    for run in produced.runs[name]:
        with closing(PrivateStore(scratch / "audit", readonly=True)) as private:
            rows = list(private.list_run_rows(run))
        for row in [next(one for one in rows if one.kind == kind) for kind in {one.kind for one in rows}]:
            kinds.add(row.kind)
            ref = row.ref or 10**9
            honest = _replay(scratch, run, ref)
            statement = "UPDATE rows SET data = ? WHERE commitment = ?"
            sql(database, statement, zstandard.compress(row.data + b" "), row.commitment)
            assert _replay(scratch, run, ref) != honest, row.kind
            sql(database, statement, zstandard.compress(row.data), row.commitment)
            assert _replay(scratch, run, ref) == honest
    assert kinds >= {"case", "config", "line"}


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_retracted_work_is_nowhere_logged_or_counted_as_verified(produced, name):
    """What a claim, a document, a text or a corpus cites: one event with its DOI and who says so."""
    for run in produced.runs[name]:
        lines = _read(produced.folder, run)
        gone = [line for line in lines if line.get("doi") == GONE]
        assert {line["ev"] for line in gone} <= {"retracted", "doi_answer"}
        told = [line for line in gone if line["ev"] == "retracted"]
        assert {(line["verdict"], line["source"], line["kind"]) for line in told} == {
            ("matched", "retraction_watch", "retracted")
        }
        assert {line["answer"] for line in gone if line["ev"] == "doi_answer"} <= {"retracted"}
        [end] = [line for line in lines if line["ev"] == "run_end"]
        verified = sum(line["ev"] == "verified" for line in lines)
        assert (end["counts"]["retracted"], end["counts"]["matched"]) == (len(told), verified)
        shown = ran("show", produced.audit, run).out
        assert f"✓ {verified} of {end['references']} citations verified" in shown
        assert f"{len(told)} retracted" in shown
        assert "✗ RETRACTED, EXACT" in shown
        [head] = log_reader.list_runs(produced.audit, run)
        assert (head.verdicts["retracted"], head.verdicts["matched"]) == (len(told), verified)


def test_a_retracted_doi_of_a_corpus_document_is_an_issue(tmp_path):
    with serve_works(tmp_path) as settings:
        [result] = check_corpus(settings, tmp_path)
    [cited] = [one for one in result.citations if GONE in one.raw]
    assert (cited.status, cited.reason) == (Status.INCONSISTENT, CitationReason.RETRACTED)
    [issue] = [one for one in result.issues if one.rule == "retracted-source"]
    assert "retracted on 2026-04-30" in issue.message
    assert result.counts.verified == 1


def _recommit(folder: Path, run: str, row: PrivateRow, value: Json) -> str:
    """Put another value into the sidecar, as somebody does who can write it; return its commitment."""
    salt, commitment = make_commitment(data := msgspec.json.encode(value))
    with closing(PrivateStore(folder / "audit")) as private:
        private.put([PrivateRow(commitment, run, row.kind, row.ref, salt, data)])
    return commitment


def _is_dropped(line: Json) -> bool:
    return line["ev"] == "unsupported" and line["tried"] == 1


def _accept(claim: Json) -> None:
    claim["status"] = "verified"
    claim["candidates"][-1]["passed"] = True


def _rename(told: Json) -> None:
    told["found"][0]["finding"]["detail"] = "nothing to see"


@pytest.mark.parametrize(
    ("run", "kind", "alter"),
    [("claims", "claim", _accept), ("claims", "set", _rename), ("check", "set", _rename)],
)
def test_what_was_decided_cannot_be_committed_to_anew_without_the_evidence(
    produced, tmp_path, run, kind, alter
):
    """Whoever alters the line, the tree and the sidecar alike still has to explain it by the answers."""
    shutil.copytree(produced.audit, tmp_path / "audit")
    lines = _read(tmp_path, run)
    with closing(PrivateStore(tmp_path / "audit", readonly=True)) as private:
        rows = {row.commitment: row for row in private.list_run_rows(run, kind)}
    at = next(n for n, one in enumerate(lines) if kind in one and (kind == "set" or _is_dropped(one)))
    row = rows[old := lines[at][kind]]
    alter(value := json.loads(row.data))
    new = _recommit(tmp_path, run, row, value)
    made = [line | {kind: new} if line.get(kind) == old else line for line in lines]
    if kind == "claim":
        event = make_claim_event(msgspec.convert(value, LoggedClaim), "grounding", new)
        made[at] = {name: lines[at][name] for name in ("v", "ts", "seq", "run")} | event
    _write(tmp_path, run, made)
    found = _replay(tmp_path, run)
    assert [row[1] for row in found if row[1] != ReplayState.IDENTICAL] == [ReplayState.DRIFTED], found


def _make_older(folder: Path, run: str, line: Json) -> Iterator[Json]:
    """Yield a line as version 0.2.0 wrote it: fewer commitments, and a retracted work as verified."""
    old = {name: value for name, value in line.items() if name != "line"}
    with closing(PrivateStore(folder / "audit", readonly=True)) as private:
        row = private.get(line.get("config") or line.get("case") or "")
    if line["ev"] == "run_start":
        value = json.loads(row.data)
        yield old | {"config": _recommit(folder, run, row, {k: v for k, v in value.items() if k != "head"})}
    elif line["ev"] == "retracted":
        notice = {name: old.pop(name) for name in ("source", "detail", "kind")}
        record = json.loads(row.data)["judged"][0]["matched"]["record"]
        yield old | {"ev": "verified", "source": record["source"], "record": record["id"]}
        yield {name: line[name] for name in ("v", "ts", "seq", "run", "ev", "stage", "ref")} | notice
    else:
        is_finding = "ref" in line and "verdict" not in line and "attempt" not in line
        yield {name: value for name, value in old.items() if name != "doi" or not is_finding}


@pytest.mark.parametrize("name", PRODUCERS)
def test_an_honest_log_of_version_0_2_0_is_replayed_without_a_difference(produced, tmp_path, name):
    shutil.copytree(produced.audit, tmp_path / "audit")
    for run in produced.runs[name]:
        lines = [old for line in _read(tmp_path, run) for old in _make_older(tmp_path, run, line)]
        _write(tmp_path, run, lines)
        found = _replay(tmp_path, run)
        assert {row[1:] for row in found} == {(ReplayState.IDENTICAL,)}, found
