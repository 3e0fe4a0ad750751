"""HTTP/1.1 over a raw connection: enough of it to serve well, and all of it open to be broken by faults."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

from citeproof.laboratory.testing.base import Call, Reply

MAX_HEAD = 256_000  # bytes of a request's head
MAX_BODY = 50_000_000  # bytes of a request's body
GZIP_FROM = 1400  # a smaller body fits one packet anyway


class BrokenCallError(Exception):
    """A request that is not HTTP as this server reads it; `status` is what to answer."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True)
class WireRequest:
    method: str
    target: str  # path and query, still percent-encoded
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    keep_alive: bool

    @property
    def api(self) -> str:
        """The first path segment, which says whose server is asked."""
        return self.target.partition("?")[0].strip("/").partition("/")[0]

    def call(self, origin: str) -> Call:
        """Return the request as its API sees it, without the segment that names the API."""
        parts = urlsplit(f"http://world{self.target}")
        path = parts.path.lstrip("/")[len(self.api) :] or "/"
        return Call(
            method=self.method,
            path=path,
            parts=tuple(unquote(part) for part in path.split("/") if part),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers=self.headers,
            body=self.body,
            base=f"{origin}/{self.api}",
        )


async def read_request(reader: asyncio.StreamReader) -> WireRequest | None:
    """Return the next request of a connection, None when the client has closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BrokenCallError(400, "the request ends in its head") from error
        return None
    except asyncio.LimitOverrunError as error:
        raise BrokenCallError(431, "the request's head is too long") from error
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[1].startswith("/"):
        raise BrokenCallError(400, "not a request line")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await _read_body(reader, headers)
    alive = words[2] == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return WireRequest(words[0], words[1], headers, body, alive)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise BrokenCallError(411, "a body needs a Content-Length")
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MAX_BODY:
        raise BrokenCallError(413, "no such Content-Length is taken")
    return await reader.readexactly(int(length))


class ServerConnection:
    """The server's end of one connection, for the answer to one request."""

    def __init__(self, writer: asyncio.StreamWriter, asked: WireRequest) -> None:
        self._writer = writer
        self.asked = asked
        # gets the status just before a whole reply is sent: who has read the reply finds it in the log
        self.done: Callable[[int], None] = lambda _status: None
        self.open = asked.keep_alive  # whether another request may follow

    async def send(self, reply: Reply) -> int:
        """Send a whole reply, compressed where the client takes it; return its status."""
        body, headers = reply.body, dict(reply.headers)
        if len(body) >= GZIP_FROM and "gzip" in self.asked.headers.get("accept-encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body, 1, mtime=0), "gzip"
        self.done(reply.status)
        await self.head(reply.status, reply.media, length=len(body), headers=headers)
        if self.asked.method != "HEAD":
            await self.send_raw(body)
        return reply.status

    async def head(
        self, status: int, media: str, *, length: int | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send status line and headers; without a length the body comes in chunks."""
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "Unknown"
        lines = [f"HTTP/1.1 {status} {phrase}"]
        if media:
            lines.append(f"Content-Type: {media}")
        lines.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
        lines.append(f"Connection: {'keep-alive' if self.open else 'close'}")
        lines.extend(f"{name}: {value}" for name, value in (headers or {}).items())
        await self.send_raw("\r\n".join([*lines, "", ""]).encode("latin-1", "replace"))

    async def chunk(self, data: bytes) -> None:
        """Send one chunk of a chunked body; an empty one ends it."""
        await self.send_raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def send_raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        """Let no other request follow: the connection is closed after this answer."""
        self.open = False

    def reset(self) -> None:
        """Break the connection off, as a crashed server or a firewall does."""
        self.open = False
        connection = self._writer.get_extra_info("socket")
        if connection is not None:  # linger 0: what is not yet sent is lost, the client sees a reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
