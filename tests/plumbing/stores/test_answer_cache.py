"""The store of answers: what lives how long, and what damage, a full disk or a killed process cost."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import psycopg
import pytest
import zstandard

from citeproof.plumbing.clock import FixedClock, format_timestamp
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.answer_cache import (
    FILE,
    SCHEMA,
    AnswerCache,
    AnswerLife,
    AnswerLifetimes,
    CachedAnswer,
)
from tests.plumbing.stores.postgres_server import restart_postgres, start_postgres, stop_postgres

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
AT = format_timestamp(FixedClock(NOON))
BODY = b'{"title": "Deep Residual Learning for Image Recognition"}'


def kept(key: str = "k", body: bytes = BODY, at: str = AT) -> CachedAnswer:
    return CachedAnswer(key, "crossref", "http://x/", 200, "application/json", at, body, False, {"etag": "1"})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "answers"


BOTH = pytest.mark.parametrize("where", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def where(request, folder):
    """Where the store is: the folder, or in tests for both a database of a real server."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return folder
    return StoreAddress(request.getfixturevalue("database"))


@pytest.fixture
def store(where):
    """A function that opens the store, some hours after noon."""
    opened = []

    def make(hours: float = 0.0, **lifetimes: timedelta) -> AnswerCache:
        clock = FixedClock(NOON + timedelta(hours=hours))
        opened.append(AnswerCache(where, clock, AnswerLifetimes(**lifetimes)))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def edited(folder, statement: str, *values: object) -> None:
    """Change the file or the database behind the store's back."""
    if isinstance(folder, StoreAddress):
        with psycopg.connect(folder.reveal(), autocommit=True) as connection:
            connection.execute(f"SET search_path TO {SCHEMA}".encode())
            connection.execute(statement.replace("?", "%s").encode(), values)
        return
    with sqlite3.connect(folder / FILE) as database:
        database.execute(statement, values)
    database.close()


def started(where, code: str, *arguments: object) -> subprocess.Popen[str]:
    """Return a process of its own that runs `code` with a `store`, `kept` and `AnswerLife` at hand."""
    head = """
        import resource, signal, sys
        from pathlib import Path
        from citeproof.plumbing.clock import FixedClock
        from citeproof.plumbing.stores.answer_cache import AnswerLife
        from tests.plumbing.stores.test_answer_cache import NOON, AnswerCache, kept
        from citeproof.plumbing.store_address import StoreAddress, is_postgres_url
        named = sys.argv[1]
        where = StoreAddress(named) if is_postgres_url(named) else Path(named)
        store = AnswerCache(where, FixedClock(NOON))
    """
    named = where.reveal() if isinstance(where, StoreAddress) else str(where)
    command = [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code), named]
    return subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


# --- what lives how long -------------------------------------------------------------------------


@BOTH
def test_what_is_put_is_got(store):
    store().put(kept(), AnswerLife.FOUND)
    assert store().get("k") == kept()
    assert store().get("other") is None
    assert store().body(sha256(BODY).hexdigest()) == BODY
    assert store().trouble == ""


@BOTH
@pytest.mark.parametrize(
    ("life", "hours", "young"),
    [
        (AnswerLife.FOUND, 719, True),
        (AnswerLife.FOUND, 721, False),
        (AnswerLife.ABSENT, 23, True),
        (AnswerLife.ABSENT, 25, False),
        (AnswerLife.NOTICE, 23, True),
        (AnswerLife.NOTICE, 25, False),
        (AnswerLife.FOUND, -0.05, True),
        (AnswerLife.FOUND, -1, False),
    ],
)
def test_lifetimes(store, life, hours, young):
    first = store()
    first.put(kept(), life)
    first.put_item("scope", "doi", "10.1/x", "k", AT, life)
    later = store(hours)
    assert (later.get("k") is not None) is young
    assert (later.item("scope", "doi", "10.1/x") is not None) is young
    assert later.body(sha256(BODY).hexdigest()) == BODY  # evidence does not expire


@BOTH
def test_lifetimes_can_be_set(store):
    store().put(kept(), AnswerLife.FOUND)
    assert store(2, found=timedelta(hours=1)).get("k") is None
    assert store(2, found=timedelta(hours=3)).get("k") is not None


