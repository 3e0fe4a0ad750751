"""What a run card says."""

from __future__ import annotations

import pytest

from citeproof.laboratory.measure import run_card
from citeproof.laboratory.measure.run_card import EngineCard, FileCard, RunCard, SnapshotCard, describe_world

WORLDS = [
    (("all",), "closed world: covers all"),
    ((), "open world: claims nothing"),
    (("venue:CVPR=2016-2016", "book"), "claims to hold all of venue:CVPR=2016-2016, book"),
]


@pytest.mark.parametrize(("covers", "words"), WORLDS)
def test_what_silence_means(covers, words):
    assert words in describe_world(covers)


def test_commit_is_ours_or_unknown(tmp_path):
    """Never that of a project in which an environment with citeproof happens to lie."""
    package = tmp_path / "project" / "lib" / "citeproof"
    package.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    assert run_card.find_commit(package) == ""


def test_a_broken_work_tree_is_no_error(tmp_path):
    assert run_card._describe_checkout(tmp_path / "nowhere") == ""


def test_card_in_words():
    engine = EngineCard("1.0", "abc", "faults-1", "ef" * 32, 7.5, 3.5, 0.01, ("cps1-x",), ("snapshot",), True)
    snapshot = SnapshotCard("cps1-x", "works", 1000, ("all",), describe_world(("all",)))
    file = FileCard("b.jsonl", "ab" * 32, "items", 10, "test", 42, 9, 1, 4)
    card = RunCard(engine, (snapshot,), "cd", "2026-01-01", "2026-01-02", True, 4, 0, (file,))
    text = "\n".join(run_card.format_run_card(card))
    for part in (
        "citeproof 1.0 at abc", "judge faults-1, τ_M 3.5, τ_E 7.5", "cps1-x (1,000 records): closed world",
        "at most 1.00% false", "offline",
        "cached answers reused: 4", "(fresh)", "10 items of split test, seed 42",
        "sha256 abababababababab",
    ):  # fmt: skip
        assert part in text
