"""What is asked of a server and what comes back: the values that `net` takes and gives.

A server that could not answer is a `Failure`, never an exception. A body that is not what was
asked for is noticed by its reader: `UnreadableError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import msgspec

from citeproof.vocabulary import Cause, Secret

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
