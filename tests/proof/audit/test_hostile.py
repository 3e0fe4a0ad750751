"""Hostile folders: nothing hangs, is followed, fills the memory or is written."""

from __future__ import annotations

import os
import random
import shutil
import tracemalloc
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from citeproof.plumbing.signed_note import sign_note
from citeproof.proof.audit.log_state import LogCheckpoint
from citeproof.proof.audit.verify import log_check
from citeproof.proof.audit.verify.log_check import NoLogError, verify
from tests.proof.audit.making import ORIGIN, Made, by_hand, copied, entry, make_log, told

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("whole"), 600, tail=3)


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("bare"), 600, bare=True)


# --- hostile folders -----------------------------------------------------------------------------------


NAMES = (
    "log.json", "state.json", "checkpoint", "journal-602", "h_0.jsonl", "lock", "tile/entries/001",
    "tile/0/002.p/90", "tile/1/000.p/2", "evidence.sqlite", "private.sqlite", "evidence.sqlite-wal",
    "private.sqlite-shm", "commits/h_0/2026-03-01T09.merkle",
)  # fmt: skip


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _folder(path: Path) -> None:
    path.mkdir()


def _rubbish(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 30)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 36)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [_fifo, _link, _folder, _rubbish, _huge], ids=lambda kind: kind.__name__)
def test_hostile_files(bare, tmp_path, name, kind):
    """Nothing hangs, follows, fills the memory or raises; and but for the lock it is told."""
    made = copied(bare, tmp_path)
    path = made.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    kind(path)
    found = verify(made.folder, [made.key])
    assert found.problems or name in {"lock", "evidence.sqlite-wal", "private.sqlite-shm"}


def test_links_in_the_way_are_not_followed(bare, tmp_path):
    made = copied(bare, tmp_path)
    (made.folder / "tile").rename(tmp_path / "tile")
    (made.folder / "tile").symlink_to(tmp_path / "tile")
    assert "tile/entries/000: events 0 to 255 cannot be read: it is missing" in told(made) or any(
        "cannot be read" in one for one in told(made)
    )


@pytest.mark.parametrize("size", [10**6, 2**62])
def test_a_size_that_nothing_backs(tmp_path, size):
    key = by_hand(tmp_path / "log", [entry(0)])
    (tmp_path / "log/checkpoint").write_bytes(sign_note(LogCheckpoint(ORIGIN, size, b"r" * 32).body(), key))
    assert not verify(tmp_path / "log", [key.verifier]).sound


@pytest.mark.parametrize("content", ["", "x"])
def test_no_log(tmp_path, content):
    if content:
        (tmp_path / "note.txt").write_text(content)
    with pytest.raises(NoLogError):
        verify(tmp_path)
    with pytest.raises(NoLogError):
        verify(tmp_path / "nowhere")


def test_names_that_no_run_has(bare, tmp_path):
    made = copied(bare, tmp_path)
    (made.folder / "-x\x1b[31m.jsonl").touch()
    assert told(made) == ["-x\x1b[31m.jsonl: no run can have this name: it was added"]


@contextmanager
def nobody(place: Path):
    """Be a user who owns nothing here, if we are root; any other user is enough of one."""
    place.chmod(0o755)
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def shared(whole):
    """A copy of a log that everybody may read and nobody may write."""
    with TemporaryDirectory() as place:
        made = copied(whole, Path(place))
        paths = [made.folder, *made.folder.rglob("*")]
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield made
        for path in paths:
            path.chmod(0o755)


def test_without_the_right_to_write(shared):
    with nobody(shared.folder.parent):
        assert not os.access(shared.folder, os.W_OK, effective_ids=True)
        found = verify(shared.folder, [shared.key], deep=True)
    assert (found.problems, found.unchecked, found.counts["rows"]) == ((), (), 603)


