"""Which documents are meant."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeproof.corpus.code.git import find_git
from citeproof.corpus.document_selection import compile_glob, compile_glob_below, select_documents
from citeproof.errors import UsageError

SKIP = (".aiwg/working/**", ".aiwg/ralph/**", "CHANGELOG.md")
TREE = (
    "README.md",
    "NOTES.Markdown",
    "UPPER.MD",
    "code.py",
    "readme.md.txt",
    "CHANGELOG.md",
    "docs/a.md",
    "docs/page.mdx",
    "docs/deep/b.md",
    "docs/deep/CHANGELOG.md",
    "docs/we[i]rd/c.md",
    ".aiwg/research/sources/s.md",
    ".aiwg/working/draft.md",
    ".aiwg/ralph/loop/r.md",
    ".git/x.md",
    "node_modules/pkg/README.md",
    ".venv/lib/x.md",
    "env/pyvenv.cfg",
    "env/lib/x.md",
    "made/CACHEDIR.TAG",
    "made/x.md",
    "src/__pycache__/x.md",
    "lib/site-packages/x.md",
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    for name in TREE:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("words\n")
    monkeypatch.chdir(root)
    return root


def found(root: Path, *paths: str, recursive: bool = False, **more: tuple[str, ...]) -> list[str]:
    """Return the documents relative to the root."""
    words = {"include": (), "exclude": (), "skip": SKIP} | more
    return [os.path.relpath(p, root) for p in select_documents(paths, root, recursive=recursive, **words)]


TOP = ["NOTES.Markdown", "README.md", "UPPER.MD"]
DOCS = ["docs/a.md", "docs/deep/b.md", "docs/we[i]rd/c.md"]
ALL = [".aiwg/research/sources/s.md", *TOP, *DOCS]


@pytest.mark.parametrize(
    ("paths", "more", "expected"),
    [
        ((), {}, TOP),
        ((), {"recursive": True}, ALL),
        ((".",), {}, ALL),
        (("docs",), {}, DOCS),
        (("docs/", "./docs/a.md", "docs/../docs"), {}, DOCS),
        (("docs/deep", "README.md"), {}, ["README.md", "docs/deep/b.md"]),
        # a named file is taken, whatever it is
        (("code.py", "CHANGELOG.md"), {}, ["CHANGELOG.md", "code.py"]),
        ((".aiwg/working/draft.md",), {}, [".aiwg/working/draft.md"]),
        (("node_modules/pkg/README.md",), {}, ["node_modules/pkg/README.md"]),
        (("README.md",), {"exclude": ("*.md",)}, ["README.md"]),
        # a folder that is named is looked into, even if it is skipped
        ((".aiwg/working",), {}, [".aiwg/working/draft.md"]),
        (("node_modules",), {}, ["node_modules/pkg/README.md"]),
        (("env",), {}, ["env/lib/x.md"]),
        (("docs/deep",), {"exclude": ("docs/**",)}, []),
        # patterns that the shell left alone
        (("docs/**/*.md",), {}, DOCS),
        (("docs/*.md",), {}, ["docs/a.md"]),
        (("*.md",), {}, ["README.md"]),
        (("docs/*.mdx",), {}, ["docs/page.mdx"]),
        (("docs/we[i]rd/*.md",), {"skip": ()}, "no document matches"),
        (("docs/nothing*.md",), {}, "no document matches"),
        (("docs/*.md", "code.py"), {}, ["code.py", "docs/a.md"]),
        # include, exclude
        ((), {"recursive": True, "include": ("docs/**",)}, DOCS),
        ((), {"recursive": True, "include": ("docs/*.mdx",)}, ["docs/page.mdx"]),
        ((), {"recursive": True, "include": ("docs",), "exclude": ("deep",)}, [DOCS[0], DOCS[2]]),
        ((), {"recursive": True, "exclude": ("docs/deep/", "/[NRU]*.[mM]*")}, [ALL[0], DOCS[0], DOCS[2]]),
        ((), {"recursive": True, "exclude": ("",)}, ALL),
        ((), {"recursive": True, "exclude": ("**",)}, []),
        (("docs",), {"skip": ()}, ["docs/a.md", "docs/deep/CHANGELOG.md", *DOCS[1:]]),
        # what is not there
        (("missing.md",), {}, "no such file"),
        (("missing/",), {}, "no such file"),
        (("bad\x1b[31m.md",), {}, "no document matches"),
    ],
)  # fmt: skip
def test_the_documents_that_are_meant(tree, paths, more, expected) -> None:
    if isinstance(expected, str):
        with pytest.raises(UsageError, match=expected) as caught:
            found(tree, *paths, **more)
        assert caught.value.hint
        assert "\x1b" not in str(caught.value)
    else:
        assert found(tree, *paths, **more) == expected


def test_a_pattern_seen_from_a_folder_below_the_root(tree, monkeypatch) -> None:
    monkeypatch.chdir(tree / "docs" / "we[i]rd")
    assert found(tree, "*.md") == ["docs/we[i]rd/c.md"]
    assert found(tree, "../*.md") == ["docs/a.md"]
    assert found(tree) == ["docs/we[i]rd/c.md"]


def test_links_lead_to_files_inside_the_root_only_and_each_file_is_there_once(tree, tmp_path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("secret\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.md").write_text("x\n")
    (tree / "docs" / "out.md").symlink_to(outside)
    (tree / "docs" / "outside").symlink_to(tmp_path / "folder")
    (tree / "docs" / "gone.md").symlink_to("nowhere.md")
    (tree / "docs" / "0.md").symlink_to("a.md")
    (tree / "docs" / "code.md").symlink_to("../code.py")
    (tree / "docs" / "loop").symlink_to(".")
    assert found(tree, "docs") == ["docs/a.md", "docs/code.md", *DOCS[1:]]
    assert found(tree, "docs/out.md", "docs/out.md", str(outside)) == ["docs/out.md"]
    assert found(tree, "docs/loop/deep") == ["docs/loop/deep/b.md"]


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", root, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tree: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    shutil.rmtree(tree / ".git")
    git(tree, "init", "-q")
    (tree / ".gitignore").write_text("/docs/deep/\nUPPER.MD\nNOTES.*\n")
    git(tree, "add", "-f", "NOTES.Markdown")
    return tree


def test_what_git_ignores_is_left_out_unless_it_is_tracked_or_named(repository, monkeypatch) -> None:
    wanted = [".aiwg/research/sources/s.md", "NOTES.Markdown", "README.md", "docs/a.md", "docs/we[i]rd/c.md"]
    assert found(repository, recursive=True) == wanted
    assert found(repository) == ["NOTES.Markdown", "README.md"]
    assert found(repository, "UPPER.MD", "docs/deep") == ["UPPER.MD", "docs/deep/b.md"]
    assert found(repository, "docs") == ["docs/a.md", "docs/we[i]rd/c.md"]
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert found(repository, "docs") == ["docs/a.md", "docs/we[i]rd/c.md"]
    git_is_gone(monkeypatch)
    assert "docs/deep/b.md" in found(repository, "docs")


def git_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    find_git.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def git_is_looked_for_again() -> Iterator[None]:
    yield
    find_git.cache_clear()


def test_a_hostile_repository_runs_nothing(repository, tmp_path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(script, hooks / "post-index-change")
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "filter.x.clean", "diff.external"):
        git(repository, "config", key, str(script))
    (repository / ".gitattributes").write_text("* filter=x\n")
    assert "UPPER.MD" not in found(repository, recursive=True)
    assert not ran.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="names are Unicode there")
def test_names_that_are_not_utf8(tree) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    (tree / name).write_text("x\n")
    assert name in found(tree)


def test_a_folder_that_cannot_be_listed_is_not_passed_over(tree, monkeypatch) -> None:
    listed = os.scandir

    def refused(folder):
        if str(folder).endswith("deep"):
            raise PermissionError(13, "denied")
        return listed(folder)

    monkeypatch.setattr(os, "scandir", refused)
    assert found(tree, "docs") == ["docs/a.md", "docs/deep", "docs/we[i]rd/c.md"]


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("CHANGELOG.md", ["CHANGELOG.md", "a/b/CHANGELOG.md", "CHANGELOG.md/x"], ["xCHANGELOG.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md", "docs"]),
        ("docs/**", ["docs/a", "docs/a/b"], ["a/docs/b"]),
        ("docs/**/x.md", ["docs/x.md", "docs/a/x.md", "docs/a/b/x.md"], ["docs/a/y.md", "x.md"]),
        ("**/x", ["x", "a/x", "a/b/x"], ["ax"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/c", "a/b"]),
        ("/a", ["a", "a/b"], ["b/a"]),
        ("./a/", ["a"], ["b/a"]),
        ("[ab]?.md", ["a1.md", "x/b2.md"], ["c1.md", "a.md"]),
        ("a.b+c", ["a.b+c"], ["aXb+c", "a.bbc"]),
        ("", [], ["a"]),
        ("/", [], ["a"]),
    ],
)  # fmt: skip
def test_patterns(pattern, yes, no) -> None:
    one = compile_glob(pattern)
    assert [p for p in (*yes, *no) if one.matches(p.split("/"))] == yes


def test_a_long_pattern_of_stars_is_matched_in_good_time() -> None:
    hostile = compile_glob("/".join(["**", "*a*a*a*a*a*a*a*a*a*a*b"] * 20))
    assert not hostile.matches(["a" * 250] * 20)
    assert compile_glob_below(("we[i]rd",), "*.md").matches(["we[i]rd", "a.md"])
