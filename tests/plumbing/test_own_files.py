"""Files of our own: what is refused, and that nothing behind a link changes."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.net.rate_limiter import ServerLimiter, check_limits_folder
from citeproof.plumbing.output_files import append_output, check_output_folder, find_target, replace_output
from citeproof.plumbing.own_files import (
    RefusedFileError,
    check_own_tree,
    make_private_folder,
    open_own_file,
    prepare_own_database,
)
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLife, CachedAnswer
from citeproof.plumbing.stores.store_database import StoreDatabase
from citeproof.vocabulary import Cause


@pytest.fixture
def tmp_path(disk_path):
    return disk_path


SECRET = b"alias ls=ls\n"


@pytest.fixture
def victim(tmp_path):
    file = tmp_path / "home" / ".bashrc"
    file.parent.mkdir()
    file.write_bytes(SECRET)
    return file


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "ours"
    made.mkdir(mode=0o700)
    return made


def names(folder):
    return sorted(one.name for one in folder.iterdir())


def lay(path, how, victim):
    """Put something in the place of a file of ours."""
    match how:
        case "a symbolic link":
            path.symlink_to(victim)
        case "a dangling link":
            path.symlink_to(victim.parent / "new")
        case "a hard link":
            path.hardlink_to(victim)
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()


STRANGE = ["a symbolic link", "a dangling link", "a hard link", "a pipe", "a folder"]


@pytest.mark.parametrize("how", STRANGE)
def test_what_is_not_a_file_of_ours_is_not_opened(folder, victim, how):
    path = folder / "state.json"
    lay(path, how, victim)
    for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
        with pytest.raises(OSError):
            os.close(open_own_file(path, flags))
    assert victim.read_bytes() == SECRET
    assert names(victim.parent) == [".bashrc"]
    assert names(folder) == ["state.json"]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda folder, other: folder.symlink_to(other), "is a symbolic link"),
        (lambda folder, other: folder.write_bytes(b""), "is not a folder"),
        (lambda folder, other: (folder.mkdir(), folder.chmod(0o777)), "can be written by other users"),
        (lambda folder, other: (folder.mkdir(), folder.chmod(0o772)), "can be written by other users"),
    ],
)
def test_a_folder_that_others_could_write_to_is_refused(tmp_path, victim, make, why):
    folder = tmp_path / "ours"
    make(folder, victim.parent)
    with pytest.raises(RefusedFileError, match=why) as refused:
        make_private_folder(folder)
    assert refused.value.hint
    with pytest.raises(RefusedFileError, match=why):
        open_own_file(folder / "x", os.O_RDWR | os.O_CREAT)
    assert why in check_limits_folder(folder)
    assert names(victim.parent) == [".bashrc"]


def test_a_folder_that_its_group_may_write_to_is_tightened(tmp_path):
    """A umask of 002, as many systems have it, gives the group that right."""
    folder = tmp_path / "ours"
    folder.mkdir()
    folder.chmod(0o775)
    make_private_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_folder_of_another_user_is_refused(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(RefusedFileError, match="belongs to another user"):
        make_private_folder(folder)


def test_folders_and_files_are_for_this_user_alone(tmp_path):
    make_private_folder(tmp_path / "a" / "b")
    os.close(open_own_file(tmp_path / "a" / "b" / "c", os.O_RDWR | os.O_CREAT))
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b", "a/b/c")]
    assert modes == [0o700, 0o700, 0o600]


# --- state, cache, databases ----------------------------------------------------------------------


@pytest.mark.parametrize("how", STRANGE)
@pytest.mark.parametrize("name", ["x.json", "x.0.slot"])
def test_limits_go_through_no_link_and_hold_for_this_process_all_the_same(folder, victim, how, name):
    lay(folder / name, how, victim)
    server = ServerLimiter(folder, "x", Rate(10, 1.0, at_once=1), SystemClock())
    server.went_badly("answered '$(touch owned)'", refused=True, retry_after=300)
    handle = server.take_slot()
    assert handle is not None
    os.close(handle)
    assert server.get_block()[0] > 200
    assert victim.read_bytes() == SECRET
    assert names(victim.parent) == [".bashrc"]


def test_nothing_that_a_server_said_is_written_into_a_state(folder):
    server = ServerLimiter(folder, "x", Rate(10), SystemClock())
    for _ in range(8):
        server.went_badly("answered with '$(touch owned)'", refused=False, cause=Cause.MALFORMED)
        server.was_unreadable("said `touch owned`")
    server.note_rate(3.0)
    server.note_budget(1.0, 2.0, 3.0)
    assert "touch" in server.last_error(server.look()) or "cannot be read" in server.get_block()[1]
    written = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"malformed" in written
    assert b"touch" not in written
    other = ServerLimiter(folder, "x", Rate(10), SystemClock())
    assert other.get_block()[1] == "its answers cannot be read"


@pytest.mark.parametrize(
    ("cause", "status", "words"),
    [
        (Cause.TIMEOUT, 503, "answered 503"),
        (Cause.TIMEOUT, 0, "did not answer"),
        (Cause.BOT_WALL, 0, "refuses to be asked by a program"),
        (Cause.MALFORMED, 0, "gave an answer that cannot be read"),
        (Cause.BUG, 0, "failed"),
    ],
)
def test_another_process_is_told_the_cause_in_our_words(folder, cause, status, words):
    ServerLimiter(folder, "x", Rate(10), SystemClock()).went_badly(
        "anything", refused=True, retry_after=100, cause=cause, status=status
    )
    other = ServerLimiter(folder, "x", Rate(10), SystemClock())
    assert other.get_block()[1] == words
    assert other.last_error(other.look()) == words


@pytest.mark.parametrize("how", ["a symbolic link", "a dangling link", "a hard link"])
@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_a_database_beside_a_link_is_not_opened(folder, victim, how, end):
    path = folder / "answers-1.sqlite"
    lay(folder / f"{path.name}{end}", how, victim)
    with pytest.raises(RefusedFileError):
        prepare_own_database(path)
    answers = AnswerCache(folder, SystemClock())
    answers.put(
        CachedAnswer("k", "s", "u", 200, "m", "2026-01-01T00:00:00Z", b"body", False), AnswerLife.FOUND
    )
    assert answers.get("k") is None
    assert "answers are not cached" in answers.trouble
    store = StoreDatabase(path, "CREATE TABLE t (x);")
    with pytest.raises(AuditError) as refused:
        store.write("INSERT INTO t VALUES (?)", [(1,)])
    assert refused.value.hint
    assert victim.read_bytes() == SECRET
    assert names(victim.parent) == [".bashrc"]


def test_a_database_is_made_for_this_user_alone(tmp_path):
    path = tmp_path / "cache" / "x.sqlite"
    prepare_own_database(path)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    prepare_own_database(path)  # again: nothing is lost
    assert path.stat().st_size
    assert [each.stat().st_mode & 0o777 for each in (path.parent, path)] == [0o700, 0o600]


@pytest.mark.parametrize("how", ["a symbolic link", "a hard link", "a pipe"])
def test_half_done_work_with_a_link_in_it_is_not_taken_up(folder, victim, how):
    (folder / "inner").mkdir()
    check_own_tree(folder)
    lay(folder / "inner" / "plan.json.new", how, victim)
    with pytest.raises(RefusedFileError):
        check_own_tree(folder)


# --- what the user asked for ----------------------------------------------------------------------


@pytest.mark.parametrize("mark", [".git", "citeproof.toml", None])
@pytest.mark.parametrize("below", ["report.md", "deep/report.md"])
def test_a_link_that_leads_out_of_the_project_is_not_written_through(tmp_path, victim, mark, below):
    project = tmp_path / "project"
    (project / "deep").mkdir(parents=True)
    if mark:
        (project / mark).mkdir()
    link = project / below
    link.symlink_to(victim)
    for write in (append_output, lambda path: replace_output(path).__enter__()):
        with pytest.raises(UsageError, match="points outside the project") as refused:
            write(link)
        assert str(victim) in refused.value.hint
    assert victim.read_bytes() == SECRET


def test_a_folder_that_is_a_link_out_of_the_project_is_not_written_into(tmp_path, victim):
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "out").symlink_to(victim.parent)
    with pytest.raises(UsageError, match="points outside the project"):
        find_target(project / "out" / ".bashrc")


@pytest.mark.parametrize("mark", [".git", None])
@pytest.mark.parametrize("below", ["log", "log/deep"])
@pytest.mark.parametrize("marked", [False, True])
def test_a_folder_that_the_user_names_is_not_behind_a_link_out_of_the_project(
    tmp_path, monkeypatch, mark, below, marked
):
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / (mark or "src")).mkdir(parents=True)
    (outside / ".git" if marked else outside).mkdir(parents=True)  # it may be the root of another project
    (project / "log").symlink_to(outside)
    monkeypatch.chdir(project)
    for name in (below, project / below):
        with pytest.raises(UsageError, match="points outside the project"):
            check_output_folder(Path(name))
    check_output_folder(Path("new/log"))
    check_output_folder(outside / "log")


def test_links_inside_a_project_and_above_it_are_followed(tmp_path):
    real = tmp_path / "real"
    (real / ".git").mkdir(parents=True)
    (real / "a").mkdir()
    (real / "refs.bib").symlink_to("all.bib")
    (tmp_path / "link").symlink_to(real)
    for path in (real / "refs.bib", tmp_path / "link" / "refs.bib"):
        with replace_output(path) as file:
            file.write(b"new")
        assert (real / "all.bib").read_bytes() == b"new"
        assert (real / "refs.bib").is_symlink()
    (real / "deep.bib").symlink_to("a/all.bib")
    with pytest.raises(UsageError, match="to another folder"), replace_output(real / "deep.bib"):
        pass
    assert names(real / "a") == []

    home = tmp_path / "home"  # a folder above may look like a project, as one with dotfiles does
    (home / ".git").mkdir(parents=True)
    (home / "unpacked").mkdir()
    (home / ".bashrc").write_bytes(b"own")
    (home / "unpacked" / "report.txt").symlink_to("../.bashrc")
    with (
        pytest.raises(UsageError, match="to another folder"),
        replace_output(home / "unpacked" / "report.txt"),
    ):
        pass
    assert (home / ".bashrc").read_bytes() == b"own"
