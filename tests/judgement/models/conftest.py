"""A served model against the loopback world, with whatever stands behind its API."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Annotated, Literal

import msgspec
import pytest

from citeproof.judgement.models import anthropic, google, openai
from citeproof.judgement.models.base import ModelQuestion
from citeproof.judgement.models.served_model import ModelServer, ServedModel
from citeproof.judgement.models.spending import Spending, TokenPrice
from citeproof.laboratory.testing import World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.client import Client
from citeproof.plumbing.net.message import Rate, RequestPolicy
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLifetimes
from citeproof.vocabulary import Secret
from tests.evidence.sources.inmemory import Shelf
from tests.model_servers import ModelTurn, WireRules, make_model_apis

FORMATS = {"openai": openai.FORMAT, "anthropic": anthropic.FORMAT, "google": google.FORMAT}
PRICE = TokenPrice(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))
KEY = "sk-canary-7319"


class Difference(msgspec.Struct, forbid_unknown_fields=True):
    field: str
    weight: Literal["small", "large"]


class Comparison(msgspec.Struct, forbid_unknown_fields=True):
    score: Annotated[int, msgspec.Meta(ge=0, le=100)]
    label: Literal["same", "other"]
    rationale: str
    differences: list[Difference]


GOOD = '{"score":71,"label":"same","rationale":"the year differs","differences":[]}'


def make_question(**more):
    told = {"task": "comparator", "prompt_version": "1.2", "instructions": "Compare the works."}
    told |= {"evidence": (("citation", "A title. 2001."), ("record", "A title. 2002."))}
    return ModelQuestion(**(told | {"decoder": Comparison} | more))


class ModelBench:
    """Everything a test of a model needs."""

    def __init__(self, folder, behind, rules, faults):
        self._folder = folder
        self.world = World(Shelf(), apis=make_model_apis(behind, rules), faults=faults)
        self.world.start()
        self._clients: list[Client] = []

    def model(
        self, provider, *, price=PRICE, ceiling=None, max_requests=1000, key=KEY, seconds=30.0, at_once=4
    ):
        clock = SystemClock()
        client = Client(
            {"llm": RequestPolicy(Rate(1000, 1.0, at_once=at_once), f"llm-{provider}")},
            AnswerCache(self._folder / "cache", clock, AnswerLifetimes()),
            self._folder / "limits",
            clock,
            agent="citeproof/test",
        )
        self._clients.append(client)
        url = self.world.urls[provider]
        server = ModelServer(FORMATS[provider], "test-1", url, Secret(key) if key else None, seconds, at_once)
        return ServedModel(client, server, Spending(price, ceiling=ceiling, max_requests=max_requests))

    def ask(self, model, *questions):
        async def go():
            return await asyncio.gather(*(model.ask(one) for one in questions or (make_question(),)))

        return self.run(go())

    def ask_in_turn(self, model, count):
        async def go():
            return [await model.ask(make_question(task=f"t{n}")) for n in range(count)]

        return self.run(go())

    def run(self, work):
        async def go():
            try:
                return await work
            finally:
                for client in self._clients:
                    await client.close()

        return asyncio.run(go())

    def bodies(self, provider):
        return [msgspec.json.decode(seen.body) for seen in self.world.log if seen.api == provider]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr("citeproof.judgement.models.served_model.PAUSE", 0.01)
    made = []

    def make(behind=lambda _: ModelTurn(GOOD), rules=None, **faults):
        rules = rules or WireRules(key=KEY)
        made.append(ModelBench(tmp_path, behind, rules, faults))
        return made[-1]

    yield make
    for one in made:
        one.world.close()
        assert not one.world.errors
