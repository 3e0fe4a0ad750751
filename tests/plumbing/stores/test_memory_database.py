"""The file of the memory: what is found, what is evicted, and what damage or a killed process cost."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import textwrap

import psycopg
import pytest

from citeproof.errors import UsageError
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.memory_database import FILE, SCHEMA, MemoryDatabase, MemoryEntry
from tests.plumbing.stores.postgres_server import start_postgres, stop_postgres

AT = "2026-11-15T12:00:00.000Z"
DAY = 1000


def entry(name: str, *keys: str, body: bytes = b"{}", at: str = AT, vector: bytes = b"", cell: int = 0):
    return MemoryEntry(name, body, at, keys or (f"doi:{name}",), vector, cell)


def names(entries) -> list[str]:
    return sorted(one.name for one in entries)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


BOTH = pytest.mark.parametrize("where", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def where(request, folder):
    """Where the memory is: the folder, or in tests for both a database of a real server."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return folder
    return StoreAddress(request.getfixturevalue("database"))


@pytest.fixture
def memory(where):
    """A function that opens the memory."""
    opened = []

    def make(**more) -> MemoryDatabase:
        opened.append(MemoryDatabase(where, **more))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def started(where, code: str, *arguments: str) -> subprocess.Popen[str]:
    """Return a process of its own that runs `code` with a `memory` and `entry` available."""
    head = """
        import os, signal, sys
        from pathlib import Path
        from tests.plumbing.stores.test_memory_database import DAY, MemoryDatabase, entry
        from citeproof.plumbing.store_address import StoreAddress, is_postgres_url
        named = sys.argv[1]
        memory = MemoryDatabase(StoreAddress(named) if is_postgres_url(named) else Path(named))
    """
    named = where.reveal() if isinstance(where, StoreAddress) else str(where)
    command = [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code), named, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@BOTH
def test_what_is_put_is_found_by_each_of_its_keys_in_another_process_too(where, memory):
    memory().put([entry("a", "doi:1", "title:x", body=b'{"n": 1}'), entry("b", "title:x")], DAY)
    assert memory().find("doi:1")[0].body == b'{"n": 1}'
    assert names(memory().find("title:x")) == ["a", "b"]
    assert memory().find("doi:2") == []
    other = started(where, "print([one.name for one in memory.find('doi:1')])")
    assert other.communicate()[0].strip() == "['a']"


@BOTH
def test_a_new_entry_replaces_the_old_one_and_its_keys_and_keeps_its_vector(memory):
    store = memory()
    store.put([entry("a", "doi:1", vector=b"v", cell=7)], DAY)
    store.put([entry("a", "doi:2", body=b"new")], DAY)
    assert store.find("doi:1") == []
    assert [one.body for one in store.find("doi:2")] == [b"new"]
    number = store.list_near([7])[0][0]
    assert names(store.get([number])) == ["a"]
    assert store.list_near([6, 8]) == []


@BOTH
def test_has_looks_at_the_age(memory):
    store = memory()
    store.put([entry("a")], DAY)
    assert store.has("a", "2026-11-15")
    assert not store.has("a", "2026-11-16")
    assert not store.has("b", "2026-11-15")


@BOTH
def test_what_was_not_used_for_the_longest_is_evicted_with_its_keys_and_vector(memory):
    store = memory(most=3)
    store.put([entry(name, vector=b"v", cell=1) for name in "abc"], DAY)
    store.touch("a", DAY + 2)
    store.close()
    store.put([entry("d", vector=b"v", cell=1)], DAY + 1)
    store.close()
    kept = memory()
    assert names(kept.list_all()) in (["a", "b", "d"], ["a", "c", "d"])
    assert sum(bool(kept.find(f"doi:{name}")) for name in "abcd") == 3
    assert kept.measure().vectors == 3


@BOTH
def test_the_size_stays_bounded_while_much_is_added(memory):
    store = memory(most=50)
    for number in range(700):
        store.put([entry(str(number))], DAY + number)
    store.close()
    assert names(store.list_all()) == sorted(str(n) for n in range(650, 700))


@BOTH
def test_processes_that_write_at_once_lose_nothing(where, memory):
    code = """
        for number in range(100):
            memory.put([entry(f"{sys.argv[2]}-{number}"), entry("shared", f"doi:{sys.argv[2]}")], DAY)
        print(memory.trouble or "well")
    """
    others = [started(where, code, name) for name in ("x", "y", "z")]
    assert [one.communicate()[0].strip() for one in others] == ["well"] * 3
    assert memory().measure().entries == 301
    assert sum(bool(memory().find(f"doi:{name}")) for name in ("x", "y", "z")) == 1


