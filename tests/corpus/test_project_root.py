"""Paths that documents write lead to files below the root, and nowhere else."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.project_root import Artefact, ProjectRoot, _is_spelled_exactly, _RefusedPathError
from citeproof.errors import UsageError
from tests.corpus.tree import SECRET, made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for tests that only look."""
    return made(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize(
    ("path", "real", "lines"),
    [
        ("src/auth/login.ts", "src/auth/login.ts", 3),
        ("./src//auth/./login.ts", "src/auth/login.ts", 3),
        ("src/empty.py", "src/empty.py", 0),
        ("src/blank name.py", "src/blank name.py", 1),
        ("src/Größe.py", "src/Größe.py", 2),
        ("..src/..a", "..src/..a", 1),
        ("in-file", "src/auth/login.ts", 3),
        ("in-folder/login.ts", "src/auth/login.ts", 3),
        ("in-absolute/auth/login.ts", "src/auth/login.ts", 3),
        ("in-round/auth/login.ts", "src/auth/login.ts", 3),
        ("src/auth/up", "src/empty.py", 0),
        ("chain/up", "src/empty.py", 0),
    ],
)
def test_a_path_inside_leads_to_its_file(project: Path, path: str, real: str, lines: int) -> None:
    root, data = ProjectRoot(project), (project / real).read_bytes()
    assert root.artefact(path) == Artefact(
        path, there=True, sha256=sha256(data).hexdigest(), size=len(data), lines=lines
    )
    assert root.data(path) == data
    assert root.resolve_path(path) == real


OUTSIDE = [
    "/etc/passwd",
    "//etc/passwd",
    "../outside/secret.md",
    "src/../../outside/secret.md",
    ".aiwg/research/sources/../../../etc/passwd",
    "src/auth/../auth/login.ts",  # harmless, but no form that an id has
    "..",
    "C:\\x",
    "C:x",
    "c:/windows",
    "\\\\server\\share",
    "\\x",
    "src\\auth\\login.ts",
    "..\\outside\\secret.md",
    "~/secret.md",
    "~root/x",
    "a\0b",
    "src/auth/login.ts\0",
    "src/\nlogin.ts",
    "src/\x1b[2J",
    "src/\x7f",
    "src/\x9b",
    "src/\ud800",
    "file:///etc/passwd",
    "file:src/auth/login.ts",
    "FILE:/etc/passwd",
    "https://example.org/a.py",
    "",
    "x" * 256,
    "ä" * 128,
    "a/" * 3000,
    "out-file",
    "out-folder",
    "out-folder/secret.md",
    "out-folder/nothing.md",
    "out-relative/secret.md",
    "out-etc/passwd",
    "out-etc",
    "out-dangling",
    "out-dangling/x",
    "out-dangling-absolute",
    "out-by-link",
    "out-and-dots",
    "device",
    "pipe",
    "sparse.bin",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused(project: Path, path: str) -> None:
    root = ProjectRoot(project)
    found = root.artefact(path)
    assert (found.there, found.reason, found.sha256, found.size) == (False, "outside_root", "", 0)
    assert found.detail
    assert root.data(path) is None
    assert root.resolve_path(path) is None
    assert root.listing(path, ()) == ()


@pytest.mark.parametrize("link", ["out-folder", "out-relative"])
def test_nothing_tells_what_exists_outside(project: Path, link: str) -> None:
    root = ProjectRoot(project)
    there, not_there = root.artefact(f"{link}/secret.md"), root.artefact(f"{link}/nothing.md")
    assert (there.reason, there.detail) == (not_there.reason, not_there.detail)
    assert there.digest() == not_there.digest() == root.artefact("out-dangling").digest()


@pytest.mark.parametrize(
    ("path", "reason", "detail"),
    [
        ("src/nothing.py", "not_found", "does not exist"),
        ("nothing/at/all.py", "not_found", "does not exist"),
        ("src/auth/login.ts/x", "not_found", "does not exist"),
        ("in-file/x", "not_found", "does not exist"),
        ("src/auth/login.ts/", "not_found", "is not a folder"),
        ("src/auth/login.ts/.", "not_found", "is not a folder"),
        ("SRC/auth/login.ts", "not_found", "does not exist"),
        ("src/auth/LOGIN.ts", "not_found", "does not exist"),
        ("%2e%2e/outside/secret.md", "not_found", "does not exist"),
        ("in-dangling", "not_found", "does not exist"),
        ("circle-a", "unreadable", "is reached by a loop of links"),
        ("circle-a/x.py", "unreadable", "is reached by a loop of links"),
    ],
)
def test_a_path_to_nothing_says_why(project: Path, path: str, reason: str, detail: str) -> None:
    assert ProjectRoot(project).artefact(path) == Artefact(path, there=False, reason=reason, detail=detail)


@pytest.mark.parametrize("path", ["src", "src/", "src/auth", ".", "./", "in-folder", "chain"])
def test_a_folder_is_there_and_has_no_hash(project: Path, path: str) -> None:
    root = ProjectRoot(project)
    assert root.artefact(path) == Artefact(path, there=True, folder=True)
    assert root.data(path) is None


def test_a_socket_is_not_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as ours:
        ours.bind("socket")
        assert ProjectRoot(project).artefact("socket").reason == "outside_root"


@pytest.mark.parametrize(
    ("code", "detail"),
    [(errno.EACCES, "cannot be read: permission denied"), (errno.EIO, "cannot be read: input/output error")],
)
@pytest.mark.parametrize("call", ["open", "lstat", "read"])
def test_what_the_system_does_not_give_is_unreadable(
    project: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, detail: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    root = ProjectRoot(project)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, refuse)
        found = root.artefact("src/auth/login.ts")
    assert (found.there, found.reason, found.detail) == (False, "unreadable", detail)


def test_a_pipe_is_never_waited_for(project: Path) -> None:
    """Also one that is put in the place of a file between the look and the opening."""
    root, found = ProjectRoot(project), list[object]()
    real = root._find("src/auth/login.ts")
    (project / "src/auth/login.ts").unlink()
    os.mkfifo(project / "src/auth/login.ts")

    def read() -> None:
        try:
            list(root._read(real.below))
        except _RefusedPathError as refused:
            found.append(refused.detail)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(30)
    assert found == ["is not a regular file"]


def test_a_link_put_on_the_way_after_the_look_is_not_followed(project: Path) -> None:
    outside = project.parent / "outside"
    (outside / "login.ts").write_text(SECRET)
    for swapped in ("src/auth", "src/auth/login.ts"):
        root = ProjectRoot(project)
        real = root._find("src/auth/login.ts")
        before = project / swapped
        before.rename(project / "away")
        before.symlink_to(outside if swapped == "src/auth" else outside / "login.ts")
        with pytest.raises(_RefusedPathError):
            list(root._read(real.below))
        before.unlink()
        (project / "away").rename(before)


def test_a_file_that_grows_while_it_is_read_is_bounded(project: Path) -> None:
    (project / "big.txt").write_bytes(b"x" * 1001)
    assert ProjectRoot(project, max_bytes=1001).artefact("big.txt").there
    refused = ProjectRoot(project, max_bytes=1000).artefact("big.txt")
    assert (refused.reason, refused.detail) == ("outside_root", "is larger than 0.001 MB")
    assert ProjectRoot(project).artefact("sparse.bin").detail == "is larger than 64 MB"


WORK = """
import json, sys
from pathlib import Path
from citeproof.corpus.project_root import ProjectRoot
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
root = ProjectRoot(Path(sys.argv[1]))
del opened[:]
paths = json.load(sys.stdin)
print(json.dumps([[root.artefact(path).reason, root.data(path) is None] for path in paths]))
print(json.dumps(opened))
"""


def test_nothing_of_a_refused_path_is_opened(project: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WORK, str(project)],
        input=json.dumps([*OUTSIDE, "src/auth/login.ts"]),
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
    )
    answers, opened = (json.loads(line) for line in ran.stdout.splitlines())
    assert answers == [["outside_root", True]] * len(OUTSIDE) + [["", False]]
    # The root, its folders on the way and the file, twice: for the hash and for the bytes. Nothing else.
    assert opened == [str(project), "src", "auth", "login.ts"] * 2


def test_the_system_never_sees_a_call_for_what_is_outside(project: Path, tmp_path: Path) -> None:
    strace, trace = shutil.which("strace"), tmp_path / "trace"
    if strace is None:
        pytest.skip("strace is not installed")
    words = [strace, "-f", "-e", "trace=%file,read", "-s", "4096", "-o", str(trace)]
    ran = subprocess.run(
        [*words, sys.executable, "-c", WORK, str(project)],
        input=json.dumps([*OUTSIDE, "src/auth/login.ts"]),
        capture_output=True,
        check=False,
        timeout=120,
        text=True,
    )
    if ran.returncode:
        pytest.skip("strace may not trace here")
    calls = trace.read_text("utf-8", "replace").splitlines()
    assert any("login.ts" in call and "open" in call for call in calls), "the trace saw what was allowed"
    # readlink (on arm64 readlinkat) tells where a link points to; no other call may name what lies there.
    named = re.compile(r'outside|secret|/etc/passwd|"/etc"|nothing/there|"/dev/null"')
    told = re.compile(r"^\d+ +(readlink(at)?|execve|read)\(")
    assert [call for call in calls if named.search(call) and not told.match(call)] == []
    assert not [call for call in calls if re.search(r'^\d+ +open\w*\(.*(pipe|sparse\.bin)"', call)]
    assert not any(SECRET in call for call in calls)


def test_an_answer_is_given_once(project: Path) -> None:
    root = ProjectRoot(project)
    first = root.artefact("src/auth/login.ts")
    (project / "src/auth/login.ts").write_text("changed")
    assert root.artefact("src/auth/login.ts") is first


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("src/auth/login.ts", "src/auth/login.ts"),
        ("src/../src/new.py", "src/new.py"),
        ("in-folder/login.ts", "src/auth/login.ts"),
        (".", "."),
        ("..", None),
        ("../outside/secret.md", None),
        ("out-file", None),
    ],
)
def test_a_path_of_the_system_as_a_project_path(project: Path, path: str, relative: str | None) -> None:
    assert ProjectRoot(project).relative(project / path) == relative


