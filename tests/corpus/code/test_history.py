"""The cited version of a file, from real repositories."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from citeproof.corpus.code import git as running
from citeproof.corpus.code.git import GitError
from citeproof.corpus.code.history import FileHistory, FileVersion
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

FILE = "src/a.py"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.fixture
def history(repository: Repository) -> FileHistory:
    return FileHistory(repository.folder)


def why_missing(history: FileHistory, path: str, cited: str = "0" * 16) -> str:
    with pytest.raises(GitError) as raised:
        history.find_version(path, cited)
    return str(raised.value)


def _text(number: int) -> str:
    return "".join(f"line {n} of {number if n == 3 else 0}\n" for n in range(20))


def test_a_version_comes_with_its_commit(repository: Repository, history: FileHistory) -> None:
    made = [repository.commit(FILE, _text(n)) for n in range(5)]
    for since, (cited, commit) in enumerate(reversed(made)):
        data = _text(4 - since).encode()
        date = f"2026-03-01T0{5 - since}:00:00+00:00"
        assert history.find_version(FILE, cited) == FileVersion(commit, date, data, since)


def test_the_newest_of_equal_versions_is_taken(repository: Repository, history: FileHistory) -> None:
    made = [repository.commit(FILE, text) for text in ("one\n", "two\n", "one\n", "three\n")]
    found = history.find_version(FILE, made[0][0])
    assert found
    assert (found.commit, found.commits_since) == (made[2][1], 1)


def test_a_version_is_found_through_a_rename(repository: Repository, history: FileHistory) -> None:
    cited, _ = repository.commit("old name.py", _text(1))
    (repository.folder / "src").mkdir()
    repository.git("mv", "old name.py", FILE)
    repository.commit()
    repository.commit(FILE, _text(2))
    found = history.find_version(FILE, cited)
    assert found
    assert found.data == _text(1).encode()
    assert found.commits_since == 1  # the rename kept it, one commit changed it


def test_versions_of_branches_and_of_merges_are_found(repository: Repository, history: FileHistory) -> None:
    base, _ = repository.commit(FILE, _text(1))
    repository.git("checkout", "-q", "-b", "side")
    side, side_commit = repository.commit(FILE, _text(1) + "side\n")
    repository.git("checkout", "-q", "main")
    main, _ = repository.commit(FILE, "top\n" + _text(1))
    repository.git("merge", "-q", "--no-commit", "side")
    merged, merge = repository.commit(FILE, "top\n" + _text(1) + "side, mended in the merge\n")
    repository.commit(FILE, "all new\n")
    for cited in (base, side, main, merged):
        assert history.find_version(FILE, cited)
    assert history.find_version(FILE, merged).commit == merge
    assert history.find_version(FILE, side).commit == side_commit


def test_a_file_checked_out_with_crlf_is_found(repository: Repository, history: FileHistory) -> None:
    repository.git("config", "core.autocrlf", "true")
    checked_out = _text(1).replace("\n", "\r\n")
    cited, _ = repository.commit(FILE, checked_out)
    assert repository.git("cat-file", "-s", f"HEAD:{FILE}") == str(len(_text(1)))  # the repository has LF
    repository.commit(FILE, _text(2).replace("\n", "\r\n"))
    found = history.find_version(FILE, cited)
    assert found
    assert found.data == checked_out.encode()
    plain = history.find_version(FILE, sha256(_text(1).encode()).hexdigest()[:16])
    assert plain
    assert plain.data == _text(1).encode()


def test_bytes_that_are_no_text_are_found(repository: Repository, history: FileHistory) -> None:
    data = bytes(range(256)) * 5000 + b"\n\0blob 3\n"
    cited, _ = repository.commit(FILE, data)
    repository.commit(FILE, b"")
    assert history.find_version(FILE, cited).data == data
    empty = sha256(b"").hexdigest()[:16]
    assert history.find_version(FILE, empty).data == b""


@pytest.mark.parametrize("path", ["-p", "a b/ü.py", "*.py", ":(top)x", "a'b\"c.py", "[x].py", "--all"])
def test_odd_names_are_names(repository: Repository, history: FileHistory, path: str) -> None:
    repository.commit("other.py", "other\n")
    cited, _ = repository.commit(path, "one\n")
    repository.commit(path, "two\n")
    assert history.find_version(path, cited).data == b"one\n"
    why_missing(history, path, sha256(b"other\n").hexdigest()[:16])


def test_a_root_below_the_top_of_the_repository(repository: Repository) -> None:
    cited, _ = repository.commit(FILE, "one\n")
    repository.commit(FILE, "two\n")
    below = FileHistory(repository.folder / "src")
    assert below.find_version("a.py", cited)


def test_a_link_or_submodule_in_its_place_is_passed_over(
    repository: Repository, history: FileHistory
) -> None:
    cited, _ = repository.commit(FILE, "one\n")
    (repository.folder / FILE).unlink()
    (repository.folder / FILE).symlink_to("nowhere")
    repository.commit()
    (repository.folder / FILE).unlink()
    inner = Repository(repository.folder / FILE)
    inner.commit("x", "x")
    repository.commit()
    assert history.find_version(FILE, cited).data == b"one\n"


class TestWhy:
    """Why a version was not found."""

    def test_other_content(self, repository: Repository, history: FileHistory) -> None:
        repository.commit(FILE, "one\n")
        repository.commit(FILE, "two\n")
        assert (
            why_missing(history, FILE, "0" * 16)
            == "none of the 2 committed versions of the file is the cited one"
        )

    def test_too_long_ago(self, repository: Repository) -> None:
        made = [repository.commit(FILE, f"{n}\n") for n in range(4)]
        history = FileHistory(repository.folder, most=3)
        assert history.find_version(FILE, made[1][0])
        assert (
            why_missing(history, FILE, made[0][0]) == "the cited version is not among the last 3 of the file"
        )

    def test_never_committed(self, repository: Repository, history: FileHistory) -> None:
        repository.commit("other.py", "x")
        repository.write(FILE, "one\n")
        assert why_missing(history, FILE) == "the file was never committed"

    def test_no_commits(self, repository: Repository, history: FileHistory) -> None:
        assert why_missing(history, FILE) == "the repository has no commits"

    def test_no_repository(self, tmp_path: Path) -> None:
        history = FileHistory(tmp_path)
        assert why_missing(history, FILE) == "the root is not in a git repository"

    def test_git_is_not_installed(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(repository.folder))
        running.find_git.cache_clear()
        history = FileHistory(repository.folder)
        try:
            assert why_missing(history, FILE) == "git is not installed"
        finally:
            running.find_git.cache_clear()

    def test_shallow(self, repository: Repository, tmp_path: Path) -> None:
        cited, _ = repository.commit(FILE, "one\n")
        newest, commit = repository.commit(FILE, "two\n")
        repository.git("clone", "-q", "--depth", "1", repository.folder.as_uri(), str(tmp_path / "clone"))
        history = FileHistory(tmp_path / "clone")
        assert history.find_version(FILE, newest)
        assert "shallow clone" in why_missing(history, FILE, cited)
        assert history.head() == f"{commit}, shallow"

    def test_a_damaged_repository(self, repository: Repository, history: FileHistory) -> None:
        cited, commit = repository.commit(FILE, "one\n")
        repository.commit(FILE, "two\n")
        for object_file in (repository.folder / ".git/objects").glob("??/*"):
            object_file.chmod(0o600)
            object_file.write_bytes(b"damaged")
        assert why_missing(history, FILE, cited).startswith("git failed: ")
        assert commit


def test_the_callers_environment_does_not_mislead(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited, _ = repository.commit(FILE, "one\n")
    repository.commit(FILE, "two\n")
    other = Repository(tmp_path / "other")
    other.commit(FILE, "other\n")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git/objects"))
    history = FileHistory(repository.folder)
    assert history.find_version(FILE, cited)


def test_head_is_what_answers_depend_on(repository: Repository) -> None:
    assert FileHistory(repository.folder).head() == "the repository has no commits"
    _, first = repository.commit(FILE, "one\n")
    assert FileHistory(repository.folder).head() == first
    _, second = repository.commit(FILE, "two\n")
    assert FileHistory(repository.folder).head() == second


def test_contents_are_read_in_a_row(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit("empty.py", "")
    repository.commit("large.py", b"y\n" * 60)
    _, commit = repository.commit(FILE, "one\n")
    blob, empty, large = (repository.git("rev-parse", f"HEAD:{p}") for p in (FILE, "empty.py", "large.py"))
    monkeypatch.setattr(running, "MOST_CONTENT", 100)
    names = (blob, "0" * 40, large, commit, empty, blob)  # a commit is no file
    contents = list(running.read_contents(repository.folder, names))
    assert contents == [b"one\n", None, None, None, b"", b"one\n"]


@pytest.mark.parametrize(("script", "message"), [
    ("exec sleep 600", r"git took longer than 0\.2 s"), ("exit 0", "git ended before it answered"),
])  # fmt: skip
def test_a_child_that_does_not_answer_is_not_waited_for(
    repository: Repository, tmp_path: Path, script: str, message: str
) -> None:
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\n{script}\n")
    wrapper.chmod(0o700)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.defpath}")
        running.find_git.cache_clear()
        try:
            with pytest.raises(GitError, match=message):
                list(running.read_contents(repository.folder, ["0" * 40], patience=0.2))
        finally:
            running.find_git.cache_clear()
