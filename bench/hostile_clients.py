"""Clients that do harm, against a server on loopback: slow, oversized, malformed and aborted ones.

    python bench/hostile_clients.py PORT [--clients 200] [--seconds 20]

A quarter of the clients is of each kind. Each begins again, after a quarter of a second, when the server ends
its connection. It prints how often each kind was answered with which status; 0 is a connection that ended
without. `bench/server_load.py` runs it while one honest client asks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import cycle

PAUSE = 0.25  # seconds before a client begins again
MULTIPART = "multipart/form-data; boundary=x"


def make_head(path: str, length: int | None, kind: str = "application/json", more: str = "") -> bytes:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{size}\r\n{more}\r\n".encode()


class HostileClient:
    """One of them, with a connection."""

    def __init__(self, port: int, number: int) -> None:
        self._port, self._number = port, number // 4  # of its kind
        self.writer: asyncio.StreamWriter
        self._reader: asyncio.StreamReader

    async def connect(self) -> None:
        self._reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def read_status(self) -> int:
        """Return the status of the answer; the connection is read to its end."""
        line = await self._reader.readline()
        with contextlib.suppress(ConnectionError):
            while await self._reader.read(65536):
                pass
        return int(line[9:12] or 0)

    async def send_slowly(self) -> int:
        """A body of one byte a second, or none at all."""
        self.writer.write(make_head("/v1/check" if self._number % 2 else "/v1/verify", 50_000))
        answer = asyncio.ensure_future(self.read_status())
        try:
            while not answer.done():
                if self._number % 3:
                    self.writer.write(b" ")
                await asyncio.wait((answer,), timeout=1.0)
            return await answer
        finally:
            answer.cancel()

    async def send_much(self) -> int:
        """A body that is too large, announced or not, as a form or as JSON."""
        path, kind = ("/v1/check", MULTIPART) if self._number % 2 else ("/v1/verify", MULTIPART)
        length = None if self._number % 4 < 2 else 60_000_000
        part = b"[" * 65_536 if self._number % 3 else b"--x\r\n" * 13_107
        self.writer.write(make_head(path, length, kind))
        answer = asyncio.ensure_future(self.read_status())
        try:
            with contextlib.suppress(ConnectionError, TimeoutError):
                for _ in range(920):
                    self.writer.write(part if length else b"%x\r\n%s\r\n" % (len(part), part))
                    await asyncio.wait_for(self.writer.drain(), 3)  # it may not be read any more
                    if answer.done():
                        break
            return await answer
        finally:
            answer.cancel()

    async def send_nonsense(self) -> int:
        """Something that is not HTTP, a head that is too long, two hosts, or JSON of brackets."""
        close = "Connection: close\r\n"
        nonsense = (
            b"\x16\x03\x01 not http at all\r\n\r\n",
            make_head("/v1/verify", 2, more="X: " + "y" * 60_000 + f"\r\n{close}") + b"{}",
            make_head("/v1/verify", 2, more=f"Host: evil.example\r\n{close}") + b"{}",
            make_head("/v1/verify", 90_000, more=close) + b'{"title": ' + b"[" * 89_990,
            make_head("/v1/check", 900_000, more=close) + b'{"references": [' + b"[]," * 299_994 + b"0]",
        )
        self.writer.write(nonsense[self._number % len(nonsense)])
        return await self.read_status()

    async def go_away(self) -> int:
        """A request whose sender resets the connection in its middle."""
        self.writer.write(make_head("/v1/verify", 500) + b'{"title": "Deep')
        await asyncio.sleep(0.05)
        channel = self.writer.get_extra_info("socket")
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return 0


async def attack(port: int, clients: int, seconds: float) -> dict[str, dict[int, int]]:
    """Return how often each kind of client got which status."""
    until = time.monotonic() + seconds
    kinds: tuple[Callable[[HostileClient], Awaitable[int]], ...] = (
        HostileClient.send_slowly,
        HostileClient.send_much,
        HostileClient.send_nonsense,
        HostileClient.go_away,
    )
    counts: dict[str, Counter[int]] = {kind.__name__: Counter() for kind in kinds}

    async def go_on(number: int, kind: Callable[[HostileClient], Awaitable[int]]) -> None:
        while (left := until - time.monotonic()) > 0:
            client = HostileClient(port, number)
            status = 0
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await client.connect()
                try:
                    status = await asyncio.wait_for(kind(client), left)
                finally:
                    client.writer.close()
            counts[kind.__name__][status] += 1
            await asyncio.sleep(PAUSE)

    await asyncio.gather(
        *(go_on(number, kind) for number, kind in zip(range(clients), cycle(kinds), strict=False))
    )
    return {name: dict(count) for name, count in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("port", type=int)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(attack(options.port, min(options.clients, 500), min(options.seconds, 120)))))


if __name__ == "__main__":
    main()
