"""Jobs that are run: each result once, in every format, continued after a death, nothing logged twice."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.plumbing.stores.postgres_server import run_postgres, start_postgres, stop_postgres

import citeproof
from citeproof import settings as all_settings
from citeproof.answers.reporters.base import list_formats
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.stores.job_store import JobState, JobStore
from citeproof.service import job_runner, job_work
from citeproof.service.input_documents import JobRequest, clean_name
from citeproof.service.job_reports import read_report
from citeproof.service.job_runner import JobRunner, QueueFullError
from citeproof.service.listed_references import list_references
from citeproof.verifier import ReferenceVerifier

EXAMPLES = Path(__file__).parents[2] / "examples"
BIB = (EXAMPLES / "records.bib").read_bytes()
PATIENT = 120.0  # seconds; a loaded machine is slow


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory):
    out = tmp_path_factory.mktemp("snapshot") / "examples"
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], out, name="examples")
    return out


@pytest.fixture
def settings(snapshot, tmp_path):
    given = {"offline": True, "snapshots": [snapshot], "cache_dir": tmp_path / "cache"}
    given["allow_unchecked_retractions"] = True
    return all_settings.load(given, environment={}, folder=tmp_path)


@pytest.fixture
def runner(settings, tmp_path):
    made = JobRunner(settings, tmp_path / "jobs")
    made.start()
    yield made
    made.stop(PATIENT)


def wait_for_end(runner, job):
    return asyncio.run(runner.wait(job.id, PATIENT))


def test_a_check_gives_what_the_library_gives_in_every_format(runner, settings):
    job = wait_for_end(runner, runner.submit(JobRequest("check", "refs.bib", BIB), "ann"))
    assert (job.state, job.done, job.total, job.error) == (JobState.DONE, 13, 13, "")
    with citeproof.Verifier(settings) as verifier:
        expected = verifier.check(citeproof.vocabulary.Document("refs.bib", BIB)).json()
    assert [json.loads(one) for one in runner.store.read_results(job.id)] == expected["references"]
    report = read_report(runner.store, job)
    told = json.loads("".join(report.generate_report("json")))
    assert {**told, "run": {**told["run"], "started": ""}} == {
        **expected,
        "run": {**expected["run"], "started": ""},
    }
    for form in list_formats():
        assert "".join(report.generate_report(form))


def test_results_are_stored_while_another_one_is_slow(runner, monkeypatch):
    released, check = threading.Event(), ReferenceVerifier._check
    last = []

    async def check_slowly(self, reference, **more):
        last.append(reference.key)
        while len(last) > 4 and reference.key == last[4] and not released.is_set():  # noqa: ASYNC110 - by a thread
            await asyncio.sleep(0.02)
        return await check(self, reference, **more)

    monkeypatch.setattr(ReferenceVerifier, "_check", check_slowly)
    job = runner.submit(JobRequest("check", "refs.bib", BIB), "ann")
    try:
        until = time.monotonic() + PATIENT
        while runner.store.find(job.id).done < 12:
            assert time.monotonic() < until
            time.sleep(0.05)
        stored = {number: json.loads(body)["key"] for number, body in runner.store.read_bodies(job.id)}
        first = [json.loads(body)["key"] for body in runner.store.read_results(job.id)]
    finally:
        released.set()
    assert wait_for_end(runner, job).done == 13
    assert stored == {number: key for number, key in enumerate(last) if number != 4}
    assert first == last[:4]


def test_listed_references_and_a_fix(runner):
    listed = json.dumps(
        ["He et al. (2016). Deep residual learning for image recognition.", {"title": "Nothing"}]
    )
    job = runner.submit(JobRequest("check", "<references>", listed.encode(), listed=True), "ann")
    assert wait_for_end(runner, job).done == 2
    wrong = BIB.replace(b"770--778", b"771--778")
    job = wait_for_end(runner, runner.submit(JobRequest("fix", "refs.bib", wrong, unsafe=True), "ann"))
    assert job.state is JobState.DONE, job.error
    tail = read_report(runner.store, job).tail
    assert json.loads(tail.fixed)["files"][0]["file"] == "refs.bib"


def test_claims_are_grounded(runner):
    text = (
        b"Residual nets are deep (He et al., 2016).\n\n# References\n\n"
        b"1. He, K. et al. (2016). Deep residual learning for image recognition. CVPR.\n"
    )
    job = wait_for_end(runner, runner.submit(JobRequest("ground", "a.md", text), "ann"))
    assert (job.state, job.done) == (JobState.DONE, 1), job.error
    report = read_report(runner.store, job)
    for form in ("text", "md", "json", "sarif", "csv"):
        assert "".join(report.generate_report(form))


def test_a_document_that_cannot_be_read_fails_in_words(runner):
    job = wait_for_end(runner, runner.submit(JobRequest("check", "x.pdf", b"%PDF-1.7 broken"), "ann"))
    assert job.state is JobState.FAILED
    assert "x.pdf" in job.error


def test_a_full_queue_refuses_and_a_cancelled_job_stays_cancelled(settings, tmp_path):
    runner = JobRunner(settings, tmp_path / "jobs", workers=0, most_waiting=1)
    runner.start()
    try:
        job = runner.submit(JobRequest("check", "a.bib", BIB), "ann")
        with pytest.raises(QueueFullError):
            runner.submit(JobRequest("check", "b.bib", BIB), "ann")
        assert runner.cancel(job.id, "bob") is None
        assert runner.cancel(job.id, "ann").state is JobState.CANCELLED
    finally:
        runner.stop()


def read_events(folder, job):
    lines = (folder / f"job-{job.id}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("stored", [0, 5, 13])
def test_a_job_that_was_interrupted_goes_on_and_logs_nothing_twice(settings, tmp_path, stored):
    """The process dies when all is in the log and only some results are stored."""
    from dataclasses import replace

    logged = replace(settings, audit_dir=tmp_path / "audit")
    first = JobRunner(logged, tmp_path / "jobs", workers=0)
    first.start()
    job = first.submit(JobRequest("check", "refs.bib", BIB), "ann")
    claimed = first.store.claim("dead:0", 1.0)
    context = job_work.JobContext(first.pool, first.store, first._clock, claimed, lambda: None)
    first.pool.loop.run(job_work.perform_job(context))
    expected = list(first.store.read_results(job.id))
    first.store._database.write("DELETE FROM results WHERE number >= ?", [(stored,)])
    before = read_events(tmp_path / "audit", job)
    first.stop()

    second = JobRunner(logged, tmp_path / "jobs")
    second.start()
    try:
        ended = wait_for_end(second, job)
        assert (ended.state, ended.attempts, ended.done) == (JobState.DONE, 2, 13), ended.error
        assert list(second.store.read_results(job.id)) == expected
    finally:
        second.stop(PATIENT)
    after = read_events(tmp_path / "audit", job)
    assert after == before  # the run had ended in the log
    assert set(Counter(one["ref"] for one in after if "verdict" in one).values()) == {1}


def test_locks_of_dead_processes_are_removed_and_those_of_living_ones_stay(settings, tmp_path):
    folder = tmp_path / "jobs"
    first = JobRunner(settings, folder, workers=0)
    first.start()
    (folder / "process-dead.lock").touch()
    second = JobRunner(settings, folder, workers=0)
    second.start()
    assert len(list(folder.glob("process-*.lock"))) == 2
    second.stop()
    first.stop()
    assert list(folder.glob("process-*.lock")) == []


def test_jobs_in_postgresql_are_shared_between_servers(settings, tmp_path):
    with run_postgres() as url:
        other = JobStore(url)
        theirs = other.add("check", "ann", b"", b"{}", 1.0)
        other.claim("0123456789abcdef:0", SystemClock().now().timestamp())  # a server on another machine
        runner = JobRunner(settings, tmp_path / "jobs", store=url)
        runner.start()
        try:
            job = wait_for_end(runner, runner.submit(JobRequest("check", "refs.bib", BIB), "ann"))
            assert (job.state, job.done) == (JobState.DONE, 13)
            assert other.find(job.id, "ann").done == 13
            assert other.find(theirs.id).state is JobState.RUNNING
            assert not (tmp_path / "jobs" / "jobs.sqlite").exists()
        finally:
            runner.stop(PATIENT)
            other.close()


@pytest.fixture
def servers(settings, tmp_path, monkeypatch):
    """A server that takes jobs and one that does them; neither looks by itself."""
    monkeypatch.setattr(job_runner, "_SELDOM", 10 * PATIENT)
    monkeypatch.setattr(job_runner, "PATIENCE", 10 * PATIENT)
    with run_postgres() as url:
        made = [
            JobRunner(settings, tmp_path / name, store=url, workers=workers)
            for name, workers in (("door", 0), ("worker", 2))
        ]
        for one in made:
            one.start()
        wait_until(lambda: all(one._hears for one in made))
        yield (url, *made)
        for one in made:
            one.stop(PATIENT)


def wait_until(condition):
    until = time.monotonic() + PATIENT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_job_for_another_server_is_begun_and_its_end_seen_without_looking(servers):
    _, door, _ = servers
    for _ in range(3):  # before the second and the third, its workers wait
        job = wait_for_end(door, door.submit(JobRequest("check", "refs.bib", BIB), "ann"))
        assert (job.state, job.done, job.attempts) == (JobState.DONE, 13, 1)


def test_of_jobs_that_come_together_each_worker_begins_one(servers, monkeypatch):
    _, door, _ = servers
    together = threading.Barrier(2)
    perform = job_work.perform_job

    async def perform_together(context):
        await asyncio.to_thread(together.wait, PATIENT)
        return await perform(context)

    monkeypatch.setattr(job_runner, "perform_job", perform_together)
    jobs = [door.submit(JobRequest("check", f"{n}.bib", BIB), "ann") for n in range(8)]
    assert {wait_for_end(door, job).state for job in jobs} == {JobState.DONE}


def test_a_job_that_another_server_works_on_is_cancelled_there(servers, monkeypatch):
    _, door, worker = servers
    ended = threading.Event()

    async def work_for_ever(context):
        try:
            await asyncio.sleep(10 * PATIENT)
        finally:
            ended.set()

    monkeypatch.setattr(job_runner, "perform_job", work_for_ever)
    job = door.submit(JobRequest("check", "refs.bib", BIB), "ann")
    wait_until(worker.count_running)
    assert door.cancel(job.id, "ann").state is JobState.CANCELLED
    assert ended.wait(PATIENT)


def test_servers_hear_each_other_again_after_the_database_was_away(servers):
    url, door, worker = servers
    stop_postgres(url)
    wait_until(lambda: not (door._hears or worker._hears))
    start_postgres(url)
    wait_until(lambda: door._hears and worker._hears)
    job = wait_for_end(door, door.submit(JobRequest("check", "refs.bib", BIB), "ann"))
    assert (job.state, job.done) == (JobState.DONE, 13)


def test_names_of_strangers_are_made_harmless():
    cases = {
        "../../etc/passwd": "passwd",
        "C:\\x\\a.bib": "a.bib",
        "a\x00\u202eb.bib": "ab.bib",
        "": "<text>",
        "x" * 500: "x" * 200,
    }
    assert {name: clean_name(name) for name in cases} == cases


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (b"{}", "references"),
        (b"[1]", "references[0]"),
        (b'[{"doi": "x"}]', "references[0].title"),
        (b'[{"title": "x", "year": "2020"}]', "references[0].year"),
        (b'[" "]', "references[0]"),
        (b"[", "<references>"),
    ],
)
def test_a_list_that_cannot_be_read_names_the_place(given, place):
    with pytest.raises(citeproof.CiteproofError) as error:
        list_references(given)
    assert error.value.place == place
