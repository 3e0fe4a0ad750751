"""What a run leaves in the log: every door, before anything is shown, and nothing of the user's in clear."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import citeproof
from citeproof.errors import AuditError, UsageError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore, is_commitment_to
from citeproof.proof.audit import log_setup
from citeproof.proof.audit.case import decode_case
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import Settings
from citeproof.vocabulary import Document

EXAMPLES = Path(__file__).parents[3] / "examples"
BIB = (EXAMPLES / "references.bib").read_bytes()
SECRET = "the committee must not know"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    out = tmp_path_factory.mktemp("audited") / "snapshot"
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], out)
    return out


@pytest.fixture
def chosen(snapshot, tmp_path):
    return Settings(
        snapshots=(snapshot,), offline=True, audit_dir=tmp_path / "log", audit_key=tmp_path / "keys"
    )


def logged(folder):
    """Return the events of the one run in `folder`."""
    (path,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def in_order(events):
    """Return the verdict events, by the number of the reference: they are logged as they come."""
    return sorted((event for event in events if "case" in event), key=lambda event: event["ref"])


def test_a_run_is_in_the_log_with_a_beginning_and_an_end(chosen):
    report = citeproof.check(Document(f"{SECRET}.bib", BIB), settings=chosen)
    events = logged(chosen.audit_dir)
    assert [event["ev"] for event in (events[0], *events[-2:])] == ["run_start", "run_end", "merkle_commit"]
    assert events[-2]["references"] == len(report.references)
    assert events[-2]["complete"]
    cases = in_order(events)
    assert [event["ref"] for event in cases] == list(range(1, len(report.references) + 1))
    assert [event["verdict"] for event in cases] == [c.judgement.verdict for c in report.references]
    assert [event["seq"] for event in events] == list(range(len(events)))


def test_nobody_waits_for_references_that_do_not_come(chosen, monkeypatch):
    monkeypatch.setattr(log_setup, "LONG_WINDOW", 3600.0)  # seconds that a batch waits for more
    documents = [Document(f"{n}.bib", BIB) for n in range(3)]
    assert list(begin_check(assemble(chosen), documents))


def test_the_users_words_are_committed_to_and_not_told(chosen):
    report = citeproof.check(Document(f"{SECRET}.bib", BIB), settings=chosen)
    folder = chosen.audit_dir
    told = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file() and "private" not in p.name)
    assert SECRET.encode() not in told
    assert not any(c.reference.key.encode() in told for c in report.references if len(c.reference.key) > 8)
    private = PrivateStore(folder, readonly=True)
    for event, checked in zip(in_order(logged(folder)), report.references, strict=True):
        row = private.get(event["case"])
        assert row
        assert is_commitment_to(event["case"], row.salt, row.data)
        assert decode_case(row.data).reference == checked.reference
    (document,) = logged(folder)[0]["documents"]
    assert json.loads(private.get(document).data)["name"] == f"{SECRET}.bib"


def test_every_hash_that_an_event_names_is_in_the_evidence(chosen):
    citeproof.check(Document("refs.bib", BIB), settings=chosen)
    evidence = EvidenceStore(chosen.audit_dir, readonly=True)
    named = {digest for event in logged(chosen.audit_dir) for digest in event.get("evidence", ())}
    assert named
    assert all(evidence.get(digest) for digest in named)
    assert evidence.get(logged(chosen.audit_dir)[0]["judge_hash"])


def test_a_single_citation_is_logged_before_it_is_shown(chosen):
    citeproof.verify("Deep residual learning for image recognition", settings=chosen)
    assert [event["stage"] for event in logged(chosen.audit_dir) if "case" in event] == ["verify"]


def test_clear_text_is_logged_when_asked_for(chosen):
    citeproof.check(Document("refs.bib", BIB), settings=replace(chosen, audit_clear=True))
    assert all(event["raw"] and event["key"] for event in logged(chosen.audit_dir) if "case" in event)


def test_a_hypothesis_goes_on_in_its_file_and_numbers_go_on(chosen):
    named = replace(chosen, audit_run="h_abc123")
    for _ in range(2):
        citeproof.check(Document("refs.bib", BIB), settings=named)
    numbers = [event["ref"] for event in in_order(logged(chosen.audit_dir))]
    assert numbers == list(range(1, len(numbers) + 1))
    assert (chosen.audit_dir / "h_abc123.jsonl").is_file()


@pytest.mark.parametrize("name", ["../up", "", " ", "a/b", ".hidden", "x" * 101, "a\nb"])
def test_a_run_cannot_be_called_so(chosen, name):
    if name:
        with pytest.raises(UsageError):
            assemble(replace(chosen, audit_run=name))


def test_what_is_broken_off_says_so(chosen):
    async def first():
        verifier = assemble(chosen)
        stream = begin_check(verifier, [Document("refs.bib", BIB * 60)]).stream()
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(first())
    assert logged(chosen.audit_dir)[-2]["complete"] is False


def test_nothing_is_shown_when_it_cannot_be_logged(chosen):
    """A log that fails in the middle: what was shown by then is in it, and nothing else was shown."""
    verifier = assemble(chosen)
    shown = []

    async def run():
        async for one in begin_check(verifier, [Document("refs.bib", BIB)]).stream():
            shown.append(one)  # noqa: PERF401 - what came before the error counts

    (chosen.audit_dir / "lock").unlink()
    (chosen.audit_dir / "lock").mkdir()
    with pytest.raises(AuditError):
        asyncio.run(run())
    assert shown == []


@pytest.mark.slow
def test_the_command_says_where_it_logged_and_with_which_code_it_could_not(snapshot, tmp_path):
    environment = os.environ | {"CITEPROOF_AUDIT_KEY": str(tmp_path / "keys"), "CITEPROOF_OFFLINE": "1"}
    command = [sys.executable, "-m", "citeproof", "check", str(EXAMPLES / "references.bib")]
    flags = ["--snapshot", str(snapshot), "--audit", str(tmp_path / "log"), "--format", "jsonl"]
    done = subprocess.run([*command, *flags], capture_output=True, env=environment, check=False)
    assert done.returncode in (0, 1, 4), done.stderr
    assert b"audit log: " in done.stderr
    assert b"Merkle root: " in done.stderr
    (tmp_path / "file").write_text("no folder")
    flags[3] = str(tmp_path / "file")
    done = subprocess.run([*command, *flags], capture_output=True, env=environment, check=False)
    assert done.returncode == 5
    assert b"hint:" in done.stderr
    assert done.stdout == b""


def test_a_text_that_no_json_can_hold_is_logged_all_the_same(chosen):
    item = '[{"id": "a", "type": "book", "title": "Deep \\ud800 learning", "author": [{"family": "He"}]}]'
    report = citeproof.check(Document("refs.json", item.encode()), settings=chosen)
    (event,) = in_order(logged(chosen.audit_dir))
    row = PrivateStore(chosen.audit_dir, readonly=True).get(event["case"])
    assert decode_case(row.data).reference.key == report.references[0].reference.key


@pytest.mark.parametrize(
    ("flags", "place"),
    [({"audit_run": "h_1"}, "--audit-run"), ({"audit_anchors": ("folder:x",)}, "--audit-run")],
)
def test_what_is_to_be_logged_nowhere_is_refused(snapshot, flags, place):
    with pytest.raises(UsageError) as refused:
        assemble(Settings(snapshots=(snapshot,), offline=True, **flags))
    assert refused.value.place == place


def test_two_runs_at_once_cannot_have_one_name(chosen):
    named = replace(chosen, audit_run="h_1")
    first = assemble(named)
    with pytest.raises(UsageError, match="another process"):
        assemble(named)
    asyncio.run(first.close())
    asyncio.run(assemble(named).close())
    assert not list(chosen.audit_dir.glob("lock.run-*"))


def test_the_stores_are_closed_when_the_run_is_over(chosen):
    citeproof.check(Document("refs.bib", BIB), settings=chosen)
    assert not list(chosen.audit_dir.glob("*-wal"))


def test_no_settings_and_no_addresses_in_clear(chosen):
    private = replace(chosen, contact="alice@example.org")
    item = b"@misc{a, title={A page}, url={https://example.org/hidden?token=planted}}"
    citeproof.check(Document("refs.bib", item), settings=private)
    events = logged(chosen.audit_dir)
    assert "settings" not in events[0]
    assert private.digest() not in json.dumps(events)
    assert "planted" not in json.dumps(events)
    row = PrivateStore(chosen.audit_dir, readonly=True).get(events[0]["config"])
    assert json.loads(row.data)["settings"] == private.digest()


def test_a_commit_after_as_many_events_as_the_settings_say(chosen):
    def count_commits(every: int, folder: str) -> int:
        there = replace(chosen, audit_every=every, audit_dir=chosen.audit_dir / folder)
        citeproof.check(Document("refs.bib", BIB), settings=there)
        return sum(event["ev"] == "merkle_commit" for event in logged(there.audit_dir))

    assert count_commits(10_000, "seldom") == 1
    assert count_commits(3, "often") >= 2  # how many, the disk decides: one at a time is under way


def test_documents_that_come_later_are_logged_and_a_second_close_does_nothing(chosen):
    async def run():
        verifier = assemble(chosen)
        for number in range(3):
            extraction = verifier.extract(Document(f"{number}.bib", BIB))
            assert [one async for one in verifier.verify(extraction)]
        await verifier.close()
        await verifier.close()

    asyncio.run(run())
    events = logged(chosen.audit_dir)
    assert sum(len(event.get("documents", ())) for event in events) == 3
    assert events[-2]["complete"]