def test_a_root_may_be_given_through_a_link(project: Path, tmp_path: Path) -> None:
    (tmp_path / "given").symlink_to(project)
    (project / "as-given").symlink_to(tmp_path / "given/src")
    root = ProjectRoot(tmp_path / "given")
    assert root.folder == project
    assert root.artefact("as-given/auth/login.ts").there
    assert (
        not ProjectRoot(project).artefact("as-given/auth/login.ts").there
    )  # it leads out, and only then back in


@pytest.mark.parametrize("path", ["nothing", "src/auth/login.ts", "circle-a", "a\0b"])
def test_a_root_is_a_folder(project: Path, path: str) -> None:
    with pytest.raises(UsageError, match="no such folder") as raised:
        ProjectRoot(project / path)
    assert raised.value.place
    assert raised.value.hint


def test_case_must_match_where_the_system_does_not_care(project: Path) -> None:
    assert _is_spelled_exactly(f"{project}/src/auth")
    assert _is_spelled_exactly(f"{project}/src/Gro\u0308ße.py")  # decomposed, as some systems give it back
    assert not _is_spelled_exactly(f"{project}/src/AUTH")


NAMES = ["src", "auth", "login.ts", "empty.py", "nothing", "secret.md", "outside", "project", "passwd"]
WAYS = [
    "in-file",
    "in-folder",
    "in-round",
    "in-absolute",
    "chain",
    "up",
    "out-folder",
    "out-relative",
    "circle-a",
]


