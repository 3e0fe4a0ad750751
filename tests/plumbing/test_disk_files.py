"""The floor under every file that is written or opened: whole or not at all, and never through a link."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from citeproof.plumbing.disk_files import (
    NEW,
    open_plain_file,
    open_replacement,
    read_plain_file,
    replace_durably,
    write_synced,
)

OLD, FRESH = b"old", b"fresh"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").write_bytes(OLD)
    return tmp_path / "file"


def write_streamed(path: Path) -> None:
    with open_replacement(path) as file:
        file.write(FRESH)


@pytest.mark.parametrize("write", [write_streamed, lambda path: replace_durably(path, FRESH)])
@pytest.mark.parametrize("there", ["nothing", "file", "symbolic link", "hard link"])
def test_what_stands_at_the_name_is_replaced_and_not_written_through(file, write, there):
    other = file.with_name("elsewhere")
    {
        "nothing": lambda: None,
        "file": lambda: file.write_bytes(OLD),
        "symbolic link": lambda: file.symlink_to(other),
        "hard link": lambda: file.hardlink_to(other),
    }[there]()
    write(file)
    assert (file.read_bytes(), other.read_bytes()) == (FRESH, OLD)
    assert not file.is_symlink()
    assert sorted(path.name for path in file.parent.iterdir()) == ["elsewhere", "file"]


@pytest.mark.parametrize("beside", ["", ".file.new"])
def test_an_error_leaves_the_old_file_and_no_trace(file, beside):
    file.write_bytes(OLD)
    with suppress(KeyboardInterrupt), open_replacement(file, beside=beside) as new:
        new.write(FRESH)
        raise KeyboardInterrupt
    assert file.read_bytes() == OLD
    assert sorted(path.name for path in file.parent.iterdir()) == ["elsewhere", "file"]


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_what_a_crash_left_beside_is_not_written_through(file, link):
    link(file.with_name(".file.new"), file.with_name("elsewhere"))
    replace_durably(file, FRESH)
    assert (file.read_bytes(), file.with_name("elsewhere").read_bytes()) == (FRESH, OLD)


def test_modes_are_those_asked_for(file):
    replace_durably(file, FRESH)
    assert file.stat().st_mode & 0o777 == 0o600
    write_streamed(file)
    mask = os.umask(0)
    os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_new_file_that_cannot_be_filled_is_removed_and_an_old_one_never(file, monkeypatch):
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(OSError, match="No space"):
        write_synced(file, FRESH, NEW)
    assert not file.exists()
    file.write_bytes(OLD)
    with pytest.raises(FileExistsError):
        write_synced(file, FRESH, NEW)
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("there", ["symbolic link", "folder", "pipe", "nothing", "too long"])
def test_only_a_regular_file_is_read(file, there):
    {
        "symbolic link": lambda: file.symlink_to(file.with_name("elsewhere")),
        "folder": file.mkdir,
        "pipe": lambda: os.mkfifo(file),
        "nothing": lambda: None,
        "too long": lambda: file.write_bytes(FRESH + OLD),
    }[there]()
    before = os.dup(0)
    os.close(before)
    with pytest.raises(OSError, match=r"\[Errno "):
        read_plain_file(file, len(FRESH))
    after = os.dup(0)
    os.close(after)
    assert before == after  # nothing was left open


def test_a_file_is_read_to_its_end_by_its_name_in_a_folder(file):
    file.write_bytes(FRESH)
    assert read_plain_file(file, len(FRESH)) == FRESH
    folder = os.open(file.parent, os.O_RDONLY)
    handle = open_plain_file("file", folder=folder)
    assert os.read(handle, 100) == FRESH
    os.close(handle)
    os.close(folder)
