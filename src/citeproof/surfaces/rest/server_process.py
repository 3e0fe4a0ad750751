"""The server as a process: listens, answers, and ends what it has begun when it is to end."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import socket
from collections import Counter
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import cast

import uvicorn
from starlette.applications import Starlette

from citeproof.errors import UsageError
from citeproof.surfaces.rest.http_protocol import BoundedProtocol
from citeproof.surfaces.rest.server_door import ServerDoor, WriteEntry

BACKLOG = 2048  # connections that wait to be accepted
IDLE = 30  # seconds that a connection stays open without a request
MOST_CONNECTIONS = 4000


class DrainingServer(uvicorn.Server):
    """A server that informs its jobs and followers at once when it is to end."""

    def __init__(self, config: uvicorn.Config, door: ServerDoor) -> None:
        super().__init__(config)
        self._door = door

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; a second Ctrl-C does not wait. A request to end is no failure: the code is 0."""
        del frame
        self._door.begin_stop()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; UsageError if the address cannot be had.

    Who connects at once waits for the answer and is not refused, and of two servers the second gets an error.
    """
    with ExitStack() as kept:
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            made = kept.enter_context(socket.socket(family, socket.SOCK_STREAM))
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(BACKLOG)
        except OSError as error:
            hint = "choose another one with --host and --port"
            raise UsageError(f"cannot listen: {error}", place=f"{host}:{port}", hint=hint) from error
        kept.pop_all()
    return made


def make_server(app: Starlette) -> DrainingServer:
    """Return the server of an application; `run([socket])` serves until it is to end."""
    door: ServerDoor = app.state.door
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(door.options.proxies),
        forwarded_allow_ips=list(door.options.proxies),
        backlog=BACKLOG,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=int(door.options.drain_seconds) + 1,
        http=cast("type[asyncio.Protocol]", partial(BoundedProtocol, door=door, open_of=Counter())),
        ws="none",
    )
    return DrainingServer(config, door)


def serve_app(app: Starlette, listening: socket.socket, log: WriteEntry) -> None:
    """Serve until SIGTERM or Ctrl-C, then answer what was begun, give back unfinished jobs, and return."""
    host, port = listening.getsockname()[:2]
    most, largest = resource.getrlimit(resource.RLIMIT_NOFILE)  # 1,024 are fewer than MOST_CONNECTIONS
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(most, 2 * MOST_CONNECTIONS), largest), largest))
    logging.getLogger().addHandler(logging.NullHandler())  # a stranger's nonsense is no line of the log
    log("listening", address=host, port=port)
    make_server(app).run([listening])
    log("stopped")