@given(st.lists(st.sampled_from([*NAMES, *WAYS, ".", "..", "", "out-etc", "pipe"]), min_size=1, max_size=6))
def test_any_path_leads_where_the_system_says_or_nowhere(shared: Path, names: list[str]) -> None:
    path, root = "/".join(names), ProjectRoot(shared)
    real, found = Path(os.path.realpath(shared / path.lstrip("/"))), root.artefact(path)
    fine = ".." not in names and names[0] != "" and real.is_relative_to(shared)
    written = os.path.exists(f"{shared}/{path}")  # noqa: PTH110 - a Path forgets the slash behind a file's name
    there = fine and (real.is_file() or real.is_dir()) and written
    assert found.there == there
    if found.there and not found.folder:
        assert root.data(path) == real.read_bytes()
    if not real.is_relative_to(shared) and written:
        assert found.reason == "outside_root"


@given(st.text(max_size=40))
def test_any_text_is_a_path_that_is_there_or_has_a_reason(shared: Path, path: str) -> None:
    found = ProjectRoot(shared).artefact(path)
    assert found.there or found.reason in {"outside_root", "not_found", "unreadable"}


def test_digests_tell_answers_apart(project: Path) -> None:
    root = ProjectRoot(project)
    asked = ["src/auth/login.ts", "src/empty.py", "src", "src/nothing.py", "out-file", "pipe", "circle-a"]
    digests = [root.artefact(path).digest() for path in asked]
    assert len(set(digests)) == len(asked)
    assert all(0 < len(digest) <= 60 for digest in digests)


def test_a_large_file_is_hashed_piece_by_piece(project: Path) -> None:
    with (project / "large.bin").open("wb") as large:
        large.truncate(40_000_000)
    root = ProjectRoot(project)
    tracemalloc.start()
    try:
        found = root.artefact("large.bin")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.size, found.lines, found.sha256) == (40_000_000, 1, sha256(bytes(40_000_000)).hexdigest())
    assert most < 5_000_000
