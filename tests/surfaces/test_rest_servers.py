"""Several servers on one PostgreSQL store: no job twice, none lost, one view of decisions and shares."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import httpx
import pytest
from tests.plumbing.stores.postgres_server import run_postgres, start_postgres, stop_postgres
from tests.surfaces.rest_server import (
    PATIENT,
    make_documents,
    read_log,
    read_references,
    run_servers,
    submit_documents,
    wait_for_run,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres():
    with run_postgres() as url:
        yield url


@pytest.fixture
def start(snapshot, tmp_path, postgres):
    """A function that starts a server as if it were on a machine of its own."""

    def start_server(name: str):
        folder = tmp_path / name
        folder.mkdir()
        return run_one(folder, "--store", postgres, "--audit", str(folder / "audit"))

    with run_servers(snapshot) as run_one:
        yield start_server


def count_logs(folder: Path, path: str) -> int:
    """Return how many times a run was ended in the log of a server."""
    try:
        return sum(one["ev"] == "run_end" for one in read_log(folder / "audit", path))
    except FileNotFoundError:
        return 0


@pytest.mark.timeout(900)
def test_two_servers_do_each_job_once_and_see_the_same(start, tmp_path):
    one, two = start("one"), start("two")
    documents = make_documents(6, 3)
    paths = submit_documents(one.client, documents[:3]) + submit_documents(two.client, documents[3:])
    states = [wait_for_run(server.client, path) for path in paths for server in (one, two)]
    told = {(state["state"], state["attempts"], state["done"]) for state in states}
    assert told == {("done", 1, 39)}, states
    assert all(read_references(one.client, path) == read_references(two.client, path) for path in paths)

    page = f"/runs/{paths[0].rpartition('/')[2]}"
    shared = one.client.post(f"{page}/share", headers={"Origin": str(one.client.base_url).rstrip("/")})
    assert shared.status_code == 303, shared.text
    assert "/shared/" in two.client.get(page).text
    assert one.end() == two.end() == 0
    for path in paths:
        assert count_logs(tmp_path / "one", path) + count_logs(tmp_path / "two", path) == 1


@pytest.mark.timeout(900)
def test_the_jobs_of_a_killed_server_are_taken_over_by_the_other(start):
    other, killed = start("other"), start("killed")
    other.process.send_signal(signal.SIGSTOP)  # so that the jobs are the other's
    paths = submit_documents(killed.client, make_documents(3, 20))
    until = time.monotonic() + PATIENT
    while not any(run["done"] for run in killed.client.get("/v1/runs").json()["runs"]):
        assert time.monotonic() < until
    killed.end(signal.SIGKILL)
    other.process.send_signal(signal.SIGCONT)  # it takes them when their leases are over
    states = [wait_for_run(other.client, path) for path in paths]
    assert {(state["state"], state["done"]) for state in states} == {("done", 260)}, states
    assert max(state["attempts"] for state in states) > 1  # or nothing was interrupted
    for path in paths:
        found = read_references(other.client, path)
        assert len({reference["location"]["line"] for reference in found}) == len(found) == 260
    assert other.end() == 0


@pytest.mark.timeout(900)
def test_a_database_that_goes_away_in_the_middle_costs_no_job(start, postgres):
    server = start("one")
    paths = submit_documents(server.client, make_documents(3, 20))
    until = time.monotonic() + PATIENT
    while not any(run["done"] for run in server.client.get("/v1/runs").json()["runs"]):
        assert time.monotonic() < until
    stop_postgres(postgres)
    try:
        wait_until_status(server.client, "/readyz", 503)
        told = server.client.get("/v1/runs")
        assert told.status_code == 503
        assert told.headers["retry-after"]
        assert "database" in told.json()["error"]["message"]
        assert server.client.get("/").status_code == 503
        assert server.client.get("/healthz").status_code == 200
    finally:
        start_postgres(postgres)
    wait_until_status(server.client, "/readyz", 200)
    states = [wait_for_run(server.client, path) for path in paths]
    assert {(state["state"], state["done"]) for state in states} == {("done", 260)}, states
    assert server.end() == 0


def wait_until_status(client: httpx.Client, path: str, status: int) -> None:
    until = time.monotonic() + PATIENT
    while client.get(path).status_code != status:
        assert time.monotonic() < until
        time.sleep(0.05)