@BOTH
def test_a_new_answer_replaces_the_old_one_and_keeps_its_evidence(store):
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    one.put(kept(body=b"{}"), AnswerLife.FOUND)
    assert one.get("k") == kept(body=b"{}")
    assert one.body(sha256(BODY).hexdigest()) == BODY


@BOTH
def test_an_item_of_a_batch_has_its_own_life_and_place(store):
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    one.put_item("crossref", "doi", "10.1/x", "k", AT, AnswerLife.FOUND)
    one.put_item("crossref", "doi", "10.1/none", "k", AT, AnswerLife.ABSENT)
    one.put_item("crossref", "doi", "10.1/lost", "no such key", AT, AnswerLife.FOUND)
    later = store(48)
    assert later.item("crossref", "doi", "10.1/x").body == BODY
    assert later.item("crossref", "doi", "10.1/none") is None
    assert later.item("crossref", "doi", "10.1/lost") is None
    assert later.item("another scope", "doi", "10.1/x") is None


# --- damage --------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "body",
    [zstandard.compress(b"{}"), b"", b"junk", zstandard.compress(BODY)[:-3], zstandard.compress(BODY * 9)],
)
def test_an_edited_body_is_no_answer_and_can_be_kept_anew(store, where, body):
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    one.put_item("scope", "doi", "10.1/x", "k", AT, AnswerLife.FOUND)
    one.close()
    edited(where, "UPDATE bodies SET data = ?", body)
    again = store()
    assert again.get("k") is None
    assert again.item("scope", "doi", "10.1/x") is None
    assert again.body(sha256(BODY).hexdigest()) is None
    again.put(kept(), AnswerLife.FOUND)
    assert again.get("k") == kept()


