"""Which repository a root is in: its own, and none that its files lead to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from citeproof.corpus.code.git_log import FileRemoval
from citeproof.corpus.code.history import FileHistory, list_submodules
from citeproof.corpus.code.repository import GitError, find_repository
from citeproof.corpus.document_selection import IgnoredPaths, find_ignored_paths
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

FILE = "src/a.py"


def _copied(root: Path, victim: Path) -> Path:
    """Give a root a repository of its own, made of the other's; return its folder."""
    shutil.copytree(victim / ".git", root / ".git")
    return root / ".git"


def _gitfile(root: Path, victim: Path) -> None:
    (root / ".git").write_text(f"gitdir: {victim}/.git\n")


def _relative_gitfile(root: Path, victim: Path) -> None:
    (root / ".git").write_text(f"gitdir: ../{victim.name}/.git\n")


def _link(root: Path, victim: Path) -> None:
    (root / ".git").symlink_to(victim / ".git")


def _link_to_gitfile(root: Path, victim: Path) -> None:
    (root / "file").write_text(f"gitdir: {victim}/.git\n")
    (root / ".git").symlink_to("file")


def _gitfile_to_link(root: Path, victim: Path) -> None:
    (root / ".git").write_text("gitdir: inner\n")
    (root / "inner").symlink_to(victim / ".git")


def _commondir(root: Path, victim: Path) -> None:
    (_copied(root, victim) / "commondir").write_text(f"{victim}/.git\n")


def _objects(root: Path, victim: Path) -> None:
    objects = _copied(root, victim) / "objects"
    shutil.rmtree(objects)
    objects.symlink_to(victim / ".git/objects")


def _some_objects(root: Path, victim: Path) -> None:
    for objects in (_copied(root, victim) / "objects").glob("??"):
        shutil.rmtree(objects)
        objects.symlink_to(victim / ".git/objects" / objects.name)


def _pack(root: Path, victim: Path) -> None:
    Repository(victim).git("repack", "-a", "-d", "-q")
    for file in (_copied(root, victim) / "objects/pack").iterdir():
        file.unlink()
        file.symlink_to(victim / ".git/objects/pack" / file.name)


def _alternates(root: Path, victim: Path) -> None:
    objects = _copied(root, victim) / "objects"
    shutil.rmtree(objects)
    (objects / "info").mkdir(parents=True)
    (objects / "info/alternates").write_text(f"{victim}/.git/objects\n")


def _alternates_behind_newlines(root: Path, victim: Path) -> None:
    _alternates(root, victim)
    (root / ".git/objects/info/alternates").write_text("\n" * 8_192 + f"{victim}/.git/objects\n")


def _worktree_of_another(root: Path, victim: Path) -> None:
    Repository(victim).git("worktree", "add", "-q", str(victim.parent / "tree"), "HEAD")
    shutil.copy(victim.parent / "tree/.git", root / ".git")


