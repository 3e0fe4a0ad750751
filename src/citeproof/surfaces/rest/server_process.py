"""The server as a process: listens, answers, and ends what it has begun when it is to end.

HTTP on one connection is bounded: the head of a request in size and time, a refusal at next to no cost. An
overloaded server must refuse ten requests for each that it answers. Here a refusal is ready bytes: no task,
no layers of the application. It is sent after a moment, in which nothing is read from the connection: asking
again at once cannot take the processor from those who are answered. An address has a bound of connections,
unless it is a proxy that is trusted; an answer that is not read ends its connection.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import socket
from collections import Counter
from contextlib import ExitStack
from functools import partial
from ipaddress import ip_address, ip_network
from types import FrameType
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from citeproof.errors import UsageError
from citeproof.surfaces.rest.access_tokens import name_network
from citeproof.surfaces.rest.arriving_bodies import LAST_SECONDS, SLOWEST
from citeproof.surfaces.rest.door_guard import is_gated
from citeproof.surfaces.rest.error_answers import ApiError, make_busy_error, make_error_answer
from citeproof.surfaces.rest.server_door import ServerDoor, WriteEntry

LARGEST_HEAD = 32_768  # bytes of a request's first line and headers
HEAD_SECONDS = 30.0  # in which they must have come
REFUSAL_SECONDS = 0.5  # until a refusal is sent
MOST_OF_ADDRESS = 1000  # connections


def _encode_answer(error: ApiError, *more: bytes) -> bytes:
    answer: Response = make_error_answer(error)
    headers = [name + b": " + value for name, value in answer.raw_headers]
    return STATUS_LINE[error.status] + b"\r\n".join((*headers, *more, b"", b"")) + bytes(answer.body)


BUSY = _encode_answer(make_busy_error(1))
TOO_LARGE = _encode_answer(
    ApiError(
        431, "TOO_LARGE", "the headers are too large", place="headers", hint="send fewer or shorter ones"
    ),
    b"connection: close",
)
LATE = _encode_answer(
    ApiError(408, "TIMEOUT", "the headers did not come in time", place="headers", hint="send them faster"),
    b"connection: close",
)
INVALID = _encode_answer(
    ApiError(400, "BAD_REQUEST", "this is not HTTP", place="request", hint="send HTTP/1.1"),
    b"connection: close",
)


class _RefusedCycle:
    """Stands where an answered request stood."""

    response_complete = True
    disconnected = False
    keep_alive = True

    def __init__(self) -> None:
        self.message_event = asyncio.Event()


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, door: ServerDoor, open_of: Counter[str], **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*arguments, **named)
        self._door, self._open_of = door, open_of  # connections of each address
        self._address = ""
        self._head: int | None = 0  # bytes of the head so far; None: it is complete
        self._fields = 0  # bytes of its first line and headers that were read
        self._messages = 0  # that were read
        self._refusing = False
        self._refused = 0  # requests whose refusal is not sent yet: what comes after them waits its turn
        self._late: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._ended = False  # the last answer is sent

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = self.client[0].removeprefix("::ffff:") if self.client else ""
        self.client = (peer, self.client[1]) if self.client else None
        self._address = name_network(peer)
        self._open_of[self._address] += 1
        if self._open_of[self._address] > MOST_OF_ADDRESS and not self._is_proxy(peer):
            transport.abort()
            return
        self._await_head()

    def _is_proxy(self, peer: str) -> bool:
        proxies = self._door.options.proxies if peer else ()
        return any(ip_address(peer.partition("%")[0]) in ip_network(proxy) for proxy in proxies)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._unread is not None:
            self._unread.cancel()
        self._open_of[self._address] -= 1
        if not self._open_of[self._address]:
            del self._open_of[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._ended:
            return
        if self._head == 0 and self._late is None:
            self._await_head()
        before = self._messages
        super().data_received(data)
        if self._head is not None and self._messages == before and not self.transport.is_closing():
            self._head += len(data)
            if self._head > LARGEST_HEAD:
                self._end_with(TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._fields = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._fields += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._fields += len(name) + len(value) + len(": \r\n")

    def on_headers_complete(self) -> None:
        self._head = None
        self._stop_waiting()
        free = self.cycle is None or self.cycle.response_complete
        path = self.url.partition(b"?")[0].decode("latin-1")
        closed = self._refused or (free and is_gated(path) and self._door.gate.is_closed())
        if self._ended or self._fields > LARGEST_HEAD or closed:
            if self._fields > LARGEST_HEAD:
                self._end_with(TOO_LARGE)
            self._refusing = True
            self.cycle = _RefusedCycle()  # type: ignore[assignment]
            self._await_head()  # what is refused has no more time to come
            return
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._head = 0
        self._messages += 1
        if not self._refusing:
            super().on_message_complete()
            return
        self._refusing = False
        self._stop_waiting()
        if self._ended:
            return
        self._refused += 1
        self._door.metrics.note_answer("OTHER", "refused", 429, REFUSAL_SECONDS)
        self.flow.pause_reading()
        self.loop.call_later(REFUSAL_SECONDS, self._send_refusal)

    def _send_refusal(self) -> None:
        self._refused -= 1
        if not self.transport.is_closing():
            self.transport.write(BUSY)
            self.flow.resume_reading()
            self._await_head()

    def on_response_complete(self) -> None:
        """Go on; an answer that is not read in its time ends the connection."""
        super().on_response_complete()
        if self._unread is not None:
            self._unread.cancel()
        if left := self.transport.get_write_buffer_size():
            seconds = self._door.options.body_seconds + left / SLOWEST
            self._unread = self.loop.call_later(seconds, self._end_unread)

    def _end_unread(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._end_with(INVALID)

    def _await_head(self) -> None:
        """Close the connection if the next head takes too long."""
        self._stop_waiting()
        self._late = self.loop.call_later(HEAD_SECONDS, self._end_with, LATE)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end_with(self, answer: bytes) -> None:
        if not (self._ended or self.transport.is_closing()):
            self._ended = True
            self._stop_waiting()
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.disconnected = True  # nothing can be said after the last answer
                self.cycle.message_event.set()
            self.loop.call_later(REFUSAL_SECONDS, self._send_last, answer)

    def _send_last(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.write_eof()
            self.loop.call_later(LAST_SECONDS, self.transport.abort)


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
