"""A repository that wants to run its own programs: looking into its history runs none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.corpus.code.git import GitError
from citeproof.corpus.code.history import FileHistory
from tests.corpus.code.repository import Repository, needs_git

pytestmark = needs_git

FILE = "src/a.py"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/sprung\nexit 1\n')
    program.chmod(0o700)
    return program


def _sprung(trap: Path) -> bool:
    return (trap.parent / "sprung").exists()


def _hostile(repository: Repository, trap: Path) -> None:
    """Name the trap wherever a configuration may name a program."""
    for name, value in {
        "core.fsmonitor": trap,
        "core.pager": trap,
        "pager.log": trap,
        "core.sshCommand": trap,
        "core.askPass": trap,
        "core.editor": trap,
        "core.hooksPath": trap.parent / "hooks",
        "core.alternateRefsCommand": trap,
        "credential.helper": f"!{trap}",
        "diff.external": trap,
        "diff.x.textconv": trap,
        "diff.x.command": trap,
        "filter.x.clean": trap,
        "filter.x.smudge": trap,
        "filter.x.process": trap,
        "filter.x.required": "true",
        "gpg.program": trap,
        "log.showSignature": "true",
        "alias.log": f"!{trap}",
        "alias.cat-file": f"!{trap}",
        "alias.rev-parse": f"!{trap}",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "protocol.file.allow": "always",
    }.items():
        repository.git("config", name, str(value))
    (trap.parent / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (trap.parent / "hooks" / hook).symlink_to(trap)
    attributes = repository.folder / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* diff=x filter=x\n")


def _sign(repository: Repository) -> None:
    """Put what looks like a signature on the last commit."""
    head, _, rest = repository.git("cat-file", "commit", "HEAD").partition("\n\n")
    made = repository.folder.parent / "commit"
    made.write_text(
        f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n{rest}\n"
    )
    repository.git("reset", "-q", "--soft", repository.git("hash-object", "-t", "commit", "-w", str(made)))


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("log", "-p", "-1"),
        ("diff", "HEAD~1"),
        ("add", "-A"),
        ("cat-file", "--textconv", ":src/a.py"),
        ("show", "--format=%H", "signed"),
    ],
)
def test_the_trap_works(tmp_path: Path, trap: Path, words: tuple[str, ...]) -> None:
    """Else the next test could not fail."""
    repository = Repository(tmp_path / "project")
    repository.commit(FILE, "one\n")
    repository.commit(FILE, "two\n")
    _sign(repository)
    repository.git("tag", "signed")
    _hostile(repository, trap)
    repository.write(FILE, "three\n")
    repository.git(*words, check=False)
    assert _sprung(trap)


def test_nothing_that_a_configuration_names_is_run(tmp_path: Path, trap: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.write(".gitattributes", "* diff=x filter=x merge=x\n")
    cited, _ = repository.commit("old.py", "one\n" * 30)
    (repository.folder / "src").mkdir()
    repository.git("mv", "old.py", FILE)
    repository.commit(FILE, "one\n" * 29 + "two\n")
    _sign(repository)
    repository.commit(FILE, "three\n")
    _hostile(repository, trap)
    history = FileHistory(repository.folder)
    assert history.find_version(FILE, cited)
    assert history.head()
    assert not _sprung(trap)


@pytest.mark.parametrize("url", ["", "ext::{trap} x", "ssh://example.invalid/x"])
def test_missing_objects_are_not_fetched(tmp_path: Path, trap: Path, url: str) -> None:
    """A partial clone asks its remote for what it lacks, by a program that its configuration names."""
    repository = Repository(tmp_path / "project")
    cited, _ = repository.commit(FILE, "one\n")
    repository.commit(FILE, "two\n")
    repository.git("config", "uploadpack.allowFilter", "true")
    there = str(tmp_path / "clone")
    repository.git("clone", "-q", "--filter=blob:none", repository.folder.as_uri(), there)
    clone = Repository(tmp_path / "clone")
    _hostile(clone, trap)
    clone.git("config", "--unset", "alias.cat-file")
    clone.git("config", "remote.origin.uploadpack", str(trap))
    if url:
        clone.git("config", "remote.origin.url", url.format(trap=trap))
    with pytest.raises(GitError):
        FileHistory(clone.folder).find_version(FILE, cited)
    assert not _sprung(trap)
    blob = repository.git("rev-parse", f"HEAD~1:{FILE}")
    clone.git("cat-file", "blob", blob, check=False)  # what git would have done by itself
    assert _sprung(trap)


def test_a_bare_repository_in_a_folder_is_not_entered(tmp_path: Path, trap: Path) -> None:
    """One that a clone brings along as ordinary files, with a configuration of its own."""
    bare = Repository(tmp_path / "project")
    bare.commit(FILE, "one\n")
    _hostile(bare, trap)
    (bare.folder / ".git").rename(tmp_path / "embedded")
    with pytest.raises(GitError, match="the root is not in a git repository"):
        FileHistory(tmp_path / "embedded").find_version(FILE, "0" * 16)
    assert not _sprung(trap)
