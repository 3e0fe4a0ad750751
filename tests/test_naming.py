"""The check of names: what it finds, and that our own names pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import naming

CASES = [
    ("a/one.py", "def told(): ...", "function `told` is one word"),
    ("a/one.py", "def _names(): ...", "function `_names` is one word"),
    ("a/one.py", "def parted_names(): ...", "function `parted_names` begins with a participle"),
    ("a/one.py", "class Door:\n    def held(self): ...", "method `Door.held` begins with a participle"),
    ("a/one.py", "class Entry: ...\nclass Door:\n    class Entry: ...", "class `Entry` is also in a/one.py"),
    ("a/taken.py", "", "the module's name is also that of b/taken.py"),
    ("text/taken.py", "", "the module's name is also that of text/taken.py"),
]
FINE = [
    "def split_names(): ...",
    "def parse(): ...",
    "def seed_random(): ...",
    "@cli.command()\ndef info(): ...",
    "class Door:\n    @property\n    def held(self): ...",
    "def __getattr__(name): ...",
]


def made(folder: Path, place: str, text: str) -> Path:
    for one, words in (("b/taken.py", ""), (place, text)):
        path = folder / "citeproof" / one
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
    return folder


@pytest.mark.parametrize(("place", "text", "problem"), CASES)
def test_a_planted_name_is_found(tmp_path, capsys, place, text, problem):
    assert naming.main([str(made(tmp_path, place, text))]) == 1
    assert problem in capsys.readouterr().out


@pytest.mark.parametrize("text", FINE)
def test_a_good_name_passes(tmp_path, capsys, text):
    assert naming.main([str(made(tmp_path, "a/one.py", text))]) == 0
    assert capsys.readouterr().out == ""


def test_parts_that_mirror_each_other_may_share_a_name(tmp_path):
    made(tmp_path, "evidence/sources/arxiv.py", "")
    assert naming.main([str(made(tmp_path, "evidence/upstream_records/arxiv.py", ""))]) == 0


def test_our_own_names_pass(capsys):
    assert naming.main([]) == 0, capsys.readouterr().out


def test_figures_count_functions_classes_and_files(tmp_path, capsys):
    made(tmp_path, "a/taken.py", "def told(): ...\nclass Entry:\n    def told(self): ...\nclass Door: ...\n")
    assert naming.main([str(tmp_path), "--figures"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "files 2, lines 4",
        "distinct names per 100 functions: 50.0 of 2",
        "the same at the top of modules: 100.0 of 1",
        "class names used more than once: 0 of 2",
        "files that share a base name: 100.0 %",
        "the same without mirrors: 100.0 %",
        "functions of one word: 100.0 %",
        "the same at the top of modules: 100.0 %",
    ]
