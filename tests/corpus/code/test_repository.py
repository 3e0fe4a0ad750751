"""Which repository a root is in: its own, and none that its files lead to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from citeproof.corpus.code.git import GitError, find_repository
from citeproof.corpus.code.history import FileHistory
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
    with pytest.raises(GitError, match="another"):
        FileHistory(root).find_version(FILE, cited)
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
    with pytest.raises(GitError, match="the root is not in a git repository"):
        FileHistory(outer / "sub").find_version("a.py", cited)


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
    assert FileHistory(place(victim, tmp_path)).find_version(path, cited).data == b"one\n"


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: nowhere", "words", "gitdir: \0", "x" * 99_999])
def test_what_names_no_repository_is_told(root: Path, content: str) -> None:
    (root / ".git").write_text(content)
    with pytest.raises(GitError, match=r"the root's \.git (cannot be read|is not a repository)"):
        find_repository(root)
