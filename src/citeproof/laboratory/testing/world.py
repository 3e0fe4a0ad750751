"""The loopback world: every upstream on 127.0.0.1, answering from given holdings, with faults on demand.

    with World(Shelf(record), faults={"crossref": Faults.status(503).first(2)}) as world:
        world.urls["crossref"]          # http://127.0.0.1:40123/crossref
        world.requests_within("crossref", 1.0)

It runs in a thread of its own. Requests are answered in these steps: the request is noted, then a fault,
the rate limit or the API answers, no sooner than the latency says.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from statistics import NormalDist
from typing import NamedTuple, Self, TypeAlias

from citeproof.laboratory.testing import server_connection
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.laboratory.testing.faults import Fault
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.message import Rate

Api: TypeAlias = Callable[[Call, Holdings], Reply]
FaultsOfOne: TypeAlias = Fault | Sequence[Fault]

HOST = "127.0.0.1"
START = 10.0  # seconds within which the server must be listening
SLACK = 0.02  # seconds a request may come early: a client's clock and this one are not the same
GOLDEN = 0.6180339887498949  # its multiples spread evenly over 0..1, the same in every run
P95 = 1.6448536269514722  # standard deviations from the median to the 95th percentile
_AT_ROOT = {"robots.txt": "robots"}  # path at the root of the server: the API that answers there
_NOT_SOURCES = frozenset(("robots", "publisher"))  # other servers, which no setting names
_INNER = {("dblp", "sparql"): "dblp_sparql"}  # API and first part of a path: the API that stands there


@dataclass(frozen=True, slots=True)
class Latency:
    """How long answers take: `median` seconds, one in twenty longer than `p95`; the same in every run."""

    median: float
    p95: float | None = None

    def of(self, number: int) -> float:
        """Return the seconds that request `number` takes."""
        if self.p95 is None or not 0 < self.median < self.p95:
            return self.median
        deviations: float = NormalDist().inv_cdf(min(max(number * GOLDEN % 1, 0.001), 0.999))
        stretched: float = self.median * (self.p95 / self.median) ** (deviations / P95)
        return stretched


@dataclass(frozen=True, slots=True)
class Seen:
    """One request that the world received. `status` is 0 while, or if, nothing was answered."""

    api: str
    method: str
    path: str  # with the query, still percent-encoded, without the API's own prefix
    headers: Mapping[str, str]
    at: float  # seconds since the world began
    status: int
    open_at_once: int  # requests to this API that were being answered when it came, itself included
    body: bytes = b""


class Pace(NamedTuple):
    """The most requests in any window of a given length, and the most that were open at once."""

    requests: int
    at_once: int


@dataclass(slots=True)
class _ApiServer:
    faults: tuple[Fault, ...] = ()
    latency: Latency = field(default_factory=lambda: Latency(0.0))
    rate: Rate | None = None
    since: float = 0.0  # when the faults were set
    number: int = 0  # requests since then
    open: set[int] = field(default_factory=set)  # places in the log of what is being answered
    taken: list[float] = field(default_factory=list)  # when the requests within the rate came


class World:
    """A server for all upstreams; use it with `with`, or `start` and `close`."""

    def __init__(
        self,
        holdings: Holdings,
        *,
        apis: Iterable[str] | Mapping[str, Api] | None = None,
        latency: Mapping[str, float | Latency] | None = None,
        faults: Mapping[str, FaultsOfOne] | None = None,
        rates: Mapping[str, Rate | tuple[float, float]] | None = None,
        port: int = 0,
    ) -> None:
        self._holdings = holdings
        self._apis: dict[str, Api | None] = _choose_apis(apis)
        self._clock = SystemClock()
        self._lock = threading.Lock()
        self._servers = {name: _ApiServer() for name in self._apis}
        self._log: list[Seen] = []
        self._began = self._clock.elapsed()
        self._port = port
        self.errors: list[BaseException] = []  # bugs of the APIs: nothing that a client does may cause one
        for name in {*(latency or {}), *(faults or {}), *(rates or {})}:
            self.set(name, faults=(faults or {}).get(name), latency=(latency or {}).get(name))
        for name, rate in (rates or {}).items():
            self._servers[name].rate = rate if isinstance(rate, Rate) else Rate(*rate, at_once=10**6)

    # --- what a user sees ----------------------------------------------------------------------

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self._port}"

    @property
    def urls(self) -> dict[str, str]:
        """The base URL of every API."""
        return {name: f"{self.origin}/{name}" for name in sorted(self._apis)}

    def environment(self) -> dict[str, str]:
        """Return the variables that make citeproof ask this world instead of the real servers.

        The last one lets links lead here: pages on loopback are not fetched otherwise.
        """
        inner = {name for (outer, _), name in _INNER.items() if outer in self._apis} | _NOT_SOURCES
        named = {name: url for name, url in self.urls.items() if name not in inner}
        urls = {f"CITEPROOF_{name.upper()}_URL": url for name, url in named.items()}
        return {**urls, "CITEPROOF_PRIVATE_HOSTS": f"{HOST}:{self._port}"}

    @property
    def log(self) -> list[Seen]:
        """Every request so far, in order of arrival."""
        with self._lock:
            return list(self._log)

    def count(self, api: str) -> int:
        return sum(seen.api == api for seen in self.log)

    def requests_within(self, api: str, seconds: float) -> Pace:
        """Return how fast an API was asked at most, to compare with its published rate."""
        seen = [request for request in self.log if request.api == api]
        most, start = 0, 0
        for end, request in enumerate(seen):
            while request.at - seen[start].at >= seconds:
                start += 1
            most = max(most, end - start + 1)
        return Pace(most, max((request.open_at_once for request in seen), default=0))

    def set(
        self, api: str, *, faults: FaultsOfOne | None = None, latency: float | Latency | None = None
    ) -> None:
        """Give an API other faults or latency while the world runs; None leaves them, () ends the faults."""
        with self._lock:
            server = self._servers[api]
            if faults is not None:
                server.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
                server.since, server.number = self._clock.elapsed(), 0
            if latency is not None:
                server.latency = latency if isinstance(latency, Latency) else Latency(latency)

    # --- its life ------------------------------------------------------------------------------

    def start(self) -> Self:
        """Begin to serve; return when the port is open."""
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name="world", daemon=True
        )
        self._thread.start()
        if not ready.wait(START):
            raise RuntimeError("the loopback world does not start")
        self._began = self._clock.elapsed()
        with self._lock:
            for server in self._servers.values():
                server.since = self._began
        return self

    def close(self) -> None:
        """Stop serving and break off what is still open."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()
        if self.errors and error is None:
            raise RuntimeError("an API of the world has a bug") from self.errors[0]

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = self._loop.create_task(self._connection(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(
            connected, HOST, self._port, limit=server_connection.MAX_HEAD, backlog=512
        )
        self._port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._stop.wait()
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- one connection, one request -----------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await server_connection.read_request(reader)) is not None:
                line = server_connection.ServerConnection(writer, asked)
                await self._request(line)
                if not line.open:
                    break
        except server_connection.BrokenCallError as error:
            writer.write(f"HTTP/1.1 {error.status} Refused\r\nContent-Length: 0\r\n\r\n".encode())
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone: its right
        finally:
            writer.close()

    async def _request(self, line: server_connection.ServerConnection) -> None:
        asked = line.asked
        call = asked.call(self.origin)
        name, came = self._find_api(asked.api, call), self._clock.elapsed()
        if name not in self._apis:
            await line.send(make_text_reply("no such API in this world\n", 404))
            return
        at, fault, delay = self._note(name, asked, came)
        line.done = partial(self._done, name, at)
        status = 0
        try:
            good = self._answer_limited(name, call, came) or self._answer(name, call)
            await asyncio.sleep(max(0.0, delay - (self._clock.elapsed() - came)))
            status = await (fault.play(line, call, good) if fault else line.send(good))
        finally:
            line.done(status)

    def _find_api(self, name: str, call: Call) -> str:
        """Return which API a request is for: some have a second one below their base URL."""
        name = _AT_ROOT.get(name, name)
        inner = _INNER.get((name, call.parts[0]), "") if call.parts else ""
        return inner if inner in self._apis else name

    def _done(self, name: str, at: int, status: int) -> None:
        """Note how a request was answered; only the first word on it counts."""
        with self._lock:
            if at in self._servers[name].open:
                self._servers[name].open.discard(at)
                self._log[at] = replace(self._log[at], status=status)

    def _note(
        self, name: str, asked: server_connection.WireRequest, came: float
    ) -> tuple[int, Fault | None, float]:
        """Log a request; return its place in the log, the fault it meets and how long it takes."""
        with self._lock:
            server = self._servers[name]
            server.number += 1
            at = len(self._log)
            server.open.add(at)
            path = asked.target.lstrip("/").removeprefix(asked.api)
            seen = (came - self._began, 0, len(server.open), asked.body)
            self._log.append(Seen(name, asked.method, path, asked.headers, *seen))
            since = came - server.since
            fault = next((f for f in server.faults if f.applies(server.number, since)), None)
            return at, fault, server.latency.of(server.number)

    def _answer_limited(self, name: str, call: Call, came: float) -> Reply | None:
        """Return the API's answer to a request beyond its rate; None if it is within."""
        with self._lock:
            server = self._servers[name]
            if server.rate is None:
                return None
            window = server.rate.seconds - SLACK
            server.taken = [at for at in server.taken if came - at < window]
            if len(server.taken) < server.rate.requests and len(server.open) <= server.rate.at_once:
                server.taken.append(came)
                return None
            wait = server.taken[0] + window - came if server.taken else window
        own = _import_api_function(name, "answer_limited")
        if own:
            return own(call, self._holdings)
        return Reply(429, b"Too Many Requests\n", "text/plain", {"Retry-After": str(max(1, ceil(wait)))})

    def _answer(self, name: str, call: Call) -> Reply:
        try:
            api = self._apis[name] or _import_api_function(name, "answer")
            if api is None:
                raise LookupError(f"apis/{name}.py has no function `answer`")  # noqa: TRY301 - noted below
            self._apis[name] = api
            return api(call, self._holdings)
        except Exception as error:  # noqa: BLE001 - raised again when the world ends
            self.errors.append(error)
            return make_text_reply(f"bug in the API {name}: {error!r}\n", 500)


def list_api_names() -> tuple[str, ...]:
    """Return the names of all APIs: the files of the folder `apis`."""
    folder = importlib.import_module("citeproof.laboratory.testing.apis").__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folder) if not m.name.startswith("_")))


def _choose_apis(apis: Iterable[str] | Mapping[str, Api] | None) -> dict[str, Api | None]:
    """Return the APIs by name; those of the folder are imported when they are first asked."""
    if isinstance(apis, Mapping):
        return dict(apis)
    return dict.fromkeys(list_api_names() if apis is None else apis)


def _import_api_function(name: str, function: str) -> Api | None:
    """Return a function of an API's file: `answer`, or `answer_limited` for "too many requests"."""
    if name not in list_api_names():
        return None
    api: Api | None = getattr(
        importlib.import_module(f"citeproof.laboratory.testing.apis.{name}"), function, None
    )
    return api
