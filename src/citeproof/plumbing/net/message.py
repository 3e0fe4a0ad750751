"""What is asked of a server and what comes back: the values that `net` takes and gives.

A server that could not answer is a `Failure`, never an exception. A body that is not what was
asked for is noticed by its reader: `UnreadableError`. A log stores both without keys and contact
address, and the body by its hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import msgspec

from citeproof.vocabulary import Cause, Exchange, Secret
from citeproof.vocabulary.quick_dataclass import dataclass, field

if TYPE_CHECKING:
    from lxml import etree

__all__ = [
    "Answer", "Failure", "Rate", "Request", "Secret", "UnreadableError",
    "build_url", "quote_path", "quote_segment",
]  # fmt: skip

JSON = ("application/json", "text/json", "+json")
XML = ("application/xml", "text/xml", "+xml")
HTML = ("text/html", "application/xhtml+xml")
MAX_BODY = 10_000_000  # bytes after decompression
_PERSONAL = frozenset(("mailto", "email", "tool", "api_key", "apikey"))  # who asks, not what is asked
_FORM = "application/x-www-form-urlencoded"
LONGEST = 4000  # characters of an address


class UnreadableError(Exception):
    """An answer whose body is not what was asked for; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a server may be asked: `requests` in `seconds`, `at_once` open, `burst` after a pause."""

    requests: float
    seconds: float = 1.0
    at_once: int = 4
    burst: int = 1

    @property
    def every(self) -> float:
        """Seconds from one request to the next."""
        return self.seconds / self.requests


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one server, with all that politeness and safety need to know about it."""

    source: str  # whose limits, cache and breaker apply
    url: str  # absolute, without any key
    accept: tuple[str, ...] = JSON  # media types, or "+json" endings; another one is no answer
    method: str = "GET"
    body: bytes = b""
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    secret_headers: tuple[tuple[str, str, Secret], ...] = ()  # name, prefix such as "Bearer ", key
    secret_form: tuple[tuple[str, Secret], ...] = ()  # fields added to a form body (POST only)
    absent: frozenset[int] = frozenset((404, 410))  # statuses that are a definite "no such thing"
    lane: str = ""  # a stricter limit of the same server, e.g. Crossref's for lists
    cost: float = 0.0  # what it takes from the source's budget, in the budget's unit
    free: bool = False  # the address came from a document or a web page: public addresses only
    follow: bool = True  # False: a redirect is the answer, for callers that must see first where it leads
    max_body: int = MAX_BODY
    timeout: float | None = None  # seconds for the whole exchange, where the client's own are too few
    retries: int | None = None  # more tries after a failed one; None: as many as the client thinks right
    recorded: bool = True  # False: the audit log does not keep the answer, such as the text of a work
    patience: float | None = None  # seconds to wait while the server is to be left alone; None: the client's

    def list_secrets(self) -> list[str]:
        """Return the keys that are sent with it."""
        keys = [key for *_, key in self.secret_headers] + [key for _, key in self.secret_form]
        return [key.reveal() for key in keys]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said, whole and within its limits. `absent`: its status says "no such thing"."""

    status: int
    body: bytes
    media: str
    sha256: str
    url: str
    at: str  # RFC 3339, when it was fetched
    absent: bool = False
    cached: bool = False
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def json(self) -> Any:  # noqa: ANN401 - as it came; its reader checks the envelope
        """Return the body as JSON; raise `UnreadableError` if it is not one."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnreadableError(f"not JSON: {error}"[:200]) from error
        except RecursionError as error:
            raise UnreadableError("JSON nested too deeply") from error

    def xml(self) -> etree._Element:
        """Return the root of the body as XML; no DTD, no entities, no network, no huge trees."""
        if b"<!ENTITY" in self.body:
            raise UnreadableError("XML that declares entities of its own")
        from lxml import etree  # noqa: PLC0415 - few answers are XML

        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
        )
        try:
            root = etree.fromstring(self.body, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise UnreadableError(f"not XML: {error}"[:200]) from error
        if root is None:
            raise UnreadableError("not XML: empty")
        return root


@dataclass(frozen=True, slots=True)
class Failure:
    cause: Cause
    detail: str
    again: bool = False  # another try may help
    status: int = 0  # what the server answered, if it did
    sent: bool = True  # False: nothing left this machine


def quote_segment(value: str) -> str:
    """Return `value` as one path segment: identifiers hold slashes, question marks and brackets."""
    return quote(value, safe="")


def quote_path(value: str) -> str:
    """Return `value` as a path, slashes unchanged as DOI registries want it, unless a part is . or .."""
    steps = {".", ".."}.intersection(value.split("/"))
    return quote(value, safe="" if steps else "/")


def build_url(base: str, path: str = "", /, **params: str | int | None) -> str:
    """Return an absolute address; parameters that are None are left out."""
    given = {name.rstrip("_"): str(value) for name, value in params.items() if value is not None}
    whole = base.rstrip("/") + ("/" + path.lstrip("/") if path else "")
    return f"{whole}?{urlencode(given, quote_via=quote)}" if given else whole


def describe_request(request: Request) -> str:
    """Return the request, independent of the user: method and address, and the hash of a body."""
    asked = f"{request.method} {_describe_url(request, request.url)}"
    if request.method == "GET":
        return asked
    body = request.body
    if request.content_type.startswith(_FORM):
        body = _strip_personal(body.decode("utf-8", "replace")).encode()
    return f"{asked} {sha256(body).hexdigest()}"


def _describe_url(request: Request | None, url: str) -> str:
    """Return an address as it may be logged; one from a document reveals nothing about the user."""
    return url[:LONGEST] if request is not None and request.free else redact_url(url)


def redact_url(url: str) -> str:
    """Return an address without the parameters that say who asks."""
    try:
        parts = urlsplit(url)
    except ValueError:  # out of a document, such as http://[x
        return url[:LONGEST]
    if not any(name in parts.query for name in _PERSONAL):
        return url[:LONGEST]
    return urlunsplit(parts._replace(query=_strip_personal(parts.query)))[:LONGEST]


def make_exchange(request: Request | None, outcome: Answer | Failure, *, batch: bool = False) -> Exchange:
    """Return what was asked and what came of it; `request` is None for an answer stored from a batch."""
    if isinstance(outcome, Failure):
        asked = describe_request(request) if request else ""
        return Exchange(asked, batch=batch, cause=outcome.cause.value, detail=outcome.detail)
    return Exchange(
        describe_request(request) if request else f"GET {redact_url(outcome.url)}",
        outcome.sha256,
        outcome.status,
        outcome.media,
        outcome.at,
        outcome.absent,
        batch,
        _describe_url(request, outcome.url),
        tuple(sorted((name, value) for name, value in outcome.headers.items() if name in KEPT_HEADERS)),
    )


KEPT_HEADERS = ("content-type", "date", "etag", "last-modified", "location", "x-api-pool")


@lru_cache(maxsize=64)  # every reference of a batch has the same long address
def _strip_personal(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([(name, value) for name, value in pairs if name not in _PERSONAL])


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How one source is asked. Sources of one `group` share their limits."""

    rate: Rate
    group: str
    lanes: Mapping[str, Rate] = field(default_factory=dict)
    budget: str = ""  # "USD" or "requests", when the source has one
    title: str = ""
    typical: float = 1.0  # seconds it takes to answer, until it is measured
    pace: float = 1.0  # how many times faster than it states a server of the user's own may be asked


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request that left the machine, as `--explain-network` lists it."""

    source: str
    method: str
    url: str
    sent_bytes: int
    outcome: str  # the status, or why there was none
    seconds: float
    body: str = ""  # what was sent next to the address, without keys; bounded


class WaitingSources:
    """Counts the requests under way by source, for those who watch a run; another thread may read it."""

    def __init__(self) -> None:
        self._requests: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}

    @contextmanager
    def wait_for(self, source: str) -> Iterator[None]:
        """Count a request to `source` as under way inside the block."""
        self._requests[source] += 1
        try:
            yield
        finally:
            self._requests[source] -= 1

    def tell_reason(self, source: str, reason: str) -> None:
        """Note what the newest request to `source` waits for; nothing: its answer."""
        self._reasons[source] = reason

    def list_reasons(self) -> dict[str, str]:
        """Return the sources that are waited for, each with the reason."""
        waited = [source for source, count in tuple(self._requests.items()) if count > 0]
        return {source: self._reasons.get(source, "") for source in waited}
