"""Decisions and shared addresses: the last one counts, and an address that is withdrawn leads nowhere."""

from __future__ import annotations

from citeproof.stores.decision_store import DecisionChoice, DecisionStore, RunDecision

_AT = "2026-01-02T03:04:05Z"


def test_the_last_decision_counts_and_survives_a_restart(tmp_path):
    store = DecisionStore(tmp_path)
    store.put("run", RunDecision(3, DecisionChoice.ACCEPT, "fine", _AT))
    store.put("run", RunDecision(3, DecisionChoice.DISPUTE, "no", _AT))
    store.put("other", RunDecision(3, DecisionChoice.NOTE, "", _AT))
    store.close()
    again = DecisionStore(tmp_path)
    assert again.load("run") == {3: RunDecision(3, DecisionChoice.DISPUTE, "no", _AT)}
    assert again.withdraw("run", 3)
    assert not again.withdraw("run", 3)
    assert again.load("run") == {}
    assert len(again.load("other")) == 1


def test_an_address_is_long_stays_the_same_and_can_be_withdrawn(tmp_path):
    store = DecisionStore(tmp_path)
    address = store.share("run")
    assert len(address) >= 32
    assert store.share("run") == address == store.find_address("run")
    assert store.find_shared_run(address) == "run"
    assert store.share("other") != address
    store.unshare("run")
    assert store.find_shared_run(address) is None
    assert store.find_address("run") == ""
    assert store.share("run") != address


def test_what_belongs_to_runs_that_are_gone_goes_too(tmp_path):
    store = DecisionStore(tmp_path)
    for run in ("old", "new"):
        store.put(run, RunDecision(0, DecisionChoice.NOTE, "", _AT))
        store.share(run)
    store.delete_missing(lambda run: run == "new")
    assert store.load("old") == {}
    assert store.find_address("old") == ""
    assert store.load("new")
    assert store.find_address("new")


def test_a_batch_is_its_owners(tmp_path):
    store = DecisionStore(tmp_path)
    batch = store.add_batch("me", ["b", "a", "c"])
    assert store.list_batch(batch, "me") == ["b", "a", "c"]
    assert store.list_batch(batch, "you") == []
    assert store.list_batch("none", "me") == []
