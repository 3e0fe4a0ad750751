"""`citeproof memory`: info, export and clear."""

from __future__ import annotations

import json

import pytest
from tests.evidence.sources.test_memory import WORK, check, cite, memory  # noqa: F401 - a fixture

from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import main as door

AT = "2026-11-15T12:00:00.000Z"


@pytest.fixture
def say(capfd, monkeypatch, tmp_path):
    """A call of the command: its exit code, what it prints, what it says aside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CITEPROOF_MEMORY", raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            door.main(["memory", *arguments])
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def test_works_are_exported_and_forgotten(say, memory, tmp_path):  # noqa: F811
    memory().remember(check(cite(), WORK))
    assert json.loads(say("--memory", "memory", "info", "--format", "json")[1])["works"] == 1
    assert say("--memory", "memory", "export", "-o", "works.jsonl")[0] == Exit.CLEAN
    head, line = (tmp_path / "works.jsonl").read_text("utf-8").splitlines()
    assert json.loads(head)["citeproof_memory"] == 1
    assert json.loads(line)["records"][0]["content_hash"] == WORK.content_hash
    assert json.loads(line)["at"] == AT
    assert say("--memory", "memory", "clear", "--yes")[1] == "1 works forgotten\n"
    assert json.loads(say("--memory", "memory", "info", "--format", "json")[1])["works"] == 0


def test_without_a_folder_the_error_says_how_to_name_one(say):
    code, _, err = say("info")
    assert code == Exit.USAGE
    assert "--memory DIR" in err


@pytest.mark.parametrize("words", [("info",), ("export",), ("clear", "--yes")])
def test_a_memory_that_is_not_there_is_told_and_not_made(say, tmp_path, words):
    code, out, err = say("--memory", "typo", *words)
    assert (code, out) == (Exit.USAGE, "")
    assert "typo: does not exist" in err
    assert "hint: " in err
    assert not (tmp_path / "typo").exists()
    (tmp_path / "typo").mkdir()
    assert "has no memory in it" in say("--memory", "typo", *words)[2]
    assert list((tmp_path / "typo").iterdir()) == []
