"""`citeproof fix --interactive` at a real terminal: answers, leaving, and going on where one left."""

from __future__ import annotations

import os
import sys

import pexpect
import pytest
from tests.surfaces.fixes import PLANTS, snapshot, text_of

PLANTED = [one for one in PLANTS if one[0] == "aligned.bib" and "Karl" not in one[2] and "17}" not in one[2]]


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    return snapshot(tmp_path_factory)


@pytest.fixture
def bib(tmp_path):
    """A file with errors in four references."""
    text = text_of("aligned.bib")
    for _, right, wrong in PLANTED:
        text = text.replace(right, wrong)
    file = tmp_path / "refs.bib"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def terminal(tmp_path, works):
    """Start `citeproof fix refs.bib -i` at a terminal of its own."""
    environment = {
        "PATH": os.defpath, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "TERM": "dumb",
        "CITEPROOF_OFFLINE": "1", "CITEPROOF_CACHE_DIR": str(tmp_path / "cache"),
    }  # fmt: skip

    def start(*flags):
        command = ["-m", "citeproof", "fix", "refs.bib", "-i", *flags, "--snapshot", str(works)]
        return pexpect.spawn(
            sys.executable, command, cwd=tmp_path, env=environment, encoding="utf-8", timeout=60,
            dimensions=(40, 100),
        )  # fmt: skip

    return start


def _answer(child, *answers):
    """Answer the questions about references; return the key of each."""
    keys = []
    for answer in answers:
        child.expect(r"\[\d of \d\] (\w+)")
        keys.append(child.match[1])
        child.expect_exact("Change it?")
        child.sendline(answer)
    return keys


def _end(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.before


@pytest.mark.slow
def test_left_with_ctrl_c_and_resumed(terminal, bib):
    before = bib.read_bytes()
    child = terminal("--write")
    assert _answer(child, "y", "n") == ["hochreiter1997", "schrodinger1926"]
    child.expect_exact("Change it?")
    child.sendintr()
    told = _end(child)
    assert "interrupted: nothing was written; " in told
    assert "run the same command again to continue" in told
    assert child.exitstatus == 130
    assert bib.read_bytes() == before
    child = terminal("--write")
    child.expect_exact("5 of 8 changes were decided before: 2 yes, 3 no")
    child.expect_exact("Continue from there?")
    child.sendline("y")
    assert _answer(child, "?") == ["einstein1935"]
    child.expect_exact("leave this reference as it is")
    child.sendline("a")
    _end(child)
    expected = text_of("aligned.bib")
    for _, right, wrong in PLANTED[1:3] + [one for one in PLANTED if "Mechanics" in one[1]]:
        expected = expected.replace(right, wrong)  # what was refused
    assert bib.read_text(encoding="utf-8") == expected
    assert child.exitstatus == 1


@pytest.mark.slow
def test_left_with_q_the_yeses_are_written_and_the_noes_are_kept(terminal, bib):
    child = terminal("--write")
    _answer(child, "n", "y", "q")
    assert "refs.bib: changed; the backup is" in _end(child)
    after = bib.read_text(encoding="utf-8")
    assert "year      = 1926," in after
    assert "{1737--1780}" in after
    assert "Ordering of Facts" in after
    child = terminal("--write")
    child.expect_exact("2 of 5 changes were decided before: 0 yes, 2 no")
    child.sendline("y")
    assert _answer(child, "y", "y") == ["einstein1935", "lamport1978"]
    _end(child)
    after = bib.read_text(encoding="utf-8")
    assert "{1737--1780}" in after
    assert "Ordering of Events" in after


@pytest.mark.slow
def test_each_change_by_itself_and_earlier_answers_forgotten(terminal, bib):
    before = bib.read_bytes()
    child = terminal()
    _answer(child, "e")
    child.expect_exact("title: Long Short-Term Recall → Long Short-Term Memory?")
    child.sendline("n")
    child.expect_exact("pages: 1737-1780 → 1735-1780?")
    child.sendline("y")
    _answer(child, "q")
    assert "1 change in 1 entry to be made with --write" in _end(child)
    assert bib.read_bytes() == before
    child = terminal("--write")
    child.expect_exact("2 of 8 changes were decided before: 1 yes, 1 no")
    child.sendline("n")
    assert _answer(child, "n", "q") == ["hochreiter1997", "schrodinger1926"]
    _end(child)
    assert bib.read_bytes() == before
