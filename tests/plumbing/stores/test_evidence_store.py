"""The store of evidence: what is put is got or known to be gone; several writers; readers change nothing."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import AuditError
from citeproof.plumbing.clock import FixedClock
from citeproof.plumbing.stores.evidence_store import FILE, LARGEST, EvidenceStore

pytestmark = pytest.mark.slow

NOON = FixedClock(datetime(2026, 11, 15, 12, tzinfo=UTC))
BODIES = [
    b'{"title": "Deep Residual Learning for Image Recognition"}' * 10,
    b"",
    b"\x00\xff",
    "é\u202e".encode() * 400,
    bytes(range(256)) * 300,
]


def keyed(*bodies: bytes) -> list[tuple[str, bytes]]:
    return [(sha256(body).hexdigest(), body) for body in bodies]


@pytest.fixture
def opened(tmp_path):
    """A function that opens the store in one folder."""
    stores = []

    def make(*, readonly: bool = False, clock: FixedClock = NOON) -> EvidenceStore:
        stores.append(EvidenceStore(tmp_path / "audit", readonly=readonly, clock=clock))
        return stores[-1]

    yield make
    for one in stores:
        one.close()


def edited(folder: Path, statement: str, *values: object) -> None:
    """Change the file behind the store's back."""
    with sqlite3.connect(folder / FILE) as database:
        database.execute(statement, values)
    database.close()


def started(folder: Path, code: str) -> subprocess.Popen[str]:
    """Return a process of its own that runs `code` with a `store`, `keyed` and `kill` at hand."""
    head = """
        import os, resource, signal, sys
        from pathlib import Path
        from tests.plumbing.stores.test_evidence_store import EvidenceStore, keyed
        store = EvidenceStore(Path(sys.argv[1]))
        kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
    """
    command = [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# --- what is put is got ---------------------------------------------------------------------------


def test_what_is_put_is_got_by_any_reader(opened, tmp_path):
    store = opened()
    store.put(keyed(*BODIES))
    store.put(keyed(*BODIES))  # again: nothing new
    for reader in (store, opened(), opened(readonly=True)):
        for digest, body in keyed(*BODIES):
            assert reader.get(digest) == body
            assert reader.get(digest.upper()) == body
            assert reader.length(digest) == len(body)
        assert list(reader.hashes()) == sorted(digest for digest, _ in keyed(*BODIES))
    assert (tmp_path / "audit" / FILE).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o700


def test_a_body_is_packed_only_where_that_makes_it_smaller(opened, tmp_path):
    opened().put(keyed(*BODIES))
    with sqlite3.connect(tmp_path / "audit" / FILE) as database:
        found = dict(database.execute("SELECT length, packed FROM bodies").fetchall())
    database.close()
    assert found == {len(BODIES[0]): 1, 0: 0, 2: 0, len(BODIES[3]): 1, len(BODIES[4]): 1}


@pytest.mark.parametrize("digest", ["", "00" * 32, "not hex", "0" * 63, "ü" * 64, "'; DROP TABLE bodies; --"])
def test_what_is_not_there_is_none(opened, digest):
    store = opened()
    store.put(keyed(*BODIES))
    assert store.get(digest) is None
    assert not store.has(digest)
    assert store.drop([digest]) == 0
    assert len(list(store.hashes())) == len(BODIES)


def test_more_hashes_than_a_page(opened):
    store = opened()
    store.put(keyed(*(str(n).encode() for n in range(2500))))
    assert len(set(store.hashes())) == 2500


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        ([("00" * 32, b"x")], "has the hash"),
        ([*keyed(b"whole"), ("", b"x")], "has the hash"),
        (keyed(bytes(LARGEST + 1)), "larger than"),
    ],
)
def test_what_must_not_go_in_does_not_and_nothing_with_it(opened, bodies, said):
    store = opened()
    with pytest.raises(AuditError, match=said):
        store.put(bodies)
    assert list(store.hashes()) == []


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data", b"other"),
        ("data", b""),
        ("data", zstandard.compress(b"other")),
        ("data", zstandard.compress(bytes(10_000_000))),  # says that it is ten million bytes long
        ("data", "text"),
        ("length", -1),
        ("length", 10**15),
        ("length", "many"),
        ("packed", 0),
        ("packed", 7),
    ],
)
def test_a_damaged_body_is_none_and_healed_by_the_next_put(opened, tmp_path, column, value):
    (digest, body), (other, _) = whole = keyed(BODIES[0], BODIES[3])
    opened().put(whole)
    edited(
        tmp_path / "audit", f"UPDATE bodies SET {column} = ? WHERE sha256 = ?", value, bytes.fromhex(digest)
    )
    store = opened()
    assert store.get(digest) is None
    assert store.get(other) is not None
    store.put(whole)
    assert store.get(digest) == body


