"""Documents that are elsewhere: at a web address, or in the Zotero that runs on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import InputError, UsageError
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.service.assemble.model_choice import is_loopback_url
from citeproof.service.assemble.source_choice import make_client, make_user_agent
from citeproof.settings import Settings
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause

if TYPE_CHECKING:
    from citeproof.plumbing.net.request_policy import SentRequest

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
        from citeproof.service.zotero_library import ZoteroLibrary  # noqa: PLC0415 - few ask for it

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
        from citeproof.plumbing.net.message import Answer, Request  # noqa: PLC0415 - it loads the HTTP library

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
