"""The pages behind a socket of this machine, in a thread of the test."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from citeproof import settings
from citeproof.service.job_runner import JobRunner
from citeproof.stores.job_store import Job
from citeproof.surfaces.web.web_pages import add_pages

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
    folder: Path, snapshot: Path, *, port: int = 0, workers: int = 2, **more: object
) -> Iterator[WebServer]:
    """Yield a server; the owner of a request is who the header `X-Owner` names."""
    chosen = settings.load({"offline": True, "snapshots": (snapshot,), **more})
    runner = JobRunner(chosen, folder, workers=workers)
    app = FastAPI()
    close = add_pages(
        app,
        runner,
        settings=chosen,
        folder=folder,
        identify=lambda request: request.headers.get("x-owner", "local"),
    )
    runner.start()
    try:
        with _serve(app, port) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
            yield WebServer(client, runner, address)
    finally:
        runner.stop()
        close()


@contextmanager
def _serve(app: FastAPI, port: int) -> Iterator[str]:
    taken = socket.create_server(("127.0.0.1", port), backlog=128)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, name="web server")
    thread.start()
    try:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        taken.close()


def main() -> None:
    """Serve until killed: FOLDER SNAPSHOT PORT. Says its address when it is ready."""
    folder, snapshot, port = sys.argv[1:]
    with open_web_server(Path(folder), Path(snapshot), port=int(port)) as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