@pytest.mark.parametrize(
    "name", ["checkpoint", "log.json", "h_0.jsonl", "tile/0/001", "tile/entries/000", "commits", "."]
)
def test_without_the_right_to_read(shared, name):
    """Nothing is said about a log that we may not read, least of all that it was touched."""
    (shared.folder / name).chmod(0)
    with nobody(shared.folder.parent):
        found = verify(shared.folder, [shared.key])
    assert (found.problems, len(found.unchecked)) == ((), 1)
    assert found.unchecked[0].endswith("permission denied")


@pytest.mark.parametrize("name", ["evidence.sqlite", "private.sqlite"])
def test_without_the_right_to_read_a_store(shared, name):
    (shared.folder / name).chmod(0)
    with nobody(shared.folder.parent):
        found = verify(shared.folder, [shared.key])
    assert (found.problems, found.unchecked) == ((), (f"{name}: permission denied",))


def test_writes_nothing(whole, tmp_path):
    made = copied(whole, tmp_path)
    paths = [made.folder, *made.folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.stat().st_mtime_ns for path in paths}
    try:
        assert verify(made.folder, [made.key], deep=True).sound
        assert {path: path.stat().st_mtime_ns for path in [made.folder, *made.folder.rglob("*")]} == before
    finally:
        for path in paths:
            path.chmod(0o755)


@pytest.mark.soak
def test_many_damages_at_once(whole, tmp_path, soak_share):
    """Whatever is done to whichever files, it is told in bounded words and nothing is raised."""
    chance = random.Random(4)
    for number in range(round(1000 * soak_share)):
        made = copied(whole, tmp_path / str(number))
        paths = sorted(path for path in made.folder.rglob("*") if path.is_file() and path.name != "lock")
        for path in chance.sample(paths, chance.randrange(1, 6)):
            _damage(path, chance)
        found = verify(made.folder, [made.key], deep=chance.random() < 0.3)
        assert len(found.problems) < 1000
        shutil.rmtree(made.folder)


def _damage(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data) + 1)
    match chance.randrange(6):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(chance.randbytes(chance.randrange(5000)))
        case 2:
            path.write_bytes(data[:at])
        case 3:
            data[at : at + 20] = chance.randbytes(20)
            path.write_bytes(data)
        case 4:
            path.write_bytes(data[:at] + data)
        case _:
            path.write_bytes(data[at:] + data[:at])


# --- how much is held ----------------------------------------------------------------------------------


@contextmanager
def _held_at_most(size: int):
    """Raise if Python objects take more than `size` bytes meanwhile."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


def _sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.truncate(size)


@pytest.mark.parametrize(
    ("names", "size", "what"),
    [
        (
            [f"journal-{1000 + n}" for n in range(6)],
            1 << 28,
            "it is not a journal of this log: it was added",
        ),
        (["journal-22"], 1 << 30, "line 1 does not parse or continue: it was changed"),
        ([f"commits/h_0/{n}.merkle" for n in range(800)], 60_000, ""),
        (
            [f"commits/h_0/{n}.merkle" for n in range(3)],
            1 << 28,
            "it has more than 65,536 bytes, the limit",
        ),
    ],
)
def test_large_files_are_not_held(tmp_path, names, size, what):
    made = make_log(tmp_path, 20, runs=1, bare=True)
    for name in names:
        _sparse(made.folder / name, size)
    with _held_at_most(40_000_000):  # a bundle may have 16 MB
        problems = verify(made.folder, [made.key]).problems
    found = [one for one in problems if what in one.what]
    assert {one.place for one in found} >= {*names} or len(found) >= 50


def test_a_journal_that_no_writer_would_leave(tmp_path, monkeypatch):
    made = make_log(tmp_path, 20, runs=1, tail=9, bare=True)
    monkeypatch.setattr(log_check, "HELD", 1000)
    found = verify(made.folder, [made.key])
    assert found.problems == ()
    [what] = found.unchecked
    assert what.startswith("journal-22: events from 2")
