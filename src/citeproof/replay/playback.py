"""A network that only remembers: what one lookup heard, each exchange once. It opens no connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from urllib.parse import urlsplit

from citeproof.net.logged_exchange import describe_request
from citeproof.net.message import Answer, Failure, Request
from citeproof.vocabulary import Cause, Exchange

UNASKED = "this was not requested when the run was recorded"


class Playback:
    """What a source needs of the network (`sources._source_session.SourceClient`), out of a record."""

    def __init__(self, exchanges: Iterable[Exchange], stored: Callable[[Exchange], Answer]) -> None:
        """Take the exchanges of one lookup; `stored` gives the recorded answer of one that had any."""
        self._left = list(exchanges)
        self._stored = stored
        self.unasked: list[str] = []  # requests that nobody made then

    @property
    def left(self) -> tuple[str, ...]:
        """What was asked then and not any more."""
        return tuple(exchange.asked for exchange in self._left)

    async def fetch(self, request: Request) -> Answer | Failure:
        """Return what was heard then to this request; among equal ones, in their order."""
        wanted = describe_request(request)
        at = next((n for n, exchange in enumerate(self._left) if exchange.asked == wanted), None)
        if at is None:
            self.unasked.append(wanted)
            return Failure(Cause.MALFORMED, UNASKED)
        exchange = self._left.pop(at)
        if exchange.cause:
            return Failure(
                Cause(exchange.cause) if exchange.cause in set(Cause) else Cause.BUG, exchange.detail
            )
        return self._stored(exchange)

    def recall_batch(self, scope: str, by: str, value: str) -> Answer | None:  # noqa: ARG002 - one lookup, one batch
        """Return the answer to the batch in which the lookup was answered."""
        at = next((n for n, exchange in enumerate(self._left) if exchange.batch), None)
        return None if at is None else self._stored(self._left.pop(at))

    def get_cached(self, request: Request) -> Answer | None:  # noqa: ARG002 - the Protocol's shape
        return None

    def keep(self, request: Request, answer: Answer, *, found: bool, notice: bool) -> None: ...

    def note_refusal(self, request: Request, why: str, cause: Cause) -> None: ...

    def note_unreadable(self, request: Request, why: str) -> None: ...

    def remember(
        self, scope: str, by: str, value: str, request: Request, answer: Answer, *, found: bool, notice: bool
    ) -> None: ...


def make_answer(exchange: Exchange, body: bytes, digest: str) -> Answer:
    """Return a recorded answer with its body, as `net` gave it."""
    told = (exchange.status, body, exchange.media, digest, exchange.url, exchange.at, exchange.absent)
    return Answer(*told, cached=True, headers=MappingProxyType(dict(exchange.headers)))


def shorten_request(request: str, most: int = 200) -> str:
    """Return a request to show: without the long query of a search."""
    method, _, rest = request.partition(" ")
    try:
        parts = urlsplit(rest)
    except ValueError:
        return request[:most]
    return f"{method} {parts.scheme}://{parts.netloc}{parts.path}"[:most]
