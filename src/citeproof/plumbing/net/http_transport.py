"""One request on the wire: redirects under guard, a body within its bound, exceptions turned into one kind.

The only module that knows the HTTP library.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode, urljoin

import aiohttp
from yarl import URL

from citeproof.plumbing.net.address_safety import (
    ForbiddenError,
    PublicResolver,
    check_free_url,
    is_allowed,
    open_public_socket,
    split_origin,
)
from citeproof.plumbing.net.message import Request
from citeproof.vocabulary import Cause
from citeproof.vocabulary.quick_dataclass import dataclass, replace

REDIRECTS = 5
_CHUNK = 65_536
MOVED = (301, 302, 303, 307, 308)
_OPEN = 8  # connections to one host; more cost more than they bring


class TransportError(Exception):
    """Nothing usable came back. `again`: a retry may help; `gone`: no such host; `sent`: part of it left."""

    def __init__(
        self, cause: Cause, detail: str, *, again: bool = False, gone: bool = False, sent: bool = True
    ) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail
        self.again, self.gone, self.sent = again, gone, sent


@dataclass(frozen=True, slots=True)
class RawResponse:
    """What came back, before anybody judged it."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    url: str  # where the last redirect led
    hops: tuple[str, ...] = ()  # the addresses that redirects led to


class HttpTransport:
    """Connections, opened when the first request needs one."""

    def __init__(self, agent: str, timeout: float, allowed: Iterable[str] = (), proxy: str = "") -> None:
        self._agent, self._timeout, self._proxy = agent, timeout, proxy
        self._allowed = frozenset(name.lower() for name in allowed)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def send(self, request: Request) -> RawResponse:
        """Return what the server says, after at most five redirects; raise `TransportError` otherwise."""
        seconds = request.timeout or self._timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._follow_redirects(request)
        except ForbiddenError as error:
            raise _explain_forbidden(request, error) from None
        except TimeoutError:
            raise TransportError(Cause.TIMEOUT, f"no answer within {seconds:g} s", again=True) from None
        except aiohttp.InvalidURL:
            raise TransportError(Cause.NOT_COVERED, "not fetched: it is no valid address") from None
        except aiohttp.ClientConnectorError as error:
            raise _explain_unconnected(request, error) from None
        except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, ConnectionError):
            raise TransportError(Cause.TIMEOUT, "the connection broke off", again=True) from None
        except (aiohttp.ClientError, aiohttp.http_exceptions.HttpProcessingError, ValueError) as error:
            wrong = f"not HTTP as it should be: {type(error).__name__}"
            raise TransportError(Cause.MALFORMED, wrong) from None

    async def close(self) -> None:
        while self._sessions:  # a call that is being given up may open one meanwhile
            await self._sessions.popitem()[1].close()

    async def _follow_redirects(self, request: Request) -> RawResponse:
        url, home = request.url, split_origin(request.url)
        hops: list[str] = []
        for _ in range(REDIRECTS + 1):
            # 1 a server that was configured may be anywhere; where it sends us may not
            free = request.free or split_origin(url) != home
            if free:
                check_free_url(url, self._allowed)
                if self._proxy:
                    raise ForbiddenError("where it leads cannot be checked through a proxy")
            raw = await self._send_once(request, url, free=free, first=url == request.url)
            if not request.follow or raw.status not in MOVED or "location" not in raw.headers:
                return replace(raw, hops=tuple(hops))
            url = urljoin(url, raw.headers["location"])
            hops.append(url)
        raise TransportError(Cause.MALFORMED, f"more than {REDIRECTS} redirects")

    async def _send_once(self, request: Request, url: str, *, free: bool, first: bool) -> RawResponse:
        own = first or split_origin(url) == split_origin(request.url)
        free = free and not is_allowed(*split_origin(url)[1:], self._allowed)
        method, body = request.method if first else "GET", request.body
        if request.secret_form:
            secret = urlencode({name: key.reveal() for name, key in request.secret_form}).encode()
            body += b"&" + secret if body else secret
        async with self._session(free=free).request(
            method,
            URL(url, encoded=True) if "%" in url else url,  # %2F in a DOI is no slash
            headers=_build_headers(request, with_secrets=own),
            data=body if first and method != "GET" else None,
            allow_redirects=False,
            proxy=self._proxy or None,
        ) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            answer = await _read_bounded(response, headers, request.max_body)
            return RawResponse(response.status, headers, answer, url)

    def _session(self, *, free: bool) -> aiohttp.ClientSession:
        if free not in self._sessions:
            connector = aiohttp.TCPConnector(
                resolver=PublicResolver() if free else None,
                socket_factory=open_public_socket if free else None,
                limit_per_host=_OPEN,
                limit=0,
                use_dns_cache=not free,
                ttl_dns_cache=60,
            )
            self._sessions[free] = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": self._agent, "Accept-Encoding": "gzip"},
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),  # `send` has the one clock
                trust_env=False,
                max_line_size=16_384,
                max_field_size=16_384,
            )
        return self._sessions[free]


def _explain_forbidden(request: Request, error: OSError) -> TransportError:
    """Return that an address must not be reached: a link's own fault, or a server's that sends us there."""
    if request.free:
        return TransportError(Cause.NOT_COVERED, f"not fetched: {error}")
    return TransportError(Cause.MALFORMED, f"it redirects to an address that is not allowed: {error}")


def _explain_unconnected(request: Request, error: aiohttp.ClientConnectorError) -> TransportError:
    if isinstance(error.os_error, ForbiddenError):
        return _explain_forbidden(request, error.os_error)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return TransportError(Cause.TIMEOUT, "server name could not be resolved", gone=True, sent=False)
    return TransportError(Cause.TIMEOUT, "no connection", again=True, sent=False)


def _build_headers(request: Request, *, with_secrets: bool) -> dict[str, str]:
    headers = {"Accept": ", ".join(media for media in request.accept if not media.startswith("+")) or "*/*"}
    headers.update(request.headers)
    if request.content_type:
        headers["Content-Type"] = request.content_type
    if with_secrets:
        headers.update({name: prefix + key.reveal() for name, prefix, key in request.secret_headers})
    return headers


async def _read_bounded(response: aiohttp.ClientResponse, headers: Mapping[str, str], limit: int) -> bytes:
    """Return the body, unpacked, or fail before it is larger than `limit`."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", ""):
        raise TransportError(Cause.MALFORMED, "a content encoding that was not asked for")
    unpack = zlib.decompressobj(wbits=31) if "gzip" in coding else None
    parts: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_chunked(_CHUNK):
        for part in _unpack_chunk(unpack, chunk, limit - size + 1):
            size += len(part)
            if size > limit:
                response.close()
                raise TransportError(Cause.TOO_LARGE, f"its answer is larger than {limit:,} bytes")
            parts.append(part)
    if unpack is not None and parts and not unpack.eof:
        raise TransportError(Cause.TIMEOUT, "the answer broke off", again=True)
    return b"".join(parts)


def _unpack_chunk(unpack: zlib._Decompress | None, chunk: bytes, most: int) -> Iterable[bytes]:
    if unpack is None:
        yield chunk
        return
    try:
        yield unpack.decompress(chunk, max(most, 1))
    except zlib.error as error:
        raise TransportError(Cause.MALFORMED, "its gzip encoding is damaged") from error
