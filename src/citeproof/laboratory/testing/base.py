"""What an API of the loopback world is: one file, one function from a call to a reply.

`citeproof/laboratory/testing/apis/<source>.py` defines `answer(call, holdings) -> Reply`.
It answers with the real
server's shapes, statuses and content types, from the records it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import msgspec

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Record

INVALID_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in no XML document


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a server sees it. `path` is percent-decoded after splitting: see `parts`."""

    method: str
    path: str  # without the world's prefix, still percent-encoded, starts with "/"
    parts: tuple[str, ...]  # path segments, each percent-decoded
    query: Mapping[str, str]  # the last value of each parameter
    headers: Mapping[str, str]  # names in lower case
    body: bytes = b""
    base: str = ""  # the base URL under which this API is served, for links in answers


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    body: bytes = b""
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class Holdings(Protocol):
    """The works that the world's servers know."""

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:
        """Return the works with this identifier (normalised as in `text.ids`)."""
        ...

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        """Return works by title or by a whole citation string, best first."""
        ...

    def find_words(self, words: Collection[str]) -> Sequence[Record]:
        """Return the works whose titles have all of these words."""
        ...


@runtime_checkable
class AuthorHoldings(Protocol):
    """Holdings that are also searched by a family name and years; others answer no such search."""

    def by_author(self, family: str, since: int, until: int) -> Sequence[Record]:
        """Return works of these years by people of this family name."""
        ...


def make_json_reply(
    value: object,
    status: int = 200,
    media: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Return `value` as a JSON body."""
    return Reply(status, msgspec.json.encode(value), media, headers or {})


def make_text_reply(body: str, status: int = 200, media: str = "text/plain") -> Reply:
    return Reply(status, body.encode(), media)


def read_count(call: Call, name: str, default: int) -> int:
    """Return how many rows a request asks for; `default` where it says nothing, or no number."""
    text = call.query.get(name, "")
    return int(text) if text.isdigit() else default
