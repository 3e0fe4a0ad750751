"""The writer's thread: batches, waiting, the order of writing, and an end at the first failure."""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from citeproof.errors import AuditError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore
from citeproof.proof.audit.anchors.base import AnchorOutcome
from citeproof.proof.audit.audit_log import AuditLog
from citeproof.proof.audit.batch_writer import HOUR, BatchWriter
from citeproof.proof.audit.key_store import KeyStore
from citeproof.proof.audit.run_lock import RunLock

RUN = "a-run"


@pytest.fixture
def parts(tmp_path):
    log = AuditLog.open_or_create(tmp_path / "log", SystemClock(), KeyStore(tmp_path / "keys"))
    return log, EvidenceStore(tmp_path / "log"), PrivateStore(tmp_path / "log")


def event(number):
    return {"ev": "verified", "ref": number}


def committed(folder):
    return (folder / f"{RUN}.jsonl").read_text().count('"ev":"verified"')


def test_what_is_settled_is_in_the_log(parts, tmp_path):
    ledger = BatchWriter(*parts, RUN, SystemClock())

    async def many():
        batches = [ledger.put([event(n)]) for n in range(500)]
        await asyncio.gather(*(batch.wait_until_durable() for batch in batches))

    asyncio.run(many())
    assert committed(tmp_path / "log") == 500
    ledger.close()
    assert ledger.sealed is not None