@pytest.mark.parametrize("rubbish", [b"rubbish" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_no_store_is_an_error_with_its_mend(opened, tmp_path, rubbish, readonly):
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / FILE).write_bytes(rubbish)
    with pytest.raises(AuditError) as raised:
        opened(readonly=readonly).get("00" * 32)
    assert raised.value.place.endswith(FILE)
    assert raised.value.hint
    assert (tmp_path / "audit" / FILE).read_bytes() == rubbish


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("PRAGMA user_version = 2", "later version"),
        ("CREATE VIEW odd AS SELECT 1", "not made by citeproof"),
        ("CREATE TRIGGER odd AFTER INSERT ON bodies BEGIN DELETE FROM bodies; END", "not made by citeproof"),
    ],
)
@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_not_ours_is_refused(opened, tmp_path, statement, said, readonly):
    store = opened()
    store.put(keyed(*BODIES))
    store.close()
    edited(tmp_path / "audit", statement)
    with pytest.raises(AuditError, match=said):
        opened(readonly=readonly).get("00" * 32)


def test_a_link_or_pipe_is_not_followed(opened, tmp_path):
    (tmp_path / "audit").mkdir()
    os.mkfifo(tmp_path / "audit" / FILE)
    with pytest.raises(AuditError, match="not a regular file"):
        opened(readonly=True).get("00" * 32)


def test_a_folder_that_cannot_be_made_is_an_error_with_its_mend(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError) as raised:
        EvidenceStore(tmp_path / "file" / "audit").put(keyed(b"x"))
    assert "write permission" in raised.value.hint


# --- reading where nothing may change ---------------------------------------------------------------


def test_nothing_there_is_nothing_and_stays_nothing(opened, tmp_path):
    store = opened(readonly=True)
    assert store.get("00" * 32) is None
    assert list(store.hashes()) == []
    assert not (tmp_path / "audit").exists()
    with pytest.raises(AuditError, match="read only"):
        store.put(keyed(b"x"))


@pytest.mark.parametrize("left", ["-wal -shm", "-wal", ""])
def test_what_a_killed_process_left_is_read_and_nothing_changes(opened, tmp_path, as_nobody, left):
    folder = tmp_path / "audit"
    code = "store.put(keyed(b'one', b'two' * 500))\n" + ("kill()" if left else "store.close()")
    process = started(folder, code)
    process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if left else 0)
    if left == "-wal":  # a folder that was copied without the index of the write-ahead file
        (folder / f"{FILE}-shm").unlink()
    before = files(folder)
    assert set(before) == {FILE, *(f"{FILE}{end}" for end in left.split())}
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    with as_nobody():
        store = opened(readonly=True)
        assert [store.get(digest) for digest, _ in keyed(b"one", b"two" * 500)] == [b"one", b"two" * 500]
        store.close()
        with pytest.raises(AuditError) as raised:
            opened().put(keyed(b"three"))
        assert "change the owner" in raised.value.hint
    folder.chmod(0o755)
    assert files(folder) == before


def test_a_new_reader_sees_what_writers_added(opened):
    writer = opened()
    for body in (b"one", b"two"):
        writer.put(keyed(body))
        assert opened(readonly=True).get(keyed(body)[0][0]) == body  # beside the living writer
    writer.close()
    assert len(list(opened(readonly=True).hashes())) == 2


def test_a_reader_beside_a_writer_sees_what_it_adds(opened):
    writer = opened()
    writer.put(keyed(b"one"))
    reader = opened(readonly=True)
    assert reader.has(keyed(b"one")[0][0])
    writer.put(keyed(b"two"))
    assert reader.get(keyed(b"two")[0][0]) == b"two"


