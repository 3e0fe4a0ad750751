"""Full text: which records are looked at for a query, and that the order of segments decides nothing."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from citeproof.evidence.index import full_text
from citeproof.evidence.index.full_text import FullText, TextWriter

COMMON = ("learning", "networks", "analysis", "models")


def write_text(folder: Path, lines: list[str], commits: int = 1) -> FullText:
    folder.mkdir()
    with closing(TextWriter(folder)) as writer:
        for ordinal, words in enumerate(lines):
            writer.add(ordinal, words)
            if (ordinal + 1) % max(1, len(lines) // commits) == 0:
                writer.commit()
        writer.finish()
    return FullText(folder)


@pytest.fixture
def lines() -> list[str]:
    draw = random.Random(3)
    made = [" ".join(draw.sample(COMMON, 3)) + f" rare{number % 40}" for number in range(3000)]
    made[1234] = "learning networks analysis models of quokkas"
    made[2345] = "wombats and models"
    return made


def test_the_records_of_hits_are_those_that_tantivy_tells(lines, tmp_path):
    text = write_text(tmp_path / "many", lines, commits=30)
    folder = tmp_path / "many" / full_text.FOLDER
    runs = full_text.load_runs(folder)
    assert list(runs) == full_text.list_segments(folder)
    asked = ["learning", "rare7", "quokkas"]
    found = text.find(asked, limit=500)
    (folder / full_text.RUNS).unlink()  # as in a snapshot of before
    before = FullText(tmp_path / "many")
    assert not any(before._runs)
    assert before.find(asked, limit=500) == found
    assert found[0] == 1234


def test_how_the_records_came_into_segments_decides_nothing(lines, tmp_path):
    one, many = write_text(tmp_path / "one", lines), write_text(tmp_path / "many", lines, commits=25)
    for words in (["learning"], ["rare3", "models"], list(COMMON), ["learning", "rare1", "rare2"]):
        assert one.find(words, limit=20) == many.find(words, limit=20)


def test_where_words_are_common_a_record_must_have_a_rare_one_or_two(lines, tmp_path, monkeypatch):
    text = write_text(tmp_path / "text", lines)
    asked = ["quokkas", "wombats", "learning", "models"]
    everything = text.find(asked, limit=5000)
    assert everything[:2] == [2345, 1234]
    monkeypatch.setattr(full_text, "CHEAP", 100)
    monkeypatch.setattr(full_text, "CHEAP_ALONE", 2)
    text = FullText(tmp_path / "text")  # which has searched for nothing yet
    fewer = text.find(asked, limit=5000)
    assert fewer[:2] == everything[:2]
    pairs = {number for number, words in enumerate(lines) if {"learning", "models"} <= set(words.split())}
    assert pairs | {1234, 2345} == set(fewer) < set(everything)
    monkeypatch.setattr(full_text, "CHEAP_PAIRS", 0)
    assert set(FullText(tmp_path / "text").find(asked, limit=5000)) == {1234, 2345}


def test_common_words_alone_still_find_records_that_have_two_of_them(lines, tmp_path, monkeypatch):
    text = write_text(tmp_path / "text", lines)
    for name in ("CHEAP", "CHEAP_ALONE", "CHEAP_PAIRS"):
        monkeypatch.setattr(full_text, name, 0)
    assert text.find(list(COMMON), limit=20)[0] == 1234
    assert text.find(["learning"], limit=20)


def test_too_many_equals_are_left_out_together(tmp_path):
    lines = ["quokkas in the wild"] + ["wombats in the wild"] * 700 + ["numbats in the wild"] * 700
    text = write_text(tmp_path / "text", lines, commits=7)
    assert text.find(["quokkas", "wild"], limit=20) == [0]
    assert text.find(["wild"], limit=3) == [0, 1, 2]  # all are equal: then the first
