"""Documents that are elsewhere: at a web address, or in the Zotero that runs on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import InputError, UsageError
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.plumbing.net.message import Answer, Request, build_url, quote_segment
from citeproof.service.assemble.model_choice import is_loopback_url
from citeproof.service.assemble.source_choice import make_client, make_user_agent
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Cause

if TYPE_CHECKING:
    from citeproof.plumbing.net.http_transport import RawResponse
    from citeproof.plumbing.net.message import SentRequest

ZOTERO = "zotero"
ZOTERO_URL = "http://127.0.0.1:23119"
MAX_BYTES = 100_000_000  # of a document that is fetched; `max_document_bytes` may be lower
SECONDS = 60.0  # for a document to come, redirects included
_ACCEPT = ("application/pdf", "text/html", "application/xhtml+xml", "text/plain", "*/*")
_GITHUB_FILE = re.compile(r"/([^/]+/[^/]+)/blob/(.+)")
_GITLAB_FILE = re.compile(r"(/.+?)/-/blob/(.+)")
_DOWNLOAD = "download it in a browser, and name the file"
_HINTS = {
    Cause.NOT_COVERED: f"{_DOWNLOAD}; the setting private_hosts names hosts of your own network",
    Cause.TOO_LARGE: f"{_DOWNLOAD}, or raise the setting max_document_bytes",
    Cause.TIMEOUT: f"check the address and the connection, or {_DOWNLOAD}",
    Cause.RATE_LIMITED: "try again later",
}
EXPORT_SECONDS = 60.0  # Zotero exports thousands of works at once
_PAGES = 1_000
_SHOWN = 5  # collections that an error names
_KEY = re.compile(r"[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}")
_NEXT = re.compile(r"<([^<>\s]{1,4000})>\s{0,3};\s{0,3}rel=\"?next\b")
_ALLOW = (
    "in Zotero, open Settings > Advanced and allow other applications on this computer to communicate with it"
)
_START = "start Zotero 7 or later, or set CITEPROOF_ZOTERO_URL to where it listens"


class DocumentFetcher:
    """Fetches documents within bounds, and keeps what left the machine for it."""

    def __init__(
        self, settings: Settings, tell: Callable[[str], None] = lambda _: None, clock: Clock | None = None
    ) -> None:
        """Take the settings; `tell` is called with what is waited for."""
        self._settings = settings
        self._tell = tell
        self._clock = clock or SystemClock()
        self.sent: list[SentRequest] = []

    def fetch_page(self, address: str) -> bytes:
        """Return what stands at a public web address; InputError if it may not or cannot be fetched."""
        if urlsplit(address).scheme.lower() not in ("http", "https"):
            hint = "name the file itself, or begin the address with https://"
            raise InputError("only http and https addresses are fetched", place=address, hint=hint)
        if self._settings.offline:
            hint = "run without --offline, or download it first and name the file"
            message = "a web address needs the network, but the run is offline"
            raise UsageError(message, place=address, hint=hint)
        self._tell(f"fetching {show_line(address, 200)}")
        with BackgroundLoop("fetching", alone=True) as loop:
            outcome = loop.run(self._fetch_page(address))
        if isinstance(outcome, str):
            raise InputError(outcome, place=address, hint="check the address")
        return outcome

    def fetch_collection(self, name: str) -> bytes:
        """Return the works of a collection of Zotero, by key or name, as BibLaTeX; of all, if it is empty."""

        url = self._settings.urls.get(ZOTERO, ZOTERO_URL)
        if self._settings.offline and not is_loopback_url(url):
            hint = "run without --offline, or use the Zotero of this machine"
            raise UsageError(f"{url} is not this machine, but the run is offline", place="zotero:", hint=hint)
        limit = min(self._settings.max_document_bytes, MAX_BYTES)
        self._tell(f"reading from Zotero at {url}")
        library = ZoteroLibrary(url, make_user_agent(self._settings), limit)
        with BackgroundLoop("fetching", alone=True) as loop:
            return loop.run(library.fetch(name))

    async def _fetch_page(self, address: str) -> bytes | str:
        """Return what was fetched, or why there is nothing."""
        chosen = self._settings
        limit = min(chosen.max_document_bytes, MAX_BYTES)
        client = make_client(chosen, self._clock, {}, allowed=chosen.private_hosts, proxy=chosen.proxy)
        try:
            url = find_raw_address(address)
            request = Request("input", url, accept=_ACCEPT, free=True, max_body=limit, timeout=SECONDS)
            outcome = await client.fetch(request)
        finally:
            self.sent += client.sent
            await client.close()
        if not isinstance(outcome, Answer):
            raise InputError(outcome.detail, place=address, hint=_HINTS.get(outcome.cause, _DOWNLOAD))
        if outcome.absent:
            return f"there is no such page (the server answered {outcome.status})"
        return outcome.body or "the page is empty"


def find_raw_address(address: str) -> str:
    """Return where a file itself stands, for the address of a page of GitHub or GitLab that shows it."""
    parts = urlsplit(address)
    if match := _GITHUB_FILE.fullmatch(parts.path) if parts.netloc.lower() == "github.com" else None:
        return f"https://raw.githubusercontent.com/{match[1]}/{match[2]}"
    if match := _GITLAB_FILE.fullmatch(parts.path):
        return parts._replace(path=f"{match[1]}/-/raw/{match[2]}", fragment="").geturl()
    return address


class ZoteroCollection(msgspec.Struct):
    name: str
    key: str = ""


class _Listed(msgspec.Struct):
    """A collection in a list, as the API wraps it."""

    key: str
    data: ZoteroCollection


class ZoteroLibrary:
    """The library of the user who runs Zotero, read only."""

    def __init__(self, url: str, agent: str, limit: int) -> None:
        from citeproof.plumbing.net.http_transport import HttpTransport  # noqa: PLC0415 - heavy, and seldom needed

        self._base = f"{url.rstrip('/')}/api/users/0"
        self._url = url
        self._limit = limit
        self._wire = HttpTransport(agent, EXPORT_SECONDS)

    async def fetch(self, name: str) -> bytes:
        """Return the works of the collection with this key or name, or of the whole library, as BibLaTeX."""
        try:
            folder = f"collections/{quote_segment(await self._find_key(name))}/" if name else ""
            url = build_url(self._base, f"{folder}items/top", format="biblatex", sort="title")
            parts = [page async for page in self._read_pages(url)]
        finally:
            await self._wire.close()
        data = b"\n".join(parts)
        if not data.strip():
            hint = "check the collection in Zotero"
            raise InputError("has no works in it", place=_format_input(name), hint=hint)
        return data

    async def _find_key(self, name: str) -> str:
        """Return the key of the collection that is meant; InputError if there is none, or more than one."""
        if _KEY.fullmatch(name) and (await self._send(f"{self._base}/collections/{name}")).status == 200:
            return name
        listed: list[_Listed] = []
        async for page in self._read_pages(f"{self._base}/collections"):
            try:
                listed += decode_json(page, type=list[_Listed])
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise self._make_stranger_error() from None
        alike = [row.key for row in listed if row.data.name.casefold() == name.casefold()]
        exact = [row.key for row in listed if row.data.name == name]
        if len(exact or alike) == 1:
            return (exact or alike)[0]
        if alike:
            hint = f"name it by its key: {', '.join(f'zotero:{key}' for key in alike[:_SHOWN])}"
            raise InputError(f"{len(alike)} collections have this name", place=_format_input(name), hint=hint)
        names = [row.data.name for row in listed]
        near = get_close_matches(name, names, n=3) or sorted(names)[:_SHOWN]
        hint = f"collections: {', '.join(near)}" if near else "this library has no collections; use zotero:"
        raise InputError("no such collection in Zotero", place=_format_input(name), hint=hint)

    async def _read_pages(self, url: str) -> AsyncIterator[bytes]:
        """Yield a list page by page, as far as its server links to the next on itself."""
        from citeproof.plumbing.net.address_safety import split_origin  # noqa: PLC0415 - same

        size = 0
        for _ in range(_PAGES):
            answer = await self._send(url)
            if answer.status != 200:
                message = answer.body[:200].decode("utf-8", "replace")
                raise InputError(f"Zotero answered {answer.status}: {message}", place=url, hint=_START)
            size += len(answer.body)
            if size > self._limit:
                hint = "name a collection, or raise the setting max_document_bytes"
                raise InputError(f"is larger than {self._limit:,} bytes", place="Zotero", hint=hint)
            yield answer.body
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None or following[1] == url or split_origin(following[1]) != split_origin(url):
                return
            url = following[1]
        raise InputError(f"has more than {_PAGES:,} pages", place="Zotero", hint="name a collection")

    async def _send(self, url: str) -> RawResponse:
        from citeproof.plumbing.net.http_transport import TransportError  # noqa: PLC0415 - same

        headers = (("Zotero-API-Version", "3"),)
        request = Request("zotero", url, accept=("*/*",), headers=headers, max_body=self._limit)
        try:
            answer = await self._wire.send(request)
        except TransportError as error:
            if error.cause is Cause.TOO_LARGE:
                hint = "name a collection, or raise the setting max_document_bytes"
                raise InputError(error.detail, place="Zotero", hint=hint) from None
            message = f"Zotero does not answer at {self._url} ({error.detail})"
            raise InputError(message, place="Zotero", hint=_START) from None
        if answer.status == 403:
            raise InputError("Zotero does not allow other programs to read it", place="Zotero", hint=_ALLOW)
        if "zotero-api-version" not in answer.headers:
            raise self._make_stranger_error()
        return answer

    def _make_stranger_error(self) -> InputError:
        return InputError(f"what answers at {self._url} is not Zotero", place="Zotero", hint=_START)


def _format_input(name: str) -> str:
    return f"zotero:{name}" if name else "Zotero library"