def test_pages_that_move_under_a_reader_are_looked_at_again(opened, tmp_path):
    writer = opened()
    writer.put(keyed(*BODIES))
    writer.close()
    reader = opened(readonly=True)
    assert reader.has(keyed(*BODIES)[0][0])
    shutil.copyfile(tmp_path / "audit" / FILE, tmp_path / "whole")
    (tmp_path / "audit" / FILE).write_bytes(b"half written" * 4096)
    with pytest.raises(AuditError):
        opened(readonly=True).has(keyed(*BODIES)[0][0])
    shutil.copyfile(tmp_path / "whole", tmp_path / "audit" / FILE)
    assert reader.has(keyed(*BODIES)[0][0])


# --- several writers, and the ends of a process -----------------------------------------------------


def test_several_processes_at_once(opened, tmp_path):
    """Six start on a folder that is not there yet; a fifth of what each puts is the others' too."""
    code = """
        for batch in range(10):
            store.put(keyed(*(f"{n % 5 and os.getpid()} {batch} {n}".encode() for n in range(20))))
        print(os.getpid())
    """
    running = [started(tmp_path / "audit", code) for _ in range(6)]
    ended = [one.communicate(timeout=60) for one in running]
    assert [err for _, err in ended] == [""] * 6
    found = set(opened(readonly=True).hashes())
    expected = [
        f"{n % 5 and int(out)} {batch} {n}".encode()
        for out, _ in ended
        for batch in range(10)
        for n in range(20)
    ]
    assert found == {digest for digest, _ in keyed(*expected)}


def test_what_was_acknowledged_outlives_kill_9(opened, tmp_path):
    code = """
        for n in range(5):
            store.put(keyed(f"batch {n}".encode()))
            print(n, flush=True)
        kill()
    """
    process = started(tmp_path / "audit", code)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    store = opened()
    assert [store.get(keyed(f"batch {n}".encode())[0][0]) for n in map(int, out.split())] == [
        f"batch {n}".encode() for n in range(5)
    ]


def test_a_full_disk_is_an_error_and_costs_nothing_that_was_put(opened, tmp_path):
    code = """
        import random
        store.put(keyed(b"first"))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
        try:
            store.put(keyed(random.randbytes(1_000_000)))
        except Exception as error:
            print(type(error).__name__, bool(error.hint))
        store.put(keyed(b"small"))
    """
    process = started(tmp_path / "audit", code)
    out, err = process.communicate(timeout=60)
    assert (out.split(), err) == (["AuditError", "True"], "")
    store = opened()
    assert [store.get(keyed(body)[0][0]) for body in (b"first", b"small")] == [b"first", b"small"]
    assert len(list(store.hashes())) == 2


def test_threads_share_a_store(opened):
    store = opened()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.put(keyed(f"{n}".encode())), range(64)))
        got = list(pool.map(lambda n: store.get(keyed(f"{n}".encode())[0][0]), range(64)))
    assert got == [f"{n}".encode() for n in range(64)]


# --- dropping -------------------------------------------------------------------------------------


def test_dropped_bodies_are_gone_and_their_room_with_them(opened, tmp_path):
    store = opened()
    large = [b"%d" % n + BODIES[4] for n in range(40)]
    noisy = [b"".join(sha256(b"%d %d" % (n, m)).digest() for m in range(300)) for n in range(40)]
    store.put(keyed(*large, *noisy))
    store.close()
    before = (tmp_path / "audit" / FILE).stat().st_size
    store = opened()
    assert store.drop(digest for digest, _ in keyed(*noisy)) == 40
    assert store.drop(digest for digest, _ in keyed(*noisy)) == 0
    assert set(store.hashes()) == {digest for digest, _ in keyed(*large)}
    store.close()
    assert (tmp_path / "audit" / FILE).stat().st_size < before / 2


def test_what_was_put_again_lately_stays(opened):
    later = FixedClock(datetime(2027, 1, 10, tzinfo=UTC))
    opened().put(keyed(b"old", b"again"))
    store = opened(clock=later)
    store.put(keyed(b"again", b"new"))
    opened().put(keyed(b"again"))  # by a clock that lags: does not make it older
    digests = [digest for digest, _ in keyed(b"old", b"again", b"new")]
    assert store.list_older(digests, date(2027, 1, 8)) == digests[:1]
    assert store.drop(digests, unless_since=date(2027, 1, 8)) == 1
    assert [store.has(digest) for digest in digests] == [False, True, True]
