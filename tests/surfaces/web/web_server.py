"""The pages behind a socket of this machine, in a thread of the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from citeproof import settings
from citeproof.plumbing.stores.job_store import Job
from citeproof.service.job_runner import JobRunner
from citeproof.surfaces.rest.access_tokens import AccessToken, TokenFile, hash_token
from citeproof.surfaces.rest.app import create_app
from citeproof.surfaces.rest.server_door import ServerOptions
from citeproof.surfaces.rest.server_process import open_socket

OWN = {"Sec-Fetch-Site": "same-origin"}
PATIENCE = 200.0  # seconds; the machine may be busy


@dataclass(frozen=True)
class WebServer:
    """A server that runs, and a client that knows it."""

    client: httpx.Client
    runner: JobRunner
    address: str

    def post(self, path: str, **sent):
        return self.client.post(path, headers=OWN, **sent)

    def upload(self, *files: tuple[str, bytes], text: str = "", kind: str = "check") -> str:
        """Return the address to which an upload leads."""
        sent = [("files", file) for file in files] or [("files", ("", b""))]
        answer = self.post("/runs", files=sent, data={"text": text, "kind": kind})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def check(self, *files: tuple[str, bytes], text: str = "", kind: str = "check") -> str:
        """Return the address of a run that has ended."""
        address = self.upload(*files, text=text, kind=kind)
        self.wait(address.rpartition("/")[2])
        return address

    def wait(self, job: str) -> Job:
        with ThreadPoolExecutor(1) as thread:  # this one may have a loop, of the browser's driver
            ended = thread.submit(asyncio.run, self.runner.wait(job, PATIENCE)).result()
        assert ended.state.ended
        return ended

    def get(self, path: str):
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return answer


@contextmanager
def open_web_server(
    folder: Path,
    snapshot: Path,
    *,
    port: int = 0,
    people: Sequence[str] = (),
    workers: int = 2,
    **more: object,
) -> Iterator[WebServer]:
    """Yield a server. With `people` it needs tokens, which are their names; the client is the first."""
    usual = {"offline": True, "allow_unchecked_retractions": True}  # no list of retractions is at hand
    chosen = settings.load({**usual, "snapshots": (snapshot,), **more})
    known = [AccessToken(name, hash_token(name), frozenset({"check"})) for name in people]
    options = ServerOptions(workers=workers, drain_seconds=1.0)
    app = create_app(chosen, folder=folder, options=options, tokens=TokenFile(known) if people else None)
    headers = {"Authorization": f"Bearer {people[0]}"} if people else {}
    with (
        _serve(app, port) as address,
        httpx.Client(base_url=address, timeout=PATIENCE, headers=headers, trust_env=False) as client,
    ):
        yield WebServer(client, app.state.door.runner, address)


@contextmanager
def _serve(app: FastAPI, port: int) -> Iterator[str]:
    listening = open_socket("127.0.0.1", port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="web server")
    thread.start()
    try:
        httpx.get(f"{address}/readyz", timeout=PATIENCE, trust_env=False)  # waits in the socket's queue
        yield address
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