@BOTH
def test_a_killed_process_leaves_a_whole_file(where, memory):
    code = """
        memory.put([entry("before")], DAY)
        print("ready", flush=True)
        while True:
            memory.put([entry(str(number)) for number in range(50)], DAY)
    """
    other = started(where, code)
    assert other.stdout.readline().strip() == "ready"
    other.send_signal(signal.SIGKILL)
    other.wait()
    other.stdout.close()
    store = memory()
    assert store.find("doi:before")
    store.put([entry("after")], DAY)
    assert store.find("doi:after")
    assert store.trouble == ""


@pytest.mark.parametrize("damage", [b"not a database at all" * 400, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_is_set_aside_and_costs_nothing_but_the_memory(folder, memory, damage):
    folder.mkdir(mode=0o700)
    (folder / FILE).write_bytes(damage)
    (folder / FILE).chmod(0o600)
    store = memory()
    assert store.find("doi:1") == []
    assert "nothing is remembered" in store.trouble
    assert memory().find("doi:1") == []
    memory().put([entry("a")], DAY)
    assert names(memory().list_all()) == ["a"]
    assert (folder / "memory.damaged").read_bytes() == damage


def test_an_entry_that_was_changed_is_not_used(folder, memory):
    memory().put([entry("a"), entry("b")], DAY)
    with sqlite3.connect(folder / FILE) as database:
        database.execute("UPDATE entries SET body = x'00' WHERE name = 'a'")
        database.execute("UPDATE entries SET body = 5 WHERE name = 'b'")
    database.close()
    assert memory().find("doi:a") == memory().find("doi:b") == []


def test_a_file_of_a_later_version_is_refused_and_not_touched(folder, memory):
    memory().put([entry("a")], DAY)
    with sqlite3.connect(folder / FILE) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(UsageError, match="a later version"):
        memory()
    with sqlite3.connect(folder / FILE) as database:
        assert database.execute("SELECT count(*) FROM entries").fetchone() == (1,)
    database.close()


@BOTH
def test_vectors_of_another_model_are_dropped_and_those_of_this_one_kept(memory):
    store = memory(model="one")
    store.put([entry("a", vector=b"v", cell=1)], DAY)
    assert memory(model="one").list_near([1])
    assert memory().list_near([1])
    assert not memory(model="two").list_near([1])
    assert memory().find("doi:a")


@BOTH
def test_clear_forgets_everything(memory):
    store = memory()
    store.put([entry("a", vector=b"v")], DAY)
    store.clear()
    assert (store.measure().entries, store.measure().vectors) == (0, 0)
    assert store.find("doi:a") == []


@BOTH
def test_figures_tell_how_much_there_is(memory):
    store = memory()
    store.put([entry("a", vector=b"v", cell=1), entry("b", at="2026-01-01")], DAY)
    figures = store.measure()
    assert (figures.entries, figures.vectors) == (2, 1)
    assert (figures.oldest, figures.newest) == ("2026-01-01", AT)
    assert figures.size > 1000


def test_a_database_that_is_away_costs_the_memory_not_the_run(database):
    store = MemoryDatabase(StoreAddress(database))
    store.put([entry("a")], DAY)
    stop_postgres(database)
    try:
        assert store.find("doi:a") == []
        store.put([entry("b")], DAY)
        assert "nothing is remembered" in store.trouble
        with pytest.raises(UsageError, match="cannot be read or written"):
            MemoryDatabase(StoreAddress(database))
    finally:
        start_postgres(database)
        store.close()
    again = MemoryDatabase(StoreAddress(database))
    assert names(again.list_all()) == ["a"]
    again.close()


def test_a_database_of_a_later_version_is_refused_and_not_touched(database):
    store = MemoryDatabase(StoreAddress(database))
    store.put([entry("a")], DAY)
    store.close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"UPDATE {SCHEMA}.citeproof_versions SET version = 9".encode())
        with pytest.raises(UsageError, match="a later version"):
            MemoryDatabase(StoreAddress(database))
        assert connection.execute(f"SELECT count(*) FROM {SCHEMA}.entries".encode()).fetchone() == (1,)


def test_writers_in_other_orders_do_not_block_each_other(database):
    code = """
        for number in range(40):
            some = [entry(str(n), f"doi:{n}", vector=b"v", cell=n) for n in range(60)]
            memory.put(some[::-1] if sys.argv[2] == "y" else some, DAY)
            memory.touch(str(number), DAY + number)
        memory.close()
        print(memory.trouble or "well")
    """
    others = [started(StoreAddress(database), code, name) for name in ("x", "y")]
    assert [one.communicate()[0].strip() for one in others] == ["well"] * 2
    store = MemoryDatabase(StoreAddress(database))
    assert (store.measure().entries, store.measure().vectors) == (60, 60)
    store.close()
