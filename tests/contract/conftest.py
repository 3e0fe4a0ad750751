"""Every live source, wired by `assemble.connect` to one loopback world that holds the library."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from citeproof.evidence.sources.base import LiveSource, list_sources
from citeproof.laboratory.testing import Fault, Shelf, World
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net import client as clients
from citeproof.plumbing.net.message import Rate
from citeproof.service.assemble import OnlineSources, connect_sources
from citeproof.settings import load
from citeproof.vocabulary import Found, Question, Reach
from tests.contract import library

CONTACT = "tests@example.org"
WEIGHTY = (Reach.COMPLETE, Reach.COVERS, Reach.PARTIAL)  # questions first on which silence would mean most


def canary(name: str) -> str:
    """Return a key that must never be seen again, except by the server that it is for."""
    return f"canary-{name.replace('_', '-')}-9f3b"


class Desk:
    """Where a test sits: the world, a folder of its own, and clients that come and go."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.sent: list[clients.SentRequest] = []

    def run(self, work: Callable[[OnlineSources], Awaitable[object]], *only: str, **other: str):
        """Return what `work` does with all sources, or `only` some, over a new client."""

        async def go():
            online = self.connected(*only, **other)
            try:
                return await work(online)
            finally:
                self.sent += online.client.sent
                await online.client.close()

        return asyncio.run(go())

    def connected(self, *only: str, **other: str) -> OnlineSources:
        """Return new sources over a new client; `other` replaces or, when empty, unsets variables."""
        keys = {f"CITEPROOF_{name.upper()}_KEY": canary(name) for name in list_sources()}
        environment = {
            **self.world.environment(),
            **keys,
            "CITEPROOF_WEB_URL": self.world.urls["brave"],
            "CITEPROOF_PACE": "1000",
            "CITEPROOF_CACHE_DIR": str(self.folder / "cache"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            "CITEPROOF_TIMEOUT": "20",
            "CITEPROOF_CONTACT": CONTACT,
            **other,
        }
        settings = load(environment=environment, folder=self.folder)
        return connect_sources(settings, SystemClock(), only or None)

    def fail(self, fault: Fault | None) -> None:
        """Let all APIs fail in one way, or none."""
        for api in self.world.urls:
            self.world.set(api, faults=fault or ())

    def forgive(self) -> None:
        """Forget who failed and who asked to be left alone."""
        shutil.rmtree(self.folder / "limits", ignore_errors=True)

    def forget(self) -> None:
        """Forget every answer."""
        shutil.rmtree(self.folder / "cache", ignore_errors=True)

    def leaks(self) -> list[Path]:
        """Return the files in which a key stands."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return [path for path in files if b"canary" in path.read_bytes()]


def quickly(patch: pytest.MonkeyPatch) -> None:
    """Let pages be fetched as fast as APIs, and nothing be tried twice."""
    patch.setattr(clients, "FREE", Rate(1000, 1.0, at_once=8))
    patch.setattr(clients, "RETRIES", 0)
    patch.setattr(clients, "PATIENCE", 0.1)


@pytest.fixture(scope="session")
def contract_world() -> Iterator[World]:
    with World(Shelf(*library.WORKS)) as world:
        yield world


@pytest.fixture
def desk(contract_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk at which no time is lost."""
    quickly(monkeypatch)
    made = Desk(contract_world, tmp_path)
    made.fail(None)
    yield made
    made.fail(None)
    abroad = [sent.url for sent in made.sent if not sent.url.startswith(contract_world.origin)]
    assert not abroad  # a source that ignores its configured address would ask the real server


@pytest.fixture(scope="session")
def asked(contract_world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Question, ...]]:
    """For each source the questions, one of each kind it answers, to which it knows the answer."""
    desk = Desk(contract_world, tmp_path_factory.mktemp("asked"))

    async def known(source: LiveSource, by: str) -> Question | None:
        candidates = library.questions(source, by, contract_world.origin)
        for question in sorted(candidates, key=lambda q: WEIGHTY.index(source.reach(q))):
            if isinstance(await source.lookup(question), Found):
                return question
        return None

    async def all_known(online: OnlineSources) -> dict[str, tuple[Question, ...]]:
        return {
            source.name: tuple([q for by in sorted(source.answers) if (q := await known(source, by))])
            for source in online.sources
        }

    with pytest.MonkeyPatch.context() as patch:
        quickly(patch)
        found: dict[str, tuple[Question, ...]] = desk.run(all_known)
    return found
