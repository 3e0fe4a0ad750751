"""Running git in a repository that may be hostile: it reads objects, and runs nothing that a config names.

A project that is unpacked may bring its own `.git`, and with it words that name any folder of the machine:
a file instead of a folder, links, a common folder, objects that are borrowed elsewhere. What is found there
would be shown in reports, so git looks only where the project is itself.
"""

from __future__ import annotations

import os
import select
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.programs import find_program, start_program
from citeproof.text.unicode import show_one_line

PATIENCE = 10.0  # seconds for one command
MOST = 8_000_000  # bytes of its answer
MOST_CONTENT = 5_000_000  # bytes of one content; a larger one is skipped

_ENDED = "git ended before it answered"

# Nothing of the caller's environment: GIT_DIR and its like would lead to another repository.
_ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # older ones fetch lazily all the same; this outweighs protocol.*.allow
}
_WORDS = (
    *("--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never"),
    *("-c", "safe.bareRepository=explicit", "-c", "log.showSignature=false", "-c", "log.showRoot=true"),
    *("-c", f"diff.orderFile={os.devnull}", "-c", "log.mailmap=false"),
)
AGAIN = "; try again"  # ends the sentence of a failure that may not come again
_LONGEST_PATH = 8_192  # bytes of a file that names a folder
_ELSEWHERE = "the root's .git leads to another repository"


@cache
def find_git() -> str | None:
    return find_program("git")


