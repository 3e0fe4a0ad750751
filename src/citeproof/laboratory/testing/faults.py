"""What can go wrong with a server, each as a value: `Faults.status(429, retry_after=2).first(3)`.

A fault is in for the good reply of an API, always or only sometimes:

    fault.first(3)          for the first three requests since it was set
    fault.every(4)          for every fourth request
    fault.between(0.5, 2)   from half a second to two seconds after it was set

`ALL_FAULTS` has one of each by name, for tests that run over all of them.
"""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from email.utils import format_datetime
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec

from citeproof.laboratory.testing.base import Call, Reply
from citeproof.laboratory.testing.server_connection import ServerConnection
from citeproof.plumbing.clock import SystemClock
from citeproof.text import lazy_patterns as re

Play: TypeAlias = Callable[[ServerConnection, Call, Reply], Awaitable[int]]

FOREVER = 3600.0  # seconds a server is silent that never answers; no client waits that long
MEGABYTE = 1_000_000
BOT_WALL = b"""<!doctype html><html lang="en"><head><title>Making sure you're not a bot!</title></head>
<body><h1>Making sure you're not a bot!</h1><p>Please wait while your browser is checked.</p>
<script>/* a proof of work that no honest client solves */</script></body></html>"""
ODD = "\u202e\u200b\u0301\ufeff\U0001d49c\u0000"  # override, nothing, a lone mark, a BOM, an astral A, NUL
_BETWEEN_TAGS = re.compile(r">([^<>\s][^<>]*)<")


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an answer goes wrong, and when it does.

    `play` writes to the connection instead of the good reply and returns the status it sent, 0 for none.
    """

    name: str
    play: Play
    first_n: int | None = None
    every_k: int = 1
    since: float = 0.0
    until: float = math.inf

    def applies(self, number: int, seconds: float) -> bool:
        """Return whether request `number` (from 1), `seconds` after the fault was set, meets it."""
        if self.first_n is not None and number > self.first_n:
            return False
        return number % self.every_k == 0 and self.since <= seconds < self.until

    def first(self, requests: int) -> Fault:
        return replace(self, first_n=requests)

    def every(self, requests: int) -> Fault:
        return replace(self, every_k=requests)

    def between(self, since: float, until: float) -> Fault:
        return replace(self, since=since, until=until)


class Faults:
    """Makes faults; every one can be limited with `first`, `every` and `between`."""

    @staticmethod
    def status(
        code: int, *, retry_after: float | timedelta | str | None = None, body: bytes = b"", media: str = ""
    ) -> Fault:
        """Answer with a status. `retry_after`: seconds, a timedelta to send as an HTTP date, or any text."""

        async def play(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
            text = _format_retry_after(retry_after)
            headers = {} if text is None else {"Retry-After": text}
            return await wire.send(Reply(code, body or f"{code}\n".encode(), media or "text/plain", headers))

        return Fault(f"status_{code}", play)

    @staticmethod
    def reply(name: str, make: Callable[[Call, Reply], Reply]) -> Fault:
        """Answer with what `make` makes of the call and the good reply."""

        async def play(wire: ServerConnection, call: Call, good: Reply) -> int:
            return await wire.send(make(call, good))

        return Fault(name, play)

    @staticmethod
    def fixed(name: str, body: bytes, media: str = "application/json", status: int = 200) -> Fault:
        """Answer with the same body to whatever is asked."""
        return Faults.reply(name, lambda _call, _good: Reply(status, body, media))

    @staticmethod
    def redirect(target: str, status: int = 302) -> Fault:
        """Redirect; `{base}` and `{path}` in `target` are those of the call, `{port}` is the world's."""

        def make(call: Call, good: Reply) -> Reply:  # noqa: ARG001 - as `reply` wants it
            port = call.base.rpartition(":")[2].partition("/")[0]
            place = target.replace("{base}", call.base).replace("{path}", call.path).replace("{port}", port)
            return Reply(status, b"", "text/html", {"Location": place})

        return Faults.reply("redirect", make)

    @staticmethod
    def drip(seconds: float = 0.5, size: int = 1) -> Fault:
        """Send the head at once and the body `size` bytes at a time, `seconds` apart."""

        async def play(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
            await wire.head(good.status, good.media, length=len(good.body), headers=good.headers)
            for at in range(0, len(good.body), size):
                await wire.send_raw(good.body[at : at + size])
                await asyncio.sleep(seconds)
            return good.status

        return Fault("slow_drip", play)

    @staticmethod
    def silence(seconds: float = FOREVER) -> Fault:
        """Take the request and say nothing for `seconds`, then hang up."""

        async def play(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
            await asyncio.sleep(seconds)
            wire.close()
            return 0

        return Fault("silence", play)

    @staticmethod
    def gzip_bomb(megabytes: int = 1000) -> Fault:
        """Send a few kilobytes that unpack to `megabytes` of zeros, made as they are sent."""

        async def play(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
            await wire.head(200, good.media, headers={"Content-Encoding": "gzip"})
            pack = zlib.compressobj(1, wbits=31)
            zeros = bytes(MEGABYTE)
            for _ in range(megabytes):
                if part := pack.compress(zeros):
                    await wire.chunk(part)
                await asyncio.sleep(0)  # other requests want to be served meanwhile
            await wire.chunk(pack.flush())
            await wire.chunk(b"")
            return 200

        return Fault("gzip_bomb", play)

    @staticmethod
    def huge_headers(count: int = 100, size: int = 100_000) -> Fault:
        """Send the good reply behind `count` headers of `size` bytes each."""
        more = {f"X-Padding-{n}": "x" * size for n in range(count)}
        return Faults.reply(
            "huge_headers", lambda _call, good: replace(good, headers={**good.headers, **more})
        )


def _format_retry_after(value: float | timedelta | str | None) -> str | None:
    if isinstance(value, timedelta):
        return format_datetime(SystemClock().now() + value, usegmt=True)
    return None if value is None else str(value)


# --- the faults that have no parameters --------------------------------------------------------


async def _send_half_body(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
    wire.close()
    await wire.head(good.status, good.media, length=len(good.body) + 100, headers=good.headers)
    await wire.send_raw(good.body[: len(good.body) // 2])
    return good.status


async def _reset_connection(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
    wire.reset()
    return 0


async def _hang_up(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
    wire.close()
    return 0


async def _send_other_protocol(wire: ServerConnection, call: Call, good: Reply) -> int:  # noqa: ARG001 - as `Play`
    wire.close()
    await wire.send_raw(b"220 mail.example ESMTP ready\r\n\r\n")
    return 0


def _echo_key(call: Call, good: Reply) -> Reply:  # noqa: ARG001 - as `Faults.reply` wants it
    """Return NCBI's rate limit with status 200, which repeats the key it was asked with."""
    body = {
        "error": "API rate limit exceeded",
        "api-key": next(
            (v for n, v in call.headers.items() if "key" in n or "auth" in n or "token" in n), ""
        ),
        "count": "4",
        "limit": "3",
        "received": {"path": call.path, "query": dict(call.query), "headers": dict(call.headers)},
        "body": call.body.decode("utf-8", "replace"),
    }
    return Reply(200, msgspec.json.encode(body))


def _add_odd_unicode(call: Call, good: Reply) -> Reply:  # noqa: ARG001 - as `Faults.reply` wants it
    """Return the good reply with odd characters behind every text in it."""
    try:
        body = msgspec.json.encode(_decorate_texts(msgspec.json.decode(good.body)))
    except msgspec.DecodeError:
        text = good.body.decode("utf-8", "replace")
        body = _BETWEEN_TAGS.sub(rf">\1{ODD[:-1]}<", text).encode()  # XML has no NUL
    return replace(good, body=body)


def _decorate_texts(value: Any) -> Any:  # noqa: ANN401 - any JSON
    match value:
        case str():
            return value + ODD
        case list():
            return [_decorate_texts(item) for item in value]
        case dict():
            return {name: _decorate_texts(item) for name, item in value.items()}
    return value


def _spoil_body(good: Reply) -> bytes:
    middle = len(good.body) // 2
    return good.body[:middle] + b"\xff\xfe\xc3\x28" + good.body[middle:]


_LISTED = (
    ("status_403", Faults.status(403)),
    ("status_429", Faults.status(429)),
    ("status_429_retry_after", Faults.status(429, retry_after=1)),
    ("status_429_http_date", Faults.status(429, retry_after=timedelta(seconds=1))),
    ("status_429_absurd", Faults.status(429, retry_after="999999999999")),
    ("status_429_nonsense", Faults.status(429, retry_after="soon; -5")),
    ("status_500", Faults.status(500)),
    ("status_503", Faults.status(503)),
    ("status_503_html", Faults.status(503, body=b"<html><h1>503</h1></html>", media="text/html")),
    ("slow_drip", Faults.drip()),
    ("half_body", Fault("half_body", _send_half_body)),
    ("reset", Fault("reset", _reset_connection)),
    ("hang_up", Fault("hang_up", _hang_up)),
    ("not_http", Fault("not_http", _send_other_protocol)),
    ("silence", Faults.silence()),
    ("bot_wall", Faults.fixed("bot_wall", BOT_WALL, "text/html; charset=utf-8")),
    ("bot_wall_as_json", Faults.fixed("bot_wall_as_json", BOT_WALL)),
    ("wrong_media", Faults.reply("wrong_media", lambda _, good: replace(good, media="image/png"))),
    ("empty", Faults.reply("empty", lambda _, good: replace(good, status=200, body=b""))),
    ("empty_object", Faults.fixed("empty_object", b"{}")),
    ("null", Faults.fixed("null", b"null")),
    (
        "truncated",
        Faults.reply("truncated", lambda _, good: replace(good, body=good.body[: len(good.body) * 2 // 3])),
    ),
    ("gzip_bomb", Faults.gzip_bomb()),
    ("deep_json", Faults.fixed("deep_json", b"[" * 100_000 + b"]" * 100_000)),
    ("redirect_metadata", Faults.redirect("http://169.254.169.254/latest/meta-data/")),
    ("redirect_private", Faults.redirect("http://10.0.0.1/")),
    ("redirect_loopback", Faults.redirect("http://[::1]:{port}/admin")),
    ("redirect_file", Faults.redirect("file:///etc/passwd")),
    ("redirect_loop", Faults.redirect("{base}{path}")),
    ("key_echo", Faults.reply("key_echo", _echo_key)),
    ("odd_unicode", Faults.reply("odd_unicode", _add_odd_unicode)),
    ("invalid_utf8", Faults.reply("invalid_utf8", lambda _, good: replace(good, body=_spoil_body(good)))),
    ("huge_headers", Faults.huge_headers()),
)
ALL_FAULTS: Mapping[str, Fault] = MappingProxyType({name: replace(f, name=name) for name, f in _LISTED})
