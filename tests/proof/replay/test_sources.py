"""Every live source, asked in a loopback world, then again of what was kept: the same to the last field."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from datetime import date

import pytest

from citeproof.evidence.sources.base import list_sources
from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.laboratory.testing import ALL_FAULTS, Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.net.message import Rate
from citeproof.proof.audit import case as cases
from citeproof.proof.replay.recorded_lookups import (
    EvidenceBodies,
    LookupReplayer,
    RecordedConfig,
    ReplayNotes,
    list_needed_hashes,
)
from citeproof.service.assemble import connect_sources
from citeproof.settings import Settings, load
from citeproof.vocabulary import Checked, Found, Lookup, Question, Retrieval, Unchecked
from tests.contract import library
from tests.contract.running import fail

pytestmark = pytest.mark.slow

WAYS = ("status_500", "status_429", "truncated", "odd_unicode", "bot_wall", "null", "empty")
WHOLE = ("odd_unicode",)  # the answer can be read
WIRINGS = {
    "keys and contact": {"CITEPROOF_CONTACT": "somebody@example.org", "keys": "1"},
    "contact": {"CITEPROOF_CONTACT": "somebody@example.org"},
    "neither": {},
}


class Kept(dict[str, bytes]):
    """Bodies by hash, as the store keeps them."""

    def has(self, digest: str) -> bool:
        return digest in self

    def read_stored(self, digest: str) -> bytes | None:
        return self.get(digest)


@pytest.fixture(scope="module")
def world():
    with World(Shelf(*library.WORKS)) as running:
        yield running


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(clients, "FREE", Rate(1000, 1.0, at_once=8))
    monkeypatch.setattr(clients, "RETRIES", 0)
    monkeypatch.setattr(clients, "PATIENCE", 0.1)


def wired(world: World, folder, name: str, keys: str = "", **other: str) -> Settings:
    variables = {
        **world.environment(),
        "CITEPROOF_WEB_URL": world.urls["brave"],
        "CITEPROOF_PACE": "1000",
        "CITEPROOF_CACHE_DIR": str(folder / "cache"),
        "CITEPROOF_LIMITS_DIR": str(folder / "limits"),
        **({f"CITEPROOF_{name.upper()}_KEY": "canary"} if keys else {}),
        **other,
    }
    return load(environment=variables, folder=folder)


async def heard(settings: Settings, name: str, world: World, kept: Kept) -> list[tuple[Question, Lookup]]:
    """Return what a source says to questions that it can and that nobody can answer."""
    online = connect_sources(settings, SystemClock(), [name], kept.__setitem__)
    [source] = online.sources
    try:
        questions = [
            question
            for by in sorted(source.answers)
            for make in (library.questions, library.unanswerable)
            for question in list(make(source, by, world.origin))[:4]
        ]
        return list(zip(questions, await asyncio.gather(*(source.lookup(q) for q in questions)), strict=True))
    finally:
        await online.client.close()


def as_case(question: Question, lookup: Lookup) -> cases.LoggedCase:
    retrieved, day = Retrieval((lookup,)), date(2026, 11, 15)
    compared = compare(question.reference, retrieved, day)
    judgement = judge(question.reference, retrieved, compared)
    checked = Checked(question.reference, retrieved, compared, judgement, day=day)
    return cases.decode_case(cases.encode_case(checked))


def again(settings: Settings, told: list[tuple[Question, Lookup]], kept: Kept) -> None:
    """Ask again of what was kept, and hold every answer against the first."""
    config = RecordedConfig(dict(settings.urls), tuple(settings.keys), bool(settings.contact))
    replayed = LookupReplayer(config, EvidenceBodies(kept))

    async def go() -> None:
        for question, lookup in told:
            case, notes = as_case(question, lookup), ReplayNotes()
            assert {digest for _, digest in list_needed_hashes(case)} <= kept.keys()
            now = await replayed.lookup(case.lookups[0], case.reference, notes)
            assert _plain(now) == _plain(lookup), (question.by, question.value)
            assert (list(notes.reasons()), notes.changed) == ([], [])

    asyncio.run(go())


@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("name", list_sources())
def test_a_source_says_the_same_again(world, tmp_path, name, wiring):
    fail(world, ())
    settings, kept = wired(world, tmp_path, name, **WIRINGS[wiring]), Kept()
    told = asyncio.run(heard(settings, name, world, kept))
    again(settings, told, kept)
    if wiring == "keys and contact":
        assert Found in {type(lookup) for _, lookup in told}


@pytest.mark.soak
@pytest.mark.parametrize("name", list_sources())
def test_a_source_that_failed_fails_again_in_the_same_words(world, tmp_path, name, soak_share):
    for way in WAYS if soak_share == 1 else WAYS[::3]:
        folder = tmp_path / way
        folder.mkdir()
        fail(world, ALL_FAULTS[way])
        settings, kept = wired(world, folder, name, **WIRINGS["keys and contact"]), Kept()
        told = asyncio.run(heard(settings, name, world, kept))
        again(settings, told, kept)
        assert way in WHOLE or Unchecked in {type(lookup) for _, lookup in told}, way


def _plain(lookup: Lookup) -> dict[str, object]:
    """Return all of a lookup but the exchanges, also what its comparison leaves out."""
    return {each.name: getattr(replace(lookup, heard=()), each.name) for each in fields(lookup)}