def _start_git(
    folder: Path, words: Sequence[str], errors: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Return a running git that reads from us and writes to us; GitError if it cannot be run."""
    git = find_git()
    if git is None:
        raise GitError("git is not installed")
    above = str(find_repository(folder).parent)  # git must not search for another `.git` above
    if os.pathsep in above:
        raise GitError(f"git cannot be confined to a folder with {os.pathsep} in its path")
    try:
        return start_program(  # the words are ours, and a path comes after `--`
            [git, "-C", str(folder.resolve()), *_WORDS, *words],
            _ENVIRONMENT | {"GIT_CEILING_DIRECTORIES": above},
            stderr=errors,
        )
    except OSError as error:
        raise TransientGitError(
            f"git could not be run: {(error.strerror or 'unknown error').lower()}"
        ) from error


def _end_process(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    for stream in (child.stdin, child.stdout):
        with suppress(OSError):  # what was not written yet cannot be any more
            if stream is not None:
                stream.close()
    child.wait()


def _is_stream_ready(stream: IO[bytes], seconds: float) -> bool:
    """Return whether there is something to read, or the end, within some seconds."""
    poll = select.poll()  # select() knows no descriptor above 1,023
    poll.register(stream, select.POLLIN | select.POLLHUP)
    return seconds > 0 and bool(poll.poll(seconds * 1000))


def run_git(folder: Path, words: Sequence[str], patience: float = PATIENCE, most: int = MOST) -> bytes:
    """Return what git writes; GitError when it fails, takes too long or writes too much."""
    try:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed below; a pipe could fill and stop git
    except OSError as error:
        raise TransientGitError(
            f"not enough resources to run git: {(error.strerror or '').lower()}"
        ) from error
    with errors:
        child = _start_git(folder, words, errors.fileno())
        try:
            assert child.stdin is not None
            child.stdin.close()
            said = b"".join(_read_output(child, patience, most))
            failed = child.wait(patience)
        except subprocess.TimeoutExpired as error:
            raise TransientGitError(f"git took longer than {patience:g} s") from error
        finally:
            _end_process(child)
        if failed:
            errors.seek(0)
            raise _interpret_complaint(errors.read(2000).decode("utf-8", "replace"))
    return said


def read_contents(folder: Path, names: Iterable[str], patience: float = PATIENCE) -> Generator[bytes | None]:
    """Yield contents by their ids, None for one that is missing, too large or no file; GitError if git fails.

    `patience` is for all of them. Close the iterator to end the child.
    """
    child = _start_git(folder, ["cat-file", "--batch"])
    try:
        stdin, pieces = child.stdin, _read_output(child, patience, sys.maxsize)
        assert stdin is not None
        rest = b""
        for name in names:
            stdin.write(name.encode("ascii") + b"\n")
            stdin.flush()
            while b"\n" not in rest:
                rest += _read_piece(pieces)
            head, _, rest = rest.partition(b"\n")  # `<id> <type> <size>`, a newline, the bytes, a newline
            words = head.split()
            if len(words) != 3 or not words[2].isdigit():  # "<id> missing"
                yield None
                continue
            content, rest = _read_content(pieces, rest, int(words[2]) + 1)
            yield content[:-1] if content and words[1] == b"blob" else None
    except OSError as error:
        raise TransientGitError(_ENDED) from error
    finally:
        _end_process(child)


def _read_content(pieces: Iterator[bytes], rest: bytes, size: int) -> tuple[bytes, bytes]:
    """Return the next `size` bytes, none of them if they are too many, and what was read beyond them."""
    held, left = [rest[:size]], size - len(rest)
    while left > 0:
        rest = _read_piece(pieces)
        if size <= MOST_CONTENT + 1:
            held.append(rest[:left])
        left -= len(rest)
    content = b"".join(held) if size <= MOST_CONTENT + 1 else b""
    return content, rest[len(rest) + left :] if left < 0 else b""


def _read_piece(pieces: Iterator[bytes]) -> bytes:
    piece = next(pieces, b"")
    if not piece:
        raise TransientGitError(_ENDED)
    return piece


def _read_output(child: subprocess.Popen[bytes], patience: float, most: int) -> Iterator[bytes]:
    stream, clock = child.stdout, SystemClock()
    assert stream is not None
    until, left = clock.elapsed() + patience, most
    while _is_stream_ready(stream, until - clock.elapsed()):
        piece = os.read(stream.fileno(), 1 << 20)
        left -= len(piece)
        if left < 0:
            raise GitError(f"git wrote more than {most / 1e6:g} MB")
        if not piece:
            return
        yield piece
    raise TransientGitError(f"git took longer than {patience:g} s")


def _interpret_complaint(said: str) -> GitError:
    """Return what git's complaint means here; one that we do not know may be of this moment."""
    if "not a git repository" in said:
        return GitError("the root is not in a git repository")
    if "dubious ownership" in said or "is owned by someone else" in said:
        return GitError("git does not trust the repository, which belongs to another user")
    if "unknown revision" in said or "does not have any commits" in said:
        return GitError("the repository has no commits")
    return TransientGitError(f"git failed: {show_one_line(said)[:200]}")


class GitError(Exception):
    """Why the history of a file gave no answer, as one sentence; always caught and reported."""


class TransientGitError(GitError):
    """Why there is no answer this time; what rests on it is not stored."""

    def __init__(self, why: str) -> None:
        super().__init__(why + AGAIN)


def find_repository(folder: Path) -> Path:
    """Return where the `.git` of a folder stands; GitError if there is none, or it leads elsewhere."""
    try:
        real = folder.resolve(strict=True)
        for above in (real, *real.parents):
            if os.path.lexists(above / ".git"):
                _check_repository(above)
                return above
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before 3.13
        raise GitError("the root's .git cannot be read") from error
    raise GitError("the root is not in a git repository")


def _read_small_file(file: Path) -> str:
    """Return what a small file says, without its last newline."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise GitError(_ELSEWHERE)
    with file.open("rb") as opened:
        return os.fsdecode(opened.read(_LONGEST_PATH)).rstrip("\r\n")


def _check_repository(above: Path) -> None:
    """Look at all that could lead out of a repository; GitError if something does."""
    git = _resolve_git_folder(above)
    home = _find_repository_home(above, git)
    common = (git / _read_small_file(git / "commondir")).resolve() if (git / "commondir").exists() else git
    objects = common / "objects"
    for place in (common, objects, *_list_links(objects), *_list_links(objects / "pack")):
        if not place.resolve().is_relative_to(home):
            raise GitError(_ELSEWHERE)
    alternates = objects / "info/alternates"
    state = alternates.lstat() if os.path.lexists(alternates) else None
    if state is not None and (state.st_size or not stat.S_ISREG(state.st_mode)):
        raise GitError("the repository borrows its objects from another one (objects/info/alternates)")


def _resolve_git_folder(above: Path) -> Path:
    """Return the folder that a `.git` is or names."""
    dot = above / ".git"
    if not stat.S_ISREG(dot.lstat().st_mode):
        if not dot.is_dir():  # a link to a file that names a folder
            raise GitError(_ELSEWHERE)
        return dot.resolve(strict=True)
    kind, _, name = _read_small_file(dot).partition("gitdir: ")
    if kind or not name:
        raise GitError("the root's .git is not a repository")
    return (above / name).resolve(strict=True)


def _find_repository_home(above: Path, git: Path) -> Path:
    """Return what a repository may use all of; GitError if it is not that of the folder above."""
    if git.is_relative_to(above):
        return above
    for parent in above.parents:  # a submodule, or a worktree inside the first one
        outer = parent / ".git"
        if git.is_relative_to(outer) and stat.S_ISDIR(outer.lstat().st_mode):
            return outer
    back = git / "gitdir"  # a linked worktree: its repository names it
    linked = git.parent.name == "worktrees" and back.exists()
    if linked and (git / _read_small_file(back)).resolve() == above / ".git":
        return git.parent.parent
    raise GitError(_ELSEWHERE)


def _list_links(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as listing:
        return [Path(entry.path) for entry in listing if entry.is_symlink()]
