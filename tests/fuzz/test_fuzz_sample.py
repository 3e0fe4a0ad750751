"""A few damaged documents for every target, the same in each run; `make fuzz` does minutes of each."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.readers.base import list_readers
from citeproof.reading.extractors.base import load_extractors
from tests.fuzz.fuzz_loop import run_target, shrink, try_input
from tests.fuzz.fuzz_targets import FINDINGS, TARGETS, FuzzTarget, list_inputs
from tests.fuzz.mutations import MOST, damage

DAMAGED = 12  # documents of each target
PATIENCE = 100.0  # CPU-seconds: a hang, not a slow machine


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_what_was_once_found_are_read(name):
    target = TARGETS[name]
    inputs = list_inputs(target)
    assert inputs
    for data in inputs[-20:]:
        assert try_input(target, data, PATIENCE) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_documents_are_read_or_refused_with_a_word(name):
    target, draw = TARGETS[name], random.Random(7)
    inputs = [data for data in list_inputs(target) if len(data) < MOST]
    for _ in range(DAMAGED):
        data = damage(draw.choice(inputs), inputs, draw)
        found = try_input(target, data, PATIENCE)
        assert found is None, f"{found.kind} at {found.place}\n{found.trace}"


def test_every_extractor_reader_and_list_is_a_target():
    wanted = {f"extractor-{name}" for name in load_extractors()}
    wanted |= {f"dump-{name}" for name in list_readers()} | {f"list-{name}" for name in LISTS}
    assert wanted <= set(TARGETS)
    assert {folder.name for folder in FINDINGS.iterdir() if folder.is_dir()} <= set(TARGETS)


def test_damage_is_the_same_for_the_same_seed():
    made = [[damage(b"{abc} 123", [b"xyz"], random.Random(seed)) for seed in range(50)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 30


def _fail_on_brace(data: bytes) -> None:
    if b"}{" in data:
        raise KeyError("brace")


def test_a_fault_is_found_and_its_document_cut_down(tmp_path: Path):
    target = FuzzTarget("planted", _fail_on_brace, lambda: [b"some {text} of a document that is longer"])
    done = run_target(target, PATIENCE, 1, tmp_path / "current", tries=1500)
    (found,) = done.findings.values()
    assert found.kind == "KeyError"
    assert shrink(target, found) == b"}{"


def _spin(_: bytes) -> None:
    while True:
        pass


def test_a_hang_is_told():
    found = try_input(FuzzTarget("planted", _spin, lambda: [b""]), b"", 0.2)
    assert found is not None
    assert found.kind == "hang"
