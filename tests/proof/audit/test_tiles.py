"""The tree as files: paths as published, one file a state, every old size readable, crashes harmless."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.errors import AuditError
from citeproof.proof.audit import merkle
from citeproof.proof.audit.tiles import (
    Tiles,
    extend_tree,
    make_tile_path,
    pack_bundle,
    remove_partial_tiles,
    unpack_bundle,
)

pytestmark = pytest.mark.slow

PATHS = [
    ((0, 0), "tile/0/000"),
    ((0, 273, 112), "tile/0/273.p/112"),
    ((1, 1, 17), "tile/1/001.p/17"),
    ((63, 999, 255), "tile/63/999.p/255"),
    ((2, 1000), "tile/2/x001/000"),
    ((0, 1234067), "tile/0/x001/x234/067"),
    ((None, 1234067, 8), "tile/entries/x001/x234/067.p/8"),
    ((None, 10**9), "tile/entries/x001/x000/x000/000"),
]


def entry(number: int) -> bytes:
    return b'{"seq":%d}' % number * (number % 4)


ENTRIES = [entry(number) for number in range(70_000)]
LEAVES = [merkle.hash_leaf(entry) for entry in ENTRIES]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def grown(folder: Path, *sizes: int) -> Path:
    size = 0
    for new in sizes:
        assert extend_tree(folder, size, ENTRIES[size:new]) == merkle.compute_root(LEAVES[:new])
        size = new
    return folder


@pytest.mark.parametrize(("of", "place"), PATHS)
def test_paths(of, place):
    assert make_tile_path(*of) == place


@pytest.mark.parametrize("of", [(0, -1), (0, 0, 0), (0, 0, 257), (64, 0), (-1, 0), (None, 0, -3)])
def test_no_paths(of):
    with pytest.raises(ValueError):
        make_tile_path(*of)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_bundles_read_back(found):
    data = pack_bundle(found)
    assert unpack_bundle(data) == found
    for cut in range(1, min(len(data), 8)):
        try:
            assert pack_bundle(unpack_bundle(data[:-cut])) == data[:-cut]
        except ValueError:
            continue


def test_the_longest_entry(tmp_path):
    assert unpack_bundle(pack_bundle([b"x" * 65_535, b""])) == [b"x" * 65_535, b""]
    for act in (
        lambda: pack_bundle([b"x" * 65_536]),
        lambda: extend_tree(tmp_path, 0, [b"a", b"x" * 65_536]),
    ):
        with pytest.raises(ValueError, match="65535"):
            act()
    assert not files(tmp_path)


@given(st.binary(max_size=40))
def test_rubbish_is_no_bundle(data):
    try:
        assert pack_bundle(unpack_bundle(data)) == data
    except ValueError:
        assert data


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    return grown(tmp_path_factory.mktemp("large"), 70_000)


def test_the_published_example(large):
    """Seventy thousand entries: 273 full tiles and 112 hashes, one and 17, and one on top."""
    found = files(large)
    assert {place: len(data) // 32 for place, data in found.items() if "entries" not in place} == {
        **{f"tile/0/{number:03d}": 256 for number in range(273)},
        "tile/0/273.p/112": 112,
        "tile/1/000": 256,
        "tile/1/001.p/17": 17,
        "tile/2/000.p/1": 1,
    }
    assert sorted(place for place in found if "entries" in place) == [
        *(f"tile/entries/{number:03d}" for number in range(273)),
        "tile/entries/273.p/112",
    ]


def test_all_is_read(large):
    tiles = Tiles(large)
    hashes = tiles.hashes(70_000)
    assert [found for one in tiles.bundles(70_000) for found in one] == ENTRIES
    assert [len(one) for one in tiles.bundles(1000, 300)] == [212, 256, 232]
    assert [found for one in tiles.bundles(1000, 300) for found in one] == ENTRIES[300:1000]
    for index in (0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999):
        assert tiles.entry(index, 70_000) == ENTRIES[index]
        assert tiles.leaf(index, 70_000) == LEAVES[index]
        proof = merkle.prove_inclusion(index, 70_000, hashes)
        assert merkle.check_inclusion(index, 70_000, LEAVES[index], proof, merkle.compute_root(LEAVES))


@settings(max_examples=15)
@given(st.lists(st.integers(0, 1500), min_size=1, max_size=6).map(sorted), st.booleans(), st.data())
def test_grown_in_any_steps(tmp_path_factory, sizes, tidied, data):
    """The same files as grown at once, and every older size readable, tidied or not."""
    folder = grown(tmp_path_factory.mktemp("steps"), *sizes)
    whole = files(grown(tmp_path_factory.mktemp("once"), sizes[-1]))
    assert whole.items() <= files(folder).items()
    if tidied:
        for old, new in zip([0, *sizes], sizes, strict=False):
            remove_partial_tiles(folder, old, new)
        assert files(folder) == whole
    tiles = Tiles(folder)
    size = data.draw(st.integers(1, sizes[-1])) if sizes[-1] else 0
    assert merkle.compute_root_at(size, tiles.hashes(size)) == merkle.compute_root(LEAVES[:size])
    assert [found for one in tiles.bundles(size) for found in one] == ENTRIES[:size]


def test_nothing_new(tmp_path):
    assert extend_tree(tmp_path, 0, []) == merkle.EMPTY
    assert not files(tmp_path)
    before = files(grown(tmp_path, 300))
    assert extend_tree(tmp_path, 300, []) == merkle.compute_root(LEAVES[:300])
    assert files(tmp_path) == before


def test_only_the_right_edge_is_read(tmp_path):
    """Everything else may be gone: a log of any size grows at the same cost."""
    grown(tmp_path, 700)
    for place in files(tmp_path):
        if ".p/" not in place:
            (tmp_path / place).unlink()
    assert extend_tree(tmp_path, 700, ENTRIES[700:1500]) == merkle.compute_root(LEAVES[:1500])


def test_again_is_the_same(tmp_path):
    before = files(grown(tmp_path, 200, 700))
    stamps = {place: (tmp_path / place).stat().st_mtime_ns for place in before}
    assert extend_tree(tmp_path, 200, ENTRIES[200:700]) == merkle.compute_root(LEAVES[:700])
    assert files(tmp_path) == before
    assert {place: (tmp_path / place).stat().st_mtime_ns for place in before} == stamps


@pytest.mark.parametrize(
    "spoil", [lambda f: f.write_bytes(b"x"), lambda f: f.write_bytes(b""), lambda f: f.mkdir()]
)
@pytest.mark.parametrize("place", ["tile/0/001", "tile/entries/002.p/88", "tile/1/000.p/2"])
def test_never_over_other_bytes(tmp_path, place, spoil):
    grown(tmp_path, 200)
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    spoil(tmp_path / place)
    before = files(tmp_path)
    with pytest.raises(AuditError, match="other content"):
        extend_tree(tmp_path, 200, ENTRIES[200:600])
    assert before.items() <= files(tmp_path).items()


@pytest.mark.parametrize("place", ["tile/0/000.p/200", "tile/entries/000.p/200"])
def test_a_touched_edge_does_not_grow(tmp_path, place):
    data = bytearray((grown(tmp_path, 200) / place).read_bytes())
    data[-1] ^= 1
    (tmp_path / place).write_bytes(data)
    with pytest.raises(AuditError, match="do not match the tree"):
        extend_tree(tmp_path, 200, ENTRIES[200:210])


def spoiled(place: str, how: str, folder: Path, outside: Path) -> None:
    file = folder / place
    data = file.read_bytes()
    file.unlink()
    match how:
        case "cut off":
            file.write_bytes(data[:-1])
        case "longer":
            file.write_bytes(data + data[:32])
        case "empty":
            file.write_bytes(b"")
        case "huge":
            with file.open("wb") as made:
                made.truncate(2**40)
        case "pipe":
            os.mkfifo(file)
        case "link":
            (outside / "elsewhere").write_bytes(data)
            file.symlink_to(outside / "elsewhere")
        case "folder":
            file.mkdir()
        case "linked folder":
            (outside / file.name).write_bytes(data)
            file.parent.rename(file.parent.with_name("moved"))
            file.parent.symlink_to(outside)


@pytest.mark.parametrize(
    "how", ["gone", "cut off", "longer", "empty", "huge", "pipe", "link", "folder", "linked folder"]
)
@pytest.mark.parametrize(
    "place", ["tile/0/000", "tile/entries/000", "tile/0/001.p/44", "tile/entries/001.p/44"]
)
def test_damage_is_named(tmp_path, place, how):
    folder, outside = tmp_path / "log", tmp_path / "outside"
    outside.mkdir()
    folder.mkdir()
    grown(folder, 300)
    spoiled(place, how, folder, outside)
    read = Tiles(folder).entry if "entries" in place else Tiles(folder).leaf
    with pytest.raises(AuditError) as error:
        [read(index, 300) for index in (0, 299)]
    assert place.startswith(error.value.place)
    assert error.value.hint
    if ".p/" in place:
        with pytest.raises(AuditError):
            extend_tree(folder, 300, ENTRIES[300:310])


@pytest.mark.parametrize(
    ("level", "index"), [(0, 300), (0, -1), (8, 1), (9, 0), (-1, 0), (10**9, 0), (64, 0)]
)
def test_subtrees_that_are_not_complete(tmp_path, level, index):
    with pytest.raises(ValueError):
        Tiles(grown(tmp_path, 300)).hashes(300)(level, index)


@pytest.mark.parametrize("index", [-1, 300])
def test_entries_that_are_not_there(tmp_path, index):
    with pytest.raises(ValueError):
        Tiles(grown(tmp_path, 300)).entry(index, 300)


def test_a_size_nobody_has(tmp_path):
    tiles = Tiles(grown(tmp_path, 300))
    for ask in (
        lambda: list(tiles.bundles(2**63 - 1)),
        lambda: merkle.compute_root_at(2**62 + 1, tiles.hashes(2**63 - 1)),
    ):
        with pytest.raises(AuditError):
            ask()


def test_tidy_removes_tiles_only(tmp_path):
    grown(tmp_path, 10, 20)
    (tmp_path / "tile/0/000.p/README").write_text("mine")
    (tmp_path / "tile/0/000.p/15.tmp").write_text("left by a crash")
    remove_partial_tiles(tmp_path, 10, 20)
    assert sorted(files(tmp_path)) == ["tile/0/000.p/20", "tile/0/000.p/README", "tile/entries/000.p/20"]


def test_tidy_keeps_what_has_no_heir(tmp_path):
    grown(tmp_path, 10)
    before = files(tmp_path)
    for new in (20, 300):
        remove_partial_tiles(tmp_path, 10, new)
        assert files(tmp_path) == before


def test_tidy_leaves_no_empty_folder(tmp_path):
    grown(tmp_path, 10, 256)
    remove_partial_tiles(tmp_path, 10, 256)
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.p")) == ["tile/1/000.p"]


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "tile").write_text("in the way")
    with pytest.raises(AuditError, match="cannot be written"):
        extend_tree(tmp_path, 0, ENTRIES[:3])


# Grows a tree in a child whose N-th open, write, sync, rename or mkdir fails or is its last, for every N.
DISTURBED = """
import errno, os, shutil, sys
from pathlib import Path
from citeproof.proof.audit import merkle
from citeproof.proof.audit.tiles import Tiles, extend_tree
from citeproof.errors import AuditError