def test_events_of_many_threads_are_all_there(parts, tmp_path):
    ledger = BatchWriter(*parts, RUN, SystemClock())
    threads = [
        threading.Thread(target=lambda k=k: [ledger.put([event(k)]) for _ in range(100)]) for k in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ledger.close()
    assert committed(tmp_path / "log") == 800


def test_evidence_and_sidecar_stand_before_the_event(parts):
    log, evidence, private = parts
    seen = []

    class Order:
        """The real stores, with a note of when each was asked."""

        def put(self, things):
            seen.append(type(next(iter(things))).__name__)
            (evidence if seen[-1] == "tuple" else private).put(things)

        def append(self, run, events):
            seen.append("events")
            return log.append(run, events)

        def commit(self, run, anchors):
            return log.commit(run, anchors)

        def close(self): ...

    order = Order()
    ledger = BatchWriter(order, order, order, RUN, SystemClock())
    for _ in range(2):  # once is enough
        ledger.keep(sha256(b"body").hexdigest(), b"body")
    ledger.put([event(1)], [PrivateRow("cd" * 32, RUN, "case", 1, b"s" * 32, b"data")])
    ledger.close()
    assert seen == ["tuple", "PrivateRow", "events"]


def test_after_a_failure_nothing_is_acknowledged(parts):
    log, evidence, _ = parts

    class Full:
        def put(self, _):
            raise AuditError("cannot be written: no space left", hint="free some disk space")

        def close(self): ...

    ledger = BatchWriter(log, evidence, Full(), RUN, SystemClock())
    row = PrivateRow("cd" * 32, RUN, "case", 1, b"s" * 32, b"data")
    batch = ledger.put([event(1)], [row])
    with pytest.raises(AuditError, match="no space"):
        asyncio.run(batch.wait_until_durable())
    with pytest.raises(AuditError):
        ledger.put([event(2)])
    with pytest.raises(AuditError):
        ledger.close()
    assert log.size == 0


def test_a_bug_of_a_store_is_an_error_of_the_log(parts):
    log, evidence, _ = parts

    class Broken:
        def put(self, _):
            raise OSError(28, "No space left on device")

        def close(self): ...

    ledger = BatchWriter(log, Broken(), evidence, RUN, SystemClock())
    ledger.keep("ab" * 32, b"x")
    batch = ledger.put([event(1)])
    with pytest.raises(AuditError, match="No space"):
        asyncio.run(batch.wait_until_durable())


class Quick:
    """A clock on which an hour passes whenever the test says so."""

    def __init__(self):
        self.passed = 0.0

    def now(self):
        return datetime(2026, 5, 7, 10, tzinfo=UTC) + timedelta(seconds=self.passed)

    def elapsed(self):
        return self.passed


def note_ended_batches(ledger):
    """Return what will hold each batch that the writer is done with; held, so that no other has its id."""
    ended, end = [], ledger._durable

    def note_end(batch):
        end(batch)
        ended.append(batch)

    ledger._durable = note_end
    return ended


@pytest.mark.parametrize(("every", "hours", "commits"), [(10_000, 0, 1), (50, 0, 4), (10_000, 2, 2)])
def test_a_commit_every_so_many_events_every_hour_and_at_the_end(parts, tmp_path, every, hours, commits):
    clock = Quick()
    ledger = BatchWriter(*parts, RUN, clock, every=every)
    ended = note_ended_batches(ledger)
    for _ in range(4):
        batch = ledger.put([event(n) for n in range(50)])
        asyncio.run(batch.wait_until_durable())
        while not any(
            one is batch for one in ended
        ):  # the thread that commits is begun behind what was waited for
            time.sleep(0.001)
        if ledger._anchoring is not None:
            ledger._anchoring.join()
        clock.passed += hours * HOUR / 3
    ledger.close()
    found = (tmp_path / "log" / f"{RUN}.jsonl").read_text().count('"merkle_commit"')
    assert found == commits


def test_a_ledger_that_saw_nothing_writes_nothing(parts, tmp_path):
    ledger = BatchWriter(*parts, RUN, SystemClock())
    ledger.close()
    assert not (tmp_path / "log" / f"{RUN}.jsonl").exists()


def test_nobody_waits_for_an_anchor_but_the_end_of_the_run(parts):
    released = threading.Event()

    class Far:
        name = "far"

        def put(self, run, hour, checkpoint):
            released.wait(20)
            return AnchorOutcome("far", ok=True, place="far away")

        def list_held(self, run=None):
            return iter(())

    ledger = BatchWriter(*parts, RUN, SystemClock(), anchors=[Far()], every=1)
    asyncio.run(ledger.put([event(1)]).wait_until_durable())
    asyncio.run(ledger.put([event(2)]).wait_until_durable())  # while the anchor has not answered yet
    assert not released.is_set()
    released.set()
    ledger.close()


def test_a_commit_on_the_way_that_fails_is_told_at_the_next_event_and_at_the_end(parts, tmp_path):
    """A key that was taken away: what was acknowledged stays, nothing more is."""
    ledger = BatchWriter(*parts, RUN, SystemClock(), every=1)
    for key in (tmp_path / "keys").iterdir():
        key.unlink()
    (tmp_path / "keys").rmdir()
    (tmp_path / "keys").write_text("a file where the folder was")
    asyncio.run(ledger.put([event(1)]).wait_until_durable())
    while ledger._anchoring is None or ledger._anchoring.ident is None:  # it is started after the events
        time.sleep(0.001)
    ledger._anchoring.join(60)
    with pytest.raises(AuditError) as told:
        ledger.put([event(2)])
    with pytest.raises(AuditError) as again:
        ledger.close()
    assert again.value is told.value
    assert committed(tmp_path / "log") == 1


def test_a_closed_log_takes_no_event(parts, tmp_path):
    ledger = BatchWriter(*parts, RUN, SystemClock())
    ledger.put([event(1)])
    ledger.close()
    with pytest.raises(AuditError, match="closed before"):
        ledger.put([event(3)])
    assert committed(tmp_path / "log") == 1


def test_a_run_lock_says_what_is_wrong_with_the_folder(tmp_path):
    with pytest.raises(AuditError) as error:
        RunLock(tmp_path / "nowhere", "a")
    assert error.value.place.endswith("lock.run-a")
    assert "permission" in error.value.hint
    with RunLock(tmp_path, "a"):
        (tmp_path / "lock.run-a").unlink()
        with RunLock(tmp_path, "a"):  # the name is free: its file is another one
            pass
    assert not (tmp_path / "lock.run-a").exists()
