# ruff: noqa: TID251, PTH123, ARG002, SLF001 - it runs in the environments of other tools, before anything else
"""Sends every HTTP request of this interpreter to the loopback world; Python imports it by its name at start.

On `PYTHONPATH` of another tool's environment it changes nothing in that tool's own files. `PEERS_ADDRESSES`
names a JSON file: `{"world": "http://127.0.0.1:PORT", "hosts": {"https://api.crossref.org": "crossref"}}`.
A request to an address that is not listed goes to `/elsewhere/HOST/PATH` of the world, which answers 404.
`PEERS_PACE` of 20 makes the interpreter's clock run, and its pauses pass, 20 times as fast.
No other connection than to loopback can be opened.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_LOCAL = ("127.0.0.1", "localhost", "::1")


class Addresses:
    """Where each address of the real world stands in the loopback world."""

    def __init__(self, world: str, hosts: dict[str, str]) -> None:
        self.world = world
        self._hosts = sorted(hosts.items(), key=lambda pair: -len(pair[0]))

    def rewrite(self, url: str) -> str:
        """Return the loopback address of a URL."""
        if url.startswith(self.world):
            return url
        plain = "https://" + url.partition("://")[2]
        for base, api in self._hosts:
            rest = plain.removeprefix(base)
            if rest != plain and rest[:1] in ("", "/", "?", ":"):
                return f"{self.world}/{api}{rest.removeprefix(':443')}"
        return f"{self.world}/elsewhere/{plain.removeprefix('https://')}"


def patch_urllib(module: ModuleType, addresses: Addresses) -> None:
    """Rewrite what `urllib.request` opens."""
    opener = module.OpenerDirector
    original = opener.open

    def open_rewritten(self: Any, fullurl: Any, *more: Any, **named: Any) -> Any:
        request = module.Request(fullurl) if isinstance(fullurl, str) else fullurl
        asked = request.full_url
        request.full_url = addresses.rewrite(asked)
        request.remove_header("Host")
        response = original(self, request, *more, **named)
        response.url = asked
        return response

    opener.open = open_rewritten


def patch_requests(module: ModuleType, addresses: Addresses) -> None:
    """Rewrite what the adapters of `requests` send."""
    original = module.HTTPAdapter.send

    def send_rewritten(self: Any, request: Any, **named: Any) -> Any:
        sent = request.copy()
        sent.url = addresses.rewrite(request.url)
        sent.headers.pop("Host", None)
        response = original(self, sent, **{**named, "proxies": {}})
        response.url, response.request = request.url, request
        return response

    module.HTTPAdapter.send = send_rewritten


def patch_httpx(module: ModuleType, addresses: Addresses) -> None:
    """Rewrite what the transports of `httpx` carry."""

    def rewrite(request: Any) -> Any:
        url = addresses.rewrite(str(request.url))
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
        headers.insert(0, (b"Host", addresses.world.partition("://")[2].encode()))
        kind = type(request)
        return kind(
            request.method, url, headers=headers, stream=request.stream, extensions=request.extensions
        )

    plain, parallel = module.HTTPTransport.handle_request, module.AsyncHTTPTransport.handle_async_request

    def handle(self: Any, request: Any) -> Any:
        return plain(self, rewrite(request))

    async def handle_async(self: Any, request: Any) -> Any:
        return await parallel(self, rewrite(request))

    module.HTTPTransport.handle_request = handle
    module.AsyncHTTPTransport.handle_async_request = handle_async


def patch_aiohttp(module: ModuleType, addresses: Addresses) -> None:
    """Rewrite what sessions of `aiohttp` request."""
    original = module.ClientSession._request

    async def request_rewritten(self: Any, method: str, url: Any, **named: Any) -> Any:
        return await original(self, method, addresses.rewrite(str(url)), **named)

    module.ClientSession._request = request_rewritten


PATCHES: dict[str, Callable[[ModuleType, Addresses], None]] = {
    "urllib.request": patch_urllib,
    "requests.adapters": patch_requests,
    "httpx._transports.default": patch_httpx,
    "aiohttp.client": patch_aiohttp,
}


class PatchAfterImport(importlib.abc.MetaPathFinder):
    """Patches a client's module right after it was imported, so that nothing is imported for its sake."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._left = dict(PATCHES)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        patch = self._left.pop(fullname, None)
        spec = importlib.util.find_spec(fullname) if patch else None
        if patch is None or spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_and_patch(module: ModuleType) -> None:
            run(module)
            patch(module, self._addresses)

        spec.loader.exec_module = exec_and_patch  # type: ignore[method-assign]
        return spec


def keep_local() -> None:
    """Let no socket reach another machine."""
    original = socket.getaddrinfo

    def find_local(host: Any, *more: Any, **named: Any) -> Any:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if name not in (None, *_LOCAL):
            raise socket.gaierror(socket.EAI_NONAME, f"{name}: only loopback can be reached here")
        return original(host, *more, **named)

    socket.getaddrinfo = find_local


def speed_up(pace: float) -> None:
    """Let clock and pauses pass `pace` times as fast; time-outs of connections stay as they are."""
    import asyncio  # noqa: PLC0415 - not imported in a run at the real pace

    clocks = {name: getattr(time, name) for name in ("time", "monotonic", "perf_counter")}
    sleep, sleep_async, monotonic = time.sleep, asyncio.sleep, time.monotonic

    def quicken(clock: Callable[[], float]) -> Callable[[], float]:
        began = clock()
        return lambda: began + (clock() - began) * pace

    async def sleep_less(delay: float, result: Any = None) -> Any:
        return await sleep_async(delay / pace, result)

    for name, clock in clocks.items():
        setattr(time, name, quicken(clock))
    time.sleep = lambda seconds: sleep(seconds / pace)
    asyncio.sleep = asyncio.tasks.sleep = sleep_less  # type: ignore[assignment]
    asyncio.BaseEventLoop.time = lambda _loop: monotonic()  # type: ignore[method-assign]


if os.environ.get("PEERS_ADDRESSES"):
    with open(os.environ["PEERS_ADDRESSES"], encoding="utf-8") as _file:
        _known = json.load(_file)
    sys.meta_path.insert(0, PatchAfterImport(Addresses(_known["world"], _known["hosts"])))
    keep_local()
    if float(os.environ.get("PEERS_PACE", "1")) != 1:
        speed_up(float(os.environ["PEERS_PACE"]))
