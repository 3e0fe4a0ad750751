"""Decisions and shared addresses: the last one counts, and an address that is withdrawn leads nowhere."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from citeproof.plumbing.stores.decision_store import DecisionChoice, DecisionStore, RunDecision

_AT = "2026-01-02T03:04:05Z"


@pytest.fixture
def open_decisions(place):
    """A function that opens the store."""
    opened = []

    def make() -> DecisionStore:
        opened.append(DecisionStore(place))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_the_last_decision_counts_and_survives_a_restart(open_decisions):
    store = open_decisions()
    store.put("run", RunDecision(3, DecisionChoice.ACCEPT, "fine", _AT))
    store.put("run", RunDecision(3, DecisionChoice.DISPUTE, "no", _AT))
    store.put("other", RunDecision(3, DecisionChoice.NOTE, "", _AT))
    store.close()
    again = open_decisions()
    assert again.load("run") == {3: RunDecision(3, DecisionChoice.DISPUTE, "no", _AT)}
    assert again.withdraw("run", 3)
    assert not again.withdraw("run", 3)
    assert again.load("run") == {}
    assert len(again.load("other")) == 1


def test_an_address_is_long_stays_the_same_and_can_be_withdrawn(open_decisions):
    store = open_decisions()
    address = store.share("run")
    assert len(address) >= 32
    assert store.share("run") == address == store.find_address("run")
    assert store.find_shared_run(address) == "run"
    assert store.share("other") != address
    store.unshare("run")
    assert store.find_shared_run(address) is None
    assert store.find_address("run") == ""
    assert store.share("run") != address


def test_what_belongs_to_runs_that_are_gone_goes_too(open_decisions):
    store = open_decisions()
    for run in ("old", "new"):
        store.put(run, RunDecision(0, DecisionChoice.NOTE, "", _AT))
        store.share(run)
    store.delete_missing(lambda run: run == "new")
    assert store.load("old") == {}
    assert store.find_address("old") == ""
    assert store.load("new")
    assert store.find_address("new")


def test_a_batch_is_its_owners(open_decisions):
    store = open_decisions()
    batch = store.add_batch("me", ["b", "a", "c"])
    assert store.list_batch(batch, "me") == ["b", "a", "c"]
    assert store.list_batch(batch, "you") == []
    assert store.list_batch("none", "me") == []


_WRITER = """
import sys
from citeproof.plumbing.stores.decision_store import DecisionChoice, DecisionStore, RunDecision
store = DecisionStore(sys.argv[1])
for n in range(int(sys.argv[3])):
    store.put(sys.argv[2], RunDecision(n, DecisionChoice.ACCEPT, "fine " * 50, "now"))
    print(n, flush=True)
"""


def start_writer(place, run, most):
    command = [sys.executable, "-c", _WRITER, str(place), run, str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_writer_loses_nothing_that_was_decided(place):
    writer = start_writer(place, "run", 10**6)
    told = [writer.stdout.readline() for _ in range(40)]
    writer.send_signal(signal.SIGKILL)
    told += writer.communicate()[0].splitlines(keepends=True)
    last = max(int(line) for line in told if line.endswith("\n"))
    store = DecisionStore(place)
    found = store.load("run")
    assert set(range(last + 1)) <= set(found)
    assert {one.note for one in found.values()} == {"fine " * 50}
    assert store.share("run")
    store.close()


def test_several_servers_decide_at_once_and_share_one_address(place):
    writers = [start_writer(place, f"run{n % 2}", 60) for n in range(4)]
    assert [len(one.communicate()[0].split()) for one in writers] == [60] * 4
    stores = [DecisionStore(place) for _ in range(2)]
    assert all(len(store.load(run)) == 60 for store in stores for run in ("run0", "run1"))
    assert stores[0].share("run0") == stores[1].share("run0")
    for store in stores:
        store.close()


def test_a_note_may_hold_what_no_database_holds(place):
    store = DecisionStore(place)
    store.put("run", RunDecision(0, DecisionChoice.NOTE, "a\0b ü 😀", _AT))
    assert store.load("run")[0].note in ("a\0b ü 😀", "a\ufffdb ü 😀")
    store.close()
