"""Checkpoints in a folder: each written once, whole, and never again."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeproof.proof.audit.anchors import folder as folders
from citeproof.proof.audit.anchors.base import HeldStatus, make
from tests.proof.audit.anchors.making import HOUR, Tree, around

pytestmark = pytest.mark.slow

TREE = Tree(5)


def test_written_once_with_a_number_for_each_further_commit(tmp_path):
    anchor = make("folder:commits", around(tmp_path))
    places = [anchor.put("run", HOUR, TREE.checkpoint(size)).place for size in (1, 2, 1, 3, 2)]
    first, second, third = (f"commits/run/{HOUR}{more}.merkle" for more in ("", "-2", "-3"))
    assert places == [first, second, first, third, second]
    assert anchor.put("other", HOUR, TREE.checkpoint(1)).place == f"commits/other/{HOUR}.merkle"
    assert {held.place: held.checkpoint for held in anchor.list_held("run")} == {
        place: TREE.checkpoint(size) for size, place in enumerate((first, second, third), 1)
    }
    assert len(list(anchor.list_held())) == 4
    assert stat.S_IMODE((tmp_path / first).stat().st_mode) == 0o444
    assert stat.S_IMODE((tmp_path / "commits").stat().st_mode) == 0o700


def test_a_folder_elsewhere_must_be_there(tmp_path):
    """A share that is not mounted is not made on the local disk."""
    log, share = tmp_path / "log", tmp_path / "share"
    anchor = make(f"folder:{share}", around(log))
    outcome = anchor.put("run", HOUR, b"x")
    assert (outcome.ok, outcome.detail) == (False, "not written: …/share is not there; is it mounted?")
    assert not share.exists()
    assert [held.standing for held in anchor.list_held()] == [HeldStatus.UNREAD]
    share.mkdir()
    assert anchor.put("run", HOUR, b"x").place == f"…/share/run/{HOUR}.merkle"
    assert (share / f"run/{HOUR}.merkle").read_bytes() == b"x"


@pytest.mark.parametrize("suffix", [".merkle", ".tsr"])
def test_the_log_names_no_home(suffix, tmp_path):
    """What is told goes into the log: a whole path would name whoever owns it."""
    (tmp_path / "home-of-somebody" / "safe").mkdir(parents=True)
    anchor = folders.make_anchor(f"{tmp_path}/home-of-somebody/safe", around(tmp_path / "log"), suffix)
    put = anchor.put("run", HOUR, b"x")
    assert (put.ok, put.place, put.detail) == (True, f"…/safe/run/{HOUR}{suffix}", "")


def test_the_thousandth_commit_of_an_hour_costs_what_the_second_does(tmp_path, monkeypatch):
    anchor = make("folder:commits", around(tmp_path))
    run = tmp_path / "commits" / "run"
    run.mkdir(parents=True)
    for number in range(1, 2001):
        (run / (f"{HOUR}{f'-{number}' if number > 1 else ''}.merkle")).write_bytes(b"%d" % number)
    costs, sync, read = [0, 0], os.fsync, folders.FolderAnchor.read
    monkeypatch.setattr(os, "fsync", lambda handle: (costs.__setitem__(0, costs[0] + 1), sync(handle))[1])
    monkeypatch.setattr(
        folders.FolderAnchor, "read", lambda *given: (costs.__setitem__(1, costs[1] + 1), read(*given))[1]
    )
    assert anchor.put("run", HOUR, b"2000").place == f"commits/run/{HOUR}-2000.merkle"  # tried again
    assert anchor.put("run", HOUR, b"new").place == f"commits/run/{HOUR}-2001.merkle"
    assert costs[0] <= 2
    assert costs[1] <= 10


def test_nothing_held_is_nothing_wrong(tmp_path):
    assert not list(make("folder:commits", around(tmp_path)).list_held())


def test_what_is_no_plain_file_is_told_and_not_followed(tmp_path):
    anchor = make("folder:commits", around(tmp_path))
    anchor.put("run", HOUR, b"x")
    run = tmp_path / "commits" / "run"
    (tmp_path / "secret").write_bytes(b"secret")
    (run / "a.merkle").symlink_to(tmp_path / "secret")
    os.mkfifo(run / "b.merkle")
    (run / "c.merkle").mkdir()
    (run / "d.merkle").write_bytes(b"0" * 1_000_001)
    (run / "e.other").write_bytes(b"")
    (tmp_path / "commits" / "link").symlink_to(run)
    held = {one.place.rpartition("/")[2]: one for one in anchor.list_held()}
    assert held.pop(f"{HOUR}.merkle").checkpoint == b"x"
    assert sorted(held) == ["a.merkle", "b.merkle", "c.merkle", "d.merkle"]
    assert {(one.standing, one.checkpoint) for one in held.values()} == {(HeldStatus.UNREAD, b"")}


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_a_name_taken_by_something_else_is_left_alone(kind, tmp_path):
    anchor = make("folder:commits", around(tmp_path))
    run = tmp_path / "commits" / "run"
    run.mkdir(parents=True)
    target = run / f"{HOUR}.merkle"
    {
        "link": lambda: target.symlink_to(tmp_path / "out"),
        "fifo": lambda: os.mkfifo(target),
        "folder": target.mkdir,
    }[kind]()
    assert not anchor.put("run", HOUR, b"x").ok
    assert not (tmp_path / "out").exists()
    assert sorted(path.name for path in run.iterdir()) == [target.name]


def test_a_run_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "commits").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "commits" / "run").symlink_to(tmp_path / "out")
    outcome = make("folder:commits", around(tmp_path)).put("run", HOUR, b"x")
    assert (outcome.ok, outcome.detail) == (False, "not written: the folder of the run is a link")
    assert not list((tmp_path / "out").iterdir())


def test_no_permission_is_a_value(tmp_path, as_nobody):
    (tmp_path / "commits").mkdir()
    with as_nobody():
        outcome = make("folder:commits", around(tmp_path)).put("run", HOUR, b"x")
    assert not outcome.ok
    assert outcome.detail == "not written: Permission denied"


@pytest.mark.parametrize("unable", [("nameless",), ("nameless", "links"), ("links",)])
def test_file_systems_that_know_less(unable, tmp_path, monkeypatch):
    """Network shares have no O_TMPFILE, others no links: the file is still made once, whole, read-only."""
    real = os.open

    def opening(path, flags, *more, **named):
        if "nameless" in unable and flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return real(path, flags, *more, **named)

    def linking(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "open", opening)
    if "links" in unable:
        monkeypatch.setattr(os, "link", linking)
    anchor = make("folder:commits", around(tmp_path))
    places = [anchor.put("run", HOUR, data).place for data in (b"x", b"y", b"x")]
    assert places == [f"commits/run/{HOUR}{more}.merkle" for more in ("", "-2", "")]
    assert stat.S_IMODE((tmp_path / places[0]).stat().st_mode) == 0o444
    assert len(list((tmp_path / "commits" / "run").iterdir())) == 2  # no other name is left


def test_many_at_once_never_overwrite(tmp_path):
    """Forty commits in one hour from eight threads: each has its file, none is lost."""
    anchor = make("folder:commits", around(tmp_path))
    notes = [b"note %d" % (number // 2) for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda note: anchor.put("run", HOUR, note), notes))
    assert all((tmp_path / one.place).read_bytes() == note for one, note in zip(outcomes, notes, strict=True))
    assert set(notes) == {held.checkpoint for held in anchor.list_held()}


def test_an_append_only_folder_is_enough(tmp_path):
    """`chattr +a`: names can be added, none changed or removed; nothing else is needed here."""
    share = tmp_path / "share"
    share.mkdir()
    if (
        not shutil.which("chattr")
        or subprocess.run(["chattr", "+a", share], capture_output=True, check=False).returncode
    ):
        pytest.skip("chattr +a is not possible here (needs root and a file system that knows it)")
    try:
        anchor = make(f"folder:{share}", around(tmp_path / "log"))
        assert anchor.put("run", HOUR, b"x").ok
        subprocess.run(["chattr", "+a", share / "run"], check=True)
        outcome = anchor.put("run", HOUR, b"y")
        assert outcome.ok, outcome.detail
        with pytest.raises(PermissionError):
            (share / "run" / f"{HOUR}.merkle").unlink()
        assert [held.checkpoint for held in anchor.list_held()] == [b"y", b"x"]
        assert len(list((share / "run").iterdir())) == 2  # no temporary file is left
    finally:
        subprocess.run(["chattr", "-R", "-a", share], check=True)


PUTTING = """
import sys
from pathlib import Path
from tests.proof.audit.anchors.making import HOUR, around
from citeproof.proof.audit.anchors.base import make
anchor = make("folder:commits", around(Path(sys.argv[1])))
for number in range(10_000):
    outcome = anchor.put(f"run{number // 50}", HOUR, b"%d" % number + b"." * 100_000)
    print(number, outcome.place, flush=True)
"""


@pytest.mark.soak
def test_killed_at_any_moment_every_file_is_whole(tmp_path, soak_share):
    for number in range(max(2, round(60 * soak_share))):
        home = tmp_path / str(number)
        with subprocess.Popen(
            [sys.executable, "-c", PUTTING, home], stdout=subprocess.PIPE, text=True
        ) as process:
            process.stdout.readline()
            time.sleep(0.01 * (number % 20))
            process.send_signal(signal.SIGKILL)
            told = [line.split() for line in process.stdout.read().splitlines()]
        anchor = make("folder:commits", around(home))
        held = {one.place: one for one in anchor.list_held()}
        assert all(one.standing is HeldStatus.HELD and len(one.checkpoint) > 100_000 for one in held.values())
        whole = [words for words in told if len(words) == 2 and words[1].endswith(".merkle")]
        assert all(held[place].checkpoint.startswith(n.encode() + b".") for n, place in whole)
