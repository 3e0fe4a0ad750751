"""A network without a network: a source's requests go straight to the loopback world's API functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from rapidfuzz import fuzz

from citeproof.evidence.sources.base import LiveSource, SourceWiring
from citeproof.laboratory.testing.base import Call, Holdings, Reply
from citeproof.plumbing.net.message import Answer, Failure, Request
from citeproof.text import title as titles
from citeproof.vocabulary import Cause, Claimed, Ids, Kind, Lookup, Question, Record, Reference

AT = "2026-11-15T00:00:00.000Z"
Api = Callable[[Call, Holdings], Reply]


class Shelf:
    """A few records as holdings."""

    def __init__(self, *records: Record) -> None:
        self.records = records

    def by_id(self, scheme: str, value: str) -> Sequence[Record]:
        return [r for r in self.records if (scheme, value) in r.ids.pairs]

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        wanted = titles.make_title_key(words)
        scored = [(fuzz.token_set_ratio(wanted, titles.make_title_key(r.title)), r) for r in self.records]
        good = sorted((row for row in scored if row[0] >= 60), key=lambda row: -row[0])
        return [record for _, record in good[:limit]]

    def find_words(self, words: Collection[str]) -> Sequence[Record]:
        return [r for r in self.records if {*words} <= {*titles.split_words(r.title)}]


class InMemory:
    """The sources' `Net`: each base URL (`http://<api>`) leads to an API function or a fixed reply."""

    def __init__(self, apis: Mapping[str, Api | Reply | Failure], holdings: Holdings | None = None) -> None:
        self.apis = apis
        self.holdings = holdings or Shelf()
        self.requests: list[Request] = []
        self.kept: list[tuple[Request, bool, bool]] = []

    async def fetch(self, request: Request) -> Answer | Failure:
        self.requests.append(request)
        parts = urlsplit(request.url)
        api = self.apis[parts.netloc]
        if isinstance(api, Failure):
            return api
        body = request.body
        call = Call(
            method=request.method,
            path=parts.path or "/",
            parts=tuple(unquote(p) for p in parts.path.split("/") if p),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in request.headers},
            body=body,
            base=f"{parts.scheme}://{parts.netloc}",
        )
        reply = api if isinstance(api, Reply) else api(call, self.holdings)
        if "Location" in reply.headers:
            answered = await self.fetch(replace(request, url=urljoin(request.url, reply.headers["Location"])))
            self.requests.pop()  # a redirect is part of the request
            return answered
        absent = reply.status in request.absent
        if not absent and not 200 <= reply.status < 300:
            return Failure(Cause.TIMEOUT, f"answered {reply.status}")
        if not absent and not any(a in reply.media for a in request.accept):
            return Failure(Cause.BOT_WALL if "html" in reply.media else Cause.MALFORMED, reply.media)
        return Answer(
            reply.status,
            reply.body,
            reply.media,
            sha256(reply.body).hexdigest(),
            request.url,
            AT,
            absent=absent,
        )

    def keep(self, request: Request, answer: Answer, *, found: bool, notice: bool) -> None:
        self.kept.append((request, found, notice))

    def note_unreadable(self, request: Request, why: str) -> None: ...

    def note_refusal(self, request: Request, why: str, cause: Cause) -> None: ...

    def recall_batch(self, scope: str, by: str, value: str) -> Answer | None:
        return None

    def remember(self, *question: object, found: bool, notice: bool) -> None: ...

    def get_cached(self, request: Request) -> Answer | None:
        return None


def reference(kind: Kind = Kind.ARTICLE, ids: Sequence[tuple[str, str]] = (), **claimed: object) -> Reference:
    return Reference("key", "", kind, Claimed(ids=Ids(tuple(ids)), **claimed))  # type: ignore[arg-type]


def ask(source: LiveSource, by: str, value: str, kind: Kind = Kind.ARTICLE, **claimed: object) -> Lookup:
    """Return what the source says about one question."""
    ids = ((by, value),) if by not in ("title", "raw") else ()
    if by == "title":
        claimed.setdefault("title", value)
    return asyncio.run(source.lookup(Question(by, value, reference(kind, ids, **claimed))))


def wired(kind: type[LiveSource], net: InMemory, **wiring: object) -> LiveSource:
    """Return the source, with its base URL `http://<name>`."""
    return kind(net, SourceWiring(url=f"http://{kind.name}", **wiring))  # type: ignore[arg-type]
