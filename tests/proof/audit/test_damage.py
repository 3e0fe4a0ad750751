"""Logs that a crash or somebody left damaged: mended where nothing can be lost, else told and left alone."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from citeproof.errors import AuditError
from tests.proof.audit.logs import again, assert_sound, events, made


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def filled(folder: Path) -> Path:
    log = made(folder)
    log.append("a", events(300))
    log.append("b", events(5))
    log.commit("a", [])
    log.append("a", events(4))
    log.append("b", events(3))
    log.close()
    return folder / "log"


def add(data: bytes):
    return lambda path: path.write_bytes(path.read_bytes() + data)


NEXT = b'{"ev":"x","run":"a","seq":313,"ts":"2026-11-15T13:00:00.000Z","v":1}\n'


@pytest.mark.parametrize(
    ("torn", "cut"),
    [
        (b'{"ev":"ver', 10),
        (NEXT[:-1], len(NEXT) - 1),
        (b"\0" * 5000, 5000),
        (b"not json\n", 9),
        (NEXT.replace(b"313", b"314"), len(NEXT)),  # does not continue
        (NEXT.replace(b"2026", b"2025"), len(NEXT)),
        (NEXT.replace(b'"a"', b'"../../a"'), len(NEXT) + 6),
        (NEXT + NEXT[:20].replace(b"313", b"314"), 20),
        (b"\xff\xfe\n", 3),
    ],
)
def test_a_torn_last_line_is_cut_off_and_kept(tmp_path, torn, cut):
    folder = filled(tmp_path)
    journal = folder / "journal-306"
    journal.write_bytes(journal.read_bytes() + torn)
    log = again(tmp_path)
    log.append("b", events(1))
    entries = assert_sound(folder)
    whole = torn.count(NEXT)
    assert [entry["ev"] for entry in entries[313:]] == ["x"] * whole + ["recovered", "verified"]
    assert entries[-2]["bytes"] == cut
    assert (folder / entries[-2]["kept"]).read_bytes() == torn[-cut:]
    log.integrate()
    assert len(assert_sound(folder)) == 315 + whole


def test_a_torn_line_of_another_process_is_cut_off_by_who_comes_next(tmp_path):
    folder = filled(tmp_path)
    one = again(tmp_path)
    one.append("a", events(1))
    with (folder / "journal-306").open("ab") as file:
        file.write(b'{"ev":"ve')
    one.append("a", events(1))
    assert [entry["ev"] for entry in assert_sound(folder)[313:]] == ["verified", "recovered", "verified"]


def drop(*parts):
    return lambda folder: [Path(folder, part).unlink() for part in parts]


def edit(part, change):
    return lambda folder: Path(folder, part).write_bytes(change(Path(folder, part).read_bytes()))


def flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def said(**other: object):
    """Make state.json say something else."""
    return edit("state.json", lambda d: json.dumps({**json.loads(d), **other}).encode())


def committed(**other: object):
    return edit(
        "state.json",
        lambda d: json.dumps({**json.loads(d), "commit": {**json.loads(d)["commit"], **other}}).encode(),
    )


DAMAGE = {
    "a time to come": (said(ts="2099-01-01T00:00:00.000Z"), "was changed: the last entry is of 2026"),
    "a time long past": (said(ts="2020-01-01T00:00:00.000Z"), "was changed: the last entry is of 2026"),
    "no commit": (said(commit=None), "is not the one that it names"),
    "a commit of another root": (committed(root="00" * 32), "is not the one that it names"),
    "a commit of another size": (committed(size=7, seq=-1), "is not the one that it names"),
    "a commit that is no entry": (committed(size=7, seq=10**9), "is not the one that it names"),
    "a bad line in the middle": (
        edit("journal-306", lambda d: d.replace(b'"n":2', b'"n:2', 1)),
        "is damaged or out",
    ),
    "a line missing in the middle": (
        edit("journal-306", lambda d: d.partition(b"\n")[2]),
        "is damaged or out",
    ),
    "garbage before a torn line": (edit("journal-306", lambda d: d + b"x\n{"), "is damaged or out"),
    "no journal": (drop("journal-306"), "the journal is missing"),
    "no state": (drop("state.json"), "is missing"),
    "half a state": (edit("state.json", lambda d: d[:20]), "is damaged"),
    "a state of another tree": (
        edit("state.json", lambda d: d.replace(b'"root":"', b'"root":"00')),
        "do not lead to",
    ),
    "a state that is behind": (
        edit("state.json", lambda d: json.dumps({**json.loads(d), "size": 305, "journal": 305}).encode()),
        "do not lead to",
    ),
    "no tile on the right edge": (drop("tile/0/001.p/50"), "missing"),
    "a changed tile": (edit("tile/0/001.p/50", flip), "do not lead to"),
    "a tile above": (edit("tile/1/000.p/1", flip), "do not lead to"),
    "no bundle": (drop("tile/entries/001.p/50"), "missing"),
    "a changed bundle": (edit("tile/entries/001.p/50", flip), "do not lead to"),
    "a changed checkpoint": (
        edit("checkpoint", lambda d: d.replace(b"306", b"305")),
        "its checkpoint is damaged",
    ),
    "a checkpoint that is none": (edit("checkpoint", lambda d: b"hello"), "its checkpoint is damaged"),
    "no log.json": (drop("log.json"), "this folder has no audit log"),
    "half a log.json": (edit("log.json", lambda d: d[:30]), "is damaged"),
    "a key that is none": (edit("log.json", lambda d: d.replace(b'"key":"', b'"key":"x+')), "is damaged"),
    "another format": (edit("log.json", lambda d: d.replace(b"audit-1", b"audit-9")), "cannot write"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_told_and_nothing_is_written(tmp_path, name):
    harm, told = DAMAGE[name]
    folder = filled(tmp_path)
    harm(folder)
    before = contents(folder)
    with pytest.raises(AuditError, match=told) as caught:
        again(tmp_path)
    assert caught.value.place
    assert caught.value.hint
    assert contents(folder) == before


@pytest.mark.parametrize("seq", [-1, 2])
def test_an_earlier_commit_is_not_taken_for_the_last(tmp_path, seq):
    """Also where a tile of entries between the two was changed, so that the later one is hidden."""
    log = made(tmp_path)
    log.append("a", events(2))
    first = log.commit("a")
    log.append("a", events(300))
    assert (first.size, log.commit("a").size) == (2, 303)
    folder = log.folder
    edit("state.json", lambda d: d.replace(b'"seq":303,', b""))(folder)
    again(tmp_path).append("a", events(1))  # as an earlier version wrote it
    committed(root=first.root.hex(), size=first.size, seq=seq)(folder)
    with pytest.raises(AuditError, match="is not the one that it names"):
        again(tmp_path)
    edit("tile/entries/000", lambda d: d.replace(b'"n":200', b'"n":201'))(folder)
    with pytest.raises(AuditError, match="the entries from 0 on are not those of the tree"):
        again(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_damage_under_an_open_log_is_told_before_it_is_signed(tmp_path):
    folder = filled(tmp_path)
    log = again(tmp_path)
    log.append("a", events(1))
    edit("tile/0/001.p/50", flip)(folder)
    with pytest.raises(AuditError, match="do not lead to"):
        log.integrate()


def test_a_log_without_its_head_is_not_founded_again(tmp_path):
    folder = filled(tmp_path)
    (folder / "log.json").unlink()
    with pytest.raises(AuditError, match=r"of a log that lost its log\.json"):
        made(tmp_path)


def test_a_damaged_note_of_what_was_signed(tmp_path):
    filled(tmp_path)
    (signed,) = (tmp_path / "keys").glob("*.signed")
    signed.write_bytes(flip(signed.read_bytes()))
    with pytest.raises(AuditError, match="the last checkpoint that its key signed is damaged") as told:
        again(tmp_path)
    assert told.value.place == str(signed)
    signed.unlink()  # the mend
    again(tmp_path).integrate()
    assert signed.read_bytes() == (tmp_path / "log/checkpoint").read_bytes()


@pytest.mark.parametrize("lost", ["checkpoint", "b.jsonl"])
def test_what_can_be_made_again_is(tmp_path, lost):
    folder = made(tmp_path).folder
    log = again(tmp_path)
    log.append("a", events(3))
    log.integrate()
    log.append("b", events(5))
    (folder / lost).unlink()
    again(tmp_path).integrate()
    assert (folder / "checkpoint").exists()
    assert len(assert_sound(folder)) == 8


def test_an_older_backup_is_refused(tmp_path):
    folder = filled(tmp_path)
    shutil.copytree(folder, tmp_path / "backup")
    log = again(tmp_path)
    log.append("a", events(5))
    log.integrate()
    log.close()
    shutil.rmtree(folder)
    shutil.move(tmp_path / "backup", folder)
    with pytest.raises(
        AuditError, match=r"rolled back: the last checkpoint .* has 318 entries, this folder only 306"
    ) as told:
        again(tmp_path)
    assert "put the newer files back" in told.value.hint


def test_a_backup_that_went_another_way_is_refused(tmp_path):
    """The key has signed one tree; a copy of the log that grew elsewhere with the key is another."""
    folder = filled(tmp_path)
    for copy in ("log", "keys"):
        shutil.copytree(tmp_path / copy, tmp_path / "twin" / copy)
    again(tmp_path).append("a", events(5))
    again(tmp_path).integrate()
    twin = again(tmp_path / "twin")
    twin.append("a", events(50, 1000))
    twin.integrate()
    shutil.rmtree(folder)
    shutil.move(tmp_path / "twin/log", folder)
    with pytest.raises(AuditError, match="does not continue the last checkpoint that its key signed"):
        again(tmp_path)


def test_a_folder_that_may_not_be_written(tmp_path, as_nobody):
    folder = filled(tmp_path)
    for path in (tmp_path, tmp_path / "keys", *tmp_path.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with as_nobody(), pytest.raises(AuditError, match="cannot be written: Permission denied") as told:
        again(tmp_path)
    assert "write permission" in told.value.hint
    assert folder.exists()


def test_there_is_no_log(tmp_path):
    with pytest.raises(AuditError, match="this folder has no audit log"):
        again(tmp_path)
    (tmp_path / "log").mkdir()
    with pytest.raises(AuditError, match="this folder has no audit log"):
        again(tmp_path)
    assert names(tmp_path / "log") == []


def test_a_log_is_made_once(tmp_path):
    made(tmp_path)
    assert made(tmp_path, origin="example.org/other").key.name == "example.org/log"


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "log").write_text("x")
    with pytest.raises(AuditError, match="is a file, not a folder") as told:
        made(tmp_path)
    assert (told.value.place, told.value.hint) == (str(tmp_path / "log"), "name a folder")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.jsonl", b""),
        ("notes.jsonl", b'{"ev":"verified"}\n'),
        ("tile", None),
        ("commits", None),
        ("checkpoint", b"epoch 7"),
        ("state.json", b'{"open":[]}'),
        ("state.json", b'{"size":3,"root":"","ts":""}'),
        ("journal-0", b"dear diary"),
        ("journal-2", b""),
        ("cache.sqlite", b""),
        ("evidence.sqlite", b""),
        ("log.json", b"{}"),
        ("log.json", b"not JSON"),
        ("log.json", b'{"created":"","format":"other-1","key":"","origin":""}'),
    ],
)
def test_a_folder_of_something_else_is_left_as_it_is(tmp_path, name, content):
    place = tmp_path / "log" / name
    (tmp_path / "log").mkdir()
    place.mkdir() if content is None else place.write_bytes(content)
    for _ in range(2):
        with pytest.raises(AuditError) as told:
            made(tmp_path)
        assert "name an empty or new folder" in told.value.hint
        assert name in str(told.value)
    assert names(tmp_path / "log") == [name]
    assert content is None or place.read_bytes() == content
    assert not (tmp_path / "keys").exists()


def test_a_folder_with_other_things_is_taken(tmp_path):
    (tmp_path / "log/src").mkdir(parents=True)
    for name in ("README.md", ".gitignore", "refs.bib", "log.txt", "journal.md", "lock"):
        (tmp_path / "log" / name).touch()
    made(tmp_path).append("a", events(1))
    assert_sound(tmp_path / "log")


@pytest.mark.parametrize("made_so_far", [0, 1, 2])
def test_a_log_that_was_half_begun_is_begun_again(tmp_path, made_so_far):
    """As a crash leaves it: journal-0, state.json, then log.json."""
    log = made(tmp_path)
    log.close()
    for name in ("log.json", "state.json", "journal-0")[: 3 - made_so_far]:
        (log.folder / name).rename(log.folder / f".{name}.new")
    made(tmp_path).append("a", events(1))
    assert_sound(tmp_path / "log")


# --- a disk that fails, seen from inside ---------------------------------------------------------


def half(handle: int, data: bytes) -> int:
    return REAL["write"](handle, data[: len(data) // 2])


def refused(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


REAL = {"write": os.write, "fdatasync": os.fdatasync}


@pytest.mark.parametrize(("call", "fault"), [("write", half), ("write", refused), ("fdatasync", refused)])
def test_what_is_not_on_the_disk_is_neither_acknowledged_nor_left(tmp_path, monkeypatch, call, fault):
    log = made(tmp_path)
    log.append("a", events(2))
    before = contents(log.folder)
    monkeypatch.setattr(os, call, fault)
    with pytest.raises(AuditError) as told:
        log.append("a", events(3))
    monkeypatch.undo()
    assert "free some space" in told.value.hint
    assert contents(log.folder) == before
    assert log.append("a", events(1)) == [2]
    assert len(assert_sound(log.folder)) == 3


def test_what_could_not_even_be_cut_back_is_cut_off_by_the_next(tmp_path, monkeypatch):
    log = made(tmp_path)
    log.append("a", events(2))
    monkeypatch.setattr(os, "write", half)
    monkeypatch.setattr(os, "ftruncate", refused)
    with pytest.raises(AuditError):
        log.append("a", events(1))
    monkeypatch.undo()
    assert log.append("a", events(1)) == [3]
    assert [entry["ev"] for entry in assert_sound(log.folder)[2:]] == ["recovered", "verified"]


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("wrong", [b"garbage", b'{"seq":400}\n', b"\n", b'{"seq":300,"n":"changed"}\n{"se'])
def test_a_copy_that_holds_something_else_is_put_right_and_that_kept(tmp_path, settled, wrong):
    log = made(tmp_path)
    log.append("a", events(300))
    if settled:
        log.integrate()
    copy = log.folder / "a.jsonl"
    whole = copy.read_bytes()
    log.append("a", events(2))
    copy.write_bytes(whole + wrong)
    again(tmp_path)
    assert_sound(log.folder)
    (kept,) = log.folder.glob("a.jsonl.torn-*")
    assert kept.read_bytes().endswith(wrong)
