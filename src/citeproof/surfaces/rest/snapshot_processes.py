"""`citeproof index serve` as processes: each opens the snapshots itself, and all take from one socket."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from starlette.applications import Starlette

from citeproof.index import snapshot_wire as wire
from citeproof.index.manifest import load as load_manifest
from citeproof.index.snapshot import Snapshot
from citeproof.index.snapshot_service import SnapshotService
from citeproof.surfaces.rest.access_tokens import TokenFile
from citeproof.surfaces.rest.request_log import WriteEntry, describe_fault
from citeproof.surfaces.rest.server_options import ServerOptions, is_loopback
from citeproof.surfaces.rest.server_process import serve_app
from citeproof.surfaces.rest.snapshot_app import create_snapshot_app

RATE = 100_000.0  # requests a second: workers are bounded by their own waiting
PAUSE = 0.5  # seconds before a process that died is replaced


@dataclass(frozen=True, slots=True)
class SnapshotServing:
    """What is served, and to whom."""

    folders: tuple[Path, ...]
    tokens: TokenFile | None
    hosts: tuple[str, ...]
    proxies: tuple[str, ...]
    anonymous: bool
    host: str
    log: WriteEntry

    def describe(self) -> Iterator[str]:
        """Yield a line for each snapshot; SnapshotError if one cannot be opened."""
        for folder in self.folders:
            Snapshot.open(folder).close()
            made = load_manifest(folder)
            yield f"{made.name or made.id}: {made.id}, {made.records:,} records, {folder}"

    def create_app(self) -> Starlette:
        """Return the application, with its snapshots open."""
        options = ServerOptions(
            max_json=wire.MAX_REQUEST, token_rate=RATE, token_burst=int(RATE),
            allow_anonymous=self.anonymous, hosts=self.hosts, proxies=self.proxies,
        )  # fmt: skip
        if self.anonymous:  # else the usual rate: of those who guess tokens
            options = replace(options, anonymous_rate=RATE, anonymous_burst=int(RATE))
        services = [SnapshotService(folder) for folder in self.folders]
        local = is_loopback(self.host)
        return create_snapshot_app(services, options=options, tokens=self.tokens, local=local, log=self.log)


def serve_snapshots(serving: SnapshotServing, listening: socket.socket, processes: int) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    if processes == 1:
        serve_app(serving.create_app(), listening, serving.log)
    else:
        ServerProcesses(serving, listening, processes).run()


class ServerProcesses:
    """Children that serve on one socket; one that dies is replaced. None outlives the parent."""

    def __init__(self, serving: SnapshotServing, listening: socket.socket, count: int) -> None:
        self._serving, self._listening, self._count = serving, listening, count
        self._children: set[int] = set()
        self._ends = False
        self._life = os.pipe()  # the children read it: it ends when the parent does

    def run(self) -> None:
        """Serve until SIGTERM or Ctrl-C; then end the children and return."""
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._begin_end)
        while not self._ends or self._children:
            while not self._ends and len(self._children) < self._count:
                self._start_child()
            try:
                child, status = os.waitpid(-1, 0)
            except ChildProcessError:
                break
            self._children.discard(child)
            if not self._ends:
                self._serving.log("process ended", process=child, status=status)
                time.sleep(PAUSE)  # one that cannot begin is not begun again at once

    def _begin_end(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._ends = True
        for child in self._children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    def _start_child(self) -> None:
        child = os.fork()
        if child:
            self._children.add(child)
            if self._ends:
                os.kill(child, signal.SIGTERM)
            return
        code = 1
        try:
            os.close(self._life[1])
            for one in (signal.SIGTERM, signal.SIGINT):
                signal.signal(one, signal.SIG_DFL)
            threading.Thread(target=_follow_parent, args=(self._life[0],), daemon=True).start()
            serve_app(self._serving.create_app(), self._listening, self._serving.log)
            code = 0
        except Exception as error:  # noqa: BLE001 - a child has no other way to tell
            self._serving.log("fault", what=describe_fault(error))
        finally:
            os._exit(code)


def _follow_parent(life: int) -> None:
    """End this process when its parent has ended."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
