"""A document from an address that a source named: bounded, from public servers, where robots.txt allows it.

Redirects are followed one at a time, so that every site on the way is asked for its rules before it is read.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urljoin, urlsplit

from citeproof.evidence.sources.base import CannotAnswerError, SourceClient, SourceSession
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.http_transport import MOVED, REDIRECTS
from citeproof.plumbing.net.message import HTML, Answer, Request
from citeproof.plumbing.net.robots_rules import MAX_BYTES as MAX_ROBOTS
from citeproof.plumbing.net.robots_rules import RobotsRules, read_robots

SOURCE = "open_text"  # as `--explain-network` names these requests
AGENT = "citeproof"  # as robots.txt names us
MAX_DOCUMENT = 30_000_000  # bytes
SECONDS = 30.0  # for one document
MAX_DELAY = 30.0  # seconds between two requests that a site may ask for; with more it is left alone
PDF = "application/pdf"
_ACCEPT = (PDF, *HTML, "application/xml", "text/xml", "+xml", "application/octet-stream")
_GONE = frozenset((404, 410))
_NO_RULES = frozenset(code for code in range(400, 500) if code not in (408, 425, 429))  # RFC 9309, 2.3.1.3


class TextRefusedError(Exception):
    """A document that could not be had; the message says why."""


class TextDownloader:
    """Fetches documents, and keeps the rules of the sites that it met."""

    def __init__(self, client: SourceClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._rules: dict[str, asyncio.Task[RobotsRules | str]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._last: dict[str, float] = {}

    async def fetch(self, address: str, visit: SourceSession, *, source: str = "") -> Answer:
        """Return the document at an address; raise `TextRefusedError` if it may not or cannot be read.

        `source`: the configured source whose own server it is; without it, only public servers are reached.
        """
        for _ in range(REDIRECTS + 1):
            await self._wait_for_turn(address, visit, source)
            request = Request(
                source or SOURCE,
                address,
                accept=_ACCEPT,
                absent=_GONE | frozenset(MOVED),
                free=not source,
                follow=False,
                max_body=MAX_DOCUMENT,
                recorded=False,
                timeout=SECONDS,
            )
            answer = await _fetch_answer(visit, request)
            if not answer.absent:
                self._client.keep(request, answer, found=True, notice=False)
                return answer
            led = answer.headers.get("location", "") if answer.status in MOVED else ""
            if not led:
                raise TextRefusedError(f"{_name_host(address)} answered {answer.status}")
            onward = urljoin(address, led)
            source = source if urlsplit(onward).netloc == urlsplit(address).netloc else ""
            address = onward
        raise TextRefusedError(f"{_name_host(address)}: more than {REDIRECTS} redirects")

    async def _wait_for_turn(self, address: str, visit: SourceSession, source: str) -> None:
        """Wait as long as the site asks for; raise if it does not let programs read the address."""
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = asyncio.ensure_future(self._read_rules(origin, visit, source))
        rules = await asyncio.shield(self._rules[origin])
        if isinstance(rules, str):
            raise TextRefusedError(f"{_name_host(address)}: {rules}")
        if not rules.allows(address):
            raise TextRefusedError(f"{_name_host(address)} does not allow programs to read it (robots.txt)")
        if rules.delay > MAX_DELAY:
            asked = f"asks for {rules.delay:g} s between two requests (robots.txt)"
            raise TextRefusedError(f"{_name_host(address)} {asked}")
        if rules.delay:
            await self._pause(origin, rules.delay)

    async def _pause(self, origin: str, delay: float) -> None:
        async with self._turns.setdefault(origin, asyncio.Lock()):
            since = self._clock.elapsed() - self._last.get(origin, -delay)
            await asyncio.sleep(max(0.0, delay - since))
            self._last[origin] = self._clock.elapsed()

    async def _read_rules(self, origin: str, visit: SourceSession, source: str) -> RobotsRules | str:
        """Return the rules of a site, or why they are not known: then nothing there may be read."""
        request = Request(
            source or SOURCE,
            f"{origin}/robots.txt",
            accept=("text/plain", *HTML, "*/*"),
            absent=_NO_RULES,
            free=not source,
            max_body=MAX_ROBOTS,
            recorded=False,
        )
        try:
            answer = await _fetch_answer(visit, request)
        except TextRefusedError as error:
            return f"its robots.txt could not be read ({error})"
        self._client.keep(request, answer, found=False, notice=False)
        return RobotsRules() if answer.absent else read_robots(answer.body, AGENT)


async def _fetch_answer(visit: SourceSession, request: Request) -> Answer:
    """Return the answer whatever its status says; raise `TextRefusedError` when there is none."""
    try:
        answer = await visit.get(request) or visit.last
    except CannotAnswerError as error:
        raise TextRefusedError(f"{_name_host(request.url)}: {error.detail}") from error
    assert answer is not None  # `get` gave one, or its status said "no such thing"
    return answer


def _name_host(address: str) -> str:
    return urlsplit(address).netloc[:100]
