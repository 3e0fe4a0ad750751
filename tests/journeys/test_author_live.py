"""The author online: progress before the first answer, results as they come, Ctrl-C, and running again."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator

import pytest

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import Call, Fault, Reply, SnapshotHoldings, World
from citeproof.laboratory.testing.server_connection import ServerConnection
from tests.journeys.conftest import compare_screen

COMMAND = "citeproof check references.bib --sources crossref,openalex"
HELD = "recursive shadow"  # of the title of the last but three references
_SPACE = re.compile("%20|[+]")


class HeldAnswers:
    """Answers that wait until they are let go: all of them, or those about a title."""

    def __init__(self, title: str = "") -> None:
        self.fault = Fault("held", self._play)
        self._title, self._free = title, threading.Event()

    def let_go(self) -> None:
        self._free.set()

    async def _play(self, wire: ServerConnection, call: Call, good: Reply) -> int:
        asked = _SPACE.sub(" ", f"{call.path} {call.query}").lower()
        # A search for several titles is answered: on a busy machine it has others' titles as well. What it
        # does not bring is asked for alone.
        held = self._title in asked and not (self._title and "|" in asked)
        while held and not self._free.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.01)
        return await wire.send(good)


@pytest.fixture
def world(examples_snapshot) -> Iterator[World]:
    with Snapshot.open(examples_snapshot) as opened, World(SnapshotHoldings(opened)) as running:
        yield running


@pytest.fixture
def first_online(world, open_terminal, tmp_path):
    """A terminal whose registries are on loopback, of a person who has no snapshot yet."""
    (tmp_path / "cache").mkdir(mode=0o700)
    own = {"CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"), "CITEPROOF_CACHE_DIR": str(tmp_path / "cache")}
    live = {"CITEPROOF_OFFLINE": "", "CITEPROOF_SNAPSHOT": "", "CITEPROOF_CONTACT": "author@example.org"}
    patient = {"CITEPROOF_TIMEOUT": "120"}  # a held answer waits for a screen, and the machine may be busy
    return open_terminal(**world.environment(), **own, **live, **patient)


@pytest.fixture
def online(first_online, tmp_path):
    """The same of a person who wants no snapshot."""
    (tmp_path / "cache" / "starter-declined").touch()
    return first_online


def _hold(world: World, held: HeldAnswers) -> None:
    for api in ("crossref", "openalex"):
        world.set(api, faults=held.fault)


def test_first_try_offers_the_starter_once(first_online):
    first_online.start(COMMAND)
    first_online.wait_for(lambda lines: lines[-1].endswith("[y/N]:"))
    first_online.press("Enter")
    asked = first_online.wait_for_prompt()
    assert "citeproof index starter builds it later" in asked.text
    again = first_online.run(COMMAND)
    assert "[y/N]" not in again.text
    assert again.code == asked.code == 1


def test_progress_stands_there_before_the_first_answer(world, online):
    held = HeldAnswers()
    _hold(world, held)
    online.start(COMMAND)
    lines = online.wait_for(lambda lines: "waiting for" in lines[-1])
    assert lines[-1].startswith("checking: 0 of 12 · waiting for crossref")
    assert not [line for line in lines if line.startswith(("✗", "~", "?"))]
    held.let_go()
    ended = online.wait_for_prompt()
    assert ended.code == 1
    compare_screen("author_live", ended.lines)


def test_results_come_above_the_progress(world, online):
    held = HeldAnswers(HELD)
    _hold(world, held)
    online.start(COMMAND)
    shown = "~ MINOR matched  goodfellow2017generative  references.bib:68:1"
    lines = online.wait_for(lambda lines: shown in lines and lines[-1].startswith("checking:"))
    assert re.match(r"checking: \d+ of 12 · \d+ exact · \d+ with problems", lines[-1])
    assert not [line for line in lines if " of 12" in line][:-1]  # one status line, at the bottom
    held.let_go()
    ended = online.wait_for_prompt()
    assert "halloran2016recursive" in ended.text
    assert "checking:" not in ended.text


def test_ctrl_c_keeps_what_was_answered_and_running_again_continues(world, online):
    held = HeldAnswers("mask")  # the fifth of twelve: the others are done before it
    _hold(world, held)
    online.start(COMMAND)
    online.wait_for(lambda lines: lines[-1].startswith("checking: 11 of 12"))
    online.press("C-c")
    ended = online.wait_for_prompt()
    assert ended.code == 130
    assert ended.lines[-1] == (
        "interrupted after 11 of 12 references: run again to continue, answers are saved"
    )
    assert "goodfellow2017generative" in ended.text  # after the one that was waited for
    assert "marlow2017mask" not in ended.text
    assert re.search("^11 references: ", ended.text, re.MULTILINE)
    assert "checking:" not in ended.text
    before = len(world.log)
    held.let_go()
    again = online.run(COMMAND)
    assert again.code == 1
    assert "marlow2017mask" in again.text
    asked = world.log[before:]
    assert asked
    assert all("mask" in one.path.lower() for one in asked)  # nothing else is asked twice


def test_verbose_names_who_is_asked(online):
    ended = online.run(f"{COMMAND} -v")
    assert "marlow2017mask: asked crossref by title: found" in ended.text
