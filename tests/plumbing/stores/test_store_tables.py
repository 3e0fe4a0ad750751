"""Tables of an older version are brought up to date, those of a later one are not touched."""

from __future__ import annotations

import threading

import psycopg
import pytest

from citeproof.errors import AuditError, StoreUnreachableError
from citeproof.plumbing.store_address import StoreAddress, hide_password
from citeproof.plumbing.stores.job_store import JobStore
from citeproof.plumbing.stores.postgres_database import open_store_database
from citeproof.plumbing.stores.sqlite_file import StoreTables
from tests.plumbing.stores.postgres_server import start_postgres, stop_postgres

FIRST = StoreTables("notes", "CREATE TABLE notes (name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT;")
SECOND = StoreTables(
    "notes", FIRST.made, ("ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",)
)
THIRD = StoreTables(
    "notes",
    FIRST.made,
    (*SECOND.changes, "CREATE TABLE more (name TEXT PRIMARY KEY); UPDATE notes SET size = size + 1"),
)


def open_tables(place: str, tables: StoreTables):
    return open_store_database(place, "notes.sqlite", tables)


def test_each_version_leads_to_the_next_and_keeps_the_rows(place):
    old = open_tables(place, FIRST)
    old.insert("INSERT INTO notes (name, size)", [("a", 1)])
    old.close()
    new = open_tables(place, THIRD)
    assert new.read("SELECT name, size, colour FROM notes") == [("a", 2, "red")]
    assert new.read("SELECT * FROM more") == []
    new.close()
    again = open_tables(place, THIRD)
    assert again.read("SELECT size FROM notes") == [(2,)]  # not changed twice
    again.close()
    with pytest.raises(AuditError, match="a later version of citeproof wrote this") as caught:
        open_tables(place, SECOND).read("SELECT 1 FROM notes")
    assert caught.value.hint


def test_a_new_store_has_the_newest_version(place):
    new = open_tables(place, THIRD)
    new.insert("INSERT INTO notes (name, size)", [("a", 1)])
    assert new.read("SELECT size, colour FROM notes") == [(1, "red")]
    new.close()


def test_several_that_open_at_once_change_the_tables_once(place):
    old = open_tables(place, FIRST)
    old.insert("INSERT INTO notes (name, size)", [("a", 1)])
    old.close()
    found = []
    gate = threading.Barrier(6)

    def open_newest():
        store = open_tables(place, THIRD)
        gate.wait(120)
        found.append(store.read("SELECT size FROM notes"))
        store.close()

    threads = [threading.Thread(target=open_newest) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(120)
    assert found == [[(2,)]] * 6


def test_a_change_that_fails_changes_nothing(place):
    old = open_tables(place, FIRST)
    old.insert("INSERT INTO notes (name, size)", [("a", 1)])
    old.close()
    broken = StoreTables("notes", FIRST.made, ("UPDATE notes SET size = 7; UPDATE nothing SET size = 8",))
    with pytest.raises(AuditError):
        open_tables(place, broken).read("SELECT 1 FROM notes")
    again = open_tables(place, SECOND)
    assert again.read("SELECT size FROM notes") == [(1,)]
    again.close()


def test_jobs_of_a_release_without_versions_are_taken_over(database):
    store = JobStore(database)
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    store.close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP TABLE citeproof_versions")
    again = JobStore(database)
    assert again.find(job).id == job
    again.close()


def test_a_server_that_is_away_is_told_and_asked_again(database):
    store = JobStore(database)
    job = store.add("check", "ann", b"x", b"{}", 1.0).id
    stop_postgres(database)
    try:
        with pytest.raises(StoreUnreachableError, match="cannot be read or written") as caught:
            store.find(job)
        assert "PostgreSQL server running" in caught.value.hint
    finally:
        start_postgres(database)
    assert store.find(job).id == job
    store.close()


ADDRESSES = {
    "postgresql://ann:secret@db.example.org:5432/jobs?sslmode=require": "postgresql://db.example.org:5432/jobs",
    "postgres://db/jobs": "postgres://db/jobs",
    "postgresql://ann:secret@/jobs?host=/run/postgresql&password=secret": "postgresql:///jobs",
    "postgresql://a:secret@[::1]:5432,h2:5433/jobs": "postgresql://[::1]:5432,h2:5433/jobs",
    "postgresql://ann:se/cret@db/jobs": "postgresql://…",
    "postgresql://ann:se@cret@db/jobs": "postgresql://…",
    "postgresql://ann:secret": "postgresql://…",
    "postgresql://db/jobs/ann:secret@x": "postgresql://…",
    "postgresql://ann:secret#@db/jobs": "postgresql://…",
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_no_address_shows_its_password(url):
    assert hide_password(url) == str(StoreAddress(url)) == ADDRESSES[url]
    assert "cret" not in repr(StoreAddress(url))
    assert StoreAddress(url).reveal() == url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:secret@127.0.0.1:9/jobs",
        "postgresql://ann:se%2Fcret@127.0.0.1:9/jobs",
        "postgresql://ann:secret/x@127.0.0.1:9/jobs",
        "postgresql://ann:cret@cret:cret/jobs",
        "postgresql://127.0.0.1:9/jobs?password=secret&wrong=secret",
    ],
)
def test_no_message_has_the_password(url):
    with pytest.raises(StoreUnreachableError) as caught:
        JobStore(url).list_waiting()
    assert "cret" not in str(caught.value)


LOCAL = {
    "postgresql:///jobs": True,
    "postgresql://ann:secret@localhost:5432/jobs": True,
    "postgresql://127.0.0.1/jobs": True,
    "postgresql://[::1]:5432/jobs": True,
    "postgresql://ann@/jobs?host=/run/postgresql": True,
    "postgresql://%2Frun%2Fpostgresql/jobs": True,
    "postgresql://localhost/jobs?hostaddr=10.0.0.1": False,
    "postgresql://localhost/jobs?host=db.example.org": False,
    "postgresql://localhost,db.example.org/jobs": False,
    "postgresql://db.example.org/jobs": False,
    "postgresql://ann:se/cret@localhost/jobs": False,
}


@pytest.mark.parametrize("url", LOCAL)
def test_which_databases_are_on_this_machine(url):
    assert StoreAddress(url).is_local is LOCAL[url]
