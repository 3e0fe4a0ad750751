"""Jobs: claimed once, continued after a death, stored without gap or double, seen by their owner alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from citeproof.errors import AuditError
from citeproof.plumbing.store_address import hide_password
from citeproof.plumbing.stores.job_store import LEASE, JobConflictError, JobState, JobStore
from tests.plumbing.stores.postgres_server import restart_postgres


@pytest.fixture
def store(place):
    opened = JobStore(place)
    yield opened
    opened.close()


def test_a_job_is_found_by_its_owner_alone(store):
    job = store.add("check", "ann", b"@book{a}", b"{}", 1.0)
    assert (job.state, job.done, job.total) == (JobState.QUEUED, 0, None)
    assert store.find(job.id, "ann") == job
    assert store.find(job.id, "bob") is None
    assert store.find("nothing") is None
    assert store.list_jobs("bob") == []
    assert store.read_input(job.id) == b"@book{a}"


def test_the_same_key_gives_the_same_job(store):
    first = store.add("check", "ann", b"x", b"{}", 1.0, once="k")
    assert store.add("check", "ann", b"x", b"{}", 2.0, once="k").id == first.id
    assert store.add("check", "bob", b"x", b"{}", 2.0, once="k").id != first.id
    with pytest.raises(JobConflictError):
        store.add("check", "ann", b"y", b"{}", 3.0, once="k")
    assert len(store.list_jobs("ann")) == 1


def test_each_job_is_claimed_once_and_the_oldest_first(store):
    made = [store.add("check", "ann", b"x%d" % n, b"{}", float(n)).id for n in range(3)]
    assert [store.claim(f"w{n}", 10.0).id for n in range(3)] == made
    assert store.claim("w9", 10.0) is None


def test_whoever_has_the_fewest_jobs_at_work_is_next(store):
    ann = [store.add("check", "ann", b"x%d" % n, b"{}", float(n)).id for n in range(3)]
    bob = [store.add("check", "bob", b"x%d" % n, b"{}", 5.0 + n).id for n in range(2)]
    eve = store.add("check", "eve", b"x", b"{}", 9.0).id
    claimed = [store.claim(f"w{n}", 10.0).id for n in range(6)]
    assert claimed == [ann[0], bob[0], eve, ann[1], bob[1], ann[2]]


def test_a_dead_workers_job_goes_to_another(store):
    job = store.add("check", "ann", b"x", b"{}", 1.0)
    assert store.claim("dead", 10.0).attempts == 1
    assert store.claim("next", 10.0 + LEASE / 2) is None
    assert store.renew(job.id, "dead", 10.0 + LEASE / 2)
    assert store.claim("next", 10.0 + LEASE) is None
    taken = store.claim("next", 11.0 + 1.5 * LEASE)
    assert (taken.id, taken.attempts, taken.started) == (job.id, 2, 10.0)
    assert not store.renew(job.id, "dead", 50.0)


def test_results_are_stored_once_and_read_without_gap(store):
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    store.begin(job, b'{"run": 1}', 4)
    store.add_results(job, [0, 1], [b"a", b"b"])
    store.add_results(job, [1, 2], [b"other", b"c"])
    assert list(store.read_results(job)) == [b"a", b"b", b"c"]
    store.add_results(job, [5], [b"late"])
    assert list(store.read_results(job, 1)) == [b"b", b"c"]
    assert list(store.read_bodies(job, 2)) == [(2, b"c"), (5, b"late")]
    assert store.find(job).done == 4
    many = [str(n).encode() for n in range(1200)]
    other = store.add("check", "ann", b"y", b"{}", 1.0).id
    store.add_results(other, range(1200), many)
    assert list(store.read_results(other)) == many
    store.begin(job, b"", 4, kept=3)  # the next attempt checks again what came after the gap
    assert list(store.read_bodies(job)) == [(0, b"a"), (1, b"b"), (2, b"c")]


def test_results_of_a_worker_that_died_before_it_counted_them_are_counted(store):
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    store.add_results(job, [0, 1], [b"a", b"b"])
    store._database.write("UPDATE jobs SET done = 1 WHERE id = ?", [(job,)])
    store.add_results(job, [], [])
    assert store.find(job).done == 2


def test_an_ended_job_stays_ended(store):
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    store.claim("w", 2.0)
    store.finish(job, JobState.CANCELLED, 3.0)
    assert not store.renew(job, "w", 3.0)
    store.finish(job, JobState.DONE, 4.0)
    assert (store.find(job).state, store.find(job).ended) == (JobState.CANCELLED, 3.0)
    assert store.claim("w", 100.0) is None
    assert store.list_waiting() == []
    assert store.delete_ended(3.0) == 0
    assert store.delete_ended(3.5) == 1
    assert store.find(job) is None


def test_a_worker_that_leaves_gives_its_jobs_back(store):
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    store.claim("w", 2.0)
    store.release("w")
    assert store.claim("v", 2.0).id == job


_WORKER = """
import sys
from citeproof.plumbing.stores.job_store import JobState, JobStore
store = JobStore(sys.argv[1])
now = float(sys.argv[2])
while job := store.claim(f"worker-{now}", now):
    for n in range(len(list(store.read_results(job.id))), 20):
        store.add_results(job.id, [n], [f"{job.id}:{n}".encode()])
        print(n, flush=True)
    store.finish(job.id, JobState.DONE, now)
"""


def test_killed_workers_lose_and_double_nothing(store, place):
    made = [store.add("check", "ann", b"%d" % n, b"{}", float(n)).id for n in range(6)]
    for attempt in range(4):
        command = [sys.executable, "-c", _WORKER, place, str(1000.0 * (attempt + 1))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
            for _ in range(11 + 5 * attempt):
                worker.stdout.readline()
            os.kill(worker.pid, signal.SIGKILL)
    last = [sys.executable, "-c", _WORKER, place, "99000"]
    subprocess.run(last, check=True, stdout=subprocess.PIPE)
    for job in made:
        assert store.find(job).state is JobState.DONE
        assert list(store.read_results(job)) == [f"{job}:{n}".encode() for n in range(20)]


def test_many_workers_at_once_claim_each_job_once(store, place):
    made = {store.add("check", "ann", b"%d" % n, b"{}", float(n)).id for n in range(12)}
    command = [sys.executable, "-c", _WORKER, place]
    workers = [
        subprocess.Popen([*command, str(10.0 + n)], stdout=subprocess.PIPE, text=True) for n in range(4)
    ]
    said = [worker.communicate()[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert sum(map(len, said)) == 12 * 20  # nothing was worked on twice
    assert {job.id for job in store.list_jobs("ann") if job.state is JobState.DONE} == made


def test_a_server_that_was_restarted_is_asked_again(database):
    store = JobStore(database)
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    restart_postgres(database)
    assert store.find(job, "ann").id == job
    store.close()


def test_a_server_that_is_not_there_is_named_without_its_password():
    store = JobStore("postgresql://ann:secret@127.0.0.1:9/jobs")
    with pytest.raises(AuditError) as caught:
        store.list_waiting()
    assert "postgresql://127.0.0.1:9/jobs" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "PostgreSQL server running" in caught.value.hint
    assert hide_password("postgres://a:b@host/x?password=c") == "postgres://host/x"
