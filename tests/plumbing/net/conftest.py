"""A client against the loopback world, with an API that says what each test wants to hear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from citeproof.laboratory.testing import World
from citeproof.laboratory.testing.base import Reply, make_json_reply
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.client import Client
from citeproof.plumbing.net.message import Answer, Failure, Rate, Request, RequestPolicy
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLifetimes
from tests.evidence.sources.inmemory import Shelf
from tests.plumbing.stores.conftest import database, postgres  # noqa: F401 - fixtures

FAST = Rate(1000, 1.0, at_once=4)


def hello(call, holdings):
    """Return what the path asks for: a status, an echo, a redirect, or a greeting."""
    match call.parts:
        case ["status", code]:
            return Reply(int(code), b"Resource not found.", "text/plain")
        case ["to"]:
            return Reply(302, b"", "text/plain", {"Location": call.query["u"]})
        case ["path", *_]:
            return make_json_reply({"path": call.path})
        case ["echo"]:
            return make_json_reply({"headers": dict(call.headers), "body": call.body.decode()})
        case ["budget"]:
            left = {"x-ratelimit-remaining-usd": "0.02", "x-ratelimit-limit-usd": "0.1"}
            return make_json_reply({}, headers=left | {"x-ratelimit-reset": "60"})
        case _:
            return make_json_reply({"hello": call.query.get("n", "")})


class Bench:
    """Everything a test of the client needs."""

    def __init__(self, world: World, folder) -> None:
        self.world = world
        self.folder = folder
        self.clients: list[Client] = []

    def client(self, rate: Rate = FAST, *, timeout: float = 1.0, cache: str = "cache", **policy) -> Client:
        allowed = policy.pop("allowed", ())
        proxy = policy.pop("proxy", "")
        lifetimes = policy.pop("lifetimes", AnswerLifetimes())
        clock = policy.pop("clock", SystemClock())
        made = Client(
            {"x": RequestPolicy(rate, "x", **policy)},
            AnswerCache(self.folder / cache, clock, lifetimes),
            self.folder / "limits",
            clock,
            agent="citeproof/test",
            timeout=timeout,
            allowed=allowed,
            proxy=proxy,
        )
        self.clients.append(made)
        return made

    def request(self, path: str = "", **more: object) -> Request:
        return Request("x", f"{self.world.urls['x']}/{path}", **more)

    def fetch(self, client: Client, *requests: Request, keep: bool = True) -> list[Answer | Failure]:
        async def go():
            try:
                got = await asyncio.gather(*(client.fetch(request) for request in requests))
                for request, answer in zip(requests, got, strict=True):
                    if keep and isinstance(answer, Answer):
                        client.keep(request, answer, found=not answer.absent, notice=False)
                return got
            finally:
                await client.close()

        return asyncio.run(go())


@pytest.fixture
def bench(tmp_path) -> Callable[..., Bench]:
    worlds = []

    def make(**world: object) -> Bench:
        worlds.append(World(Shelf(), apis={"x": hello}, **world))
        worlds[-1].start()
        return Bench(worlds[-1], tmp_path)

    yield make
    for world in worlds:
        world.close()
