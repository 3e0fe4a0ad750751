"""`citeproof index serve` and its clients: check, verify, batch, Python; the same bytes as a folder."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest
from tests.surfaces.conftest import EXAMPLES
from tests.surfaces.rest_server import PATIENT, ThreadedServer

import citeproof
from citeproof.index import manifest as manifests
from citeproof.index import served_calls
from citeproof.index import snapshot_wire as wire
from citeproof.index.snapshot_service import SnapshotService
from citeproof.surfaces.rest.access_tokens import add_token, read_tokens
from citeproof.surfaces.rest.snapshot_app import create_snapshot_app

DOCUMENTS = [str(EXAMPLES / name) for name in ("references.bib", "paper.md") if (EXAMPLES / name).exists()]


@pytest.fixture
def served(snapshot):
    server = ThreadedServer(create_snapshot_app([SnapshotService(snapshot)]))
    yield server
    server.close()


@pytest.fixture
def online(monkeypatch):
    """Only the snapshot is asked, but the run is not offline."""

    def choose():
        monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
        monkeypatch.setenv("CITEPROOF_SOURCES", "snapshot")

    return choose


@pytest.fixture
def one_name(monkeypatch):
    """A snapshot is called by its place; all else is to be the same wherever it is."""
    monkeypatch.setattr(manifests, "name_source", lambda made, _: f"snapshot:{made.name}")


def _without_time(text):
    return re.sub(r'"(started|ended)":"[^"]*"', "", text)


@pytest.mark.usefixtures("one_name")
def test_check_gives_the_same_bytes(cli, snapshot, served, online):
    online()
    files = sorted(str(path) for path in EXAMPLES.glob("*.bib"))
    for form in ("jsonl", "text", "csv"):
        here = cli("check", *files, "--snapshot", snapshot, "--format", form)
        there = cli("check", *files, "--snapshot", served.url + "/", "--format", form)
        assert there == here
    assert here.out


@pytest.mark.usefixtures("one_name")
def test_verify_and_the_variable(cli, snapshot, served, online, monkeypatch):
    online()
    asked = ("verify", "--title", "Deep Residual Learning for Image Recognition", "--format", "json")
    here = cli(*asked, "--snapshot", snapshot)
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", f"{served.url}/")
    there = cli(*asked)
    assert there.code == here.code
    assert _without_time(there.out) == _without_time(here.out)
    assert '"snapshot":' in there.out.replace(" ", "")


@pytest.mark.usefixtures("one_name")
def test_the_python_door(snapshot, served):
    title = "Deep Residual Learning for Image Recognition"
    found = []
    for place in (str(snapshot), served.url):
        with citeproof.Verifier(offline=False, sources=["snapshot"], snapshots=[place]) as verifier:
            found.append(verifier.verify(title, year=2016))
    assert found[0].judgement == found[1].judgement
    assert found[0].retrieved.lookups == found[1].retrieved.lookups


@pytest.mark.slow
def test_batch_gives_the_same_results(cli, snapshot, served, online, tmp_path):
    online()
    read = []
    for place, out in ((snapshot, "here"), (f"{served.url}/", "there")):
        ended = cli("batch", EXAMPLES / "records.bib", "--out", out, "--snapshot", place, "--jobs", "1")
        assert ended.code in (0, 1, 4), ended.err
        text = (tmp_path / out / "results.jsonl").read_text("utf-8")
        called = rf"snapshot:(?:examples|cps1-\w{{8}}:{re.escape(str(place).rstrip('/'))})"
        rows = [json.loads(line) for line in re.sub(called, "snapshot", text).splitlines()]
        read.append([{name: row[name] for name in row if name != "overrides"} for row in rows])
    assert read[0] == read[1]
    assert read[0]


def test_explain_network_lists_what_was_told(cli, served, online):
    online()
    ended = cli(
        "verify", "--title", "Deep Residual Learning for Image Recognition", "--snapshot", served.url,
        "--explain-network",
    )  # fmt: skip
    assert re.search(rf"snapshot:cps1-\w{{8}}:{served.url} +127\.0\.0\.1:", ended.err)  # not its own name
    assert "title: Deep Residual Learning for Image Recognition" in ended.err


def test_offline_is_refused(cli, served):
    ended = cli("check", EXAMPLES / "records.bib", "--offline", "--snapshot", served.url)
    assert ended.code == 2
    assert "offline, no server can be asked" in ended.err
    assert "--sources snapshot" in ended.err


def test_a_server_that_is_away_is_told(cli, served, online, monkeypatch):
    online()
    monkeypatch.setattr("citeproof.index.served_snapshot.OPENING_PAUSES", (0.01, 0.0))
    served.close()
    ended = cli("check", EXAMPLES / "records.bib", "--snapshot", served.url)
    assert ended.code == 2
    assert "no connection" in ended.err
    assert "citeproof index serve" in ended.err


def test_the_log_of_a_run_has_its_id_and_records(cli, snapshot, served, online, tmp_path):
    online()
    for place, log in ((str(snapshot), "here"), (served.url, "there")):
        ended = cli(
            "check",
            EXAMPLES / "records.bib",
            "--snapshot",
            place,
            "--audit",
            tmp_path / log,
            "--audit-run",
            "r",
        )
        assert ended.code in (0, 1, 4), ended.err
    named = re.compile(r"[0-9a-f]{64}.*")
    blobs = [
        sorted(path.name for path in (tmp_path / log).rglob("*") if named.fullmatch(path.name))
        for log in ("here", "there")
    ]
    assert blobs[0] == blobs[1]
    replayed = cli("audit", "replay", tmp_path / "there", "r")
    assert replayed.code == 0, replayed.err


def test_a_server_that_fails_leaves_references_unchecked(
    cli, snapshot, served, online, tmp_path, monkeypatch
):
    online()
    asked = ("check", EXAMPLES / "references.bib", "--format", "jsonl")
    whole = [json.loads(line) for line in cli(*asked, "--snapshot", snapshot).out.splitlines()]
    assert "not_found" in {one["verdict"] for one in whole}
    monkeypatch.setattr(served_calls, "PAUSES", (0.01,))
    (service,) = served.app.state.door.services.values()
    monkeypatch.setattr(service, "answer", _fail)
    kept = ("--audit", tmp_path / "log", "--audit-run", "r")
    ended = cli(*asked, "--snapshot", served.url, *kept)
    found = [json.loads(line) for line in ended.out.splitlines()]
    assert len(found) == len(whole)
    assert {one["verdict"] for one in found} == {"unchecked"}
    assert f"warning: snapshot server {served.url}: it answered 500" in ended.err
    assert "it answered 500" in json.dumps(found[0])
    assert cli("audit", "replay", tmp_path / "log", "r").code == 0


def _fail(_):
    raise OSError("the disk is gone")


def test_tokens(snapshot, tmp_path, cli, online, monkeypatch):
    online()
    token = add_token(tmp_path / "tokens", "worker", ())
    app = create_snapshot_app([SnapshotService(snapshot)], tokens=read_tokens(tmp_path / "tokens"))
    server = ThreadedServer(app)
    try:
        assert server.client.get("/healthz").status_code == 200
        assert server.client.get("/v1/snapshots").status_code == 401
        asked = ("check", EXAMPLES / "records.bib", "--snapshot", server.url, "--format", "jsonl")
        refused = cli(*asked)
        assert refused.code == 2
        assert "CITEPROOF_SNAPSHOT_KEY" in refused.err
        monkeypatch.setenv("CITEPROOF_SNAPSHOT_KEY", token)
        assert cli(*asked).code in (0, 1, 4)
        assert server.client.get("/metrics", headers={"authorization": f"Bearer {token}"}).status_code == 403
    finally:
        server.close()


def test_routes(served, snapshot):
    client = served.client
    (made,) = client.get("/v1/snapshots").json()["snapshots"]
    assert made["records"] > 0
    assert made["sources"][0]["inputs"] == []
    assert client.get("/examples/v1/snapshots").json()["snapshots"] == [made]
    assert client.get("/other/v1/snapshots").status_code == 404
    assert client.get("/nothing").status_code == 404
    assert client.get("/healthz").json()["snapshots"] == [made["id"]]
    call = wire.ENCODER.encode([("venue", b"CVPR")])
    assert client.post(f"/v1/snapshots/{made['id']}/calls", content=call).status_code == 200
    assert client.post(f"/examples/v1/snapshots/{made['id']}/calls", content=call).status_code == 200
    assert client.post(f"/v1/snapshots/{made['id']}/calls", content=b"x").status_code == 400
    other = client.post(f"/v1/snapshots/cps1-{'0' * 24}/calls", content=call)
    assert other.status_code == 410
    assert made["id"] in other.text
    large = client.post(f"/v1/snapshots/{made['id']}/calls", content=b"x" * (wire.MAX_REQUEST + 1))
    assert large.status_code == 413
    assert client.get("/v1/snapshots", headers={"host": "evil.example"}).status_code == 421
    assert "citeproof_requests_total" in client.get("/metrics").text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("missing.snapshot",), "no such folder"),
        (("http://127.0.0.1:1/",), "not a folder of this machine"),
        ((), "no snapshot to serve"),
        (("--host", "0.0.0.0"), "a public address needs tokens"),
        (("--new-token", "ann"), "needs --tokens FILE"),
    ],
)
def test_wrong_usage_is_told(cli, arguments, word):
    ended = cli("index", "serve", *arguments)
    assert ended.code == 2
    assert word in ended.err


def test_a_new_token_is_printed_once(cli, tmp_path):
    ended = cli("index", "serve", "--tokens", "tokens", "--new-token", "ann")
    assert ended.code == 0
    assert ended.out.startswith("cpt_")
    assert ended.out.strip() not in (tmp_path / "tokens").read_text()


@pytest.mark.slow
def test_processes_serve_on_one_socket_and_are_replaced(snapshot, tmp_path):
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    command = [sys.executable, "-m", "citeproof", "index", "serve", str(snapshot)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--processes", "2"],
        cwd=tmp_path, env=os.environ | home, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    lines = iter(process.stderr.readline, "")
    url = next(found[1] for line in lines if (found := re.search(r"serves (http://\S+)/ ", line)))
    try:
        started = [json.loads(next(line for line in lines if '"listening"' in line)) for _ in range(2)]
        assert len(started) == 2
        with httpx.Client(base_url=url, timeout=PATIENT, trust_env=False) as client:
            assert client.get("/healthz").status_code == 200
        children = _list_children(process.pid)
        assert len(children) == 2
        os.kill(children[0], signal.SIGKILL)
        next(line for line in lines if '"listening"' in line)  # another one took its place
        with httpx.Client(base_url=url, timeout=PATIENT, trust_env=False) as client:
            assert client.get("/v1/snapshots").status_code == 200
        children = _list_children(process.pid)
    finally:
        process.terminate()
        assert process.wait(PATIENT) == 0
        process.stderr.close()
    until = time.monotonic() + PATIENT
    while any(os.path.exists(f"/proc/{child}") for child in children) and time.monotonic() < until:  # noqa: PTH110
        time.sleep(0.05)
    assert not any(os.path.exists(f"/proc/{child}") for child in children)  # noqa: PTH110


def _list_children(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:  # noqa: PTH123
        return [int(child) for child in file.read().split()]