EDITED = [
    ("headers", "not JSON"), ("headers", "[1]"), ("headers", b"\xff"), ("at", "yesterday"), ("at", "12"),
    ("at", "99999-01-01"), ("life", "for ever"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value"), [("sha256", "0" * 64), *EDITED])
def test_an_edited_row_is_no_answer(store, folder, column, value):
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    one.put_item("scope", "doi", "10.1/x", "k", AT, AnswerLife.FOUND)
    one.close()
    edited(folder, f"UPDATE answers SET {column} = ?", value)
    if column in ("at", "life"):
        edited(folder, f"UPDATE items SET {column} = ?", value)
    again = store()
    assert again.get("k") is None
    assert again.item("scope", "doi", "10.1/x") is None or column == "headers"
    again.put(kept(), AnswerLife.FOUND)
    assert again.get("k") == kept()


@pytest.mark.parametrize("damage", ["junk", "empty", "half", "page", "other"])
def test_a_damaged_file_costs_the_cache_not_the_run(store, folder, damage):
    one = store()
    for n in range(200):
        one.put(kept(f"k{n}", BODY + str(n).encode()), AnswerLife.FOUND)
    one.close()
    path = folder / FILE
    whole = path.read_bytes()
    spoilt = {
        "junk": b"this is not a database, whatever its name says" * 100,
        "empty": b"",
        "half": whole[: len(whole) // 2],
        "page": whole[:4096] + bytes(len(whole) - 4096),
        "other": whole[:100] + b"\xff" * (len(whole) - 100),
    }
    path.write_bytes(spoilt[damage])
    again = store()
    assert [again.get(f"k{n}") for n in range(3)] == [None] * 3
    again.put(kept(), AnswerLife.FOUND)  # may still meet the damage, and sets the file aside
    again.put(kept(), AnswerLife.FOUND)
    assert again.get("k") == kept()
    assert (folder / FILE).with_suffix(".damaged").exists() == ("not cached" in again.trouble)
    fresh = store()
    assert fresh.get("k") == kept()
    assert fresh.trouble == ""


def test_what_is_left_of_a_write_ahead_log_does_no_harm(store, folder):
    holder = store()
    holder.put(kept("old"), AnswerLife.FOUND)
    assert (folder / f"{FILE}-wal").stat().st_size > 0
    (folder / FILE).write_bytes(b"no database any more" * 500)
    again = store()
    again.get("old")
    again.put(kept("new"), AnswerLife.FOUND)
    again.put(kept("new"), AnswerLife.FOUND)
    assert store().get("new") == kept("new")


def test_a_folder_that_cannot_be_written(store, folder, as_nobody):
    folder.mkdir()
    folder.chmod(0o555)
    one = store()
    with as_nobody():
        one.put(kept(), AnswerLife.FOUND)
        assert one.get("k") is None
        assert one.item("scope", "doi", "10.1/x") is None
        assert one.body("0" * 64) is None
    assert "answers are not cached" in one.trouble


def test_a_file_where_the_folder_should_be(store, folder):
    folder.write_bytes(b"")
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    assert one.get("k") is None
    assert str(folder) in one.trouble


def test_a_full_disk_costs_the_cache_not_the_run(folder):
    code = """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store.put(kept("first"), AnswerLife.FOUND)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        import random
        for n in range(30):
            store.put(kept(f"k{n}", random.Random(n).randbytes(20_000)), AnswerLife.FOUND)
        print(bool(store.trouble), store.get("first") == kept("first"))
    """
    full = started(folder, code)
    assert full.communicate(timeout=60)[0].split() == ["True", "True"]
    assert full.returncode == 0
    again = AnswerCache(folder, FixedClock(NOON))
    again.put(kept("more", b"x" * 50_000), AnswerLife.FOUND)  # there is room again
    assert again.get("more") is not None
    assert again.trouble == ""
    again.close()


# --- several processes ---------------------------------------------------------------------------


@BOTH
def test_two_processes_write_at_once(store, where):
    code = """
        for n in range(150):
            store.put(kept(f"{sys.argv[2]}-{n}", f"{n % 50}".encode() * 500), AnswerLife.FOUND)
        print(store.trouble)
    """
    both = [started(where, code, name) for name in "ab"]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == ["", ""]
    one = store()
    assert all(one.get(f"{name}-{n}") is not None for name in "ab" for n in range(150))


@BOTH
def test_a_killed_writer_loses_nothing_that_was_kept(store, where):
    code = """
        for n in range(10**6):
            store.put(kept(f"k{n}", f"{n}".encode() * 1000), AnswerLife.FOUND)
            print(n, flush=True)
    """
    for _ in range(3):
        writer = started(where, code)
        told = [writer.stdout.readline() for _ in range(60)]
        writer.send_signal(signal.SIGKILL)
        told += writer.communicate()[0].splitlines(keepends=True)
        last = max(int(line) for line in told if line.endswith("\n"))
        one = store()
        assert last >= 59
        assert all(one.get(f"k{n}").body == f"{n}".encode() * 1000 for n in range(last + 1))
        one.put(kept(), AnswerLife.FOUND)
        assert one.get("k") == kept()
        assert one.trouble == ""
        one.close()


# --- a database that is away ---------------------------------------------------------------------


def test_a_database_that_is_away_costs_the_cache_not_the_run(database):
    one = AnswerCache(StoreAddress(database), FixedClock(NOON))
    one.put(kept(), AnswerLife.FOUND)
    stop_postgres(database)
    try:
        assert one.get("k") is None
        one.put(kept("more"), AnswerLife.FOUND)
        assert "answers are not cached" in one.trouble
        assert str(StoreAddress(database)) in one.trouble
        again = AnswerCache(StoreAddress(database), FixedClock(NOON))
        assert again.get("k") is None
        assert again.trouble
    finally:
        start_postgres(database)
        one.close()
    later = AnswerCache(StoreAddress(database), FixedClock(NOON))
    assert later.get("k") == kept()
    later.close()


def test_a_database_that_was_restarted_is_asked_again_at_once(database):
    one = AnswerCache(StoreAddress(database), FixedClock(NOON))
    one.put(kept(), AnswerLife.FOUND)
    restart_postgres(database)
    assert one.get("k") == kept()
    restart_postgres(database)
    one.put(kept("more"), AnswerLife.FOUND)
    assert one.get("more") == kept("more")
    assert one.trouble == ""
    one.close()


@BOTH
def test_text_that_no_database_holds_is_only_not_kept(store):
    one = store()
    one.put(kept(), AnswerLife.FOUND)
    assert one.item("scope", "doi", "10.1/\0") is None
    one.put_item("scope", "doi", "10.1/\0", "k", AT, AnswerLife.FOUND)
    assert one.get("k") == kept()
    assert one.trouble == ""