base, how = Path(sys.argv[1]), sys.argv[2]
entries = [b"entry %d" % n for n in range(800)]
leaves = [merkle.hash_leaf(entry) for entry in entries]
OLD = 300

def files(folder):
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}

def disturb(last):
    def wrapped(real):
        def call(*args, **kwargs):
            nonlocal last
            last -= 1
            if last == 0:
                if how == "killed":
                    os._exit(9)
                raise OSError(errno.ENOSPC, "No space left on device")
            if last == 1 and how == "killed" and real is write:
                return real(args[0], args[1][:len(args[1]) // 2])  # half a write before the end
            return real(*args, **kwargs)
        return call
    def fired():
        return last <= 0
    write = os.write
    for name in ("open", "write", "fsync", "rename", "mkdir"):
        setattr(os, name, wrapped(getattr(os, name)))
    return fired

whole, old = base / "whole", base / "old"
for folder in (whole, old):
    folder.mkdir()
    extend_tree(folder, 0, entries[:OLD])
extend_tree(whole, OLD, entries[OLD:])
wanted = files(whole)
for number in range(1, 10_000):
    folder = base / str(number)
    shutil.copytree(old, folder)
    child = os.fork()
    if not child:
        fired = disturb(number)
        try:
            extend_tree(folder, OLD, entries[OLD:])
        except AuditError:
            os._exit(1)
        os._exit(2 if fired() else 0)  # 2: that call may fail, as mkdir of what is there
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = files(folder)
    kept = {place: data for place, data in found.items() if not place.endswith(".tmp")}
    assert kept.items() <= wanted.items(), number
    assert how == "killed" or kept == found, number
    assert merkle.compute_root_at(OLD, Tiles(folder).hashes(OLD)) == merkle.compute_root(leaves[:OLD]), number
    assert extend_tree(folder, OLD, entries[OLD:]) == merkle.compute_root(leaves), number
    assert files(folder) == wanted, number
    shutil.rmtree(folder)
    if code == 0:
        print(number)
        break
    assert code in {"killed": [9], "full": [1, 2]}[how], code
"""


@pytest.mark.parametrize("how", ["killed", "full"])
def test_disturbed_at_every_step(tmp_path, how):
    done = subprocess.run(
        [sys.executable, "-c", DISTURBED, str(tmp_path), how], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30
