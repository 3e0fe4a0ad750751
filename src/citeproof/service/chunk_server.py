"""The web server or bucket that has a published snapshot: bounded answers, tries, faults in words."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from citeproof.errors import SnapshotError, UsageError
from citeproof.plumbing.net.message import Request
from citeproof.plumbing.net.request_policy import SentRequest
from citeproof.service.assemble.source_choice import make_user_agent
from citeproof.settings import Settings

SECONDS = 120.0  # for one file, of at most a megabyte or a manifest
TRIES = 4
PAUSE = 0.8  # seconds after the first failure; longer after the next
LONGEST_WAIT = 30.0  # seconds that a server may ask us to wait
_CONTINUE = "what came is kept; run the same command again to continue"
_PRIVATE = "the setting private_hosts names hosts of your own network"

Read = TypeVar("Read")


class ChunkServer:
    """Fetches files below one address. Private addresses only where `private_hosts` names them."""

    def __init__(
        self, url: str, settings: Settings, note: Callable[[SentRequest], None] = lambda _: None
    ) -> None:
        """Take the address; `note` is called with every request."""
        from citeproof.plumbing.net.http_transport import HttpTransport  # noqa: PLC0415 - heavy, and only needed here

        self.url = url.rstrip("/")
        self._wire = HttpTransport(make_user_agent(settings), SECONDS, settings.private_hosts, settings.proxy)
        self._free = not settings.proxy  # a proxy decides itself where it may lead
        self.fetched = 0  # bytes of all answers
        self.requests = 0
        self._note = note

    async def close(self) -> None:
        await self._wire.close()

    async def fetch(self, path: str, most: int, read: Callable[[bytes], Read | None]) -> Read:
        """Return what `read` makes of a file; SnapshotError if it never comes, or `read` says None of it."""
        place = f"{self.url}/{path}"
        fault: SnapshotError | None = None
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(min(PAUSE * 3 ** (attempt - 1), 8.0) * random.uniform(0.5, 1))  # noqa: S311 - jitter
            body = await self._try(place, most)
            if isinstance(body, SnapshotError):
                fault = body
                continue
            if (contents := read(body)) is not None:
                return contents
            hint = f"the mirror is damaged or dishonest: nothing of it was used; {_CONTINUE}"
            fault = SnapshotError("is not what was signed", place=place, hint=hint)
        assert fault is not None
        raise fault

    async def _try(self, place: str, most: int) -> bytes | SnapshotError:
        """Return the body; an error where another try may help. Raise where none does."""
        from citeproof.plumbing.net.http_transport import TransportError  # noqa: PLC0415 - same

        headers = (("Accept-Encoding", "identity"), ("Cache-Control", "no-cache"))
        request = Request("snapshot", place, ("*/*",), headers=headers, free=self._free, max_body=most)
        self.requests += 1
        begun, outcome = asyncio.get_running_loop().time(), ""
        try:
            raw = await self._wire.send(request)
            outcome = str(raw.status)
        except TransportError as error:
            outcome = error.cause.value if error.sent else "not sent"
            hint = _PRIVATE if not error.again and "not fetched" in error.detail else _CONTINUE
            fault = SnapshotError(error.detail, place=place, hint=hint)
            if error.again:
                return fault
            raise fault from error
        finally:
            seconds = asyncio.get_running_loop().time() - begun
            self._note(SentRequest("snapshot", "GET", place, len(place), outcome, seconds))
        self.fetched += len(raw.body)
        if raw.status == 200:
            return raw.body
        fault = SnapshotError(f"the server answered {raw.status}", place=place, hint=_CONTINUE)
        if raw.status in {404, 410, 403}:
            hint = "check the address; if the publisher has just replaced the edition, run the command again"
            raise SnapshotError(f"is not there (the server answered {raw.status})", place=place, hint=hint)
        if raw.status < 500 and raw.status not in {408, 425, 429}:
            raise fault
        stated = raw.headers.get("retry-after", "").strip()
        await asyncio.sleep(
            min(float(stated), LONGEST_WAIT) if stated.isdecimal() and len(stated) <= 6 else 0.0
        )
        return fault


def check_url(url: str, settings: Settings) -> str:
    """Return an address that may be fetched, without its last slash; UsageError for any other."""
    if settings.offline:
        hint = "leave that out, or copy the snapshot's folder here by hand"
        raise UsageError("offline, no snapshot can be pulled", place=settings.origin("offline"), hint=hint)
    parts = urlsplit(url)
    if parts.scheme.lower() not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        hint = "begin the address with https:// and end it with the folder that has snapshot.note"
        raise UsageError("is not the address of a published snapshot", place=url[:200], hint=hint)
    return url.rstrip("/")
