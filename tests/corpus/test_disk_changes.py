"""What changed on the disk, told once it rests."""

from __future__ import annotations

import os
from itertools import chain, repeat
from pathlib import Path

import pytest

from citeproof.corpus.disk_changes import filter_inside_root, list_head_files, read_signatures, watch_changes

A, B, C = (1,), (2,), (3,)


class EnoughError(Exception):
    """The looks of a table are used up."""


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([{"x": A}, {"x": A}, {"x": A}], []),
        ([{"x": A}, {"x": B}, {"x": B}], [{"x"}]),
        ([{"x": A}, {"x": B}, {"x": C}, {"x": C}], [{"x"}]),  # waits until it rests
        ([{"x": A}, {"x": B}, {"x": A}, {"x": A}], []),  # came back
        ([{"x": A}, {"x": B}, {"x": A}, {"x": B}, {"x": B}], [{"x"}]),
        ([{"x": A}, {"x": A, "y": A}, {"x": A, "y": A}], [{"y"}]),
        ([{"x": A, "y": A}, {"x": A}, {"x": A}], [{"y"}]),
        ([{"x": ()}, {"x": A}, {"x": A}], [{"x"}]),
        ([{"x": A, "y": A}, {"x": B, "y": A}, {"x": B, "y": B}, {"x": B, "y": B}], [{"x", "y"}]),
        ([{"x": A}, {"x": B}, {"x": B}, {"x": B}, {"x": C}, {"x": C}], [{"x"}, {"x"}]),
        ([{}, {}, {}], []),
    ],
)
def test_changes_are_told_when_two_looks_agree(looks, expected) -> None:
    coming = chain(looks, repeat(None))
    slept = []

    def look():
        found = next(coming)
        if found is None:
            raise EnoughError
        return found

    told: list[frozenset[str]] = []
    with pytest.raises(EnoughError):
        told.extend(watch_changes(look, 0.5, slept.append))
    assert told == expected
    assert set(slept) <= {0.5}


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, []),
        ({"x": A, "y": A}, []),
        ({"x": B, "y": A}, [{"x"}]),
        ({"x": A}, [{"y"}]),
        ({"x": A, "y": A, "z": A}, [{"z"}]),
    ],
)
def test_what_changed_before_the_first_look_is_told_if_it_is_known_how_it_was(since, expected) -> None:
    looks = iter([{"x": A, "y": A}] * 4)
    told: list[frozenset[str]] = []
    with pytest.raises(RuntimeError):  # the looks are used up
        told.extend(watch_changes(looks.__next__, 0.5, lambda _: None, since))
    assert told == expected


def test_signatures_of_files_that_come_change_and_go(tmp_path: Path) -> None:
    path, folder = tmp_path / "x.md", tmp_path / "folder"
    looks = [read_signatures([path, folder])]
    path.write_text("1")
    folder.mkdir()
    looks.append(read_signatures([path, folder]))
    was = path.stat()
    path.write_text("2")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns + 1))
    looks.append(read_signatures([path, folder]))
    path.unlink()
    looks.append(read_signatures([path, folder]))
    assert looks[0] == {str(path): (), str(folder): ()}
    assert looks[1][str(path)][0] == 1
    assert looks[1][str(path)] != looks[2][str(path)]
    assert looks[1][str(folder)] == looks[2][str(folder)] != ()
    assert looks[3][str(path)] == ()
    assert read_signatures([Path("a\0b")]) == {"a\0b": ()}


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("ref: refs/heads/main\n", [".git/HEAD", ".git/packed-refs", ".git/refs/heads/main"]),
        ("ref: refs/heads/a/b", [".git/HEAD", ".git/packed-refs", ".git/refs/heads/a/b"]),
        ("0123456789abcdef0123456789abcdef01234567\n", [".git/HEAD", ".git/packed-refs"]),
        ("ref: ../../secret", [".git/HEAD", ".git/packed-refs"]),
        ("ref: refs/../../../secret", [".git/HEAD", ".git/packed-refs"]),
        ("ref: /etc/passwd", [".git/HEAD", ".git/packed-refs"]),
        ("ref: a\0b", [".git/HEAD", ".git/packed-refs"]),
        ("", [".git/HEAD", ".git/packed-refs"]),
        (None, [".git/HEAD", ".git/packed-refs"]),
    ],
)
@pytest.mark.parametrize("below", ["", "docs/deep"])
def test_the_files_that_say_which_commit_it_is(tmp_path: Path, head, found, below) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    if head is not None:
        (tmp_path / ".git" / "HEAD").write_text(head)
    assert [path.relative_to(tmp_path).as_posix() for path in list_head_files(tmp_path / below)] == found


def test_a_head_that_hangs_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert len(list(list_head_files(tmp_path))) == 2


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("a.py", True), ("none/b.py", True), ("in.py", True), ("../out.py", False), ("/etc/passwd", False),
        ("out/x.py", False), ("a\0b", False), ("circle", True),
    ],
)  # fmt: skip
def test_only_what_is_inside_of_the_root_is_looked_at(tmp_path: Path, path: str, seen: bool) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "in.py").symlink_to("a.py")
    (root / "out").symlink_to(tmp_path)
    (root / "circle").symlink_to("circle")
    assert bool(list(filter_inside_root(root, [path]))) is seen
