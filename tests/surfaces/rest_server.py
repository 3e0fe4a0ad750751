"""Servers for tests: one in a thread of this process, one as a process that can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import httpx

from citeproof.surfaces.rest.server_process import make_server, open_socket

PATIENT = 120.0  # seconds; a loaded machine is slow
BIB = (Path(__file__).parents[2] / "examples" / "records.bib").read_bytes()
_SERVES = re.compile(r"serves (http://\S+)/ ")


class ThreadedServer:
    """A server in a thread of this process, and a client of it."""

    def __init__(self, app):
        listening = open_socket("127.0.0.1", 0)
        self.app = app
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._server = make_server(app)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()
        self.client = httpx.Client(base_url=self.url, timeout=PATIENT, trust_env=False)
        until = time.monotonic() + PATIENT
        while not self._server.started and time.monotonic() < until:
            time.sleep(0.01)

    def close(self):
        self.client.close()
        self._server.should_exit = True
        self._thread.join(PATIENT)


class ServerProcess:
    """`citeproof serve` as a process, and a client of it."""

    def __init__(self, folder: Path, *flags: str):
        home = {name: str(folder / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        command = [sys.executable, "-m", "citeproof", "serve", "-q", "--port", "0", "--offline", *flags]
        self.process = subprocess.Popen(
            command, cwd=folder, env=os.environ | home, stderr=subprocess.PIPE, text=True
        )
        told = self.process.stderr.readline()
        found = _SERVES.search(told)
        assert found, told + self.process.stderr.read()
        self.client = httpx.Client(base_url=found[1], timeout=PATIENT, trust_env=False)
        until = time.monotonic() + PATIENT
        while time.monotonic() < until:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise AssertionError("the server does not become ready")

    def end(self, how=signal.SIGTERM) -> int:
        """End the process and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENT)
        self.process.stderr.close()
        self.client.close()
        return code


@contextmanager
def run_servers(snapshot, *common: str):
    """A function that starts a server in a folder, with more flags; none is left running."""
    running = []

    def start_server(folder: Path, *flags: str) -> ServerProcess:
        running.append(made := ServerProcess(folder, "--snapshot", str(snapshot), *common, *flags))
        return made

    try:
        yield start_server
    finally:
        for one in running:
            if one.process.poll() is None:
                one.end(signal.SIGKILL)


def make_documents(count, copies):
    """Return documents of many references, all of them with keys and identifiers of their own."""

    def copy(number, at):
        return BIB.replace(b"{DBLP:", b"{%d-%d:" % (number, at)).replace(b"-20", b"-%d-20" % at)

    return [b"\n".join(copy(number, at) for at in range(copies)) for number in range(count)]


def submit_documents(client, documents):
    """Return the paths of runs that check documents."""
    paths = []
    for number, data in enumerate(documents):
        sent = {"file": (f"refs{number}.bib", data)}
        answer = client.post("/v1/check", files=sent, headers={"Prefer": "respond-async"})
        assert answer.status_code == 202, answer.text
        paths.append(answer.headers["location"])
    return paths


def wait_for_run(client, path, headers=None):
    """Return the state of a run once it has ended."""
    until = time.monotonic() + PATIENT
    while time.monotonic() < until:
        state = client.get(path, headers=headers).json()
        if state["state"] not in ("queued", "running"):
            return state
        time.sleep(0.05)
    raise AssertionError(state)


def read_references(client, path):
    """Return the references of a run, without what another run has otherwise."""
    pages, start = [], 0
    while start is not None:
        page = client.get(f"{path}/references", params={"start": start, "limit": 1000}).json()
        pages.append(page["references"])
        start = page["next"]
    return list(chain.from_iterable(pages))


def read_log(folder, path):
    """Return the events of a run in the audit log."""
    lines = (folder / f"job-{path.rpartition('/')[2]}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
