"""Files are exchanged whole or not at all, whatever goes wrong."""

from __future__ import annotations

import os
import resource
import threading
from contextlib import contextmanager

import pytest

from citeproof.answers.fix.backups import exchange_file, list_backups, undo_change
from citeproof.errors import UsageError
from citeproof.plumbing.output_files import write_file

OLD, NEW = b"@article{a, year=1}\n" * 50, b"@article{a, year=2}\n" * 50


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_bytes(OLD)
    return path


def _names(file):
    return sorted(path.name for path in file.parent.iterdir() if path.is_file())


@contextmanager
def _full(limit):
    """A disk on which no file can grow beyond `limit` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_there_and_back(file):
    file.chmod(0o640)
    backup = exchange_file(file, OLD, NEW)
    assert (file.read_bytes(), backup.read_bytes()) == (NEW, OLD)
    assert {path.stat().st_mode & 0o777 for path in (file, backup)} == {0o640}
    assert undo_change(file) == backup
    assert (file.read_bytes(), _names(file)) == (OLD, ["refs.bib"])


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Python has extended attributes on Linux only")
def test_extended_attributes_stay(file):
    marks = {"user.origin": b"https://example.org", "user.empty": b"", "user.bytes": bytes(range(256))}
    for name, value in marks.items():
        os.setxattr(file, name, value)
    backup = exchange_file(file, OLD, NEW)
    for path in (file, backup):
        assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == marks
    undo_change(file)
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == marks
    write_file(file, NEW)
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == marks


@pytest.mark.parametrize(
    "limit", [10, len(OLD) - 1, len(OLD)], ids=["no room", "half a backup", "no room for it"]
)
def test_full_disk(file, limit):
    new = NEW + b"% longer\n"
    with _full(limit), pytest.raises(UsageError, match="the file was not changed"):
        exchange_file(file, OLD, new)
    assert (file.read_bytes(), _names(file)) == (OLD, ["refs.bib"])


def test_folder_without_permission(file, as_nobody):
    file.chmod(0o644)
    with as_nobody(), pytest.raises(UsageError) as told:
        exchange_file(file, OLD, NEW)
    assert "-o" in told.value.hint
    assert (file.read_bytes(), _names(file)) == (OLD, ["refs.bib"])


@pytest.mark.parametrize(
    "change",
    [lambda f: exchange_file(f, NEW, OLD), undo_change, lambda f: write_file(f, OLD)],
    ids=["exchange", "undo", "copy"],
)
def test_a_file_that_is_read_only_stays(file, change):
    exchange_file(file, OLD, NEW)
    names = _names(file)
    file.chmod(0o444)
    with pytest.raises(UsageError, match="is read-only; the file was not changed") as told:
        change(file)
    assert "chmod u+w" in told.value.hint
    assert (file.read_bytes(), _names(file), file.stat().st_mode & 0o777) == (NEW, names, 0o444)


def test_a_file_of_somebody_else_stays(file, as_nobody):
    file.parent.chmod(0o777)
    file.chmod(0o644)
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    with as_nobody(), pytest.raises(UsageError, match="the file was not changed"):
        exchange_file(file, OLD, NEW)
    assert (file.read_bytes(), file.stat().st_uid) == (OLD, 0)


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_copy_keeps_the_mode_of_what_it_replaces(file, mode):
    file.chmod(mode)
    write_file(file, NEW)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (NEW, mode)


def test_changed_meanwhile(file):
    file.write_bytes(OLD + b"% mine")
    with pytest.raises(UsageError, match="was changed during the check"):
        exchange_file(file, OLD, NEW)
    assert (file.read_bytes(), _names(file)) == (OLD + b"% mine", ["refs.bib"])


def test_gone_meanwhile(file):
    file.unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        exchange_file(file, OLD, NEW)
    assert _names(file) == []


def test_a_deleted_file_comes_back(file):
    exchange_file(file, OLD, NEW)
    file.unlink()
    undo_change(file)
    assert file.read_bytes() == OLD


def test_a_change_that_was_begun_and_never_made_is_undone_already(file):
    """A process may die between the backup and the file."""
    backup = exchange_file(file, OLD, NEW)
    file.write_bytes(OLD)
    assert undo_change(file) == backup
    assert (file.read_bytes(), _names(file)) == (OLD, ["refs.bib"])


def test_names_are_numbered_and_strangers_left_alone(file):
    stranger = file.with_name("refs.bib.citeproof-backup-mine")
    stranger.write_bytes(b"x")
    exchange_file(file, OLD, NEW)
    exchange_file(file, NEW, OLD)
    assert [backup.number for backup in list_backups(file)] == [1, 2]
    undo_change(file)
    undo_change(file)
    assert (file.read_bytes(), stranger.read_bytes()) == (OLD, b"x")


def test_links_in_a_circle(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    with pytest.raises(UsageError):
        exchange_file(one, OLD, NEW)


def test_a_name_too_long(tmp_path):
    file = tmp_path / ("a" * 240 + ".bib")
    file.write_bytes(OLD)
    with pytest.raises(UsageError, match="the file was not changed"):
        exchange_file(file, OLD, NEW)
    assert file.read_bytes() == OLD


def test_a_copy_replaces_what_stands_there(tmp_path):
    out = tmp_path / "out.bib"
    out.write_bytes(b"old")
    write_file(out, NEW)
    assert (out.read_bytes(), _names(out)) == (NEW, ["out.bib"])
    for bad in (tmp_path / "no" / "such" / "folder", tmp_path):
        with pytest.raises(UsageError):
            write_file(bad, NEW)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: out.write_bytes(pipe.read_bytes()))
    reader.start()
    write_file(pipe, OLD)
    reader.join()
    assert out.read_bytes() == OLD
    assert pipe.is_fifo()
