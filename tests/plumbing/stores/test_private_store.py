"""The sidecar: values come back whole, and what is erased leaves no byte in any file."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import AuditError
from citeproof.plumbing.stores.private_store import (
    FILE,
    PrivateRow,
    PrivateStore,
    is_commitment_to,
    make_commitment,
)


def row(data: bytes, run: str = "h_abc123", ref: int = 1, kind: str = "case") -> PrivateRow:
    salt, commitment = make_commitment(data)
    return PrivateRow(commitment, run, kind, ref, salt, data)


def noise(seed: int, size: int = 700) -> bytes:
    """Return bytes that no packing makes smaller, so that they stand in the file as they are."""
    return random.Random(seed).randbytes(size)


@pytest.fixture
def opened(tmp_path):
    stores = []

    def make(*, readonly: bool = False) -> PrivateStore:
        stores.append(PrivateStore(tmp_path / "audit", readonly=readonly))
        return stores[-1]

    yield make
    for one in stores:
        one.close()


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def parts(one: PrivateRow, step: int = 150, size: int = 16) -> list[bytes]:
    """Return pieces of a value as it stands in the file, and its salt."""
    packed = zstandard.compress(one.data, 3)
    return [one.salt, *(packed[at : at + size] for at in range(12, len(packed) - size, step))]


# --- commitments ----------------------------------------------------------------------------------


def test_a_commitment_is_opened_by_its_own_salt_and_words_only():
    salt, commitment = make_commitment(b"words")
    assert is_commitment_to(commitment, salt, b"words")
    for other in [(salt, b"Words"), (bytes(32), b"words"), (salt[:-1], b"words"), (salt + b"\0", b"words")]:
        assert not is_commitment_to(commitment, *other)
    assert not is_commitment_to("ü" * 64, salt, b"words")
    assert len(commitment) == 64
    assert make_commitment(b"words")[1] != commitment  # equal words do not look equal


def test_a_commitment_is_the_hmac_of_the_format():
    """Made with `printf citeproof | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f`."""
    made = "7ed37742596d6e9e9faaa124498d15f8e0047d6547cd494029cb3cf2884a61f7"
    assert is_commitment_to(made, bytes(range(32)), b"citeproof")


# --- what is put is got ---------------------------------------------------------------------------


def test_rows_come_back_whole_and_in_order(opened, tmp_path):
    rows = [
        row(b'{"name": "draft.docx"}', ref=0, kind="document"),
        *(row(f"case {ref}".encode() * ref, ref=ref) for ref in (2, 1, 3)),
        row(b"", run="other"),
        row("é\u202e\0".encode(), run="other", ref=7),
    ]
    store = opened()
    store.put(rows)
    store.put(rows)
    for reader in (store, opened(), opened(readonly=True)):
        assert [reader.get(one.commitment) for one in rows] == rows
        assert list(reader.list_run_rows("h_abc123")) == [rows[0], rows[2], rows[1], rows[3]]
        assert list(reader.list_run_rows("h_abc123", "case", 2)) == [rows[1]]
        assert list(reader.list_run_rows("h_abc123", "document")) == [rows[0]]
        assert list(reader.list_run_rows("other", ref=7)) == [rows[5]]
        assert list(reader.list_run_rows("none")) == []
        assert reader.get("00" * 32) is None
    assert (tmp_path / "audit" / FILE).stat().st_mode & 0o777 == 0o600


def test_more_rows_than_a_page_some_of_one_reference(opened):
    rows = [row(b"%d" % n, ref=n // 3) for n in range(2000)]
    store = opened()
    store.put(rows)
    assert [one.data for one in store.list_run_rows("h_abc123")] == [b"%d" % n for n in range(2000)]
    assert store.list_commitments("h_abc123") == [one.commitment for one in rows]
    assert store.list_commitments("h_abc123", 5) == [one.commitment for one in rows[15:18]]


@pytest.mark.parametrize("value", [b"", b"rubbish", zstandard.compress(b"x")[:-1], "text", 7])
def test_a_damaged_row_is_none_and_costs_no_other(opened, tmp_path, value):
    rows = [row(b"one"), row(b"two", ref=2)]
    store = opened()
    store.put(rows)
    with sqlite3.connect(tmp_path / "audit" / FILE) as database:
        database.execute("UPDATE rows SET data = ? WHERE ref = 1", (value,))
    database.close()
    assert store.get(rows[0].commitment) is None
    assert list(store.list_run_rows("h_abc123")) == rows[1:]


# --- erasing --------------------------------------------------------------------------------------


def test_what_is_erased_leaves_no_byte_in_any_file(opened, tmp_path):
    """In every order, between neighbours of all lengths: nothing of a value stays, in file, wal or shm."""
    chance = random.Random(1)
    rows = [row(noise(n, chance.choice([60, 700, 3000, 9000])), ref=n) for n in range(1, 41)]
    store = opened()
    for start in range(0, 40, 7):
        store.put(rows[start : start + 7])
    folder = tmp_path / "audit"
    assert all(part in files(folder) for one in rows for part in parts(one)[:3])
    left = rows.copy()
    chance.shuffle(left)
    while left:
        some = [left.pop() for _ in range(min(len(left), chance.randint(1, 6)))]
        assert store.erase(one.commitment for one in some) == len(some)
        if chance.random() < 0.3:
            store.compact()
        if chance.random() < 0.5:
            left.append(row(noise(chance.getrandbits(32), 500), ref=99))
            store.put(left[-1:])
            rows.append(left[-1])
            if len(rows) > 55:
                break
        there = files(folder)
        for one in rows:
            if one in left:
                assert store.get(one.commitment) == one
            else:
                assert store.get(one.commitment) is None
                assert not any(part in there for part in parts(one))


def test_erasing_twice_or_nothing_is_no_error(opened):
    rows = [row(b"one"), row(b"two", ref=2)]
    store = opened()
    store.put(rows)
    assert store.erase([rows[0].commitment, "00" * 32]) == 1
    assert store.erase([rows[0].commitment]) == 0
    assert store.erase([]) == 0
    assert store.list_commitments("h_abc123") == [rows[1].commitment]
    store.put(rows)  # what was erased does not come back by a copy of the same row
    assert store.get(rows[0].commitment) is None


def test_compacting_gives_the_room_back(opened, tmp_path):
    rows = [row(noise(n, 5000), ref=n) for n in range(100)]
    store = opened()
    store.put(rows)
    store.erase(one.commitment for one in rows[:90])
    before = (tmp_path / "audit" / FILE).stat().st_size
    store.compact()
    assert (tmp_path / "audit" / FILE).stat().st_size < before / 4
    assert list(store.list_run_rows("h_abc123")) == rows[90:]


def test_a_death_while_compacting_is_made_good_by_the_next_erasure(opened, tmp_path):
    rows = [row(noise(n), ref=n) for n in range(40)]
    store = opened()
    store.put(rows)
    store.erase(one.commitment for one in rows[::2])
    store.note("moved", 1)  # what `compact` had done when it died
    with sqlite3.connect(tmp_path / "audit" / FILE) as database:
        database.execute("DELETE FROM rows WHERE salt = ?", (bytes(32),))
    database.close()
    store.erase(one.commitment for one in rows[1::4])
    there = files(tmp_path / "audit")
    gone = [*rows[::2], *rows[1::4]]
    assert not any(part in there for one in gone for part in parts(one))
    assert list(store.list_run_rows("h_abc123")) == rows[3::4]
    assert store.mark("moved") == 0


def test_somebody_who_reads_keeps_old_bytes_alive_and_that_is_told(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("citeproof.plumbing.stores.store_database.PATIENCE", 0.1)
    rows = [row(noise(n), ref=n) for n in range(5)]
    store = opened()
    store.put(rows)
    reader = sqlite3.connect(tmp_path / "audit" / FILE, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM rows").fetchall()
    with pytest.raises(AuditError, match="another process is reading"):
        store.erase([rows[0].commitment])
    assert store.get(rows[0].commitment) is None
    reader.close()
    assert store.erase([rows[0].commitment]) == 0
    assert not any(part in files(tmp_path / "audit") for part in parts(rows[0]))


def test_a_killed_writer_leaves_what_was_acknowledged_and_it_can_be_erased(opened, tmp_path):
    code = """
        import os, signal, sys
        from pathlib import Path
        from tests.plumbing.stores.test_private_store import PrivateStore, noise, row
        rows = [row(noise(n), ref=n) for n in range(5)]
        PrivateStore(Path(sys.argv[1])).put(rows)
        print(*(one.commitment for one in rows), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "audit")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    commitments = ended.stdout.split()
    assert [one.data for one in opened(readonly=True).list_run_rows("h_abc123")] == [
        noise(n) for n in range(5)
    ]
    assert noise(3)[100:200] in files(tmp_path / "audit")
    assert opened().erase(commitments) == 5
    there = files(tmp_path / "audit")
    assert not any(noise(n)[at : at + 16] in there for n in range(5) for at in range(0, 600, 50))


def test_only_a_writer_erases(opened):
    opened().put([row(b"one")])
    with pytest.raises(AuditError, match="read only"):
        opened(readonly=True).erase(["00" * 32])


def test_marks(opened):
    store = opened()
    assert store.mark("erased_to") == 0
    store.note("erased_to", 7)
    store.note("erased_to", 9)
    assert opened(readonly=True).mark("erased_to") == 9