def _forged_worktree(root: Path, victim: Path) -> None:
    tree = root / "worktrees/x"
    tree.mkdir(parents=True)
    (tree / "gitdir").write_text(f"{root}/.git\n")
    (tree / "commondir").write_text(f"{victim}/.git\n")
    (tree / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git").write_text(f"gitdir: {tree}\n")


WAYS_OUT = [
    *(_gitfile, _relative_gitfile, _link, _link_to_gitfile, _gitfile_to_link, _commondir, _objects),
    *(_some_objects, _pack, _alternates, _alternates_behind_newlines, _worktree_of_another, _forged_worktree),
]


@pytest.fixture
def victim(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "victim")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    return root


@pytest.mark.parametrize("way", WAYS_OUT)
def test_a_root_cannot_show_the_history_of_another(
    victim: Repository, root: Path, way: Callable[[Path, Path], None]
) -> None:
    victim.write(".gitignore", "*.tmp\n")
    cited, _ = victim.commit(FILE, "secret\n")
    blob = victim.git("rev-parse", f"HEAD:{FILE}")
    victim.commit(FILE, "no more\n")
    way(root, victim.folder)
    assert _believing(root).git("cat-file", "blob", blob) == "secret"  # git by itself follows
    history = FileHistory(root)
    assert history.version(FILE, cited) is None
    assert "another" in history.explain_missing(FILE)
    history.close()
    (root / "x.tmp").touch()
    shutil.copy(victim.folder / ".gitignore", root)
    assert find_ignored_paths(root) == IgnoredPaths()


def _believing(folder: Path) -> Repository:
    found = Repository.__new__(Repository)
    found.folder, found._hour = folder, 1
    return found


def test_git_does_not_go_on_to_a_repository_further_up(victim: Repository, tmp_path: Path) -> None:
    """Where the first `.git` is none, git by itself looks for the next."""
    outer = tmp_path / "clone"
    (outer / "sub/.git").mkdir(parents=True)
    cited, _ = victim.commit("sub/a.py", "secret\n")
    _gitfile(outer, victim.folder)
    assert _believing(outer / "sub").git("show", "HEAD:./a.py") == "secret"
    history = FileHistory(outer / "sub")
    assert history.version("a.py", cited) is None
    assert history.explain_missing("a.py") == "the root is not in a git repository"


def _plain(home: Repository, _: Path) -> Path:
    return home.folder


def _below(home: Repository, _: Path) -> Path:
    return home.folder / "src"


def _by_link(home: Repository, tmp_path: Path) -> Path:
    (tmp_path / "link").symlink_to(home.folder)
    return tmp_path / "link"


def _apart(home: Repository, _: Path) -> Path:
    (home.folder / ".git").rename(home.folder / "apart")
    (home.folder / ".git").write_text("gitdir: apart\n")
    return home.folder


def _worktree(home: Repository, tmp_path: Path) -> Path:
    home.git("worktree", "add", "-q", str(tmp_path / "tree"), "HEAD")
    return tmp_path / "tree"


def _inner_worktree(home: Repository, _: Path) -> Path:
    home.git("worktree", "add", "-q", "trees/one", "HEAD")
    return home.folder / "trees/one"


def _submodule(home: Repository, tmp_path: Path) -> Path:
    outer = Repository(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(home.folder), "sub")
    return outer.folder / "sub"


@pytest.mark.parametrize("place", [_plain, _below, _by_link, _apart, _worktree, _inner_worktree, _submodule])
def test_a_repository_of_its_own_is_read(
    victim: Repository, tmp_path: Path, place: Callable[[Repository, Path], Path]
) -> None:
    cited, _ = victim.commit(FILE, "one\n")
    victim.commit(FILE, "two\n")
    path = "a.py" if place is _below else FILE
    history = FileHistory(place(victim, tmp_path))
    found = history.version(path, cited)
    history.close()
    assert found, history.explain_missing(path)
    assert found.data == b"one\n"


def _with_submodule(tmp_path: Path, module: Repository, at: str = "lib/mod") -> Repository:
    outer = Repository(tmp_path / "outer")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    outer.git(*add, str(module.folder), at)
    outer.commit("x.py", "x")
    return outer


def _there(outer: Repository) -> None:
    """Leave all as git made it."""


def _git_folder_of_its_own(outer: Repository) -> None:
    module = outer.folder / "lib/mod"
    (module / ".git").unlink()
    (outer.folder / ".git/modules/lib/mod").rename(module / ".git")
    _believing(outer.folder).git("config", "-f", str(module / ".git/config"), "--unset", "core.worktree")


@pytest.mark.parametrize("how", [_there, _git_folder_of_its_own])
@pytest.mark.parametrize(("below", "name"), [("", "lib/mod"), ("lib", "mod")])
def test_a_file_of_a_submodule_has_the_history_of_that(
    victim: Repository, tmp_path: Path, how: Callable[[Repository], None], below: str, name: str
) -> None:
    cited, commit = victim.commit(FILE, "one\n")
    victim.commit(FILE, "two\n")
    gone, _ = victim.commit("src/gone.py", "one two three\n")
    victim.git("mv", "src/gone.py", "src/new.py")
    _, last = victim.commit()
    outer = _with_submodule(tmp_path, victim)
    how(outer)
    history = FileHistory(outer.folder / below)
    found = history.version(f"{name}/{FILE}", cited)
    assert found, history.explain_missing(f"{name}/{FILE}")
    assert (found.data, found.commit, found.commits_since) == (b"one\n", commit, 1)
    assert history.version(f"{name}/{FILE}", "0" * 16) is None
    why = f"in the submodule {name}, none of the 2 committed versions of the file is the cited one"
    assert history.explain_missing(f"{name}/{FILE}") == why
    assert history.find_removal(f"{name}/src/gone.py") == FileRemoval(
        last, "2026-03-01T04:00:00+00:00", f"{name}/src/new.py"
    )
    assert history.version(f"{name}/src/new.py", gone)
    history.close()


def test_what_is_checked_out_in_a_submodule_is_part_of_the_head(victim: Repository, tmp_path: Path) -> None:
    victim.commit(FILE, "one\n")
    outer = _with_submodule(tmp_path, victim)
    before = FileHistory(outer.folder).head()
    _believing(outer.folder / "lib/mod").commit(FILE, "two\n")
    after = FileHistory(outer.folder).head()
    assert before != after
    assert before.partition(";")[0] == after.partition(";")[0] == outer.git("rev-parse", "HEAD")


def _elsewhere(outer: Repository, victim: Path) -> None:
    (outer.folder / "lib/mod/.git").write_text(f"gitdir: {victim}/.git\n")


def _listed_nowhere(outer: Repository, _: Path) -> None:
    (outer.folder / ".gitmodules").unlink()


def _listed_by_a_link(outer: Repository, victim: Path) -> None:
    (outer.folder / ".gitmodules").rename(victim / "list")
    (outer.folder / ".gitmodules").symlink_to(victim / "list")


def _listed_twenty_times(outer: Repository, _: Path) -> None:
    (outer.folder / ".gitmodules").write_text(
        "".join(f"\tpath = m{n}\n" for n in range(20)) + "path = lib/mod"
    )


@pytest.mark.parametrize("how", [_elsewhere, _listed_nowhere, _listed_by_a_link, _listed_twenty_times])
def test_another_repository_inside_of_the_root_is_told_and_not_asked(
    victim: Repository, tmp_path: Path, how: Callable[[Repository, Path], None]
) -> None:
    cited, _ = victim.commit(FILE, "one\n")
    victim.commit(FILE, "two\n")
    outer = _with_submodule(tmp_path, victim)
    how(outer, victim.folder)
    history = FileHistory(outer.folder)
    assert history.version(f"lib/mod/{FILE}", cited) is None
    assert (
        history.explain_missing(f"lib/mod/{FILE}")
        == "the file is in another repository inside the root: lib/mod"
    )
    assert history.head() == outer.git("rev-parse", "HEAD")
    history.close()


@pytest.mark.parametrize(
    "listed",
    ["path = ../victim", "path = /", "path = .", "path = lib/../..", "path", "path = \0", "\xff" * 9],
)
def test_a_list_of_submodules_leads_nowhere_else(victim: Repository, tmp_path: Path, listed: str) -> None:
    victim.commit(FILE, "one\n")
    outer = Repository(tmp_path / "outer")
    outer.commit(".gitmodules", f"[submodule]\n{listed}\n")
    assert list_submodules(outer.folder) == ()


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: nowhere", "words", "gitdir: \0", "x" * 99_999])
def test_what_names_no_repository_is_told(root: Path, content: str) -> None:
    (root / ".git").write_text(content)
    with pytest.raises(GitError, match=r"the root's \.git (cannot be read|is not a repository)"):
        find_repository(root)
