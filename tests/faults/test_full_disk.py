"""Commands on a full disk: the file is named, nothing that was there is lost, and the exit code is right."""

from __future__ import annotations

import shutil
from contextlib import suppress

import pytest

from citeproof.settings import load
from tests.claims.conftest import offline_world  # noqa: F401 - a fixture
from tests.claims.test_guarded_text import PLAIN, run  # noqa: F401 - same
from tests.faults.test_audit_log import disk  # noqa: F401 - same

LONG = "".join(f"This is sentence {n} of a text that is longer than a page.\n" for n in range(500)) + PLAIN


@pytest.fixture
def full(disk):  # noqa: F811 - the fixture
    """A folder on a disk that has no room left, with one old file."""
    (disk / "old").write_text("old")

    def fill():
        with suppress(OSError), (disk / "ballast").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        return disk

    return fill


@pytest.mark.parametrize("flag", ["--clean-text", "--output", "--receipts"])
def test_a_file_on_a_full_disk_stays_as_it_was(run, full, offline_world, flag):  # noqa: F811 - same
    (offline_world / "a.md").write_text(LONG)
    folder = full()
    code, printed = run("a.md", flag, folder / "old", "--format", "json")
    assert code == 2
    assert "old: cannot be written: No space left on device; the file was not changed" in printed.err
    assert "hint: " in printed.err
    assert (folder / "old").read_text() == "old"
    assert sorted(one.name for one in folder.iterdir()) == ["ballast", "old"]


def test_a_memory_that_cannot_grow_is_told_and_kept(run, full, offline_world):  # noqa: F811 - same
    (offline_world / "a.txt").write_text(PLAIN)
    whole = run("a.txt")
    folder = full()
    code, printed = run("a.txt", "--memory", folder / "memory")
    assert code == whole[0]
    assert "memory.sqlite: nothing is remembered: database or disk is full" in printed.err
    assert printed.out.replace("; not asked: 1 source", "") == whole[1].out


def test_a_cache_of_texts_that_cannot_grow_is_told(run, disk, full, offline_world, monkeypatch):  # noqa: F811 - same
    (offline_world / "a.txt").write_text(PLAIN)
    (offline_world / "texts").mkdir()
    (offline_world / "texts" / "one.txt").write_text("Something else.")
    whole = run("a.txt")
    shutil.copytree(load().cache_dir, disk / "cache")  # the list of retractions is in it
    full()
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(disk / "cache"))
    code, printed = run("a.txt", "--texts", "texts")
    assert code == whole[0]
    assert "library.sqlite: texts are described anew each run: " in printed.err


def test_without_room_for_the_log_nothing_is_shown(run, full, offline_world):  # noqa: F811 - same
    (offline_world / "a.txt").write_text(PLAIN)
    code, printed = run("a.txt", "--audit", full() / "audit")
    assert (code, printed.out) == (5, "")
    assert "No space left on device" in printed.err
