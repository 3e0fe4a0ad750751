"""The REST door under faults: hostile requests by its own description, and a server that is killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from tests.soak import FULL
from tests.surfaces.rest_server import (
    BIB,
    PATIENT,
    make_documents,
    read_log,
    read_references,
    run_servers,
    submit_documents,
    wait_for_run,
)

from citeproof.errors import UsageError
from citeproof.surfaces.rest.server_process import open_socket

pytestmark = pytest.mark.slow
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = 100 if FULL else 5  # of each operation, besides those that cover the description
JOBS = 50 if FULL else 3
COPIES = 5 if FULL else 20  # of thirteen references, in each document


@pytest.fixture
def start(snapshot, tmp_path):
    with run_servers(snapshot) as run_one:
        yield partial(run_one, tmp_path)


@pytest.mark.timeout(900)
def test_no_request_that_the_description_allows_breaks_the_server(start, tmp_path):
    server = start("--store", str(tmp_path / "jobs"))
    run = server.client.post("/v1/check", files={"file": ("refs.bib", BIB)}).headers["location"]
    described = server.client.get("/v1/openapi.json").json()
    for path, item in described["paths"].items():
        if "{run}" in path:  # else nearly every request is about a run that is not there
            item["get"]["parameters"][0]["schema"] = {"enum": [run.rpartition("/")[2], "missing"]}
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    command = [
        sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run",
        str(tmp_path / "openapi.json"), "--url", str(server.client.base_url), "--checks", CHECKS,
        "--max-examples", str(EXAMPLES), "--phases", "coverage,fuzzing", "--seed", "1", "--no-color",
    ]  # fmt: skip
    home = {"HOME": str(tmp_path), "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "hypothesis")}
    ended = subprocess.run(
        command, cwd=tmp_path, env=os.environ | home, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]
    operations = sum(len(item) for item in described["paths"].values())
    assert f" {operations} passed" in ended.stdout
    assert server.end() == 0


@pytest.mark.timeout(1800)
def test_a_server_that_is_killed_loses_nothing_and_logs_nothing_twice(start, tmp_path):
    documents = make_documents(JOBS, COPIES)
    flags = ("--store", str(tmp_path / "jobs"), "--audit", str(tmp_path / "audit"))
    killed = start(*flags)
    paths = submit_documents(killed.client, documents)
    until = time.monotonic() + PATIENT
    while not any(one["done"] for one in killed.client.get("/v1/runs").json()["runs"]):
        assert time.monotonic() < until
    killed.end(signal.SIGKILL)

    after = start(*flags)
    states = [wait_for_run(after.client, path) for path in paths]
    assert {one["state"] for one in states} == {"done"}, states
    assert max(one["attempts"] for one in states) > 1  # or nothing was interrupted
    found = [read_references(after.client, path) for path in paths]
    reports = [after.client.get(path, params={"format": "csv"}).text for path in paths]
    assert after.end() == 0

    undisturbed = start("--store", str(tmp_path / "other"), "--audit", str(tmp_path / "other-audit"))
    others = submit_documents(undisturbed.client, documents)
    for path, references, report in zip(others, found, reports, strict=True):
        wait_for_run(undisturbed.client, path)
        assert references == read_references(undisturbed.client, path)
        assert report == undisturbed.client.get(path, params={"format": "csv"}).text
    undisturbed.end()
    for path, other in zip(paths, others, strict=True):
        events, expected = read_log(tmp_path / "audit", path), read_log(tmp_path / "other-audit", other)
        assert count_events(events) == count_events(expected)
        ends = [one for one in events if one["ev"] == "run_end"]
        assert [(one["complete"], one["references"]) for one in ends] == [(True, 13 * COPIES)]
    verify = [sys.executable, "-m", "citeproof", "audit", "verify", str(tmp_path / "audit")]
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    checked = subprocess.run(verify, env=os.environ | home, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def count_events(events):
    """Return how often each reference has each event, and how often others are there; attempts begin anew."""
    return Counter(
        (one["ev"], one.get("ref")) for one in events if one["ev"] not in ("run_start", "merkle_commit")
    )


def test_a_server_that_is_told_to_end_gives_unfinished_jobs_back(start, tmp_path):
    flags = ("--store", str(tmp_path / "jobs"))
    first = start(*flags)
    (path,) = submit_documents(first.client, make_documents(JOBS, COPIES)[:1])
    assert first.end() == 0
    second = start(*flags)
    assert wait_for_run(second.client, path)["state"] == "done"
    assert len(read_references(second.client, path)) == 13 * COPIES


def test_an_address_that_is_told_takes_connections_and_belongs_to_one_server():
    with open_socket("127.0.0.1", 0) as listening:
        _, port = listening.getsockname()
        socket.create_connection(("127.0.0.1", port), PATIENT).close()  # nobody serves yet: it waits
        with pytest.raises(UsageError, match="cannot listen"):
            open_socket("127.0.0.1", port)


def test_a_public_address_needs_tokens(cli):
    ended = cli("serve", "--host", "0.0.0.0", "--port", "0")
    assert ended.code == 2
    assert "tokens" in ended.err
    ended = cli("serve", "--new-token", "ann")
    assert ended.code == 2
    ended = cli("serve", "--tokens", "t.txt", "--new-token", "ann", "--scope", "llm")
    assert ended.code == 0
    assert ended.out.startswith("cpt_")
    assert "check,llm" in Path("t.txt").read_text()


def test_a_store_that_is_not_there_is_told_before_anybody_connects(tmp_path):
    url = "postgresql://ann:secret@127.0.0.1:9/jobs"
    command = [sys.executable, "-m", "citeproof", "serve", "--port", "0", "--offline", "--store", url]
    own = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    ended = subprocess.run(command, env=own, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: postgresql://127.0.0.1:9/jobs: cannot be read or written")
    assert "hint:" in ended.stderr
    assert "secret" not in ended.stderr
    assert "Traceback" not in ended.stderr
