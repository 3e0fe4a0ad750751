"""Answers bent out of shape, redirects followed, keys shown: what tests of several sources share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from citeproof.laboratory.testing.base import Call, Holdings, Reply
from citeproof.text import title as titles
from citeproof.vocabulary import Record
from tests.evidence.sources.inmemory import Shelf

WRONG = (None, True, -1, 10**30, 1.5, "", "<b>\x00\u202e&amp;</b>", [], [[]], [None, 3], {}, {"value": []})
HOSTILE = "\x1b[31m<script>alert(1)</script>" + "A\u202e\u0000 title\n" * 3000


class WordShelf(Shelf):
    """Holdings that are searched by words, as catalogues are: most of them must be in title or names."""

    def search(self, words: str, limit: int = 20) -> Sequence[Record]:
        wanted = set(titles.split_words(words))
        scored = [(len(wanted & _words(record)) / max(1, len(wanted)), record) for record in self.records]
        good = sorted((row for row in scored if row[0] >= 0.6), key=lambda row: -row[0])
        return [record for _, record in good[:limit]]


def _words(record: Record) -> set[str]:
    people = " ".join(name.display[:200] for name in record.authors)
    return set(titles.split_words(" ".join(record.titles))) | set(titles.split_words(people))


def bent(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, in each of which one place holds a value of a wrong type."""
    for path in _paths(value):
        for wrong in WRONG:
            made = copy.deepcopy(value)
            inner = made
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = wrong
            yield made


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from _paths(each, (*path, key))


def bent_replies(reply: Reply) -> Iterator[Reply]:
    for value in bent(msgspec.json.decode(reply.body)):
        yield Reply(200, msgspec.json.encode(value), reply.media)


def followed(api: Callable[[Call, Holdings], Reply]) -> Callable[[Call, Holdings], Reply]:
    """Return an API whose redirects have been followed, as `net` does."""

    def answer(call: Call, holdings: Holdings) -> Reply:
        reply = api(call, holdings)
        if reply.status not in (301, 302):
            return reply
        return api(called(reply.headers["location"]), holdings)

    return answer


def called(url: str, **headers: str) -> Call:
    """Return the call that a GET of `url` makes."""
    parts = urlsplit(url)
    return Call(
        "GET",
        parts.path,
        tuple(unquote(part) for part in parts.path.split("/") if part),
        dict(parse_qsl(parts.query, keep_blank_values=True)),
        {name.replace("_", "-"): value for name, value in headers.items()},
        base=f"{parts.scheme}://{parts.netloc}",
    )


def keyed(api: Callable[[Call, Holdings], Reply], **headers: str) -> Callable[[Call, Holdings], Reply]:
    """Return an API to which every call comes with these headers, as `net` adds keys."""

    def answer(call: Call, holdings: Holdings) -> Reply:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return api(
            Call(call.method, call.path, call.parts, call.query, {**call.headers, **given}, b"", call.base),
            holdings,
        )

    return answer
